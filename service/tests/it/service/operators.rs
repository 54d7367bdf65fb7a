//! The commands of operators on keys and tasks, and their own address.

use std::time::{Duration, Instant};

use asset_api_client::models::image_to_prompt::ImageToPromptRequest;
use asset_api_client::models::sound_effects::{ListSoundEffectsInput, SoundEffectRequest};
use serde_json::json;
use uuid::Uuid;

use super::bodies::{base64, png};
use super::metrics;
use super::ports::free_address;
use super::running::{Database, Running, on_both_databases};
use super::waiting::eventually;
use super::wire::Wire;
use crate::service::http_client;
use crate::service::waiting::TIMEOUT;

fn output(running: &Running, arguments: &[&str]) -> String {
    let output = running.command(arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn refusal(running: &Running, arguments: &[&str]) -> String {
    let output = running.command(arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// Creates a task without an `Idempotency-Key`, which would keep the task for a day.
async fn create(running: &Running) -> Uuid {
    running.submit("/v1/ai/sound-effects", &json!({"text": "click", "duration_seconds": 0.5})).await
}

on_both_databases! {
    tasks_are_cancelled_and_deleted_with_their_files
    keys_are_rotated_with_an_overlap_and_revoked_with_their_tasks
}

async fn tasks_are_cancelled_and_deleted_with_their_files(database: Database) {
    let Some(mut running) = database.start("", &["--threads", "0"]).await else { return };
    let picture = ImageToPromptRequest::new(base64(&png(64, 64)));
    let waiting = running.client().create_image_to_prompt(picture).await.unwrap().data.task_id;
    let message = refusal(&running, &["tasks", "delete", &waiting.to_string()]);
    assert!(message.contains("only ended tasks can be deleted"), "{message}");
    output(&running, &["tasks", "cancel", &waiting.to_string()]);
    let task = running.client().get_image_to_prompt(waiting).await.unwrap().data;
    assert_eq!(task.error.unwrap().code, "cancelled");
    assert!(refusal(&running, &["tasks", "cancel", &waiting.to_string()]).contains("has ended already"));
    assert_eq!(running.files("inputs").len(), 1, "the task may be retried");

    running.kill_and_restart(&[]);
    let done = create(&running).await;
    let file = running.sound(done).await.generated[0].clone();
    assert_eq!(http_client::get(&file).await.unwrap().status(), 200);
    output(&running, &["tasks", "delete", &done.to_string(), &waiting.to_string()]);
    assert_eq!(http_client::get(&file).await.unwrap().status(), 404);
    assert!(running.files("results").is_empty() && running.files("inputs").is_empty());
    let listed = running.client().list_sound_effects(ListSoundEffectsInput::default()).await.unwrap();
    assert!(listed.data.is_empty());
    assert!(refusal(&running, &["tasks", "delete", &done.to_string()]).contains("no task has the id"));
}

async fn keys_are_rotated_with_an_overlap_and_revoked_with_their_tasks(database: Database) {
    let Some(running) = database.start("", &["--threads", "0"]).await else { return };
    let (task, id) = (create(&running).await, running.key_id());
    let statuses = async |keys: &[&str]| {
        // The service reads a key again after two seconds.
        tokio::time::sleep(Duration::from_millis(2200)).await;
        let mut statuses = Vec::new();
        for key in keys {
            let found = running.client_of(key).get_sound_effect(task).await;
            let status = found.err().and_then(|error| error.status());
            statuses.push(status.map_or(200, |status| status.as_u16()));
        }
        statuses
    };
    let rotate = |arguments: &[&str]| output(&running, &[&["keys", "rotate", id], arguments].concat());
    let new = rotate(&[]).trim().to_owned();
    assert_eq!(statuses(&[&running.key, &new]).await, [200, 200], "both see the key's tasks");
    let newest = rotate(&["--overlap", "0"]).trim().to_owned();
    assert_eq!(statuses(&[&running.key, &new, &newest]).await, [401, 401, 200]);

    for _ in 0..2 {
        let created = running.client_of(&newest).create_sound_effect(SoundEffectRequest::new("click", 0.5));
        created.await.unwrap();
    }
    let store = running.store().await;
    output(&running, &["keys", "revoke", id]);
    assert_eq!(store.depth().await.unwrap(), (3, 0), "the tasks run on");
    let message = output(&running, &["keys", "revoke", id, "--cancel"]);
    assert!(message.contains("cancelled tasks: 3"), "{message}");
    assert_eq!(store.depth().await.unwrap(), (0, 0));
    assert_eq!(statuses(&[&newest]).await, [401]);
    assert!(refusal(&running, &["keys", "revoke", id]).contains("no active key"));
    assert!(refusal(&running, &["keys", "revoke", "AAAA0000", "--cancel"]).contains("no active key"));
    store.close().await;
}

/// Returns the value of a metric.
async fn metric(running: &Running, name: &str) -> Option<f64> {
    let metrics = running.metrics().await;
    let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
    line.parse().ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_jumps_deletes_nothing() {
    let settings = "[retention]\ntask-days = 0\nsweep-seconds = 1\n";
    let mut running = Running::start_with(settings, &[], &[]);
    // The first sweep after its end removes it.
    let swept = create(&running).await;
    let is_present = async |running: &Running, id| running.client().get_sound_effect(id).await.is_ok();
    eventually("it is not swept", async || (!is_present(&running, swept).await).then_some(())).await;
    assert_eq!(metric(&running, "sweep_paused").await, Some(0.0));

    // As if the clock had jumped by 31 days since the last sweep.
    let url = format!("sqlite://{}", running.data().join("service.db").display());
    let pool = sqlx::SqlitePool::connect(&url).await.unwrap();
    running.kill_and_restart(&["--threads", "0"]);
    sqlx::query("UPDATE clock SET read_at = read_at - 31 * 86400000").execute(&pool).await.unwrap();
    running.kill_and_restart(&[]);
    let paused = async || metric(&running, "sweep_paused").await.filter(|paused| *paused == 1.0);
    eventually("the sweep is not paused", paused).await;
    let remaining = create(&running).await;
    running.sound(remaining).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(is_present(&running, remaining).await);
    assert!(running.log().contains("the database's clock has jumped"), "{}", running.log());

    // A day later.
    sqlx::query("UPDATE clock SET jumped_at = jumped_at - 86400000").execute(&pool).await.unwrap();
    let is_swept = async || (!is_present(&running, remaining).await).then_some(());
    eventually("the sweep does not continue", is_swept).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operators_have_an_address_of_their_own() {
    let admin = free_address().to_string();
    let settings = "drain-seconds = 8\nadmin-hosts = ['ops.example']\n[http]\nconnections = 16\nbodies-mib = 84\n[tiers.default]\nburst = 1000\n";
    let mut running = Running::start_with(settings, &["--threads", "0", "--admin-listen", &admin], &[]);
    let get = async |path: &str| {
        let response = http_client::get(format!("http://{admin}{path}")).await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    };
    eventually("it is not ready", async || (get("/readyz").await.0 == 200).then_some(())).await;
    assert!(get("/metrics").await.1.contains("sweep_paused"));
    assert_eq!(get("/healthz").await.0, 200);
    assert_eq!(get("/v1/icons").await.0, 404);
    // A page of another site, whose name leads here.
    for (host, status) in [("evil.example:9090", 421), ("ops.example:9090", 200), ("localhost", 200)] {
        let request = http_client::new().get(format!("http://{admin}/metrics")).header("host", host);
        assert_eq!(request.send().await.unwrap().status(), status, "{host}");
    }
    assert_eq!(http_client::get(format!("{}/metrics", running.url)).await.unwrap().status(), 404);

    // Bodies take all the room that a key may have, and requests in progress all connections.
    let bodies = Wire::fill(&running, &running.key);
    let post = || Wire::post(&running, "/v1/ai/sound-effects", Some(&running.key), 1000);
    let mut waiting = Vec::new();
    let begun = Instant::now();
    while http_client::get(format!("{}/healthz", running.url)).await.is_ok() {
        assert!(begun.elapsed() < TIMEOUT, "the API still has a connection");
        waiting.extend([(); 4].map(|()| post()));
        // A connection whose request the service has not read yet is idle, and closed in favour of a new one.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let begun = Instant::now();
    assert_eq!([get("/healthz").await.0, get("/readyz").await.0], [200, 200]);
    let metrics = get("/metrics").await.1;
    metrics::check(&metrics);
    assert!(metrics.contains("connections_closed_total{reason=\"full\"}"), "{metrics}");
    assert!(metrics.contains("requests_limited_total{limit=\"bodies\"}"), "{metrics}");
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    drop((bodies, waiting));

    let url = running.url.clone();
    let begun = Instant::now();
    let stopping = tokio::task::spawn_blocking(move || running.terminate());
    while get("/readyz").await.0 != 503 {
        assert!(begun.elapsed() < Duration::from_secs(8), "it must be unready before it stops");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(get("/readyz").await.1.contains("stopping"));
    let alive = http_client::get(format!("{url}/healthz")).await.unwrap();
    assert_eq!(alive.status(), 200, "the listener closes later");
    assert!(stopping.await.unwrap().success());
    assert!(begun.elapsed() >= Duration::from_secs(8));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_load_balancer_has_time_to_notice_the_end() {
    // Tests set it to 0, unless they name it.
    let running = Running::start_with("# drain-seconds has its default\n", &["--threads", "0"], &[]);
    let (url, id) = (running.url.clone(), running.id().to_string());
    let get = async |path: &str| {
        http_client::get(format!("{url}{path}")).await.map(|response| response.status().as_u16())
    };
    let is_ready = async || (get("/readyz").await.unwrap() == 200).then_some(());
    eventually("it is not ready", is_ready).await;
    let mut running = running;
    let stopping = tokio::task::spawn_blocking(move || running.terminate());
    while get("/readyz").await.expect("the listener is open") != 503 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(get("/healthz").await.unwrap(), 200);
    // Another signal ends the wait.
    assert!(std::process::Command::new("kill").arg(id).status().unwrap().success());
    assert!(stopping.await.unwrap().success());
}

/// Starts a service that panics at this point, and checks that it ends and names the loop.
async fn ends(settings: &str, point: &str, expected: &str) {
    let mut running = Running::start_with(settings, &[], &[("ASSET_SERVICE_PANIC_AT", point)]);
    let has_ended = async || {
        // It is work for every loop, and may fail.
        let mut request = SoundEffectRequest::new("wind", 0.5);
        request.webhook_url = Some("http://127.0.0.1:9/hook".to_owned());
        let _ = running.impatient_client().create_sound_effect(request).await;
        running.has_ended().then_some(())
    };
    eventually("the process has not ended", has_ended).await;
    let (code, log) = (running.wait().code(), running.log());
    assert_eq!(code, Some(2), "{log}");
    assert!(log.contains(expected), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_background_loop_that_ends_ends_the_process() {
    let settings = "[retention]\nsweep-seconds = 1\n";
    ends(settings, "sweep:2", "background loop `sweep` has ended: it panicked").await;
    ends("", "after-claim:2", "background loop `worker` has ended: it panicked").await;
    ends("", "after-event-claim:2", "background loop `webhooks` has ended: it panicked").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_writer_that_ends_ends_the_process() {
    ends("", "write:9", "background loop `writer of the database` has ended").await;
    if let Some(setting) = Database::Postgres.setting().await {
        ends(&setting, "write:3", "background loop `batches of writes` has ended").await;
    }
}
