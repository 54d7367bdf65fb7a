//! Attempts at well-behaved and hostile receivers.

use openapi_crates_runtime::webhooks::Secret;
use uuid::Uuid;

use super::*;
use crate::domain::EventState;
use crate::net::guard::Policy;
use crate::net::testing::{Reaction, Server, inner_guard};

const NOW: Millis = 1_614_265_330_123;

fn event(url: String) -> Event {
    Event {
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek".into(),
        task_id: Uuid::nil(),
        key_id: "Ab3dEf9h".into(),
        url,
        payload: r#"{"test": 2432232314}"#.into(),
        terminal: true,
        state: EventState::Pending,
        attempts: 0,
        due_at: 0,
        created_at: 0,
        trace: None,
    }
}

fn secrets() -> Vec<WebhookSecret> {
    let secret: Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse().unwrap();
    vec![WebhookSecret { bytes: secret.as_bytes().to_vec(), created_at: 0, expires_at: None }]
}

fn sender() -> Sender {
    Sender::new(inner_guard(&[("inner.test", &[&["169.254.169.254"]])]), Clock::fixed(NOW)).unwrap()
}

async fn send(url: String) -> Attempt {
    sender().send(&event(url), &secrets()).await.0
}

async fn send_to(reaction: Reaction) -> Attempt {
    let server = Server::start(move |_| reaction.clone()).await;
    let attempt = send(server.url("/hook")).await;
    assert_eq!(server.connections(), 1);
    attempt
}

#[tokio::test]
async fn an_event_is_posted_as_it_was_queued_and_signed() {
    let server = Server::start(|_| Reaction::response("204 No Content", "", "")).await;
    let Attempt { at, status, error, response, .. } = send(server.url("/hook?a=b")).await;
    assert_eq!((at, status, error, response.as_str()), (NOW, Some(204), None, ""));
    let request = server.requests().remove(0);
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert_eq!(body, r#"{"test": 2432232314}"#);
    assert!(head.starts_with("POST /hook?a=b HTTP/1.1\r\n"), "{head}");
    for header in [
        "content-type: application/json",
        "webhook-id: msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp: 1614265330",
        "webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ] {
        assert!(head.lines().any(|line| line == header), "{header} is missing in {head}");
    }
    assert!(head.contains("user-agent: asset-service/"), "{head}");
}

#[tokio::test]
async fn only_2xx_is_a_success() {
    for (status, is_success) in [
        ("200 OK", true),
        ("299 X", true),
        ("301 Moved Permanently", false),
        ("304 Not Modified", false),
        ("400 Bad Request", false),
        ("410 Gone", false),
        ("500 Internal Server Error", false),
    ] {
        let attempt = send_to(Reaction::response(status, "", "why")).await;
        assert_eq!(attempt.error.is_none(), is_success, "{status}");
        assert_eq!(attempt.status.unwrap().to_string(), status[..3]);
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Server::start(|_| Reaction::response("200 OK", "", "")).await;
    for status in ["301 X", "302 X", "303 X", "307 X", "308 X"] {
        let location = format!("location: {}\r\n", elsewhere.url("/"));
        let attempt = send_to(Reaction::response(status, &location, "")).await;
        assert_eq!(attempt.status.unwrap().to_string(), status[..3]);
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn retry_after_is_passed_on() {
    let server = Server::start(|_| Reaction::response("503 X", "retry-after: 120\r\n", "")).await;
    let (_, retry_after) = sender().send(&event(server.url("/hook")), &secrets()).await;
    assert_eq!(retry_after, Some(Duration::from_secs(120)));
}

#[tokio::test]
async fn the_first_bytes_of_a_response_are_recorded() {
    let body = format!("<b>\0 \u{fffd}{}", "x".repeat(5000));
    let response = send_to(Reaction::response("500 X", "", &body)).await.response;
    assert!(response.starts_with("<b>\u{fffd} \u{fffd}xxx") && response.len() < 1100, "{response}");
}

#[tokio::test]
async fn an_endless_response_is_abandoned() {
    let attempt = send_to(Reaction::ThenZeros("HTTP/1.1 200 OK\r\n\r\n".into())).await;
    assert_eq!(attempt.error, None);
}

#[tokio::test]
async fn the_deadline_is_over_the_whole_exchange() {
    let rows = [
        ("", None),
        ("HTTP/1.1 200 OK\r\ncontent-le", None),
        ("HTTP/1.1 500 X\r\ncontent-length: 10\r\n\r\nabc", Some(500)),
        ("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc", Some(200)),
    ];
    futures_util::future::join_all(rows.map(async |(sent, status)| {
        let server = Server::start(move |_| Reaction::ThenHang(sent.into())).await;
        let sender = sender().with_deadline(Duration::from_millis(1500));
        let (attempt, _) = sender.send(&event(server.url("/")), &secrets()).await;
        assert_eq!((attempt.error.is_none(), attempt.status), (status == Some(200), status), "{sent}");
        if status.is_some() {
            assert_eq!(attempt.response, "abc");
        }
    }))
    .await;
}

#[tokio::test]
async fn refused_urls_are_not_connected_to() {
    for (url, error) in [
        ("http://inner.test/", "host resolves to a private or reserved address"),
        ("http://169.254.169.254/", "webhook_url must be a URL of a public host"),
        ("file:///etc/passwd", "webhook_url must be an https URL"),
        ("http://127.0.0.1:1/", "connection refused"),
    ] {
        let attempt = send(url.into()).await;
        assert_eq!((attempt.status, attempt.error.as_deref()), (None, Some(error)), "{url}");
    }
    let server = Server::start(|_| Reaction::response("200 OK", "", "")).await;
    let guard = Guard::new(Policy::default()).unwrap();
    let strict = Sender::new(guard, Clock::System).unwrap();
    let (attempt, _) = strict.send(&event(server.url("/")), &secrets()).await;
    assert_eq!((attempt.status, server.connections()), (None, 0));
}

#[tokio::test]
async fn nothing_is_sent_unsigned() {
    let server = Server::start(|_| Reaction::response("200 OK", "", "")).await;
    let (attempt, _) = sender().send(&event(server.url("/")), &[]).await;
    assert_eq!((attempt.status, server.connections()), (None, 0));
}
