//! The receiver, behind which two events have handlers.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::{Duration, UNIX_EPOCH},
};

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body::{Body as HttpBody, Frame};
use tokio::sync::Notify;

use super::*;
use crate::{
    server::Body,
    types::{Map, Value},
};

static PAID: Operation = event("order_paid", "POST", "/order_paid");
static CLOSED: Operation = message("shop_closed", "PUT", "/shop_closed");
static EVENTS: &[&Operation] = &[&PAID, &CLOSED];

/// Records events. Handlers of events with the text `wait` wait for a permit, and those with `fail` fail once.
#[derive(Default)]
struct Shop {
    received: Mutex<Vec<String>>,
    permit: Notify,
}

impl Shop {
    fn record(&self, text: String) -> usize {
        let mut received = self.received.lock().unwrap();
        received.push(text);
        received.len()
    }

    async fn order_paid(&self, delivery: Delivery, event: Map<Value>) -> Handled {
        assert_eq!(delivery.headers["content-type"], "application/json");
        assert_eq!(serde_json::from_slice::<Value>(&delivery.body).unwrap()["order"], event["order"]);
        let order = event["order"].as_str().unwrap_or_default().to_owned();
        let count = self.record(format!("{} {order}", delivery.id.unwrap_or_default()));
        match order.as_str() {
            "wait" => self.permit.notified().await,
            "fail" if count == 1 => return Err(Failure::internal("the disk is full")),
            "panic" if count == 1 => panic!("a mistake"),
            _ => {}
        }
        Ok(())
    }

    async fn shop_closed(&self, delivery: Delivery) -> Handled {
        self.record(format!("closed {}", String::from_utf8_lossy(&delivery.body)));
        let mut gone = Response::new(Body::empty());
        *gone.status_mut() = StatusCode::GONE;
        Err(Failure::Response(Box::new(gone)))
    }
}

fn receiver(shop: &Arc<Shop>) -> Receiver {
    receiver_of(shop, EVENTS, Verifier::new(secret(1)))
}

fn receiver_of(shop: &Arc<Shop>, events: &'static [&'static Operation], verify: impl Verify) -> Receiver {
    let mut to = builder(events);
    to.mount(
        &PAID,
        typed(shop, |shop, delivery, event| async move { shop.order_paid(delivery, event).await }),
    );
    if events.len() > 1 {
        to.mount(&CLOSED, untyped(shop, |shop, delivery| async move { shop.shop_closed(delivery).await }));
    }
    Receiver::new(to.build().unwrap(), events, verify)
}

