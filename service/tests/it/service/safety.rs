//! What keeps callers apart, and the service whole.

use asset_api_client::models::apps::ListAppsInput;
use asset_api_client::models::sound_effects::{ListSoundEffectsInput, SoundEffectRequest};
use serde_json::json;

use super::running::Running;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_of_other_keys_are_not_there() {
    let running = Running::start(&["--threads", "0"]);
    let id = running
        .client()
        .create_sound_effect(SoundEffectRequest::new("wind", 1.0))
        .await
        .unwrap()
        .data
        .task_id;
    let other = running.client_of(&running.new_key(&[]));
    assert_eq!(
        other.get_sound_effect(id).await.unwrap_err().status().map(|status| status.as_u16()),
        Some(404)
    );
    assert!(other.list_sound_effects(ListSoundEffectsInput::default()).await.unwrap().data.is_empty());
    // Nor are they in another family.
    let mine = running.client().get_voiceover(id).await.unwrap_err();
    assert_eq!(mine.status().map(|status| status.as_u16()), Some(404));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_checked_before_bodies() {
    let running = Running::start(&["--threads", "0"]);
    let client = reqwest::Client::new();
    let post = |key: Option<&str>| {
        let request = client.post(format!("{}/v1/ai/sound-effects", running.url)).body("no json");
        match key {
            Some(key) => request.header("x-service-api-key", key),
            None => request,
        }
    };
    for (key, message) in [(None, "Missing API key"), (Some("svc_wrong"), "Invalid API key")] {
        let response = post(key).send().await.unwrap();
        assert_eq!(response.status(), 401);
        assert_eq!(response.json::<serde_json::Value>().await.unwrap(), json!({"message": message}));
    }
    let response = post(Some(&running.key)).send().await.unwrap();
    assert_eq!(response.status(), 415);
    for header in ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"] {
        assert!(response.headers().contains_key(header), "{header}");
    }
    assert!(response.headers().contains_key("x-request-id"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_key_is_refused_soon() {
    let running = Running::start(&["--threads", "0"]);
    let key = running.new_key(&[]);
    let client = running.client_of(&key);
    client.list_sound_effects(ListSoundEffectsInput::default()).await.unwrap();
    let id = key.trim_start_matches("svc_").split('_').next().unwrap().to_owned();
    assert!(running.command(&["keys", "revoke", &id]).status.success());
    tokio::time::sleep(std::time::Duration::from_millis(2500)).await;
    let refused = client.list_sound_effects(ListSoundEffectsInput::default()).await.unwrap_err();
    assert_eq!(refused.status().map(|status| status.as_u16()), Some(401));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bursts_are_limited() {
    let running = Running::start(&["--threads", "0"]);
    let client = reqwest::Client::new();
    let url = format!("{}/v1/ai/loras", running.url);
    let mut refused = None;
    for _ in 0..200 {
        let response = client.get(&url).header("x-service-api-key", &running.key).send().await.unwrap();
        if response.status() == 429 {
            refused = Some(response);
            break;
        }
    }
    let refused = refused.expect("200 requests at once are more than 50");
    assert!(refused.headers().contains_key("retry-after"));
    assert_eq!(refused.headers()["x-ratelimit-limit"], "50");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_keys_are_limited_as_the_settings_say() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("settings.toml");
    std::fs::write(&settings, "[authentication.failures]\nburst = 2\nper-second = 0.001\n").unwrap();
    let running = Running::start(&["--threads", "0", "--config", settings.to_str().unwrap()]);
    let client = reqwest::Client::new();
    let wrong = format!("{}x", running.key);
    for expected in [401, 401, 429] {
        let request = client.get(format!("{}/v1/ai/loras", running.url));
        let response = request.header("x-service-api-key", &wrong).send().await.unwrap();
        assert_eq!(response.status(), expected);
        assert_eq!(response.headers().contains_key("retry-after"), expected == 429);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn enterprise_operations_need_an_enterprise_key() {
    let running = Running::start(&["--threads", "0"]);
    let refused =
        running.client_of(&running.new_key(&[])).list_apps(ListAppsInput::default()).await.unwrap_err();
    assert_eq!(refused.status().map(|status| status.as_u16()), Some(403));
    assert!(!running.client().list_apps(ListAppsInput::default()).await.unwrap().data.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn routes_beside_the_api() {
    let running = Running::start(&["--threads", "0"]);
    for (path, text) in [
        ("/healthz", "ok"),
        ("/readyz", "ready"),
        ("/metrics", "tasks_waiting 0"),
        ("/docs", "/docs/page.js"),
        ("/openapi.yaml", "openapi: 3.0"),
        ("/openapi.json", "\"/v1/icons/{id}\""),
    ] {
        let response = reqwest::get(format!("{}{path}", running.url)).await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
        assert!(response.text().await.unwrap().contains(text), "{path}");
    }
    for path in ["/files/x/y.png", "/files/..%2f/service.db", "/catalogue/a/b.svg", "/nothing"] {
        let response = reqwest::get(format!("{}{path}", running.url)).await.unwrap();
        assert_eq!(response.status(), 404, "{path}");
    }
}
