//! Quotas of a key: its open tasks, and the size of a result.

use std::time::Duration;

use asset_api_client::models::common::{Task, TaskStatus};
use asset_api_client::models::image_to_prompt::ImageToPromptRequest;
use asset_api_client::models::sound_effects::SoundEffectRequest;
use asset_api_client::models::voiceover::VoiceoverRequest;
use reqwest::{Client, Response};

use super::bodies::{base64, png};
use super::running::Running;
use super::wire::Wire;

/// Creates a voiceover of more than five minutes and returns the ended task.
async fn long_speech(running: &Running) -> Task {
    let client = running.client();
    let mut request = VoiceoverRequest::new("77,777 ".repeat(80), "narrator");
    request.speed = Some(0.7);
    let id = client.create_voiceover(request).await.unwrap().data.task_id;
    for _ in 0..600 {
        let task = client.get_voiceover(id).await.unwrap().data;
        if matches!(task.status, TaskStatus::Completed | TaskStatus::Failed) {
            return task;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("the speech did not end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_result_is_no_larger_than_the_tier_says() {
    let running = Running::start_with("[tiers.default]\nresult-mib = 1\n", &[], &[]);
    let task = long_speech(&running).await;
    assert_eq!(task.error.map(|error| error.code).as_deref(), Some("result_too_large"));
    assert!(running.files("results").is_empty(), "a refused result must leave no files");
    let metrics = running.metrics().await;
    assert!(metrics.contains("tasks_failed_total{code=\"result_too_large\"} 1"), "{metrics}");
}

async fn create(running: &Running, key: &str) -> Response {
    let request = Client::new().post(format!("{}/v1/ai/sound-effects", running.url));
    let request = request.header("x-service-api-key", key).json(&SoundEffectRequest::new("wind", 1.0));
    request.send().await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_has_as_many_open_tasks_as_the_tier_says() {
    let running = Running::start_with("[tiers.default]\nopen-tasks = 2\n", &["--threads", "0"], &[]);
    for expected in [200, 200, 429] {
        let response = create(&running, &running.key).await;
        assert_eq!(response.status(), expected);
        assert_eq!(response.headers().contains_key("retry-after"), expected == 429);
    }
    assert_eq!(create(&running, &running.new_key(&[])).await.status(), 200, "the others have their own");
    let metrics = running.metrics().await;
    assert!(metrics.contains("requests_limited_total{limit=\"open-tasks\"} 1"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_stores_as_much_as_the_tier_says() {
    let running = Running::start_with("[tiers.default]\nstored-mib = 1\n", &[], &[]);
    let client = running.client();
    // This is almost 2 MB.
    let id = client.create_sound_effect(SoundEffectRequest::new("wind", 22.0)).await.unwrap().data.task_id;
    for _ in 0..300 {
        if client.get_sound_effect(id).await.unwrap().data.status == TaskStatus::Completed {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // What a key has is read again after half a second.
    tokio::time::sleep(Duration::from_millis(600)).await;
    let refused = create(&running, &running.key).await;
    assert_eq!(refused.status(), 429);
    assert!(refused.headers().contains_key("retry-after"));
    assert_eq!(create(&running, &running.new_key(&[])).await.status(), 200, "the others have their own");
    assert!(running.metrics().await.contains("requests_limited_total{limit=\"stored\"} 1"));
    assert!(running.command(&["tasks", "delete", &id.to_string()]).status.success());
    assert_eq!(create(&running, &running.key).await.status(), 200, "a deleted task makes room");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_uploads_as_much_a_day_as_the_tier_says() {
    let running = Running::start_with("[tiers.default]\ndaily-upload-mib = 1\n", &["--threads", "0"], &[]);
    let url = format!("{}/v1/ai/image-to-prompt", running.url);
    // A header is enough for an image to be accepted.
    let mut large = png(64, 64);
    large.resize(600 * 1024, 0);
    for (bytes, expected) in [(&large, 200), (&large, 429), (&png(64, 64), 200)] {
        let request = Client::new().post(&url).header("x-service-api-key", &running.key);
        let response = request.json(&ImageToPromptRequest::new(base64(bytes))).send().await.unwrap();
        assert_eq!(response.status(), expected);
        assert_eq!(response.headers().contains_key("retry-after"), expected == 429);
    }
    assert_eq!(running.files("inputs").len(), 2);
    assert!(running.metrics().await.contains("requests_limited_total{limit=\"uploads\"} 1"));
}

#[test]
fn a_key_has_as_many_requests_at_once_as_the_tier_says() {
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
    let is_free = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        get("/v1/ai/loras", &running.key).0 == 200
    });
    assert!(is_free);
    // Beside one request, there is no room for an operation that reads many rows.
    let of_many = ["/v1/ai/sound-effects", "/v1/resources?term=fox", "/v1/music?q=fox", "/v1/sfx?q=fox"];
    for path in of_many {
        let (status, head) = get(path, &running.key);
        assert!(status == 429 && head.contains("retry-after"), "{path}: {head}");
        assert_eq!(get(path, &other).0, 200, "{path}: the others have their own");
    }
    drop(begun);
    let is_free = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        get(of_many[0], &running.key).0 == 200
    });
    assert!(is_free);
}
