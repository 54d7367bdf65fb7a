//! Deadlines of requests and attempts, and failures of the disk that last.

use std::time::{Duration, Instant};

use asset_api_client::models::common::{Task, TaskStatus};
use asset_api_client::models::sound_effects::{ListSoundEffectsInput, SoundEffectRequest};
use reqwest::{Client, Response};
use sqlx::{ConnectOptions as _, Connection as _, Executor as _};

use super::proxy::Proxy;
use super::running::{Running, setting};
use crate::store::cluster::Cluster;

async fn create(running: &Running) -> Response {
    let request = Client::new().post(format!("{}/v1/ai/sound-effects", running.url));
    let request = request.header("x-service-api-key", &running.key);
    request.json(&SoundEffectRequest::new("wind", 1.0)).send().await.unwrap()
}

/// Creates a task and returns the code that it fails with.
async fn failure(running: &Running) -> String {
    let client = running.client();
    let id = client.create_sound_effect(SoundEffectRequest::new("wind", 1.0)).await.unwrap().data.task_id;
    for _ in 0..150 {
        let task: Task = client.get_sound_effect(id).await.unwrap().data;
        if matches!(task.status, TaskStatus::Completed | TaskStatus::Failed) {
            return task.error.map(|error| error.code).unwrap_or_default();
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("the task did not end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_takes_no_task_and_shows_the_others() {
    let running = Running::start_with("[disk]\nlow-water-mib = 1000000000000\n", &[], &[]);
    let refused = create(&running).await;
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    running.client().list_sound_effects(ListSoundEffectsInput::default()).await.unwrap();
    assert!(running.metrics().await.contains("requests_limited_total{limit=\"disk\"} 1"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn engines_that_hang_lose_their_tasks_but_not_all_threads() {
    let mut running = Running::start_with(
        "[deadlines]\nsound-effects = 1\n",
        &["--threads", "1"],
        &[("ASSET_SERVICE_HANG_AT", "engine")],
    );
    // One on the thread, one on the thread for quick tasks, and one in the place of a hung one.
    for _ in 0..3 {
        assert_eq!(failure(&running).await, "deadline_exceeded");
    }
    assert!(running.metrics().await.contains("engines_hung_total 3"));
    let begun = Instant::now();
    running.terminate();
    assert!(begun.elapsed() < Duration::from_secs(30), "the process must end without the engines");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disk_that_stays_broken_ends_the_task() {
    let running = Running::start_with("[worker]\nbackoff-seconds = 0\nmax-outages = 2\n", &[], &[]);
    // A file in the place of the folder: no result can be stored.
    let folder = running.data().join("files/results");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::write(&folder, "").unwrap();
    assert_eq!(failure(&running).await, "storage_unavailable");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_does_not_wait_for_the_database_for_ever() {
    let running = Running::start_with("[http]\nrequest-seconds = 1\n", &["--threads", "0"], &[]);
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(running.data().join("service.db"));
    let mut other = options.connect().await.unwrap();
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    let begun = Instant::now();
    let refused = create(&running).await;
    assert_eq!(refused.status(), 503);
    assert!(refused.headers().contains_key("retry-after"));
    assert!(refused.headers().contains_key("x-ratelimit-remaining"), "{:?}", refused.headers());
    assert!((1..8).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    assert!(running.metrics().await.contains("requests_limited_total{limit=\"time\"} 1"));
    other.execute("ROLLBACK").await.unwrap();
    other.close().await.unwrap();
    assert_eq!(create(&running).await.status(), 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_behind_a_proxy_that_stops_is_reached_anew() {
    let Some(cluster) = Cluster::shared() else { return };
    let direct = cluster.database().await;
    let database = direct.rsplit('/').find_map(|part| part.split_once("?host=")).unwrap().0;
    let proxy = Proxy::start(cluster.folder()).await;
    let settings = format!("{}[http]\nrequest-seconds = 1\n", setting(&proxy.url(database)));
    let running = Running::start_with(&settings, &["--threads", "0"], &[]);
    // More requests than connections.
    let create_all = async || futures_util::future::join_all((0..20).map(|_| create(&running))).await;
    let statuses = |responses: &[Response]| -> Vec<u16> {
        responses.iter().map(|response| response.status().as_u16()).collect()
    };
    assert_eq!(statuses(&create_all().await), [200; 20]);

    proxy.stop();
    let begun = Instant::now();
    let refused = create_all().await;
    assert_eq!(statuses(&refused), [503; 20]);
    assert!(refused.iter().all(|response| response.headers().contains_key("retry-after")));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());

    // The old connections never respond again.
    proxy.resume();
    let begun = Instant::now();
    while create(&running).await.status() != 200 {
        assert!(begun.elapsed() < Duration::from_secs(40), "the dead connections are still in use");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(statuses(&create_all().await), [200; 20]);
}
