//! A process is suspended until its leases expire and another takes over.
//!
//! When it resumes, its results must be discarded.

use std::time::{Duration, Instant};

use asset_api_client::models::common::Task;
use rustix::process::{Pid, Signal, kill_process};

use super::outside::Outside;
use super::running::{Database, Running};
use crate::service::http_client;
use crate::service::waiting::TIMEOUT;

const SETTINGS: &str = "
[worker]
threads = 1
lease-seconds = 1
[webhooks]
deadline-seconds = 1
[retention]
sweep-seconds = 1
orphan-seconds = 2
";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_the_claim() {
    stopped("after-claim").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_file_was_put() {
    stopped("after-file").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn before_the_end_was_committed() {
    stopped("before-end").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_the_webhook_was_sent() {
    stopped("after-send").await;
}

async fn stopped(point: &str) {
    let Some(setting) = Database::Postgres.setting().await else { return };
    let outside = Outside::start().await;
    let settings = format!("{setting}{SETTINGS}");
    let first = Running::start_with(&settings, &[], &[("ASSET_SERVICE_STOP_AT", point)]);
    // The process that accepts the task must not be suspended before it has responded.
    let accepting = first.start_beside(&["--threads", "0"], &[]);
    let task = accepting.click(Some(outside.hook())).await;
    drop(accepting);
    within(|| stands_still(&first), "the point was not reached").await;

    // The second process also accepts tasks while the first one is suspended.
    let second = first.start_beside(&[], &[]);
    let done = second.sound(task).await;
    within(|| !outside.webhooks(task, "COMPLETED").is_empty(), "no webhook arrived").await;
    // On a busy machine, the second attempt may lose its lease of a second, too.
    let taken_over = !done.generated[0].contains("/1-");
    assert!(taken_over || point == "after-send", "{done:?}: it must be a later attempt's result");

    kill_process(pid(&first), Signal::CONT).unwrap();
    drop(second);
    // The resumed process must work normally again.
    let other = first.click(Some(outside.hook())).await;
    first.sound(other).await;
    within(|| !outside.webhooks(other, "COMPLETED").is_empty(), "no webhook arrived for the other task")
        .await;
    let seen = first.sound(task).await;
    assert_eq!(path(&seen), path(&done), "a result that was seen must not change");
    assert_eq!(http_client::get(format!("{}{}", first.url, path(&done))).await.unwrap().status(), 200);
    within(|| first.files("results").len() == 2, "files that belong to nothing").await;
    for task in [task, other] {
        assert_eq!(outside.webhooks(task, "COMPLETED").len(), 1, "there must be one event id");
        assert!(outside.webhooks(task, "FAILED").is_empty());
    }
}

#[test]
fn an_embedded_database_is_for_one_process() {
    let running = Running::start(&["--threads", "0"]);
    let refused = running.command(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.status.code(), Some(1));
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(
        message.contains("another process (`serve`, `migrate` or `restore`) already uses the data folder"),
        "{message}"
    );
    assert!(
        running.command(&["keys", "list"]).status.success(),
        "other commands must work while the service runs"
    );
}

/// Returns the result's URL without the address of the process.
fn path(task: &Task) -> &str {
    let url = &task.generated[0];
    &url[url.find("/files/").unwrap()..]
}

async fn within(so: impl Fn() -> bool, otherwise: &str) {
    let begun = Instant::now();
    while !so() {
        assert!(begun.elapsed() < TIMEOUT, "{otherwise}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn pid(running: &Running) -> Pid {
    Pid::from_raw(i32::try_from(running.id()).unwrap()).unwrap()
}

/// Returns whether the kernel reports the process as stopped.
fn stands_still(running: &Running) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/stat", running.id())).unwrap();
    status.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
}
