//! Webhooks and their signatures, received by a server of the test.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use asset_api_client::models::common::TaskStatus;
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::examples::webhooks::verified;
use super::running::Running;
use crate::service::outside::serve;

type Received = mpsc::UnboundedReceiver<(HeaderMap, String)>;

/// Starts a receiver that responds with the status in the cell.
///
/// The channel gets the requests.
async fn receiver(reply: Arc<AtomicU16>) -> (String, Received) {
    let (send, received) = mpsc::unbounded_channel();
    let app = axum::Router::new().fallback(move |headers: HeaderMap, body: String| {
        send.send((headers, body)).unwrap();
        let status = StatusCode::from_u16(reply.load(Ordering::SeqCst)).unwrap();
        async move { (status, "said") }
    });
    (format!("http://{}/hook", serve(app).await), received)
}

async fn next(received: &mut Received) -> (HeaderMap, Value, String) {
    let (headers, body) =
        tokio::time::timeout(Duration::from_secs(60), received.recv()).await.unwrap().unwrap();
    (headers, serde_json::from_str(&body).unwrap(), body)
}

pub fn output(running: &Running, arguments: &[&str]) -> String {
    let output = running.command(arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Waits for an event of this task in this state, and returns its line.
async fn listed(running: &Running, task: Uuid, state: &str) -> String {
    for _ in 0..300 {
        let listed =
            output(running, &["webhooks", "deliveries", "--task", &task.to_string(), "--state", state]);
        if let Some(line) = listed.lines().find(|line| line.starts_with("msg_")) {
            assert!(listed.contains(" in ") || state != "delivered", "attempts must be listed: {listed}");
            return line.to_owned();
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("no event of {task} is {state}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webhooks_report_changes_of_status_and_are_signed() {
    let (hook, mut received) = receiver(Arc::new(AtomicU16::new(200))).await;
    let running = Running::start(&[]);
    let id = running.click(Some(hook.clone())).await;

    // The terminal event may overtake the first one, which is then never sent.
    let event = loop {
        let (headers, event_body, body) = next(&mut received).await;
        assert!(is_signed(&headers, &body, &running.secret));
        assert_eq!(event_body["task_id"], id.to_string());
        if event_body["status"] == "COMPLETED" {
            assert!(event_body["generated"][0].as_str().unwrap().ends_with(".wav"));
            break headers["webhook-id"].clone();
        }
        assert_eq!(event_body["status"], "IN_PROGRESS");
    };
    listed(&running, id, "delivered").await;

    // A replay has the same event id, and signatures of the old and the new secret.
    let secrets = output(&running, &["webhooks", "secret", running.key_id(), "--rotate"]);
    let fresh = secrets.lines().next().unwrap();
    assert!(fresh != running.secret && secrets.contains(&running.secret), "{secrets}");
    output(&running, &["webhooks", "replay", event.to_str().unwrap()]);
    let (headers, event_body, body) = next(&mut received).await;
    assert_eq!((&headers["webhook-id"], &event_body["status"]), (&event, &"COMPLETED".into()));
    assert!(is_signed(&headers, &body, &running.secret) && is_signed(&headers, &body, fresh));
    assert!(!is_signed(&headers, &format!("{body} "), fresh));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_responds_410_gets_no_more_webhooks_of_the_task() {
    let reply = Arc::new(AtomicU16::new(410));
    let (hook, mut received) = receiver(Arc::clone(&reply)).await;
    let running = Running::start(&[]);
    let id = running.click(Some(hook.clone())).await;
    let (first, ..) = next(&mut received).await;
    // The event that got 410 was the last one for this task.
    let line = listed(&running, id, "gone").await;
    let task = running.sound(id).await;
    assert_eq!(task.status, TaskStatus::Completed, "{task:?}");
    // The terminal event may have been sent before the first response was recorded.
    while received.try_recv().is_ok() {}
    reply.store(200, Ordering::SeqCst);
    // Webhooks of other tasks are still delivered.
    let other = running.click(Some(hook.clone())).await;
    loop {
        let (headers, event_body, _) = next(&mut received).await;
        assert!(
            headers["webhook-id"] == first["webhook-id"] || event_body["task_id"] == other.to_string(),
            "{event_body}"
        );
        if event_body["status"] == "COMPLETED" && event_body["task_id"] == other.to_string() {
            break;
        }
    }
    let event = line.split(' ').next().unwrap();
    output(&running, &["webhooks", "replay", event]);
    assert_eq!(next(&mut received).await.0["webhook-id"], event);
}

fn is_signed(headers: &HeaderMap, body: &str, secret: &str) -> bool {
    verified(secret, headers, body.as_bytes()).is_ok()
}
