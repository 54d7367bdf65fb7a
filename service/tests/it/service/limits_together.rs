//! Limits of keys over three processes on one database.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use reqwest::StatusCode;

use super::http_client;
use super::running::{Database, Running};
use super::waiting::eventually;

/// Starts three processes.
async fn three(settings: &str) -> Option<[Running; 3]> {
    let first = Database::Postgres.start(settings, &["--threads", "0"]).await?;
    let others = [(); 2].map(|()| first.start_beside(&["--threads", "0"], &[]));
    let [second, third] = others;
    Some([first, second, third])
}

async fn get(running: &Running, key: &str) -> StatusCode {
    let request = http_client::new().get(format!("{}/v1/ai/loras", running.url));
    request.header("x-service-api-key", key).send().await.unwrap().status()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rate_holds_over_processes() {
    let seconds: f64 = std::env::var("RATE_SECONDS").map_or(4.0, |seconds| seconds.parse().unwrap());
    let Some(processes) = three("[tiers.default]\nburst = 20\nper-second = 100.0\n").await else { return };
    let (passed, asked, begun) = (AtomicU32::new(0), AtomicU32::new(0), Instant::now());
    let ask = async |running: &Running| {
        let client = http_client::new();
        while begun.elapsed().as_secs_f64() < seconds {
            let request = client.get(format!("{}/v1/ai/loras", running.url));
            let response = request.header("x-service-api-key", &running.key).send().await.unwrap();
            asked.fetch_add(1, Ordering::Relaxed);
            passed.fetch_add(u32::from(response.status() == 200), Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let [first, second, third] = &processes;
    tokio::join!(ask(first), ask(second), ask(third));
    let (passed, asked) = (f64::from(passed.into_inner()), f64::from(asked.into_inner()));
    let allowed = 20.0 + 100.0 * begun.elapsed().as_secs_f64();
    eprintln!("{passed} of {asked} requests passed in {:?}; {allowed:.0} are allowed", begun.elapsed());
    assert!(asked > 1.5 * allowed, "too few requests: {asked}");
    assert!((passed / allowed - 1.0).abs() < 0.05, "{passed} of {asked} passed, {allowed} are allowed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_in_progress_and_invalid_keys_count_over_processes() {
    let settings = "[tiers.default]\nconcurrent-requests = 2\n\
                    [authentication.failures]\nburst = 2\nper-second = 0.001\n";
    let Some([first, second, third]) = three(settings).await else { return };
    // Requests are in progress while their bodies arrive.
    let body =
        || reqwest::Body::wrap_stream(futures_util::stream::pending::<Result<Vec<u8>, std::io::Error>>());
    let slow = |running: &Running| {
        let request = http_client::new().post(format!("{}/v1/ai/sound-effects", running.url)).body(body());
        let request =
            request.header("x-service-api-key", &running.key).header("content-type", "application/json");
        tokio::spawn(request.send())
    };
    let slow = [slow(&first), slow(&second)];
    // A process that has no request of the key begins one, and then learns of the others.
    eventually("requests of other processes do not count", async || {
        let (one, other) = tokio::join!(get(&third, &third.key), get(&third, &third.key));
        (one == 429 || other == 429).then_some(())
    })
    .await;
    slow.iter().for_each(tokio::task::JoinHandle::abort);
    eventually("requests that have ended still count", async || {
        (get(&third, &third.key).await == 200).then_some(())
    })
    .await;

    for _ in 0..2 {
        assert_eq!(get(&first, "wrong").await, 401);
    }
    eventually("the address may guess keys elsewhere", async || {
        (get(&second, "wrong").await == 429).then_some(())
    })
    .await;
}
