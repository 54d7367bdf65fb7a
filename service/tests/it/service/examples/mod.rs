//! The programs of docs/ and examples/, with the service, and with a proxy in front of it that has faults.

mod proxy;

#[path = "../../../../../tests/it/consumer/blocking.rs"]
mod blocking;
#[path = "../../../../../tests/it/consumer/client.rs"]
mod client;
#[path = "../../../../../examples/downstream/src/lib.rs"]
mod downstream;
#[path = "../../../../../tests/it/consumer/files.rs"]
mod files;
#[path = "../../../../../tests/it/consumer/lists.rs"]
mod lists;
#[path = "../../../../../tests/it/consumer/recorded.rs"]
mod recorded;
#[path = "../../../../../tests/it/consumer/tasks.rs"]
mod tasks;
#[path = "../../../../../tests/it/consumer/webhooks.rs"]
pub mod webhooks;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use asset_api_client::models::common::{Task, TaskCreated, TaskCreatedResponse, TaskResponse, TaskStatus};
use asset_api_client::models::image_upscaler_precision::ListPrecisionImageUpscalesInput;
use asset_api_client::models::voiceover::ListVoiceoversInput;
use asset_api_client::runtime::mock::{Mock, Reply};
use asset_api_client::runtime::{BoxError, Credential, ErrorKind, TaskEvents, Token};
use asset_api_client::{Client, RetryPolicy};
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, Method, Uri};
use tokio::sync::mpsc;
use tokio::time::Instant;

use self::proxy::{BUSY, Fault, Proxy};
use super::http_client;
use super::running::{Running, client_of};
use super::waiting::eventually;
use super::webhooks::output;
use crate::service::outside::serve;

/// Returns a client that repeats calls without a pause.
fn client_at(url: &str, key: &str) -> Client {
    client_of(url, key).retry(RetryPolicy::default().base_delay(Duration::ZERO)).build().unwrap()
}

/// Runs the programs with this server, which is the service or a proxy. The key has no other tasks.
async fn run_all(running: &Running, url: &str, (key, secret): (&str, &str), folder: &Path) {
    let client = client_at(url, key);
    let spoken = async {
        let task = client::speak(&client, "One.").await.unwrap();
        client::status(&client, &task).await.unwrap();
        tasks::watch(&client, &task.task_id.to_string()).await.unwrap()
    };
    let blocked = client.clone();
    let blocked = tokio::task::spawn_blocking(move || blocking::speak(&blocked, "Two.").unwrap());
    let saved = async {
        let results = tasks::speak(&client, "Three.").await.unwrap();
        let result = results[0].replace(&running.url, url);
        files::save(&client, &result, &folder.join("three.wav")).await.unwrap()
    };
    let tour = folder.join("tour.wav");
    let (spoken, blocked, saved, count, program) = tokio::join!(
        spoken,
        blocked,
        saved,
        tasks::speak_all(&client, &["Four.", "Five."]),
        downstream::narrate(url, key, secret, &tour),
    );
    program.unwrap();
    assert_eq!((spoken.len(), blocked.unwrap().len(), count), (1, 1, 2));
    assert!(saved.size > 1000 && tour.exists());

    // No task was created twice.
    assert_eq!(listed(&client).await, 6);
    assert!(lists::failures(&client).await.unwrap().is_empty());
    lists::copy(&client, None).await.unwrap();
    tokio::task::spawn_blocking(move || assert_eq!(blocking::failures(&client).unwrap(), 0)).await.unwrap();
}

/// Returns the number of tasks, which are listed in pages of two.
async fn listed(client: &Client) -> usize {
    let mut tasks = client.list_voiceovers(ListVoiceoversInput::default().with_limit(2)).items();
    let mut count = 0;
    while let Some(task) = tasks.next().await {
        assert_eq!(task.unwrap().status, TaskStatus::Completed);
        count += 1;
    }
    count
}

