//! Deadlines of requests and attempts, and failures of the disk that last.

use std::time::{Duration, Instant};

use asset_api_client::models::common::TaskStatus;
use asset_api_client::models::sound_effects::{ListSoundEffectsInput, SoundEffectRequest};
use reqwest::Response;
use sqlx::{ConnectOptions as _, Connection as _, Executor as _};

use super::proxy::Proxy;
use super::running::{Running, setting};
use super::waiting::{ended, eventually};
use crate::store::cluster::Cluster;

async fn create(running: &Running) -> Response {
    running.post("/v1/ai/sound-effects", &SoundEffectRequest::new("wind", 1.0)).send().await.unwrap()
}

/// Creates a task and returns the code that it fails with.
async fn failure(running: &Running) -> String {
    let client = running.client();
    let id = client.create_sound_effect(SoundEffectRequest::new("wind", 1.0)).await.unwrap().data.task_id;
    let task = ended(async || client.get_sound_effect(id).await.unwrap().data).await;
    task.error.map(|error| error.code).unwrap_or_default()
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
    assert_eq!(failure(&running).await, "deadline_exceeded");
    // It has the thread that replaces the hung one.
    assert_eq!(failure(&running).await, "deadline_exceeded");
    assert!(running.metrics().await.contains("engines_hung_total 2"));
    let begun = Instant::now();
    running.terminate();
    assert!(begun.elapsed() < Duration::from_secs(30), "the process must end without the engines");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_without_threads_ends_and_loses_nothing() {
    let mut running = Running::start_with(
        "shutdown-seconds = 1\n[deadlines]\nsound-effects = 1\n",
        &["--threads", "1"],
        &[("ASSET_SERVICE_HANG_AT", "engine")],
    );
    let client = running.client();
    let mut tasks = Vec::new();
    for _ in 0..6 {
        let created = client.create_sound_effect(SoundEffectRequest::new("wind", 1.0)).await.unwrap();
        tasks.push(created.data.task_id);
    }
    // One thread and one for quick tasks, and one instead of each. The others find none.
    eventually("the process has not ended", async || running.has_ended().then_some(())).await;
    assert_eq!(running.wait().code(), Some(2));
    let log = running.log();
    assert!(log.contains("worker") && log.contains("hung engines occupy all its threads"), "{log}");

    running.kill_and_restart(&[]);
    let client = running.client();
    let mut statuses = Vec::new();
    for id in tasks {
        statuses.push(ended(async || client.get_sound_effect(id).await.unwrap().data).await.status);
    }
    let failed = statuses.iter().filter(|status| **status == TaskStatus::Failed).count();
    assert!((2..=4).contains(&failed), "those that hung fail, and no other: {statuses:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_task_leaves_the_thread_for_quick_ones() {
    let running = Running::start_with("", &["--threads", "1"], &[("ASSET_SERVICE_HANG_AT", "engine")]);
    let client = running.client();
    for _ in 0..2 {
        client.create_sound_effect(SoundEffectRequest::new("wind", 1.0)).await.unwrap();
    }
    let counted = "task_attempt_seconds_count{family=\"sound-effects\",outcome=\"overdue\"} 1";
    eventually(counted, async || running.metrics().await.contains(counted).then_some(())).await;
    assert!(running.metrics().await.contains("tasks_in_progress 2"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_delays_are_not_failures_of_the_disk() {
    let mut running = Running::start_with("[worker]\nbackoff-seconds = 0\n", &["--threads", "0"], &[]);
    let client = running.client();
    let sound = client.create_sound_effect(SoundEffectRequest::new("wind", 1.0)).await.unwrap().data.task_id;
    let url = format!("sqlite://{}", running.data().join("service.db").display());
    let pool = sqlx::SqlitePool::connect(&url).await.unwrap();
    // An engine was busy twenty times, and the process stopped ten times.
    let begun = "UPDATE tasks SET status = 1, attempt = 30, refunded = 30, refusals = 20";
    sqlx::query(begun).execute(&pool).await.unwrap();
    let folder = running.data().join("files/results");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::write(&folder, "").unwrap();
    running.kill_and_restart(&[]);
    let outages =
        async || -> i64 { sqlx::query_scalar("SELECT outages FROM tasks").fetch_one(&pool).await.unwrap() };
    eventually("no outage is counted", async || (outages().await > 0).then_some(())).await;
    std::fs::remove_file(&folder).unwrap();
    let client = running.client();
    let task = ended(async || client.get_sound_effect(sound).await.unwrap().data).await;
    assert_eq!(task.status, TaskStatus::Completed, "{task:?}");
    pool.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disk_that_stays_broken_ends_the_task() {
    let running = Running::start_with("[worker]\nbackoff-seconds = 0\nmax-outages = 2\n", &[], &[]);
    // A file instead of the folder: no result can be stored.
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
    assert!((1..30).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
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
    let settings = "[http]\nrequest-seconds = 1\n[tiers.default]\nburst = 1000\n";
    let settings = setting(&proxy.url(database)) + settings;
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
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());

    // The old connections never respond again.
    proxy.resume();
    let begun = Instant::now();
    let is_reached = async || (create(&running).await.status() == 200).then_some(());
    eventually("the dead connections are still in use", is_reached).await;
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    assert_eq!(statuses(&create_all().await), [200; 20]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_statement_has_a_limit_on_both_sides() {
    let Some(cluster) = Cluster::shared() else { return };
    let direct = cluster.database().await;
    let database = direct.rsplit('/').find_map(|part| part.split_once("?host=")).unwrap().0;
    let proxy = Proxy::start(cluster.folder()).await;
    let settings = format!("{}statement-seconds = 3\n", setting(&proxy.url(database)));
    let running = Running::start_with(&settings, &["--threads", "0"], &[]);
    // A request may take a minute, so only the limit of its statements ends it.
    let both = async || {
        let begun = Instant::now();
        let list = running.get("/v1/ai/sound-effects").send();
        let (list, create) = tokio::join!(list, create(&running));
        for response in [list.unwrap(), create] {
            assert_eq!(response.status(), 503);
            assert_eq!(response.headers()["retry-after"], "5");
        }
        assert!((1000..20_000).contains(&begun.elapsed().as_millis()), "{:?}", begun.elapsed());
    };
    assert_eq!(create(&running).await.status(), 200);

    let mut other = sqlx::PgConnection::connect(&direct).await.unwrap();
    other.execute("BEGIN; LOCK TABLE tasks").await.unwrap();
    both().await;
    other.execute("ROLLBACK").await.unwrap();
    assert_eq!(create(&running).await.status(), 200);
    let metrics = running.metrics().await;
    assert!(metrics.contains("database_timeouts_total{limit=\"statement\"}"), "{metrics}");
    assert!(!metrics.contains("database_timeouts_total{limit=\"response\"}"), "{metrics}");

    proxy.stop();
    both().await;
    assert!(running.metrics().await.contains("database_timeouts_total{limit=\"response\"}"));
    other.close().await.unwrap();
}
