//! A key keeps the engines busy with long work, and another key has a task.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::service::running::Running;

/// Limits that this test does not reach.
const UNLIMITED: &str = "[tiers.default]\nburst = 10000\nper-second = 10000.0\n";

/// Creates a task and returns its URL.
async fn create(running: &Running, key: &str, path: &str, body: &Value) -> String {
    let url = format!("{}/v1/ai/{path}", running.url);
    let request = reqwest::Client::new().post(&url).header("x-service-api-key", key).json(body);
    let created: Value = request.send().await.unwrap().json().await.unwrap();
    format!("{url}/{}", created["data"]["task_id"].as_str().unwrap_or_else(|| panic!("{created}")))
}

async fn status(url: &str, key: &str) -> String {
    let request = reqwest::Client::new().get(url).header("x-service-api-key", key);
    let task: Value = request.send().await.unwrap().json().await.unwrap();
    task["data"]["status"].as_str().unwrap().to_owned()
}

/// Waits until the task has one of these statuses.
async fn until(url: &str, key: &str, wanted: &[&str]) {
    let begun = Instant::now();
    while !wanted.contains(&status(url, key).await.as_str()) {
        assert!(begun.elapsed() < Duration::from_secs(60), "{url} is not {wanted:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn voiceover() -> (&'static str, Value) {
    ("voiceover", json!({"text": "A lighthouse stands on the coast. ".repeat(290), "voice_id": "narrator"}))
}

fn film() -> (&'static str, Value) {
    let prompt = "waves at night";
    ("text-to-video/standard", json!({"prompt": prompt, "duration": 15, "resolution": "1080P"}))
}

const BEGUN: [&str; 2] = ["IN_PROGRESS", "COMPLETED"];

/// Starts a service whose engine threads are all busy with tasks of its first key. Returns it and the last task.
async fn busy(threads: usize, tasks: usize, (path, body): (&str, Value)) -> (Running, String) {
    let running = Running::start_with(UNLIMITED, &["--threads", &threads.to_string()], &[]);
    let mut urls = Vec::new();
    for _ in 0..tasks {
        urls.push(create(&running, &running.key, path, &body).await);
    }
    for url in &urls[..threads] {
        until(url, &running.key, &BEGUN).await;
    }
    let last = urls.pop().unwrap();
    (running, last)
}

/// Creates a short task of another key, which ends before the long tasks do.
async fn a_short_task_overtakes(tasks: usize, work: (&str, Value)) {
    let (running, last) = busy(1, tasks, work).await;
    let other = running.new_key(&[]);
    let body = json!({"text": "click", "duration_seconds": 0.5});
    let url = create(&running, &other, "sound-effects", &body).await;
    until(&url, &other, &["COMPLETED"]).await;
    assert_ne!(status(&last, &running.key).await, "COMPLETED");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_voiceovers_delay_no_short_task() {
    a_short_task_overtakes(8, voiceover()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_video_delays_no_short_task() {
    a_short_task_overtakes(1, film()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_with_all_threads_gives_one_up() {
    let (running, _) = busy(2, 3, film()).await;
    let other = running.new_key(&[]);
    let (path, body) = film();
    let url = create(&running, &other, path, &body).await;
    let begun = Instant::now();
    until(&url, &other, &BEGUN).await;
    // One task of the first key goes on, the one that began last waits for its next attempt, and one never began.
    let states = || {
        let listed = running.command(&["tasks", "list", "--key", running.key_id()]);
        let listed = String::from_utf8(listed.stdout).unwrap();
        ["leased until", "next attempt", "queued"].map(|state| listed.matches(state).count())
    };
    while states() != [1, 1, 1] {
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", states());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let metrics = reqwest::get(format!("{}/metrics", running.url)).await.unwrap().text().await.unwrap();
    assert!(metrics.contains("task_threads_given_up_total 1"), "{metrics}");
}
