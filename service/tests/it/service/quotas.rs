//! Quotas of a key: its tasks, its media, its files, and the size of a result.

use std::time::Duration;

use asset_api_client::models::common::Task;
use asset_api_client::models::image_to_prompt::ImageToPromptRequest;
use asset_api_client::models::sound_effects::SoundEffectRequest;
use asset_api_client::models::voiceover::VoiceoverRequest;
use reqwest::Response;

use super::bodies::{base64, png};
use super::running::{Database, Running, on_both_databases};
use super::victim::until;
use super::waiting::ended;
use super::wire::Wire;
use crate::service::http_client;

/// Creates a voiceover of more than five minutes and returns the ended task.
async fn long_speech(running: &Running) -> Task {
    let client = running.client();
    let mut request = VoiceoverRequest::new("77,777 ".repeat(80), "narrator");
    request.speed = Some(0.7);
    let id = client.create_voiceover(request).await.unwrap().data.task_id;
    ended(async || client.get_voiceover(id).await.unwrap().data).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_is_no_larger_than_the_tier_allows() {
    let running = Running::start_with("[tiers.default]\nresult-mib = 1\n", &[], &[]);
    let task = long_speech(&running).await;
    assert_eq!(task.error.map(|error| error.code).as_deref(), Some("result_too_large"));
    assert!(running.files("results").is_empty(), "a refused result must leave no files");
    let metrics = running.metrics().await;
    assert!(metrics.contains("tasks_failed_total{code=\"result_too_large\"} 1"), "{metrics}");
}

async fn create(running: &Running, key: &str) -> Response {
    let request = http_client::new().post(format!("{}/v1/ai/sound-effects", running.url));
    let request = request.header("x-service-api-key", key).json(&SoundEffectRequest::new("wind", 1.0));
    request.send().await.unwrap()
}

async fn upload(running: &Running, key: &str, picture: &[u8]) -> Response {
    let request = http_client::new().post(format!("{}/v1/ai/image-to-prompt", running.url));
    let request = request.header("x-service-api-key", key);
    request.json(&ImageToPromptRequest::new(base64(picture))).send().await.unwrap()
}

/// Checks a response to a create; returns how long the client has to wait.
fn is_accepted(response: &Response, expected: u16) -> Option<u64> {
    assert_eq!(response.status(), expected);
    let wait = response.headers().get("retry-after").map(|wait| wait.to_str().unwrap().parse().unwrap());
    assert_eq!(wait.is_some(), expected == 429);
    wait
}

on_both_databases! { a_key_has_the_quotas_of_its_tier }

/// A tier for each quota, so that one service shows all of them.
const TIERS: &str = "
[tiers.day]
daily-tasks = 2
[tiers.open]
open-tasks = 2
[tiers.uploads]
daily-upload-mib = 1
[tiers.stored]
stored-mib = 1
";

async fn a_key_has_the_quotas_of_its_tier(database: Database) {
    let Some(mut running) = database.start(TIERS, &["--threads", "0"]).await else { return };
    let of = |running: &Running, tier: &str| running.new_key(&["--tier", tier]);
    let key = of(&running, "day");
    for expected in [200, 200, 429] {
        let response = create(&running, &key).await;
        let wait = is_accepted(&response, expected);
        assert!(wait.is_none_or(|wait| (1..=24 * 60 * 60).contains(&wait)), "{wait:?}");
        assert!(expected == 200 || response.text().await.unwrap().contains("daily quota"));
    }
    let key = of(&running, "open");
    for expected in [200, 200, 429] {
        is_accepted(&create(&running, &key).await, expected);
    }
    let key = of(&running, "uploads");
    // A header is enough for an image to be accepted.
    let mut large = png(64, 64);
    large.resize(600 * 1024, 0);
    for (bytes, expected) in [(&large, 200), (&large, 429), (&png(64, 64), 200)] {
        is_accepted(&upload(&running, &key, bytes).await, expected);
    }
    assert_eq!(running.files("inputs").len(), 2);
    let metrics = running.metrics().await;
    for limit in ["day", "open-tasks", "uploads"] {
        assert!(metrics.contains(&format!("requests_limited_total{{limit=\"{limit}\"}} 1")), "{metrics}");
    }

    let key = of(&running, "stored");
    running.kill_and_restart(&[]);
    let client = running.client_of(&key);
    // This is almost 2 MB.
    let id = client.create_sound_effect(SoundEffectRequest::new("wind", 22.0)).await.unwrap().data.task_id;
    let url = format!("{}/v1/ai/sound-effects/{id}", running.url);
    until(&http_client::new(), &url, &key, &["COMPLETED"]).await;
    // A key's usage is read again after half a second.
    tokio::time::sleep(Duration::from_millis(600)).await;
    is_accepted(&create(&running, &key).await, 429);
    for tier in ["day", "open", "uploads", "stored"] {
        is_accepted(&create(&running, &of(&running, tier)).await, 200);
    }
    assert!(running.metrics().await.contains("requests_limited_total{limit=\"stored\"} 1"));
    assert!(running.command(&["tasks", "delete", &id.to_string()]).status.success());
    is_accepted(&create(&running, &key).await, 200);
}

#[test]
fn a_key_has_as_many_requests_at_once_as_the_tier_allows() {
    let running = Running::start_with("[tiers.default]\nconcurrent-requests = 4\n", &["--threads", "0"], &[]);
    let other = running.new_key(&[]);
    let post = |key: &str| {
        let mut wire = Wire::post(&running, "/v1/ai/sound-effects", Some(key), 1000);
        let (status, head) = wire.head();
        (wire, status, head)
    };
    let get = |path: &str, key: &str| {
        let head = format!("GET {path} HTTP/1.1\r\nhost: test\r\nx-service-api-key: {key}\r\n\r\n");
        Wire::say(&running, &head).head()
    };
    let mut begun: Vec<_> = (0..4).map(|_| post(&running.key)).collect();
    assert!(begun.iter().all(|(_, status, _)| *status == 100), "the service waits for the bodies");
    let (_, status, head) = post(&running.key);
    assert!(status == 429 && head.contains("retry-after"), "{head}");
    begun.truncate(1);
    let is_free = (0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        get("/v1/ai/loras", &running.key).0 == 200
    });
    assert!(is_free);
    // Beside one request, there is no room for an operation that reads many rows.
    let of_many = ["/v1/ai/sound-effects", "/v1/resources?term=fox", "/v1/music?q=fox", "/v1/sfx?q=fox"];
    for path in of_many {
        let (status, head) = get(path, &running.key);
        assert!(status == 429 && head.contains("retry-after"), "{path}: {head}");
        // The request before counts until the service knows that its response is sent.
        let is_served = (0..1000).any(|turn| {
            std::thread::sleep(Duration::from_millis(turn.min(50)));
            get(path, &other).0 == 200
        });
        assert!(is_served, "{path}: the others have their own");
    }
    drop(begun);
    let is_free = (0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        get(of_many[0], &running.key).0 == 200
    });
    assert!(is_free);
}
