//! Requests per second over loopback: the generated server and axum by hand.
//!
//! Both servers have the same handlers. Each server runs in its own thread, and so does the client, which
//! does as little as possible. Connections are kept alive.
//!
//! On Linux, a second row compares the processor time that the server's thread needs per request. It is also
//! shown as requests per second, but other work on the machine does not affect it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use asset_api_models::common::{Task, TaskCreated, TaskCreatedResponse, TaskResponse, TaskStatus};
use asset_api_models::responses::ApiError;
use asset_api_models::voiceover::{CreateVoiceoverInput, GetVoiceoverInput};
use asset_api_server::Server;
use asset_api_server::voiceover::VoiceoverApi;
use axum::Router;
use openapi_crates_runtime::server::{Attempt, Authenticate, Context, Denied, Failure};
use openapi_crates_runtime::types::Uuid;

use crate::by_hand;
use crate::decode::Subject;
use crate::http_client::Client;
use crate::rounds::{Contestant, Pace, Table, Target};
use crate::voiceover::Voiceover;

/// The id of the created task.
pub const TASK: Uuid = Uuid::from_u128(0x046b_6c7f_0b8a_43b9_b35d_6489_e6da_ee91);

/// The result of a completed task.
pub const RESULT: &str = "https://files.example.com/5a2e8c4d1f9b4037/speech.wav";

const KEY: &str = "2f1d7a40c9e84b52a6d3";

/// The number of connections.
const CONNECTIONS: usize = 16;

/// The valid API keys.
pub struct Keys;

/// The caller.
#[derive(Debug, Clone, Copy)]
pub struct Caller(#[expect(dead_code, reason = "never read")] u64);

impl Keys {
    /// Returns the owner of a key.
    pub fn caller(&self, key: &str) -> Option<Caller> {
        (key == KEY).then_some(Caller(7))
    }
}

impl Authenticate for Keys {
    type Principal = Caller;

    async fn authenticate(&self, attempt: Attempt<'_>) -> Result<Caller, Denied> {
        let key = attempt.credentials.first().map(|credential| credential.secret());
        key.and_then(|key| self.caller(key)).ok_or(Denied::Invalid)
    }
}

/// The voiceover operations of the generated server.
struct Voiceovers;

impl VoiceoverApi for Voiceovers {
    type Principal = Caller;

    async fn create_voiceover(
        &self,
        context: Context<Caller>,
        input: CreateVoiceoverInput,
    ) -> Result<TaskCreatedResponse, Failure<ApiError>> {
        std::hint::black_box((context.principal, input));
        Ok(TaskCreatedResponse::new(TaskCreated::new(TASK, TaskStatus::Created)))
    }

    async fn get_voiceover(
        &self,
        context: Context<Caller>,
        input: GetVoiceoverInput,
    ) -> Result<TaskResponse, Failure<ApiError>> {
        std::hint::black_box(context.principal);
        Ok(TaskResponse::new(Task::new(input.task_id, TaskStatus::Completed, vec![RESULT.to_owned()])))
    }
}

pub fn measure(table: &mut Table) {
    let service =
        Server::builder(Keys).voiceover(Arc::new(Voiceovers)).build().expect("the server can be built");
    let ours = serve(Router::new().fallback_service(service));
    let theirs = serve(by_hand::router(Arc::new(Keys)));

    let bodies = Voiceover::good().into_iter().map(|sample| {
        let request = format!(
            "POST /v1/ai/voiceover HTTP/1.1\r\nhost: api.example.com\r\nx-service-api-key: {KEY}\r\n\
             idempotency-key: 5f2b6c1e-launch-video\r\ncontent-type: application/json\r\n\
             user-agent: bench/1\r\naccept: */*\r\ncontent-length: {}\r\n\r\n",
            sample.body.len(),
        );
        (format!("loopback POST voiceover, {}", sample.name), [request.as_bytes(), &sample.body].concat())
    });
    let get = format!(
        "GET /v1/ai/voiceover/{TASK} HTTP/1.1\r\nhost: api.example.com\r\nx-service-api-key: {KEY}\r\n\
         user-agent: bench/1\r\naccept: */*\r\n\r\n",
    );
    for (what, request) in [("loopback GET task".to_owned(), get.into_bytes())].into_iter().chain(bodies) {
        let mut our_client = Client::connect(ours.address, CONNECTIONS, &request);
        let mut their_client = Client::connect(theirs.address, CONNECTIONS, &request);
        assert_eq!(our_client.response(), their_client.response(), "{what}: both responses must be equal");
        table.compare(
            &what,
            Pace::LONG,
            vec![
                Contestant::timed("ours", |times| our_client.send(times)),
                Contestant::timed("axum by hand", |times| their_client.send(times)),
            ],
            &[Target::Throughput(0.97)],
        );
        let times = [ours.processor_time(), theirs.processor_time()];
        if let [Some(_), Some(_)] = times {
            table.compare(
                &format!("{what}, processor"),
                Pace::LONG,
                vec![
                    Contestant::timed("ours", |times| ours.measured(|| our_client.send(times))),
                    Contestant::timed("axum by hand", |times| theirs.measured(|| their_client.send(times))),
                ],
                &[Target::Throughput(0.97)],
            );
        }
    }
}

/// A running server.
struct Running {
    address: SocketAddr,
    /// The thread's folder in `/proc`, if the system has one.
    thread: Option<PathBuf>,
}

impl Running {
    /// Returns the processor time of the thread so far.
    fn processor_time(&self) -> Option<Duration> {
        let text = std::fs::read_to_string(self.thread.as_ref()?.join("schedstat")).ok()?;
        text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    }

    /// Returns the processor time that the thread uses while `run` runs.
    fn measured<T>(&self, run: impl FnOnce() -> T) -> Duration {
        let before = self.processor_time();
        run();
        self.processor_time()
            .zip(before)
            .map_or(Duration::ZERO, |(after, before)| after.saturating_sub(before))
    }
}

/// Serves in a separate thread until the process ends.
fn serve(router: Router) -> Running {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    listener.set_nonblocking(true).expect("it can be waited for");
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let thread = std::fs::read_link("/proc/thread-self").ok().map(|link| Path::new("/proc").join(link));
        sender.send(thread).expect("someone listens");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).expect("it is waited for");
            axum::serve(listener, router).await
        })
    });
    Running { address, thread: receiver.recv().expect("the thread has begun") }
}