/// Each request fails once. Without repetition, each call would fail.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_do_their_work_despite_faults() {
    let running = Running::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    let faults = [None, Some(BUSY), Some(Fault::LostRequest), Some(Fault::LostResponse), Some(Fault::CutOff)];
    let rounds = faults.into_iter().enumerate().map(async |(number, fault)| {
        let (key, secret) = running.new_key_and_secret();
        let folder = folder.path().join(number.to_string());
        std::fs::create_dir(&folder).unwrap();
        let key = (&*key, &*secret);
        let Some(fault) = fault else { return run_all(&running, &running.url, key, &folder).await };
        let proxy = Proxy::start(&running.url, fault).await;
        run_all(&running, &proxy.url, key, &folder).await;
        assert_eq!(proxy.count("GET /v1/ai/voiceover?limit=2&page=2"), 2, "{fault:?}");
        let other = Proxy::start(&running.url, fault).await;
        let list = client_at(&other.url, key.0).list_voiceovers(ListVoiceoversInput::default());
        let error = list.retry(RetryPolicy::never()).await.unwrap_err();
        let is_busy = error.status().is_some_and(|status| status == 503);
        assert!(is_busy || matches!(error.kind(), ErrorKind::Transport(_)), "{fault:?}: {error:?}");
    });
    futures_util::future::join_all(rounds).await;
}

/// A server whose clock is years ahead, and one whose clock is years behind.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waits_that_a_server_asks_for_are_those_of_its_clock() {
    const AHEAD: Fault = Fault::Response(
        "HTTP/1.1 503 Busy\r\ndate: Thu, 01 Jan 2071 00:00:00 GMT\r\nretry-after: Thu, 01 Jan 2071 00:00:00 GMT\r\n\
         content-length: 0\r\nconnection: close\r\n\r\n",
    );
    const BEHIND: Fault = Fault::Response(
        "HTTP/1.1 503 Busy\r\ndate: Thu, 01 Jan 2015 00:00:00 GMT\r\nretry-after: Thu, 01 Jan 2015 01:00:00 GMT\r\n\
         content-length: 0\r\nconnection: close\r\n\r\n",
    );
    let running = Running::start(&["--threads", "0"]);
    let proxy = Proxy::start(&running.url, AHEAD).await;
    assert!(lists::failures(&client_at(&proxy.url, &running.key)).await.unwrap().is_empty());
    assert_eq!(proxy.count("GET /v1/ai/voiceover"), 2);
    // An hour is too long for a call, so it ends at once.
    let proxy = Proxy::start(&running.url, BEHIND).await;
    let error = client::speak(&client_at(&proxy.url, &running.key), "One.").await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3600)), "{error:?}");
    assert_eq!(proxy.count("POST "), 1);
}

/// The program takes 2 minutes of virtual time.
#[tokio::test(start_paused = true)]
async fn a_program_waits_as_long_as_the_server_asks() {
    let elapsed = async |seconds: [&str; 4]| {
        let id = uuid::Uuid::nil();
        let created = TaskCreatedResponse::new(TaskCreated::new(id, TaskStatus::Created));
        let task = |status| TaskResponse::new(Task::new(id, status, Vec::new()));
        let ask = |reply: Reply, seconds: &str| reply.header("retry-after", seconds);
        let mock = Mock::new()
            .on("create_voiceover", ask(Reply::new(503), seconds[0]))
            .on("create_voiceover", ask(Reply::json(200, &created), seconds[1]))
            .on("get_voiceover", ask(Reply::new(429), seconds[2]))
            .on("get_voiceover", ask(Reply::json(200, &task(TaskStatus::InProgress)), seconds[3]))
            .on("get_voiceover", Reply::json(200, &task(TaskStatus::Completed)));
        let builder = Client::builder().base_url("http://mock").api_key("any").transport(mock);
        let started = Instant::now();
        tasks::speak(&builder.build().unwrap(), "One.").await.unwrap();
        started.elapsed().as_secs()
    };
    assert!(elapsed(["0"; 4]).await < 5);
    assert!((120..125).contains(&elapsed(["20", "40", "10", "50"]).await));
}

/// The first key has expired. The client keeps a token that is young, so the clock moves.
#[tokio::test]
async fn an_expired_key_is_replaced() {
    let running = Running::start(&["--threads", "0"]);
    let keys = [running.new_key(&["--expires-in", "0"]), running.key.clone()];
    let fetched = AtomicUsize::new(0);
    let provider = move || {
        let key = keys[fetched.fetch_add(1, Ordering::Relaxed)].clone();
        async move { Ok::<_, BoxError>(Token::new(key)) }
    };
    let client = client_of(&running.url, "none").api_key(Credential::tokens(provider)).build().unwrap();
    let error = client::speak(&client, "One.").await.unwrap_err();
    assert_eq!(error.status().map(|status| status.as_u16()), Some(401));
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(60)).await;
    tokio::time::resume();
    client::speak(&client, "Two.").await.unwrap();
}

