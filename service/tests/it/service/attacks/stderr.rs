//! Nobody reads stderr, and requests cause internal errors.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::service::http_client;
use crate::service::running::Running;
use crate::service::victim::{GROWTH, Percentiles, Victim, create, hurts_nobody, peak, until};

/// A text of a user. The database holds it where a task's results should be.
const SECRET: &str = "a marmot whistles privately";

/// Requests whose lines fill the pipe and the buffer of the log many times.
pub const REQUESTS: usize = 3000;

pub const SETTINGS: &str = "[tiers.default]\nburst = 100000\nper-second = 100000.0\n";

/// Requests a task that can't be read, again and again. Each response is an internal error.
pub async fn ask(running: &Running, task: &str, requests: usize) {
    let client = http_client::builder().timeout(Duration::from_secs(30)).build().unwrap();
    for number in 0..requests {
        let sent = client.get(task).header("x-service-api-key", &running.key).send().await;
        assert_eq!(sent.map(|response| response.status().as_u16()).ok(), Some(500), "request {number}");
    }
}

/// Creates a task, waits for its end and breaks its results. Returns its URL.
pub async fn broken_task(running: &Running) -> String {
    let (client, body) =
        (http_client::new(), json!({"text": format!("rain, {SECRET}"), "duration_seconds": 0.5}));
    let task = create(&client, &running.url, &running.key, "sound-effects", &body).await;
    until(&client, &task, &running.key, &["COMPLETED"]).await;
    running.set_results(&task, &Value::from(SECRET).to_string()).await;
    task
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn internal_errors_are_logged_without_blocking_and_without_texts() {
    hurts_nobody(async || vec![internal_errors().await]).await;
}

async fn internal_errors() -> Percentiles {
    let (mut running, reader) = Running::start_piped(SETTINGS);
    let victim = Victim::start(&running).await;
    let task = broken_task(&running).await;
    // The lines of other requests must not fill the pipe before these.
    ask(&running, &task, 20).await;
    let before = peak(running.id());
    let (percentiles, ()) = victim.measure_during(ask(&running, &task, REQUESTS)).await;
    assert!(peak(running.id()) < before + GROWTH, "{before} MiB before, {} MiB after", peak(running.id()));
    let health = http_client::get(format!("{}/healthz", running.url)).await;
    assert!(health.is_ok_and(|response| response.status() == 200));
    assert!(running.terminate().success());

    let mut lines = 0;
    for line in BufReader::new(reader).lines() {
        let line = line.unwrap();
        assert!(!line.contains("marmot"), "{line}");
        // The process ended while the last line was written.
        let Ok(value) = serde_json::from_str::<Value>(&line) else {
            assert!(line.starts_with('{'), "{line}");
            continue;
        };
        if value["fields"]["message"] == "internal error" {
            lines += 1;
            assert_eq!(value["span"]["operation"], "get_sound_effect", "{line}");
        }
    }
    assert!(lines > 10, "{lines} lines");
    percentiles
}

/// The sources that write to stderr: the log, and what commands print.
const WRITERS: [&str; 2] = ["service/src/log/mod.rs", "service/src/cli/output.rs"];

/// A server without a hook has no other output for internal errors. The service has one.
const WITHOUT_A_HOOK: &str = "runtime/src/server/log.rs";

#[test]
fn only_the_log_and_commands_write_to_stderr() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut folders: Vec<_> =
        ["service/src", "runtime/src", "engines/src"].map(|name| root.join(name)).into();
    let mut writers = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let is_test = path.iter().any(|part| part == "tests") || path.ends_with("tests.rs");
            if is_test || path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            if code
                .into_iter()
                .any(|line| ["eprint", "stderr()", "dbg!("].iter().any(|way| line.contains(way)))
            {
                writers.push(path.strip_prefix(root).unwrap().display().to_string());
            }
        }
    }
    writers.sort();
    let mut expected = [&WRITERS[..], &[WITHOUT_A_HOOK]].concat();
    expected.sort_unstable();
    assert_eq!(writers, expected);
}
