//! Nobody reads stderr, and requests cause internal errors.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use reqwest::Client;
use serde_json::{Value, json};

use crate::service::bare::{Bare, Started};
use crate::service::victim::{PATIENCE, create, until};

/// What a user has written. The database holds it where a task's results should be.
const SECRET: &str = "a marmot whistles privately";

/// Requests whose lines fill the pipe and the buffer of the log many times.
const REQUESTS: usize = 3000;

const SETTINGS: &str = "local-programs = false\n[tiers.default]\nburst = 100000\nper-second = 100000.0\n";

/// Requests a task that can't be read, again and again. Each response is an internal error.
async fn ask(client: &Client, task: &str, key: &str) {
    for number in 0..REQUESTS {
        let sent = client.get(task).header("x-service-api-key", key).send().await;
        assert_eq!(sent.map(|response| response.status().as_u16()).ok(), Some(500), "request {number}");
    }
}

/// Creates a task, waits for its end and breaks its results. Returns its URL.
async fn broken_task(bare: &Bare, service: &Started, client: &Client, key: &str) -> String {
    let body = json!({"text": SECRET, "duration_seconds": 0.5});
    let task = create(client, &service.url(), key, "sound-effects", &body).await;
    until(client, &task, key, &["COMPLETED"], PATIENCE).await;
    let file = format!("sqlite://{}", bare.data().join("service.db").display());
    let pool = sqlx::SqlitePool::connect(&file).await.unwrap();
    let broken = Value::from(SECRET).to_string();
    sqlx::query("UPDATE tasks SET results = ?").bind(broken).execute(&pool).await.unwrap();
    pool.close().await;
    task
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn internal_errors_wait_for_nobody_and_show_no_texts() {
    let bare = Bare::new(SETTINGS);
    let key = bare.key(&[]);
    let (reader, writer) = std::io::pipe().unwrap();
    let arguments = ["--listen", "127.0.0.1:0", "--threads", "1", "--log-json"];
    let service = bare.serve_into("info", &arguments, writer.into());
    let client = Client::builder().timeout(Duration::from_secs(30)).build().unwrap();
    let task = broken_task(&bare, &service, &client, &key).await;
    ask(&client, &task, &key).await;
    let begun = Instant::now();
    let health = client.get(format!("{}/healthz", service.url())).send().await;
    assert!(health.is_ok_and(|response| response.status() == 200), "{:?}", begun.elapsed());
    service.stop();

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
}

/// The sources that write to stderr: the log, and what commands print.
const WRITERS: [&str; 2] = ["service/src/log.rs", "service/src/cli/out.rs"];

/// A server without a hook has no other place for internal errors. The service has one.
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