fn order(id: &str, order: &str) -> Request<Body> {
    let body = format!(r#"{{"order": "{order}"}}"#);
    signed_request(&secret(1), "/hooks/order_paid", id, body).unwrap()
}

async fn status(receiver: &Receiver, request: Request<Body>) -> u16 {
    receiver.handle(request).await.status().as_u16()
}

#[tokio::test]
async fn an_event_reaches_its_handler() {
    let shop = Arc::default();
    let receiver = receiver(&shop);
    assert_eq!(status(&receiver, order("1", "a")).await, 204);
    let mut closed = signed_request(&secret(1), "/shop_closed", "2", "bye").unwrap();
    *closed.method_mut() = http::Method::PUT;
    assert_eq!(status(&receiver, closed).await, 410);
    assert_eq!(*shop.received.lock().unwrap(), ["1 a", "closed bye"]);
    let unknown = |path| signed_request(&secret(1), path, "3", "{}").unwrap();
    assert_eq!(status(&receiver, unknown("/hooks/order_lost")).await, 404);
    assert_eq!(status(&receiver, unknown("/shop_closed")).await, 405);
}

#[tokio::test]
async fn messages_that_are_not_trusted_reach_no_handler() {
    let shop = Arc::default();
    let receiver = receiver(&shop);
    let by_other = signed_request(&secret(2), "/order_paid", "1", "{}").unwrap();
    let mut unsigned = order("1", "a");
    unsigned.headers_mut().remove("webhook-signature");
    let old = {
        let mut old = order("1", "a");
        old.headers_mut().extend(sign(&[secret(1)], "1", 1_000_000_000, br#"{"order": "a"}"#));
        old
    };
    let changed = {
        let mut changed = order("1", "a");
        *changed.body_mut() = Body::from(r#"{"order": "b"}"#);
        changed
    };
    let cut_off = {
        let mut cut_off = order("1", "a");
        *cut_off.body_mut() = Body::from(r#"{"order": "a""#);
        cut_off
    };
    for request in [by_other, unsigned, old, changed, cut_off] {
        assert_eq!(status(&receiver, request).await, 401);
    }
    assert!(shop.received.lock().unwrap().is_empty());
    // A message that is not trusted does not use up the id.
    assert_eq!(status(&receiver, order("1", "a")).await, 204);
}

/// A body whose transfer ends with an error, or that must not be read.
struct Broken(Option<Bytes>, bool);

impl HttpBody for Broken {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        assert!(self.1, "the body is read");
        Poll::Ready(Some(self.0.take().map(Frame::data).ok_or_else(|| std::io::Error::other("cut off"))))
    }
}

#[tokio::test]
async fn bodies_are_bounded_and_read_only_if_the_headers_are_valid() {
    let shop = Arc::default();
    let receiver = receiver(&shop).body_limit(32);
    let long = "x".repeat(40);
    assert_eq!(status(&receiver, order("1", &long)).await, 413);
    let stream = |is_read: bool| order("1", &long).map(|_| Broken(Some(Bytes::from_static(b"{")), is_read));
    let cut_off = receiver.handle(stream(true)).await;
    assert_eq!(cut_off.status(), 400);
    let mut announced = stream(false);
    announced.headers_mut().insert("content-length", 33.into());
    assert_eq!(receiver.handle(announced).await.status(), 413);
    let mut unsigned = stream(false);
    unsigned.headers_mut().remove("webhook-id");
    assert_eq!(receiver.handle(unsigned).await.status(), 401);
    assert_eq!(status(&receiver, order("1", "a")).await, 204);
}

#[tokio::test]
async fn malformed_events_are_refused() {
    let shop = Arc::default();
    let receiver = receiver(&shop);
    for body in ["", "[]", "{", "null", "{\"order\": \"a\"} x"] {
        let request = signed_request(&secret(1), "/order_paid", "1", body).unwrap();
        assert_eq!(status(&receiver, request).await, 400, "{body}");
    }
    let mut compressed = order("1", "a");
    compressed.headers_mut().insert("content-encoding", "gzip".parse().unwrap());
    assert_eq!(status(&receiver, compressed).await, 415);
    let mut bare = order("1", "a");
    bare.headers_mut().remove("content-type");
    assert_eq!(status(&receiver, bare).await, 204);
}

#[tokio::test]
async fn duplicates_are_handled_once() {
    let shop = Arc::default();
    let receiver = receiver(&shop);
    for _ in 0..3 {
        assert_eq!(status(&receiver, order("1", "a")).await, 204);
    }
    assert_eq!(*shop.received.lock().unwrap(), ["1 a"]);
}

#[tokio::test]
async fn a_duplicate_of_an_event_in_progress_comes_again() {
    let shop: Arc<Shop> = Arc::default();
    let receiver = receiver(&shop);
    let first = {
        let receiver = receiver.clone();
        tokio::spawn(async move { status(&receiver, order("1", "wait")).await })
    };
    while shop.received.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(status(&receiver, order("1", "wait")).await, 409);
    shop.permit.notify_one();
    assert_eq!(first.await.unwrap(), 204);
    assert_eq!(status(&receiver, order("1", "wait")).await, 204);
    assert_eq!(shop.received.lock().unwrap().len(), 1);
}

/// A failure, a panic and a lost connection.
#[tokio::test]
async fn an_event_that_was_not_handled_is_handled_again() {
    for kind in ["fail", "panic"] {
        let shop = Arc::default();
        let receiver = receiver(&shop);
        assert_eq!(status(&receiver, order("1", kind)).await, 500, "{kind}");
        assert_eq!(status(&receiver, order("1", kind)).await, 204, "{kind}");
        assert_eq!(status(&receiver, order("1", kind)).await, 204, "{kind}");
        assert_eq!(shop.received.lock().unwrap().len(), 2, "{kind}");
    }
    let shop = Arc::default();
    let receiver = receiver(&shop);
    let lost = receiver.handle(order("1", "wait"));
    assert!(tokio::time::timeout(Duration::from_millis(5), lost).await.is_err());
    shop.permit.notify_one();
    assert_eq!(status(&receiver, order("1", "wait")).await, 204);
}

#[tokio::test]
async fn the_oldest_ids_are_forgotten() {
    let shop = Arc::default();
    let receiver = receiver(&shop).seen(Seen::new(2));
    for id in ["1", "2", "3", "2", "3", "1"] {
        assert_eq!(status(&receiver, order(id, "a")).await, 204);
    }
    assert_eq!(*shop.received.lock().unwrap(), ["1 a", "2 a", "3 a", "1 a"]);
}

#[tokio::test]
async fn one_url_receives_all_events() {
    let shop = Arc::default();
    let by_type = |_: &HeaderMap, body: &[u8]| {
        serde_json::from_slice::<Value>(body).ok()?["type"].as_str().map(str::to_owned)
    };
    let receiver = receiver(&shop).events_by(by_type);
    let sent = |id: &str, body: &'static str| signed_request(&secret(1), "/hooks", id, body).unwrap();
    assert_eq!(status(&receiver, sent("1", r#"{"type": "order.paid", "order": "a"}"#)).await, 204);
    assert_eq!(status(&receiver, sent("2", r#"{"type": "order.lost"}"#)).await, 204);
    assert_eq!(status(&receiver, sent("3", "[]")).await, 204);
    assert_eq!(*shop.received.lock().unwrap(), ["1 a"]);

    static ONLY: &[&Operation] = &[&PAID];
    let receiver = receiver_of(&shop, ONLY, Verifier::new(secret(1)));
    assert_eq!(status(&receiver, sent("4", r#"{"order": "b"}"#)).await, 204);
}

#[tokio::test]
async fn an_api_can_have_signatures_of_its_own() {
    let shop = Arc::default();
    let verify = |headers: &HeaderMap, _: &[u8]| match headers.get("x-token") {
        Some(token) if token == "t" => Ok(Verified { id: None, sent_at: Some(UNIX_EPOCH) }),
        _ => Err(VerifyError::Signature),
    };
    let receiver = receiver_of(&shop, EVENTS, verify);
    assert_eq!(status(&receiver, order("1", "a")).await, 401);
    for _ in 0..2 {
        let mut request = order("1", "a");
        request.headers_mut().insert("x-token", "t".parse().unwrap());
        assert_eq!(status(&receiver, request).await, 204);
    }
    assert_eq!(shop.received.lock().unwrap().len(), 2);
}
