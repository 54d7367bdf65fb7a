//! Authentication of requests.

use asset_api_client::models::sound_effects::ListSoundEffectsInput;
use serde_json::json;

use super::running::Running;
use super::wire::Wire;
use crate::service::http_client;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_checked_before_bodies() {
    let running = Running::start(&["--threads", "0"]);
    // The request announces a body and never sends it, so the response must not wait for it.
    for key in [None, Some("svc_wrong")] {
        let (status, head) = Wire::post(&running, "/v1/ai/sound-effects", key, 1000).head();
        assert_eq!(status, 401, "{head}");
    }
    let (status, head) = Wire::post(&running, "/v1/ai/sound-effects", Some(&running.key), 1000).head();
    assert_eq!(status, 100, "with a valid key the service must wait for the body: {head}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_name_the_missing_part() {
    let running = Running::start(&["--threads", "0"]);
    let client = http_client::new();
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
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_key_is_refused_soon_and_an_expired_one_at_once() {
    let running = Running::start(&["--threads", "0"]);
    let status = async |key: &str| {
        let listed = running.client_of(key).list_sound_effects(ListSoundEffectsInput::default()).await;
        listed.err().and_then(|error| error.status()).map(|status| status.as_u16())
    };
    let key = running.new_key(&[]);
    assert_eq!(status(&key).await, None);
    let id = key.trim_start_matches("svc_").split('_').next().unwrap().to_owned();
    assert!(running.command(&["keys", "revoke", &id]).status.success());
    tokio::time::sleep(std::time::Duration::from_millis(2500)).await;
    assert_eq!(status(&key).await, Some(401));

    assert_eq!(status(&running.new_key(&["--expires-in", "0"])).await, Some(401));
    assert_eq!(status(&running.new_key(&["--expires-in", "1"])).await, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn enterprise_operations_need_an_enterprise_key() {
    let running =
        Running::start_with("[tiers.default]\nburst = 2\nper-second = 0.001\n", &["--threads", "0"], &[]);
    let key = running.new_key(&[]);
    let client = http_client::new();
    let list = async |key: &str| {
        let request = client.get(format!("{}/v1/ai/apps", running.url)).header("x-service-api-key", key);
        request.send().await.unwrap().status().as_u16()
    };
    assert_eq!(list(&running.key).await, 200);
    // Refused calls count against the rate limit too.
    assert_eq!([list(&key).await, list(&key).await, list(&key).await], [403, 403, 429]);
}

#[test]
fn a_key_needs_an_existing_tier() {
    let running = Running::start_with("[tiers.gold]\nburst = 100\n", &["--threads", "0"], &[]);
    running.new_key(&["--tier", "gold"]);
    let refused = running.command(&["keys", "create", "--name", "x", "--tier", "golden"]);
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && message.contains("`golden`"), "{message}");
}
