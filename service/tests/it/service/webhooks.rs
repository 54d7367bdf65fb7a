//! Webhooks, received by a server of the test, and their signatures.

use std::sync::Arc;
use std::time::Duration;

use asset_api_client::models::sound_effects::SoundEffectRequest;
use axum::http::HeaderMap;
use base64::Engine as _;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use tokio::sync::mpsc;

use super::running::Running;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_of_status_are_told_and_signed() {
    let (send, mut received) = mpsc::unbounded_channel();
    let send = Arc::new(send);
    let app = axum::Router::new().fallback(move |headers: HeaderMap, body: String| {
        send.send((headers, body)).unwrap();
        async { "ok" }
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let hook = format!("http://{}/hook", listener.local_addr().unwrap());
    tokio::spawn(axum::serve(listener, app).into_future());

    let running = Running::start(&[]);
    let mut request = SoundEffectRequest::new("click", 0.5);
    request.webhook_url = Some(hook);
    let id = running.client().create_sound_effect(request).await.unwrap().data.task_id;

    // The first event may be overtaken by the second one, which is then the only one.
    loop {
        let (headers, body) =
            tokio::time::timeout(Duration::from_secs(60), received.recv()).await.unwrap().unwrap();
        assert!(is_signed(&headers, &body, &running.secret));
        let told: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(told["task_id"], id.to_string());
        if told["status"] == "COMPLETED" {
            assert!(told["generated"][0].as_str().unwrap().ends_with(".wav"));
            break;
        }
        assert_eq!(told["status"], "IN_PROGRESS");
    }
    let listed = running.command(&["webhooks", "deliveries", "--task", &id.to_string()]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("msg_"), "{listed}");
}

/// As the Standard Webhooks specification says, written without the service's code.
fn is_signed(headers: &HeaderMap, body: &str, secret: &str) -> bool {
    let text = |name: &str| headers[name].to_str().unwrap();
    let key =
        base64::engine::general_purpose::STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(format!("{}.{}.{body}", text("webhook-id"), text("webhook-timestamp")).as_bytes());
    let signature = base64::engine::general_purpose::STANDARD.encode(mac.finalize().into_bytes());
    text("webhook-signature").split(' ').any(|given| given == format!("v1,{signature}"))
}
