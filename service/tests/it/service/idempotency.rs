//! `Idempotency-Key` over HTTP: which requests count as the same.

use serde_json::{Value, json};

use super::requests::response;
use super::running::Running;

/// Creates a task and returns its id.
async fn created(running: &Running, path: &str, body: &Value) -> String {
    let (status, body) = response(running.post(path, body).header("idempotency-key", "one")).await;
    assert_eq!(status, 200, "{path}");
    body["data"]["task_id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_belongs_to_an_operation_and_its_model() {
    let settings = "[models]\nimage-expand = ['standard', 'wide']";
    let running = Running::start_with(settings, &["--threads", "0"], &[]);
    let sound = json!({"text": "rain", "duration_seconds": 1});
    let first = created(&running, "/v1/ai/sound-effects", &sound).await;
    // The same path with other percent-encoding.
    assert_eq!(created(&running, "/v1/ai/sound%2Deffects", &sound).await, first);
    assert_eq!(created(&running, "/v1/%61i/sound-effects", &sound).await, first);

    let expand = json!({"image": "https://example.com/a.png", "left": 8});
    let standard = created(&running, "/v1/ai/image-expand/standard", &expand).await;
    assert_eq!(created(&running, "/v1/ai/image-expand/st%61ndard", &expand).await, standard);
    assert_ne!(created(&running, "/v1/ai/image-expand/wide", &expand).await, standard);
    assert_ne!(standard, first);
}
