//! A key keeps the engines busy with long work, and another key has a task.

use serde_json::{Value, json};

use crate::service::http_client;
use crate::service::running::Running;
#[cfg(target_os = "linux")]
use crate::service::victim::{GROWTH, peak};
use crate::service::victim::{Percentiles, Victim, create, hurts_nobody, status, until};
use crate::service::waiting::eventually;

/// Limits that these tests do not reach.
const UNLIMITED: &str = "[tiers.default]\nburst = 10000\nper-second = 10000.0\n";

/// Returns a long text at the slowest speed: 24 minutes, which are 124 MB as WAV.
fn voiceover() -> (&'static str, Value) {
    let text = "77,777 ".repeat(4000 / 7);
    ("voiceover", json!({"text": text, "voice_id": "narrator", "speed": 0.7}))
}

fn film() -> (&'static str, Value) {
    let prompt = "waves at night";
    ("text-to-video/standard", json!({"prompt": prompt, "duration": 15, "resolution": "1080P"}))
}

const BEGUN: [&str; 2] = ["IN_PROGRESS", "COMPLETED"];

/// Creates tasks of the first key, and waits until they have all engine threads. Returns their URLs.
async fn keep_busy(running: &Running, threads: usize, tasks: usize, work: (&str, Value)) -> Vec<String> {
    let (client, (path, body)) = (http_client::new(), work);
    let mut urls = Vec::new();
    for _ in 0..tasks {
        urls.push(create(&client, &running.url, &running.key, path, &body).await);
    }
    for url in &urls[..threads] {
        until(&client, url, &running.key, &BEGUN).await;
    }
    urls
}

/// Creates a short task, which must end while the long ones continue. One that waits for them takes minutes in a debug build.
///
/// The goal is that it begins within two seconds, which `cargo xtask bench fairness` checks on an idle machine.
async fn complete_short_task(victim: &Victim, running: &Running, long: &[String]) {
    let url = victim.create(None).await;
    until(&victim.client, &url, &victim.key, &["COMPLETED"]).await;
    for url in long {
        assert_ne!(status(&victim.client, url, &running.key).await, "COMPLETED", "it took too little time");
    }
}

/// Eight of the longest voiceovers, one thread.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_voiceovers_take_neither_the_thread_nor_the_memory_nor_the_disk() {
    hurts_nobody(async || vec![long_voiceovers().await]).await;
}

#[cfg(target_os = "linux")]
async fn long_voiceovers() -> Percentiles {
    /// The maximum number of bytes of the result.
    const SIZE: u64 = 85_000_000;
    let running = Running::start_with(UNLIMITED, &["--threads", "1"], &[]);
    let victim = Victim::start(&running).await;
    let before = peak(running.id());
    let attack = async {
        let urls = keep_busy(&running, 1, 8, voiceover()).await;
        complete_short_task(&victim, &running, &urls).await;
        until(&victim.client, &urls[0], &running.key, &["COMPLETED"]).await;
        (peak(running.id()), urls)
    };
    let (percentiles, (after, urls)) = victim.measure_during(attack).await;
    // The WAV in memory would be four times as much.
    assert!(after < before + GROWTH, "{before} MiB before, {after} MiB after");
    let request = http_client::new().get(&urls[0]).header("x-service-api-key", &running.key);
    let task: Value = request.send().await.unwrap().json().await.unwrap();
    let file = http_client::new().head(task["data"]["generated"][0].as_str().unwrap()).send().await.unwrap();
    assert_eq!(file.headers()["content-type"], "audio/flac");
    let size: u64 = file.headers()["content-length"].to_str().unwrap().parse().unwrap();
    println!("{before} MiB before, {after} MiB after, {size} bytes");
    assert!((SIZE / 10..SIZE).contains(&size), "{size}");
    percentiles
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_video_delays_no_short_task() {
    hurts_nobody(async || vec![long_video().await]).await;
}

async fn long_video() -> Percentiles {
    let running = Running::start_with(UNLIMITED, &["--threads", "1"], &[]);
    let victim = Victim::start(&running).await;
    let attack = async {
        let urls = keep_busy(&running, 1, 1, film()).await;
        complete_short_task(&victim, &running, &urls).await;
    };
    victim.measure_during(attack).await.0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_with_all_threads_gives_one_up() {
    let running = Running::start_with(UNLIMITED, &["--threads", "2"], &[]);
    keep_busy(&running, 2, 3, film()).await;
    let (client, other, (path, body)) = (http_client::new(), running.new_key(&[]), film());
    let url = create(&client, &running.url, &other, path, &body).await;
    until(&client, &url, &other, &BEGUN).await;
    // One task of the first key continues, the one that began last waits for its next attempt, and one never began.
    let states = || {
        let listed = running.command(&["tasks", "list", "--key", running.key_id()]);
        let listed = String::from_utf8(listed.stdout).unwrap();
        ["leased until", "next attempt", "queued"].map(|state| listed.matches(state).count())
    };
    let are_so = async || (states() == [1, 1, 1]).then_some(());
    eventually("one continues, one waits, and one is queued", are_so).await;
    let metrics = http_client::get(format!("{}/metrics", running.url)).await.unwrap().text().await.unwrap();
    assert!(metrics.contains(",outcome=\"yielded\"} 1"), "{metrics}");
}
