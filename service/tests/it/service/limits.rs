//! Rate limits and limits on concurrent bodies.

use std::time::{Duration, Instant};

use reqwest::Response;
use sha2::{Digest, Sha256};

use super::running::Running;
use super::wire::Wire;
use crate::service::http_client;

/// Calls an operation that creates nothing.
async fn get(running: &Running, key: &str, forwarded: Option<&str>) -> Response {
    let mut request =
        http_client::new().get(format!("{}/v1/ai/loras", running.url)).header("x-service-api-key", key);
    if let Some(forwarded) = forwarded {
        request = request.header("x-forwarded-for", forwarded);
    }
    request.send().await.unwrap()
}

/// Returns a well-formed key with the id of one key and the secret of another.
fn with_secret_of(other: &str, id: &str) -> String {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let secret = &other[13..other.len() - 6];
    let body = format!("svc_{id}_{secret}");
    let hash = Sha256::digest(&body);
    let mut number = u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]);
    let mut sum = [0; 6];
    for digit in sum.iter_mut().rev() {
        *digit = DIGITS[(number % 62) as usize];
        number /= 62;
    }
    format!("{body}{}", String::from_utf8_lossy(&sum))
}

fn id_of(key: &str) -> &str {
    &key[4..12]
}

/// A small burst of failures and a long wait.
const FEW_FAILURES: &str = "[authentication.failures]\nburst = 2\nper-second = 0.001\n";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bursts_are_limited() {
    let settings = "[tiers.default]\nburst = 5\nper-second = 0.001\n";
    let running = Running::start_with(settings, &["--threads", "0"], &[]);
    for _ in 0..5 {
        assert_eq!(get(&running, &running.key, None).await.status(), 200);
    }
    let refused = get(&running, &running.key, None).await;
    assert_eq!(refused.status(), 429);
    assert!(refused.headers().contains_key("retry-after"));
    assert_eq!(refused.headers()["x-ratelimit-limit"], "5");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_keys_are_limited_whatever_is_wrong_with_them() {
    let elsewhere = Running::start(&["--threads", "0"]).key.clone();
    for wrong in ["a typing error", "an unknown id", "a wrong secret"] {
        let running = Running::start_with(FEW_FAILURES, &["--threads", "0"], &[]);
        let key = match wrong {
            "an unknown id" => elsewhere.clone(),
            "a wrong secret" => with_secret_of(&elsewhere, id_of(&running.key)),
            _ => format!("{}x", running.key),
        };
        for expected in [401, 401, 429] {
            let response = get(&running, &key, None).await;
            assert_eq!(response.status(), expected, "{wrong}");
            assert_eq!(response.headers().contains_key("retry-after"), expected == 429);
        }
    }
    // Check the helper: with its own secret, a key is unchanged.
    let id = id_of(&elsewhere);
    assert_eq!(with_secret_of(&elsewhere, id), elsewhere);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guesses_from_an_address_do_not_lock_out_its_valid_keys() {
    let running = Running::start_with(FEW_FAILURES, &["--threads", "0"], &[]);
    assert_eq!(get(&running, &running.key, None).await.status(), 200);
    for expected in [401, 401, 429] {
        assert_eq!(get(&running, "svc_wrong", None).await.status(), expected);
    }
    // Longer than the service caches the store's last response.
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert_eq!(get(&running, &running.key, None).await.status(), 200);
    assert_eq!(get(&running, "svc_wrong", None).await.status(), 429);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn client_addresses_are_read_only_from_a_trusted_proxy() {
    let proxied = ["--threads", "0", "--trusted-proxy", "127.0.0.1/32"];
    for (arguments, other_client) in [(&proxied[..], 401), (&proxied[..2], 429)] {
        let running = Running::start_with(FEW_FAILURES, arguments, &[]);
        for expected in [401, 401, 429] {
            let response = get(&running, "svc_wrong", Some("203.0.113.7")).await;
            assert_eq!(response.status(), expected);
        }
        let response = get(&running, "svc_wrong", Some("203.0.113.8")).await;
        assert_eq!(response.status(), other_client, "{arguments:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removed_tier_gives_no_more_than_the_default_one() {
    let running =
        Running::start_with("[tiers.default]\nburst = 1\nper-second = 0.001\n", &["--threads", "0"], &[]);
    let elsewhere = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(elsewhere.path(), "[tiers.gone]\nburst = 100\n").unwrap();
    let key = running.new_key(&["--tier", "gone", "--config", elsewhere.path().to_str().unwrap()]);
    assert_eq!(get(&running, &key, None).await.status(), 200);
    assert_eq!(get(&running, &key, None).await.status(), 429);
}

#[test]
fn a_body_of_a_length_that_is_too_large_is_refused_before_it_arrives() {
    let running = Running::start(&["--threads", "0"]);
    let (status, head) =
        Wire::post(&running, "/v1/ai/sound-effects", Some(&running.key), 1024 * 1024 + 1).head();
    assert_eq!(status, 413, "{head}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_has_half_a_minute_plus_time_for_its_bytes() {
    let running = Running::start(&["--threads", "0"]);
    let begun = Instant::now();
    let [silent, mut partial] = [(); 2].map(|()| {
        let path = "/v1/ai/image-expand/standard";
        let mut wire = Wire::post(&running, path, Some(&running.key), 14 * 1024 * 1024);
        assert_eq!(wire.head().0, 100);
        wire
    });
    // A second for each 128 KiB.
    partial.send_until_response(512 * 1024);
    for (mut wire, seconds) in [(silent, 30), (partial, 34)] {
        // A response that does not come within a minute is an error.
        let (status, head) = wire.head();
        assert!(status == 408 && head.contains("x-ratelimit-limit"), "{head}");
        assert!(begun.elapsed() >= Duration::from_secs(seconds), "{:?}", begun.elapsed());
    }
    let metrics = running.metrics().await;
    assert!(metrics.contains("requests_limited_total{limit=\"body-time\"} 2"), "{metrics}");
}

#[test]
fn bodies_in_progress_have_the_memory_of_the_settings() {
    let running = Running::start_with(
        "[http]\nbodies-mib = 84\n[tiers.default]\nburst = 1000\n",
        &["--threads", "0"],
        &[],
    );
    let keys = [running.key.clone(), running.new_key(&[]), running.new_key(&[])];
    let large = |key: &str| {
        let mut wire = Wire::post(&running, "/v1/ai/image-expand/standard", Some(key), 14 * 1024 * 1024);
        let (status, head) = wire.head();
        (wire, status, head)
    };
    // Bodies that are announced and never sent take no room.
    let _announced: Vec<_> = (0..60).map(|number| large(&keys[number % 2])).collect();
    let under_way = Wire::fill(&running, &keys[0]);
    let (_, status, head) = large(&keys[0]);
    assert!(status == 503 && head.contains("retry-after"), "{head}");
    assert_eq!(Wire::post(&running, "/v1/ai/sound-effects", Some(&keys[0]), 1000).head().0, 100);
    // The others still have room.
    assert_eq!((large(&keys[1]).1, large(&keys[2]).1), (100, 100));
    drop(under_way);
    // The room is freed as soon as the service notices the closed connections.
    let has_capacity = (0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        large(&keys[0]).1 == 100
    });
    assert!(has_capacity);
}

#[test]
fn a_body_that_exceeds_the_memory_is_refused_while_it_arrives() {
    let running = Running::start_with("[http]\nbodies-mib = 84\n", &["--threads", "0"], &[]);
    let length = 14 * 1024 * 1024;
    let mut slow = Wire::post(&running, "/v1/ai/image-expand/standard", Some(&running.key), length);
    assert_eq!(slow.head().0, 100, "there is room when it begins");
    let under_way = Wire::fill(&running, &running.key);
    slow.send_until_response(2 * 1024 * 1024);
    let (status, head) = slow.head();
    assert!(status == 503 && head.contains("retry-after") && head.contains("x-ratelimit-limit"), "{head}");
    drop(under_way);
}
