//! A client asks for responses over HTTP/2 and never reads them: the window of each stream is 0.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use asset_service::domain::{Content, Piece};
use axum::http::{Request, StatusCode};
use bytes::Bytes;
use futures_util::future::join_all;
use h2::RecvStream;
use h2::client::{Builder, SendRequest};
use serde_json::json;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::service::http_client;
use crate::service::running::Running;
use crate::service::victim::{GROWTH, Percentiles, Victim, create, hurts_nobody, peak, until};
use crate::service::waiting::TIMEOUT;
use crate::service::waiting::eventually;

/// The requests on a connection: the maximum of the service.
const STREAMS: usize = 100;

/// The time without progress after which the service closes a connection, in seconds.
const STALLED: u64 = 10;

/// Responses that are not read.
pub struct Unread {
    pub statuses: Vec<StatusCode>,
    bodies: Vec<RecvStream>,
    _requests: Vec<SendRequest<Bytes>>,
}

impl Unread {
    /// Returns how many responses have this status.
    pub fn count(&self, status: u16) -> usize {
        self.statuses.iter().filter(|given| given.as_u16() == status).count()
    }

    /// Waits until the service has closed all connections.
    pub async fn are_closed(mut self) {
        for body in &mut self.bodies {
            let ended = timeout(TIMEOUT, async { while let Some(Ok(_)) = body.data().await {} });
            ended.await.expect("the connection must be closed");
        }
    }
}

/// Requests this path on several connections, and reads only the heads of the responses.
pub async fn ask(running: &Running, path: &str, key: Option<&str>, connections: usize) -> Unread {
    let to: SocketAddr = running.url.trim_start_matches("http://").parse().unwrap();
    let all = join_all((0..connections).map(|_| ask_on_one(to, path, key))).await;
    let mut unread = Unread { statuses: Vec::new(), bodies: Vec::new(), _requests: Vec::new() };
    for one in all {
        unread.statuses.extend(one.statuses);
        unread.bodies.extend(one.bodies);
        unread._requests.extend(one._requests);
    }
    unread
}

/// Does the same on one connection, from another address of the loopback network.
async fn ask_on_one(to: SocketAddr, path: &str, key: Option<&str>) -> Unread {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from(([127, 0, 0, 2], 0))).unwrap();
    let stream = socket.connect(to).await.unwrap();
    let (mut requests, connection) =
        Builder::new().initial_window_size(0).handshake::<_, Bytes>(stream).await.unwrap();
    tokio::spawn(connection);
    let mut unread = Unread { statuses: Vec::new(), bodies: Vec::new(), _requests: Vec::new() };
    for _ in 0..STREAMS {
        let mut request = Request::get(format!("http://{to}{path}"));
        if let Some(key) = key {
            request = request.header("x-service-api-key", key);
        }
        let asked = async {
            requests = requests.clone().ready().await?;
            requests.send_request(request.body(()).unwrap(), true)?.0.await
        };
        // The service may have closed the connection, or hold back further requests until these responses are read.
        let Ok(Ok(response)) = timeout(Duration::from_secs(STALLED / 2), asked).await else { break };
        unread.statuses.push(response.status());
        unread.bodies.push(response.into_body());
    }
    unread._requests.push(requests);
    unread
}

pub const SETTINGS: &str = "[http]\nstalled-seconds = 10\n[http.open]\nburst = 100000\nper-second = 100000.0\n\
                        [tiers.default]\nburst = 100000\nper-second = 100000.0\n";

