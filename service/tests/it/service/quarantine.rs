//! A task that kills the process: it fails after its attempts, and the tasks that ran at the same time do not.

use crate::service::waiting::TIMEOUT;
use std::time::{Duration, Instant};

use reqwest::Client;
use serde_json::{Value, json};

use super::running::{Database, Running, on_both_databases};
use super::victim::create;
use crate::service::http_client;

/// Short leases, so that a restarted process finds soon what the last one had in progress. No limit slows the clients.
const SETTINGS: &str =
    "[worker]\nlease-seconds = 4\n[tiers.default]\nburst = 100000\nper-second = 100000.0\n";

/// The word by which an engine's run kills the process.
const WORD: &str = "thunder";

on_both_databases! { a_task_that_kills_the_process_fails_alone }

async fn a_task_that_kills_the_process_fails_alone(database: Database) {
    let Some(mut running) = database.start(SETTINGS, &["--threads", "0"]).await else { return };
    let (client, other) = (http_client::new(), running.new_key(&[]));
    let sound = |text: &str| json!({"text": text, "duration_seconds": 10.0});
    let killer = create(&client, &running.url, &running.key, "sound-effects", &sound(WORD)).await;
    let mut others = Vec::new();
    for text in ["wind", "rain", "waves", "wind", "rain"] {
        others.push(create(&client, &running.url, &other, "sound-effects", &sound(text)).await);
    }
    let environment = [("ASSET_SERVICE_ABORT_ON", WORD)];
    let (begun, mut deaths, mut was_tried_alone) = (Instant::now(), 0, false);
    let start = async |running: &mut Running| {
        // It may die before it listens.
        while !running.kill_and_restart_with(&["--threads", "3"], &environment) {
            assert!(begun.elapsed() < TIMEOUT);
        }
    };
    start(&mut running).await;
    loop {
        assert!(begun.elapsed() < TIMEOUT, "{deaths} deaths");
        if running.has_ended() {
            deaths += 1;
            let listed = running.command(&["tasks", "list"]);
            was_tried_alone |= String::from_utf8_lossy(&listed.stdout).contains("tried alone after 1 crash");
            start(&mut running).await;
        }
        let mut ends = vec![end(&client, &running.url, &running.key, &killer).await];
        for url in &others {
            ends.push(end(&client, &running.url, &other, url).await);
        }
        if let Some(ends) = ends.into_iter().collect::<Option<Vec<Value>>>() {
            assert_eq!(ends[0]["error"]["code"], "attempts_exhausted", "{ends:?}");
            assert!(ends[1..].iter().all(|end| end["status"] == "COMPLETED"), "{ends:?}");
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(was_tried_alone && deaths >= 3, "{deaths} deaths");
}

/// Returns a task if it has ended; the process may have another address now, or die meanwhile.
async fn end(client: &Client, service: &str, key: &str, url: &str) -> Option<Value> {
    let path = &url[url.find("/v1/").unwrap()..];
    let request = client.get(format!("{service}{path}")).header("x-service-api-key", key);
    let mut task: Value = request.send().await.ok()?.json().await.ok()?;
    let task = task["data"].take();
    ["COMPLETED", "FAILED"].contains(&task["status"].as_str()?).then_some(task)
}
