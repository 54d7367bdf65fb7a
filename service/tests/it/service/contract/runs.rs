//! Runs of workflow apps, and the icons that are related to an icon.

use std::time::Duration;

use base64::Engine as _;
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::outside::{Outside, PICTURE};
use super::super::running::Running;
use super::super::waiting::eventually;
use super::{UNLIMITED, get, post, refused, send};

/// An app whose first input is a picture.
const PICTURES: &str = "/v1/ai/apps/eN1rge/run";

/// Polls this path until the task or run has ended.
async fn ended(running: &Running, path: &str) -> Value {
    let end = async || {
        let data = get(running, path).await.1["data"].clone();
        let status = data["status"].as_str().unwrap();
        (!["CREATED", "IN_PROGRESS", "pending", "running"].contains(&status)).then_some(data)
    };
    eventually(path, end).await
}

/// Creates a task and returns its id.
async fn created(running: &Running, path: &str, body: &Value) -> String {
    let (status, reply) = post(running, path, body).await;
    assert_eq!(status, 200, "{reply}");
    reply["data"]["task_id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_starts_as_pending_and_has_a_result_when_there_is_one() {
    let mut running = Running::start_with(UNLIMITED, &["--threads", "0"], &[]);
    let photo = base64::engine::general_purpose::STANDARD.encode(PICTURE);
    let (status, run) = post(&running, PICTURES, &json!({"inputs": {"in_1": photo}})).await;
    assert_eq!((status, &run["status"]), (202, &json!("pending")), "{run}");
    let path = format!("/v1/ai/apps/runs/{}", run["workflow_run_identifier"].as_str().unwrap());
    let (_, pending) = get(&running, &path).await;
    let fields = pending["data"].as_object().unwrap();
    assert_eq!(
        (&fields["status"], fields.get("result")),
        (&json!("pending"), Some(&Value::Null)),
        "{pending}"
    );
    running.kill_and_restart(&[]);
    let ended = ended(&running, &path).await;
    assert_eq!(ended["status"], "completed", "{ended}");
    let images = ended["result"]["images"].as_array().unwrap();
    assert_eq!(images.len(), 2, "{ended}");
    for image in images {
        let is_known = |field: &str| image[field].as_u64().is_some_and(|pixels| pixels > 0);
        assert!(is_known("width") && is_known("height") && image["tool"].is_string(), "{ended}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_creation_is_a_task_of_the_same_key_base64_or_a_url() {
    let outside = Outside::start().await;
    let running = Running::start_with(UNLIMITED, &[], &[]);
    let photo = base64::engine::general_purpose::STANDARD.encode(PICTURE);
    let picture = created(&running, "/v1/ai/image-upscaler-precision", &json!({"image": photo})).await;
    let sound =
        created(&running, "/v1/ai/sound-effects", &json!({"text": "rain", "duration_seconds": 0.5})).await;
    let prompt = created(&running, "/v1/ai/improve-prompt", &json!({"prompt": "fox", "type": "image"})).await;
    let missing = json!({"image": "http://127.0.0.1:9/a.png"});
    let failed = created(&running, "/v1/ai/image-change-camera", &missing).await;
    for (path, id) in
        [("image-upscaler-precision", &picture), ("sound-effects", &sound), ("improve-prompt", &prompt)]
    {
        assert_eq!(ended(&running, &format!("/v1/ai/{path}/{id}")).await["status"], "COMPLETED", "{path}");
    }

    for creation in [picture.as_str(), &photo, &outside.picture()] {
        let (status, run) = post(&running, PICTURES, &json!({"inputs": {"in_1": creation}})).await;
        assert_eq!(status, 202, "{creation:.50}: {run}");
        let path = format!("/v1/ai/apps/runs/{}", run["workflow_run_identifier"].as_str().unwrap());
        assert_eq!(ended(&running, &path).await["status"], "completed", "{creation:.50}");
    }

    let unknown = Uuid::now_v7().to_string();
    for (creation, words) in [
        (&unknown, "the id of a task of this API key"),
        (&failed, "the id of a completed task"),
        (&sound, "whose first result is JPEG, PNG or WebP"),
        (&prompt, "whose first result is JPEG, PNG or WebP"),
    ] {
        let reply = post(&running, PICTURES, &json!({"inputs": {"in_1": creation}})).await;
        let reason = refused(PICTURES, "inputs.in_1", reply);
        assert!(reason.contains(words), "{reason}");
    }
    // A task of another key is treated like a missing one.
    let other = running.new_key(&["--enterprise"]);
    let body = json!({"inputs": {"in_1": picture}});
    let response = send(&running, &other, Method::POST, PICTURES, Some(&body)).await;
    let reply = (response.status().as_u16(), response.json().await.unwrap());
    assert!(refused(PICTURES, "inputs.in_1", reply).contains("the id of a task of this API key"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn related_icons_have_neither_tags_nor_related_icons() {
    let running = Running::start(&["--demo", "--threads", "0"]);
    let mut icon = Value::Null;
    for _ in 0..300 {
        icon = get(&running, "/v1/icons/135458005671585").await.1["data"].clone();
        // Related icons come with the import.
        let related = icon["related"].as_object().into_iter().flatten();
        if related.filter_map(|(_, icons)| icons.as_array()).any(|icons| !icons.is_empty()) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert!(icon["tags"].is_array(), "{icon}");
    let related = icon["related"].as_object().unwrap();
    assert_eq!(related.len(), 3, "{icon}");
    let icons: Vec<&Value> = related.values().flat_map(|icons| icons.as_array().unwrap()).collect();
    assert!(!icons.is_empty());
    for related in icons {
        let mut fields: Vec<&str> = related.as_object().unwrap().keys().map(String::as_str).collect();
        fields.sort_unstable();
        let documented =
            ["author", "created", "family", "free_svg", "id", "name", "slug", "style", "thumbnails"];
        assert_eq!(fields, documented);
    }
}
