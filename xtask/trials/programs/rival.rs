//! The processor time of our generated server and of openapi-to-rust's, on the same requests.
//!
//! `cargo xtask bench rival` copies this file into the target folder, next to the server that openapi-to-rust generates
//! (`api`) and the benchmarks' rounds, and compiles it there.
//!
//! Both servers have the same handlers and the same values. No request goes over a socket. Exits with 1 if a target is
//! missed.

#[allow(dead_code, reason = "the program uses a part")]
mod api;
#[allow(dead_code, reason = "the program uses a part")]
mod rounds;

use std::{convert::Infallible, hint::black_box, process::ExitCode, sync::Arc, time::Duration};

use api::{server, types};
use asset_api_models::{common, responses::ApiError, voiceover};
use asset_api_server::{Server, voiceover::VoiceoverApi};
use axum::{body::Body, http::Request, response::Response};
use http_body_util::BodyExt;
use openapi_crates_runtime::{
    server::{Attempt, Authenticate, Context, Denied, Failure},
    types::Uuid,
};
use rounds::{Contestant, Pace, Table, Target};
use serde_json::{Value, json};
use tower_service::Service;

const KEY: &str = "2f1d7a40c9e84b52a6d3";
const TASK: Uuid = Uuid::from_u128(0x046b_6c7f_0b8a_43b9_b35d_6489_e6da_ee91);

/// Our time, as a fraction of theirs.
const TARGET: Target = Target::AtMost(0.33);

struct Keys;

impl Authenticate for Keys {
    type Principal = ();

    async fn authenticate(&self, attempt: Attempt<'_>) -> Result<(), Denied> {
        let key = attempt.credentials.first().map(|credential| credential.secret());
        key.filter(|key| *key == KEY).map(|_| ()).ok_or(Denied::Invalid)
    }
}

/// The values of the responses of our server.
struct Ours {
    created: common::TaskCreatedResponse,
    task: common::TaskResponse,
    tasks: common::TaskListResponse,
}

impl Ours {
    fn new() -> Self {
        let url = "https://files.example.com/5a2e8c4d1f9b4037/speech.wav".to_owned();
        let task = common::Task::new(TASK, common::TaskStatus::Completed, vec![url]);
        Self {
            created: common::TaskCreatedResponse::new(common::TaskCreated::new(
                TASK,
                common::TaskStatus::Created,
            )),
            task: common::TaskResponse::new(task.clone()),
            tasks: common::TaskListResponse::new(vec![task; 20]),
        }
    }
}

impl VoiceoverApi for Ours {
    type Principal = ();

    async fn create_voiceover(
        &self,
        _: Context<()>,
        input: voiceover::CreateVoiceoverInput,
    ) -> Result<common::TaskCreatedResponse, Failure<ApiError>> {
        black_box(input);
        Ok(self.created.clone())
    }

    async fn get_voiceover(
        &self,
        _: Context<()>,
        input: voiceover::GetVoiceoverInput,
    ) -> Result<common::TaskResponse, Failure<ApiError>> {
        black_box(input);
        Ok(self.task.clone())
    }

    async fn list_voiceovers(
        &self,
        _: Context<()>,
        input: voiceover::ListVoiceoversInput,
    ) -> Result<common::TaskListResponse, Failure<ApiError>> {
        black_box(input);
        Ok(self.tasks.clone())
    }
}

/// The same values in the types of the other server.
#[derive(Clone)]
struct Theirs(Arc<(types::TaskCreatedResponse, types::TaskResponse, types::TaskListResponse)>);

impl Theirs {
    fn new(ours: &Ours) -> serde_json::Result<Self> {
        Ok(Self(Arc::new((
            serde_json::from_value(serde_json::to_value(&ours.created)?)?,
            serde_json::from_value(serde_json::to_value(&ours.task)?)?,
            serde_json::from_value(serde_json::to_value(&ours.tasks)?)?,
        ))))
    }
}

#[async_trait::async_trait]
impl server::VoiceoverApi for Theirs {
    async fn create_voiceover(
        &self,
        key: Option<String>,
        body: types::VoiceoverRequest,
    ) -> server::CreateVoiceoverResponse {
        black_box((key, body));
        server::CreateVoiceoverResponse::Ok(self.0.0.clone())
    }

    async fn get_voiceover(&self, task_id: String) -> server::GetVoiceoverResponse {
        black_box(task_id);
        server::GetVoiceoverResponse::Ok(self.0.1.clone())
    }

    async fn list_voiceovers(&self, page: Option<i64>, limit: Option<i64>) -> server::ListVoiceoversResponse {
        black_box((page, limit));
        server::ListVoiceoversResponse::Ok(self.0.2.clone())
    }
}

/// A request.
struct Sample {
    name: &'static str,
    path: String,
    /// The body, for `POST`.
    body: Option<String>,
}

impl Sample {
    fn get(name: &'static str, path: &str) -> Self {
        Self { name, path: format!("/v1/ai/voiceover{path}"), body: None }
    }

