//! The process dies at chosen points, as by a power cut, and is started again: no accepted task is lost, none is done twice
//! in what a client sees, and its end is told under one id.
//!
//! `CRASH_ROUNDS=34 cargo test … crash` makes 34 rounds of each of the six points.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use asset_api_client::models::common::TaskStatus;
use asset_api_client::models::sound_effects::{ListSoundEffectsInput, SoundEffectRequest};
use axum::http::HeaderMap;
use serde_json::Value;
use uuid::Uuid;

use super::running::Running;

/// Leases are short, so that those of the dead end soon; what belongs to nothing goes soon.
const SETTINGS: &str = "
[worker]
lease-seconds = 1
max-attempts = 5
[retention]
sweep-seconds = 1
orphan-seconds = 2
";

/// How many tasks a round has.
const TASKS: usize = 4;

/// The webhooks that were received: of each task the ids of its terminal events.
type Received = Arc<Mutex<BTreeMap<String, BTreeSet<String>>>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_the_task_was_kept() {
    rounds("after-create").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_the_claim() {
    rounds("after-claim").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_file_was_put() {
    rounds("after-file").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn before_the_end_was_committed() {
    rounds("before-end").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_the_end_was_committed() {
    rounds("after-end").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_the_webhook_was_sent() {
    rounds("after-send").await;
}

async fn rounds(point: &str) {
    let rounds = std::env::var("CRASH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(2);
    let received = Received::default();
    let hook = receive(Arc::clone(&received)).await;
    for round in 1..=rounds {
        // Another time it is the second or third task that meets the crash.
        round_of(&format!("{point}:{}", 1 + round % 3), &hook, &received).await;
    }
}

/// A receiver of webhooks; returns its URL.
async fn receive(received: Received) -> String {
    let app = axum::Router::new().fallback(move |headers: HeaderMap, body: String| {
        let event: Value = serde_json::from_str(&body).unwrap();
        if matches!(event["status"].as_str(), Some("COMPLETED" | "FAILED")) {
            let id = headers["webhook-id"].to_str().unwrap().to_owned();
            let task = event["task_id"].as_str().unwrap().to_owned();
            received.lock().unwrap().entry(task).or_default().insert(id);
        }
        async { "ok" }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    tokio::spawn(axum::serve(listener, app).into_future());
    url
}

async fn round_of(point: &str, hook: &str, received: &Received) {
    let mut running = Running::start_with(SETTINGS, &[], &[("ASSET_SERVICE_CRASH_AT", point)]);
    let mut accepted: Vec<Uuid> = Vec::new();
    for _ in 0..TASKS {
        let mut request = SoundEffectRequest::new("click", 0.5);
        request.webhook_url = Some(hook.to_owned());
        if let Ok(created) = running.client().create_sound_effect(request).await {
            accepted.push(created.data.task_id);
        }
    }
    let begun = Instant::now();
    while !running.has_ended() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{point} was not reached");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    running.kill_and_restart(&[]);

    let client = running.client();

    for id in &accepted {
        let task = loop {
            let task = client.get_sound_effect(*id).await.unwrap().data;
            if matches!(task.status, TaskStatus::Completed | TaskStatus::Failed) {
                break task;
            }
            assert!(begun.elapsed() < Duration::from_secs(120), "{point}: {task:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        };
        assert_eq!((task.status, task.generated.len()), (TaskStatus::Completed, 1), "{point}");
        assert_eq!(reqwest::get(&task.generated[0]).await.unwrap().status(), 200, "{point}");
    }
    let told = || {
        let received = received.lock().unwrap();
        accepted.iter().map(|id| received.get(&id.to_string()).map_or(0, BTreeSet::len)).collect::<Vec<_>>()
    };
    while told().contains(&0) {
        assert!(begun.elapsed() < Duration::from_secs(120), "{point}: {:?}", told());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(told(), vec![1; accepted.len()], "{point}: one id for the end of each task");
    no_orphans(&running, accepted.len(), begun, point).await;
}

/// One file of each task is left in the end; the one whose answer was lost in the crash has one too.
async fn no_orphans(running: &Running, accepted: usize, begun: Instant, point: &str) {
    loop {
        let listed =
            running.client().list_sound_effects(ListSoundEffectsInput::default()).await.unwrap().data.len();
        let files = running.results().len();
        if listed >= accepted && files == listed {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{point}: {files} files of {listed} tasks");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
