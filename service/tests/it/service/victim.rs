//! A well-behaved client, and what it sees while another one attacks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use reqwest::Client;
use serde_json::{Value, json};

use super::running::Running;
use super::waiting::eventually;
use crate::service::http_client;

/// The maximum ratio of the 99th percentile during an attack to that before it.
pub const MAX_RATIO: f64 = 3.0;

/// The 99th percentile in milliseconds that a test of CI always accepts, because tests share few processors.
const NOISE: f64 = 500.0;

/// The maximum that the service may grow during an attack, in MiB.
#[cfg(target_os = "linux")]
pub const GROWTH: u64 = 64;

/// How many times a test measures an attack that misses its target. Other tests may have delayed the requests.
const TRIES: usize = 5;

/// The minimum number of requests of a measurement, so that its 99th percentile is not that of a few.
const MIN_REQUESTS: usize = 200;

/// The pause between two of the first requests, and between two later ones.
const PAUSES: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(20)];

/// The well-behaved client, and its task.
pub struct Victim {
    url: String,
    pub key: String,
    /// The URL of a task that has ended.
    pub task: String,
    pub client: Client,
}

/// The times of requests in milliseconds, sorted.
pub struct Measured {
    times: Vec<f64>,
    pub failures: usize,
}

impl Measured {
    pub fn percentile(&self, part: f64) -> f64 {
        let index = (self.times.len() as f64 * part) as usize;
        self.times[index.min(self.times.len() - 1)]
    }
}

impl Victim {
    /// Creates a key and a task of it, and waits until the task has ended.
    pub async fn start(running: &Running) -> Self {
        let (key, url) = (running.new_key(&[]), running.url.clone());
        let mut victim = Self { url, key, task: String::new(), client: http_client::new() };
        victim.task = victim.create(None).await;
        victim.until(&["COMPLETED"], &victim.task).await;
        victim
    }

    /// Creates a short task and returns its URL.
    pub async fn create(&self, hook: Option<String>) -> String {
        let mut body = json!({"text": "click", "duration_seconds": 0.5});
        if let Some(hook) = hook {
            body["webhook_url"] = Value::from(hook);
        }
        create(&self.client, &self.url, &self.key, "sound-effects", &body).await
    }

    /// Waits until a task has one of these statuses.
    pub async fn until(&self, wanted: &[&str], url: &str) {
        until(&self.client, url, &self.key, wanted).await;
    }

    /// Gets the task again and again.
    pub async fn measure(&self, goes_on: impl Fn() -> bool) -> Measured {
        let (mut times, mut failures) = (Vec::new(), 0);
        while times.len() < MIN_REQUESTS || goes_on() {
            let sent = Instant::now();
            let request = self.client.get(&self.task).header("x-service-api-key", &self.key);
            let is_present = match request.send().await {
                Ok(response) => response.status() == 200 && response.bytes().await.is_ok(),
                Err(_) => false,
            };
            failures += usize::from(!is_present);
            times.push(sent.elapsed().as_secs_f64() * 1000.0);
            tokio::time::sleep(PAUSES[usize::from(times.len() >= MIN_REQUESTS)]).await;
        }
        times.sort_by(f64::total_cmp);
        Measured { times, failures }
    }

    /// Gets the task before and during an attack. No request may fail.
    pub async fn measure_during<T>(&self, attack: impl Future<Output = T>) -> (Percentiles, T) {
        let before = self.measure(|| false).await;
        let has_ended = AtomicBool::new(false);
        let attack = async {
            let outcome = attack.await;
            has_ended.store(true, Ordering::Relaxed);
            outcome
        };
        let (during, outcome) = tokio::join!(self.measure(|| !has_ended.load(Ordering::Relaxed)), attack);
        assert_eq!((before.failures, during.failures), (0, 0));
        let percentiles = [before, during].map(|measured| measured.percentile(0.99));
        println!("p99 of get-task in ms before and during the attack: {percentiles:.1?}");
        (percentiles, outcome)
    }
}

/// The 99th percentiles before and during an attack, in milliseconds.
pub type Percentiles = [f64; 2];

/// Checks that an attack does not slow down another client. Each measurement has a service of its own, and the best one counts.
pub async fn hurts_nobody(mut attack: impl AsyncFnMut() -> Vec<Percentiles>) {
    let mut tries = Vec::new();
    while tries.len() < TRIES {
        let measured = attack().await;
        if measured.iter().all(|[before, during]| *during <= (before * MAX_RATIO).max(NOISE)) {
            return;
        }
        tries.push(measured);
    }
    panic!("p99 of get-task in ms before and during the attack: {tries:.1?}");
}

/// Creates a task and returns its URL.
pub async fn create(client: &Client, service: &str, key: &str, path: &str, body: &Value) -> String {
    let url = format!("{service}/v1/ai/{path}");
    let request = client.post(&url).header("x-service-api-key", key).json(body);
    let created: Value = request.send().await.unwrap().json().await.unwrap();
    format!("{url}/{}", created["data"]["task_id"].as_str().unwrap_or_else(|| panic!("{created}")))
}

/// Returns the status of a task.
pub async fn status(client: &Client, url: &str, key: &str) -> String {
    let request = client.get(url).header("x-service-api-key", key);
    let task: Value = request.send().await.unwrap().json().await.unwrap();
    task["data"]["status"].as_str().unwrap_or_else(|| panic!("{task}")).to_owned()
}

/// Waits until a task has one of these statuses.
///
/// # Panics
/// Panics if it takes too long, and if the task fails although `wanted` does not contain that status.
pub async fn until(client: &Client, url: &str, key: &str, wanted: &[&str]) {
    let has_it = async || {
        let status = status(client, url, key).await;
        let is_wanted = wanted.contains(&status.as_str());
        assert!(is_wanted || status != "FAILED", "{url} is not {wanted:?}");
        is_wanted.then_some(())
    };
    eventually(&format!("{url} is not {wanted:?}"), has_it).await;
}

/// Returns the peak memory of a process, in MiB.
#[cfg(target_os = "linux")]
pub fn peak(process: u32) -> u64 {
    memory(process, "VmHWM").unwrap()
}

/// Returns the memory of a process in MiB: `VmHWM`, the most so far, or `VmRSS`, now. `None` if it has ended.
#[cfg(target_os = "linux")]
pub fn memory(process: u32, field: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().unwrap() / 1024)
}

/// Resets the peak memory of a process to its current memory.
#[cfg(target_os = "linux")]
pub fn reset_peak(process: u32) {
    std::fs::write(format!("/proc/{process}/clear_refs"), "5").unwrap();
}
