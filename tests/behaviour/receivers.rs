//! Receivers of webhooks and callbacks: which event reaches which handler.

use std::sync::{Arc, Mutex};

use fixture_callbacks_client::receiver as callbacks;
use fixture_webhooks_client::{
    models::common::{Booking, CancelledWebhook},
    receiver::{Delivery, Handled, Secret, Verifier, Webhooks, receiver, runtime::signed_request},
};

#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Log {
    fn add(&self, line: String) -> Handled {
        self.0.lock().expect("no test panics with it").push(line);
        Ok(())
    }
}

impl Webhooks for Log {
    async fn new_booking(&self, delivery: Delivery, event: Booking) -> Handled {
        self.add(format!("{} {}", delivery.headers["x-signature"].to_str().unwrap_or_default(), event.id))
    }

    async fn cancelled(&self, _: Delivery, event: CancelledWebhook) -> Handled {
        self.add(format!("{:?}", event.reason))
    }

    async fn picture(&self, delivery: Delivery) -> Handled {
        self.add(format!("{} bytes", delivery.body.len()))
    }
}

fn secret() -> Secret {
    Secret::new([7; 24]).expect("24 bytes")
}

async fn statuses(
    receiver: &callbacks::runtime::Receiver,
    requests: impl IntoIterator<Item = (&str, &str, &'static str)>,
) -> Vec<u16> {
    let mut statuses = Vec::new();
    for (number, (method, path, body)) in requests.into_iter().enumerate() {
        let mut request = signed_request(&secret(), path, &number.to_string(), body).expect("a request");
        *request.method_mut() = method.parse().expect("a method");
        request.headers_mut().insert("x-signature", "v1".parse().expect("a value"));
        statuses.push(receiver.handle(request).await.status().as_u16());
    }
    statuses
}

#[tokio::test]
async fn webhooks_reach_their_handlers() {
    let log = Arc::<Log>::default();
    let receiver = receiver(Arc::clone(&log), Verifier::new(secret())).expect("paths differ");
    let sent = [
        ("POST", "/hooks/new_booking", r#"{"id": "b-7", "state": "new"}"#),
        ("POST", "/hooks/new_booking", r#"{"state": "paid"}"#),
        ("POST", "/hooks/changed_booking", r#"{"id": "b-7"}"#),
        ("POST", "/cancelled", r#"{"booking_id": "b-7", "reason": "flood"}"#),
        ("POST", "/ping", ""),
        ("PUT", "/picture", "PNG"),
        ("POST", "/picture", "PNG"),
        ("POST", "/unknown", "{}"),
    ];
    assert_eq!(statuses(&receiver, sent).await, [204, 400, 204, 204, 204, 204, 405, 404]);
    assert_eq!(*log.0.lock().expect("no test panics with it"), ["v1 b-7", "Unknown(\"flood\")", "3 bytes"]);
}

impl callbacks::Webhooks for Log {
    async fn done(&self, _: Delivery, event: fixture_callbacks_client::models::common::Task) -> Handled {
        self.add(event.id)
    }
}

#[tokio::test]
async fn callbacks_reach_their_handlers() {
    let log = Arc::<Log>::default();
    let receiver = callbacks::receiver(Arc::clone(&log), Verifier::new(secret())).expect("paths differ");
    let sent = [
        ("POST", "/done", r#"{"id": "7", "state": "done"}"#),
        ("POST", "/stopped", r#"{"id": "8", "state": "done"}"#),
        ("POST", "/failed", r#"{"reason": "rain"}"#),
    ];
    assert_eq!(statuses(&receiver, sent).await, [204; 3]);
    assert_eq!(*log.0.lock().expect("no test panics with it"), ["7"]);
}