    /// Creates a request for a voiceover, with these fields instead of valid ones.
    fn post(name: &'static str, fields: Value) -> Self {
        let mut body = json!({
            "text": "The quick brown fox jumps over the lazy dog by the river.", "voice_id": "narrator-warm-01",
            "model": "vendor_turbo_v2_5", "stability": 0.4, "similarity_boost": 0.3, "speed": 1.05,
            "use_speaker_boost": true, "webhook_url": "https://client.example.com/hooks/tasks",
        });
        for (name, value) in fields.as_object().expect("they are fields") {
            body[name] = value.clone();
        }
        Self { name, path: "/v1/ai/voiceover".to_owned(), body: Some(body.to_string()) }
    }

    fn request(&self) -> Request<Body> {
        let builder = Request::builder().uri(&self.path).header("x-service-api-key", KEY);
        match &self.body {
            None => builder.body(Body::empty()),
            Some(body) => builder
                .method("POST")
                .header("idempotency-key", "5f2b6c1e-launch-video")
                .header("content-type", "application/json")
                .body(Body::from(body.clone())),
        }
        .expect("it is a request")
    }
}

fn accepted() -> Vec<Sample> {
    vec![
        Sample::get("GET, an id", &format!("/{TASK}")),
        Sample::get("GET, a query, 20 tasks", "?page=2&limit=20"),
        Sample::post("POST, 300 bytes", json!({})),
        Sample::post("POST, 2 KB", json!({ "text": "word ".repeat(400) })),
    ]
}

fn refused() -> Vec<Sample> {
    let several = json!({ "text": "", "speed": 0.5, "stability": 1.5, "volume": 1, "webhook_url": "none" });
    let not_json =
        Sample { body: Some("{\"text\": ".to_owned()), ..Sample::post("refused: not JSON", json!({})) };
    vec![
        Sample::get("refused: a limit that is not a number", "?page=2&limit=many"),
        Sample::get("refused: a page below 1", "?page=0&limit=20"),
        not_json,
        Sample::post("refused: one violation", json!({ "speed": 0.5 })),
        Sample::post("refused: five violations", several),
    ]
}

/// A server, and the runtime that calls it.
struct Called<'a, S> {
    server: S,
    runtime: &'a tokio::runtime::Runtime,
}

impl<'a, S, B> Called<'a, S>
where
    S: Service<Request<Body>, Response = Response<B>, Error = Infallible>,
    B: http_body::Body,
    B::Error: std::fmt::Debug,
{
    /// Returns the status and the JSON of a response.
    fn response(&mut self, sample: &Sample) -> (u16, Value) {
        self.runtime.block_on(async {
            let response = self.server.call(sample.request()).await.expect("a server has no errors");
            let status = response.status().as_u16();
            let body = response.into_body().collect().await.expect("the body is complete").to_bytes();
            (status, serde_json::from_slice(&body).expect("the response is JSON"))
        })
    }

    /// Sends requests in turn, and returns the processor time without that of making them.
    fn turn(&mut self, samples: &[&Sample], times: usize) -> Duration {
        let requests: Vec<_> = samples.iter().cycle().take(times).map(|sample| sample.request()).collect();
        let before = processor_time();
        self.runtime.block_on(async {
            for request in requests {
                let response = self.server.call(request).await.expect("a server has no errors");
                black_box(response.into_body().collect().await.expect("the body is complete").to_bytes());
            }
        });
        processor_time().saturating_sub(before)
    }
}

/// Returns the processor time of this thread.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.try_into().unwrap_or(0))
}

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let ours = Arc::new(Ours::new());
    let theirs = Theirs::new(&ours).expect("the types are those of one document");
    let service = Server::builder(Keys).voiceover(ours).build().expect("the server can be built");
    let router = server::voiceover_api_router(theirs);
    let mut ours = Called { server: service, runtime: &runtime };
    let mut theirs = Called { server: router, runtime: &runtime };

    let (accepted, refused) = (accepted(), refused());
    for sample in &accepted {
        let (our_response, their_response) = (ours.response(sample), theirs.response(sample));
        assert_eq!(our_response, their_response, "{}: both responses must be equal", sample.name);
        assert_eq!(our_response.0, 200, "{}", sample.name);
    }
    for sample in &refused {
        let statuses = [ours.response(sample).0, theirs.response(sample).0];
        assert!(statuses.iter().all(|status| [400, 422].contains(status)), "{}: {statuses:?}", sample.name);
    }

    let each = accepted.iter().chain(&refused).map(|sample| (sample.name, vec![sample]));
    let all = [("all good requests, in turn", &accepted), ("all refused requests, in turn", &refused)];
    let all = all.map(|(name, samples)| (name, samples.iter().collect()));
    let wanted = std::env::args().skip(1).collect();
    let mut table = Table::new(wanted);
    for (name, samples) in each.chain(all) {
        let contestants = vec![
            Contestant::timed("ours", |times| ours.turn(&samples, times)),
            Contestant::timed("openapi-to-rust", |times| theirs.turn(&samples, times)),
        ];
        table.compare(name, Pace::SHORT, contestants, &[TARGET]);
    }
    let (rows, missed) = table.totals();
    println!("\n{} of {} targets met", rows - missed, rows);
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