/// Attacks with this request while a victim works; returns how many responses had status 200.
async fn attack(
    running: &Running,
    path: &str,
    key: Option<&str>,
    connections: usize,
) -> (Percentiles, usize) {
    let victim = Victim::start(running).await;
    let before = peak(running.id());
    let attack = async {
        let unread = ask(running, path, key, connections).await;
        let (accepted, refused) = (unread.count(200), unread.count(429));
        let grown = peak(running.id()) - before;
        println!("{accepted} responses, {refused} refusals, {grown} MiB");
        assert!(grown < GROWTH, "{grown} MiB");
        unread.are_closed().await;
        accepted
    };
    let (percentiles, accepted) = victim.measure_during(attack).await;
    let after = peak(running.id());
    println!("{before} MiB before, {after} MiB after");
    assert!(after < before + GROWTH, "{before} MiB before, {after} MiB after");
    let metrics = running.metrics().await;
    assert!(metrics.contains("connections_closed_total{reason=\"stalled\"}"), "{metrics}");
    (percentiles, accepted)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_documents_take_no_memory() {
    hurts_nobody(async || vec![unread_documents().await]).await;
}

async fn unread_documents() -> Percentiles {
    let running = Running::start_with(SETTINGS, &["--threads", "1"], &[]);
    let (percentiles, accepted) = attack(&running, "/openapi.json", None, 20).await;
    assert!(accepted > 500, "nothing is tested");
    let document = http_client::get(format!("{}/openapi.json", running.url)).await.unwrap();
    assert_eq!(document.headers()["cache-control"], "no-cache");
    assert!(document.bytes().await.unwrap().len() > 100_000);
    percentiles
}

/// The length of a task's result.
const RESULT: usize = 300_000;

/// Creates a task with a large result, and returns its path.
pub async fn large_task(running: &Running) -> String {
    let (client, body) = (http_client::new(), json!({"text": "click", "duration_seconds": 0.5}));
    let task = create(&client, &running.url, &running.key, "sound-effects", &body).await;
    until(&client, &task, &running.key, &["COMPLETED"]).await;
    let results = [Piece::from(Content::Text("x".repeat(RESULT)))];
    running.set_results(&task, &serde_json::to_string(&results).unwrap()).await;
    task.strip_prefix(&running.url).unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_tasks_are_few() {
    hurts_nobody(async || vec![unread_tasks().await]).await;
}

async fn unread_tasks() -> Percentiles {
    let running = Running::start_with(SETTINGS, &["--threads", "1"], &[]);
    let path = large_task(&running).await;
    let (percentiles, accepted) = attack(&running, &path, Some(&running.key), 10).await;
    // Eight megabytes, and what was asked for before they were full.
    assert!((5..64).contains(&accepted), "{accepted}");
    // The key's share of requests is free again.
    let get = async || {
        let response = running.get(&path).send().await.ok()?;
        (response.status() == 200).then_some(response)
    };
    let response = eventually("the key has no request left", get).await;
    assert_eq!(response.headers()["cache-control"], "no-store");
    assert!(response.bytes().await.unwrap().len() > RESULT);
    percentiles
}

/// A client that reads slowly, but does read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_reader_gets_all_of_it() {
    const PART: usize = 32 * 1024;
    let running = Running::start_with("[http]\nstalled-seconds = 5\n", &["--threads", "0"], &[]);
    let whole =
        http_client::get(format!("{}/openapi.json", running.url)).await.unwrap().bytes().await.unwrap();
    let to: SocketAddr = running.url.trim_start_matches("http://").parse().unwrap();
    let stream = TcpStream::connect(to).await.unwrap();
    let window = u32::try_from(PART).unwrap();
    let client = Builder::new().initial_window_size(window).handshake::<_, Bytes>(stream);
    let (requests, connection) = client.await.unwrap();
    tokio::spawn(connection);
    let request = Request::get(format!("http://{to}/openapi.json")).body(()).unwrap();
    let (response, _) = requests.ready().await.unwrap().send_request(request, true).unwrap();
    let mut body = response.await.unwrap().into_body();
    let (begun, mut read) = (Instant::now(), Vec::new());
    while read.len() < whole.len() {
        let (begin, end) = (read.len(), (read.len() + PART).min(whole.len()));
        while read.len() < end {
            read.extend(timeout(TIMEOUT, body.data()).await.unwrap().unwrap().unwrap());
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        body.flow_control().release_capacity(read.len() - begin).unwrap();
    }
    assert!(read == whole);
    assert!(begun.elapsed() > Duration::from_secs(5), "it was not slow: {} bytes", whole.len());
}