/// The recording has the fault, so the replay repeats the call as well.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recording_of_the_service_is_replayed_without_it() {
    let running = Running::start(&["--threads", "0"]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("recorded.json");
    let proxy = Proxy::start(&running.url, BUSY).await;
    recorded::record(&proxy.url, &running.key, &file).await.unwrap();
    drop(running);
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches("\"response\": 503").count(), 2, "{text}");
    recorded::test(&file).await.unwrap();
}

/// The result is then cut off, and the program requests the rest.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picture_is_sent_from_a_file_and_its_result_saved() {
    let running = Running::start(&[]);
    let (client, folder) = (running.client(), tempfile::tempdir().unwrap());
    let picture = folder.path().join("coffee.jpg");
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/coffee.jpg"), &picture).unwrap();
    let saved = files::enlarge(&client, &picture).await.unwrap();
    assert_eq!(
        (saved.content_type(), saved.path.file_name()),
        ("image/png", Some("coffee.large.png".as_ref()))
    );
    let [before, after] = [&picture, &saved.path].map(|path| image::open(path).unwrap());
    assert_eq!(after.width(), 2 * before.width());

    let list = client.list_precision_image_upscales(ListPrecisionImageUpscalesInput::default());
    let result = list.await.unwrap().data[0].generated[0].clone();
    let cut_off = async || {
        let proxy = Proxy::start(&running.url, Fault::CutOff).await;
        result.replace(&running.url, &proxy.url)
    };
    let again = folder.path().join("again.png");
    let refused = client.runtime().fetch(cut_off().await).download(&again).resumptions(0).await;
    assert!(refused.is_err() && !again.exists(), "{refused:?}");
    let resumed = files::save(&client, &cut_off().await, &again).await.unwrap();
    assert_eq!((resumed.resumptions, resumed.size), (1, saved.size));
    assert_eq!(std::fs::read(&again).unwrap(), std::fs::read(&saved.path).unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "no temporary file is left");
}

/// The client polls after half a minute, so an event ends the waiting. Each event is delivered twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_handles_each_event_of_the_service_once() {
    let running = Running::start(&[]);
    let (results, mut received) = mpsc::unbounded_channel();
    let events = TaskEvents::new();
    let app = webhooks::app(&running.secret, None, results, &events).unwrap();
    let hook = format!("http://{}/hooks/task_status_changed", serve(app).await);
    let client = running.client();
    let waiting = tokio::time::timeout(Duration::from_secs(25), webhooks::speak(&client, &events, &hook));
    let spoken = waiting.await.unwrap().unwrap();
    assert_eq!(received.recv().await.as_ref(), spoken.first());

    let delivered = async || {
        eventually("each event is delivered", async || {
            let is_pending = !output(&running, &["webhooks", "deliveries", "--state", "pending"]).is_empty();
            (!is_pending).then(|| output(&running, &["webhooks", "deliveries", "--state", "delivered"]))
        })
        .await
    };
    let first = delivered().await;
    let ids: Vec<&str> = first.split_whitespace().filter(|word| word.starts_with("msg_")).collect();
    for id in &ids {
        output(&running, &["webhooks", "replay", id]);
    }
    assert_eq!(delivered().await.matches(" in ").count(), 2 * ids.len(), "{first}");
    assert!(received.try_recv().is_err(), "the handler is called once");
}

/// A router in memory passes requests on to the service, which is busy at first.
#[tokio::test]
async fn a_service_of_tower_is_a_transport() {
    let running = Running::start(&["--threads", "0"]);
    let proxy = Proxy::start(&running.url, BUSY).await;
    let url = proxy.url.clone();
    let router = Router::new().fallback(move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| {
        let target = format!("{url}{}", uri.path_and_query().unwrap());
        async move {
            let request = http_client::new().request(method, target).headers(headers).body(body);
            let response = request.send().await.unwrap();
            (response.status(), response.headers().clone(), response.bytes().await.unwrap())
        }
    });
    let builder = Client::builder().base_url("http://in-memory").api_key(&*running.key);
    let retry = RetryPolicy::default().base_delay(Duration::ZERO);
    let client = builder.retry(retry).transport(router).build().unwrap();
    let task = client::speak(&client, "One.").await.unwrap();
    assert_eq!(client::status(&client, &task).await.unwrap(), TaskStatus::Created);
    assert_eq!(proxy.count(""), 4);
}
