//! The dispatch loop with an in-memory outbox and local receivers.

use std::collections::HashMap;
use std::sync::Mutex;

use async_trait::async_trait;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::*;
use crate::domain::{
    Event, EventClaim, EventQuery, EventState, KeyRecord, OutboxLimits, OutboxUsage, Page, RecordedAttempt,
    WebhookSecret,
};
use crate::net::testing::{Reaction, Server, inner_guard};
use crate::store::Result;
use crate::time::Millis;

/// An in-memory outbox that records claims, deliveries and outcomes.
#[derive(Debug, Default)]
struct Outbox {
    pending: Mutex<Vec<Event>>,
    under_way: Mutex<HashMap<String, u32>>,
    most_under_way: Mutex<HashMap<String, u32>>,
    recorded: Mutex<Vec<(String, Attempt, Next)>>,
    failing_claims: Mutex<u32>,
    failing_records: Mutex<u32>,
    changed: Notify,
    woken: Notify,
}

fn host(event: &Event) -> String {
    reqwest::Url::parse(&event.url).unwrap().host_str().unwrap().to_owned()
}

fn broken() -> crate::store::Error {
    crate::store::Error::Corrupt { what: "test", why: "as asked".into() }
}

fn fails(left: &Mutex<u32>) -> bool {
    let mut left = left.lock().unwrap();
    let fails = *left > 0;
    *left = left.saturating_sub(1);
    fails
}

#[async_trait]
impl Events for Outbox {
    async fn claim_events(&self, claim: &EventClaim) -> Result<Vec<ClaimedEvent>> {
        let EventClaim { now, lease_until, caps, limit } = *claim;
        assert!(lease_until > now);
        if fails(&self.failing_claims) {
            return Err(broken());
        }
        let mut under_way = self.under_way.lock().unwrap();
        let mut most = self.most_under_way.lock().unwrap();
        let mut claimed = Vec::new();
        self.pending.lock().unwrap().retain(|event| {
            let count = under_way.entry(host(event)).or_default();
            if *count == caps.per_host || claimed.len() == limit as usize {
                return true;
            }
            *count += 1;
            let most = most.entry(host(event)).or_default();
            *most = (*most).max(*count);
            claimed.push(ClaimedEvent { event: event.clone(), lease: "lease".into() });
            false
        });
        Ok(claimed)
    }

    async fn outbox(&self, _: &str, _: &str, _: OutboxLimits) -> Result<OutboxUsage> {
        unreachable!("a dispatcher counts nothing")
    }

    fn events_woken(&self) -> &Notify {
        &self.woken
    }

    async fn record_attempt(&self, claimed: &ClaimedEvent, attempt: &Attempt, next: Next) -> Result<bool> {
        if fails(&self.failing_records) {
            return Err(broken());
        }
        *self.under_way.lock().unwrap().get_mut(&host(&claimed.event)).unwrap() -= 1;
        self.recorded.lock().unwrap().push((claimed.event.id.clone(), attempt.clone(), next));
        self.changed.notify_one();
        Ok(true)
    }

    async fn events(&self, _: &EventQuery, _: Page) -> Result<Vec<Event>> {
        unreachable!("not used by these tests")
    }

    async fn attempts(&self, _: &str) -> Result<Vec<RecordedAttempt>> {
        unreachable!("not used by these tests")
    }

    async fn replay_event(&self, _: &str, _: Millis) -> Result<bool> {
        unreachable!("not used by these tests")
    }
}

#[async_trait]
impl Keys for Outbox {
    async fn insert_key(&self, _: &KeyRecord, _: &WebhookSecret) -> Result<bool> {
        unreachable!("not used by these tests")
    }

    async fn key(&self, _: &str) -> Result<Option<KeyRecord>> {
        unreachable!("not used by these tests")
    }

    async fn keys(&self) -> Result<Vec<KeyRecord>> {
        unreachable!("not used by these tests")
    }

    async fn replace_secret(&self, _: &str, _: &[u8], _: Millis) -> Result<bool> {
        unreachable!("not used by these tests")
    }

    async fn set_tier(&self, _: &str, _: &str) -> Result<bool> {
        unreachable!("not used by these tests")
    }

    async fn note_use(&self, _: &str, _: Millis) -> Result<()> {
        unreachable!("not used by these tests")
    }

    async fn revoke_key(&self, _: &str, _: Millis) -> Result<bool> {
        unreachable!("not used by these tests")
    }

    async fn webhook_secrets(&self, key_id: &str, _: Millis) -> Result<Vec<WebhookSecret>> {
        assert_eq!(key_id, "Ab3dEf9h");
        Ok(vec![WebhookSecret { bytes: vec![7; 32], created_at: 0, expires_at: None }])
    }

    async fn rotate_webhook_secret(&self, _: &str, _: &WebhookSecret, _: Millis) -> Result<()> {
        unreachable!("not used by these tests")
    }
}

/// A running dispatcher and its outbox.
struct Running {
    outbox: Arc<Outbox>,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<()>,
}

const NAMES: &[(&str, &[&[&str]])] = &[("slow.test", &[&["127.0.0.1"]]), ("good.test", &[&["127.0.0.1"]])];

fn caps(per_host: u32) -> DeliveryCaps {
    DeliveryCaps { per_host, ..DeliveryCaps::default() }
}

/// Polls practically never, so that tests see whether the loop is woken.
fn settings() -> Settings {
    let poll = Duration::from_secs(3600);
    Settings { concurrency: 8, caps: caps(2), poll, ..Settings::default() }
}

fn start(outbox: Outbox, settings: Settings) -> Running {
    let outbox = Arc::new(outbox);
    let sender = Sender::new(inner_guard(NAMES), Clock::System).unwrap();
    let dispatcher = Dispatcher::new(Arc::clone(&outbox), sender, Clock::System, settings);
    let (stop, stopped) = oneshot::channel::<()>();
    let ended = tokio::spawn(dispatcher.run(async move {
        let _ = stopped.await;
    }));
    Running { outbox, stop, ended }
}

impl Running {
    /// Waits for this many recorded attempts and returns all.
    async fn recorded(&self, count: usize) -> Vec<(String, Attempt, Next)> {
        loop {
            let recorded = self.outbox.recorded.lock().unwrap().clone();
            if recorded.len() >= count {
                return recorded;
            }
            self.outbox.changed.notified().await;
        }
    }
}

fn event(id: &str, url: String, attempts: u32) -> Event {
    Event {
        id: id.into(),
        task_id: Uuid::nil(),
        key_id: "Ab3dEf9h".into(),
        url,
        payload: "{}".into(),
        terminal: true,
        state: EventState::Pending,
        attempts,
        due_at: 0,
        created_at: 0,
        trace: None,
    }
}

fn outbox_with(events: Vec<Event>) -> Outbox {
    Outbox { pending: Mutex::new(events), ..Outbox::default() }
}

#[tokio::test]
async fn the_next_step_is_recorded_with_the_attempt() {
    let server = Server::start(|request| match request.split(' ').nth(1) {
        Some("/ok") => Reaction::response("200 OK", "", "thanks"),
        Some("/299") => Reaction::response("299 X", "", ""),
        Some("/304") => Reaction::response("304 Not Modified", "", ""),
        Some("/gone") => Reaction::response("410 Gone", "", ""),
        Some("/later") => Reaction::response("503 X", "retry-after: 7200\r\n", ""),
        _ => Reaction::response("500 X", "", ""),
    })
    .await;
    let running = start(
        outbox_with(vec![
            event("delivered", server.url("/ok"), 3),
            event("success", server.url("/299"), 0),
            event("unchanged", server.url("/304"), 1),
            event("gone", server.url("/gone"), 0),
            event("first", server.url("/bad"), 0),
            event("second", server.url("/bad"), 1),
            event("asked", server.url("/later"), 0),
            event("last", server.url("/bad"), 9),
        ]),
        settings(),
    );
    let recorded = running.recorded(8).await;
    let of = |id: &str| recorded.iter().find(|(found, ..)| found == id).unwrap();
    let wait = |id: &str| match of(id) {
        (_, attempt, Next::RetryAt(at)) => at - attempt.at,
        other => panic!("{other:?}"),
    };
    assert_eq!((of("delivered").2, of("delivered").1.response.as_str()), (Next::Delivered, "thanks"));
    assert_eq!((of("success").2, of("gone").2), (Next::Delivered, Next::Gone));
    assert_eq!(of("last").2, Next::GiveUp);
    assert!(wait("first") >= 4_000 && wait("second") >= 240_000 && wait("asked") >= 7_200_000);
    assert!(wait("unchanged") >= 240_000);
}

#[tokio::test]
async fn a_slow_host_holds_up_no_other() {
    let slow = Server::start(|_| Reaction::ThenHang(Vec::new())).await;
    let good = Server::start(|_| Reaction::response("200 OK", "", "")).await;
    let mut events: Vec<_> =
        (0..50).map(|n| event(&format!("slow-{n}"), slow.url_as("slow.test", "/"), 0)).collect();
    events.extend((0..20).map(|n| event(&format!("good-{n}"), good.url_as("good.test", "/"), 0)));
    let running = start(outbox_with(events), settings());
    let recorded = running.recorded(20).await;
    assert!(recorded.iter().all(|(id, _, next)| id.starts_with("good") && *next == Next::Delivered));
    assert_eq!(running.outbox.most_under_way.lock().unwrap()["slow.test"], 2);
    assert_eq!(
        running.outbox.pending.lock().unwrap().len(),
        48,
        "events over the host limit must stay in the store"
    );
    running.ended.abort();
}

#[tokio::test]
async fn deliveries_never_exceed_the_limit() {
    let hanging = Server::start(|_| Reaction::ThenHang(Vec::new())).await;
    let events = (0..20).map(|n| event(&n.to_string(), hanging.url("/"), 0)).collect();
    let running = start(outbox_with(events), Settings { concurrency: 3, caps: caps(100), ..settings() });
    while hanging.requests().len() < 3 {
        tokio::task::yield_now().await;
    }
    running.outbox.woken.notify_one();
    sleep(Duration::from_millis(50)).await;
    assert_eq!(running.outbox.pending.lock().unwrap().len(), 17);
    running.ended.abort();
}

#[tokio::test]
async fn an_event_that_is_queued_later_is_delivered_when_the_loop_is_woken() {
    let server = Server::start(|_| Reaction::response("200 OK", "", "")).await;
    let running = start(outbox_with(vec![event("one", server.url("/"), 0)]), settings());
    running.recorded(1).await;
    running.outbox.pending.lock().unwrap().push(event("two", server.url("/"), 0));
    running.outbox.woken.notify_one();
    assert_eq!(running.recorded(2).await[1].0, "two");
}

#[tokio::test]
async fn claims_continue_after_failures_of_the_store() {
    let server = Server::start(|_| Reaction::response("200 OK", "", "")).await;
    let outbox = outbox_with(vec![event("one", server.url("/"), 0)]);
    *outbox.failing_claims.lock().unwrap() = 2;
    *outbox.failing_records.lock().unwrap() = 1;
    let running = start(outbox, Settings { poll: Duration::from_millis(10), ..settings() });
    assert_eq!(running.recorded(1).await[0].2, Next::Delivered);
    assert_eq!(server.connections(), 1, "a failed record must not cause a second delivery");
}

#[tokio::test(start_paused = true)]
async fn no_wait_follows_the_last_try_to_record_an_attempt() {
    let outbox = Outbox { failing_records: Mutex::new(RECORD_TRIES), ..Outbox::default() };
    let sender = Sender::new(inner_guard(NAMES), Clock::System).unwrap();
    let dispatcher = Dispatcher::new(Arc::new(outbox), sender, Clock::System, settings());
    let claimed = ClaimedEvent { event: event("one", String::new(), 0), lease: "lease".into() };
    let attempt = Attempt { at: 0, duration: 0, status: None, error: None, response: String::new() };
    let begun = Instant::now();
    dispatcher.record(&claimed, &attempt, Next::Delivered).await;
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    assert_eq!(*dispatcher.store.failing_records.lock().unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_finishes_started_deliveries_and_claims_no_more() {
    let (arrived, mut arrivals) = tokio::sync::mpsc::unbounded_channel();
    let (go_on, wait) = std::sync::mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let server = Server::start(move |_| {
        arrived.send(()).unwrap();
        tokio::task::block_in_place(|| wait.lock().unwrap().recv()).unwrap();
        Reaction::response("200 OK", "", "")
    });
    let server = server.await;
    let events = (0..3).map(|n| event(&n.to_string(), server.url("/"), 0)).collect();
    let running = start(outbox_with(events), Settings { concurrency: 1, ..settings() });
    arrivals.recv().await.unwrap();
    running.stop.send(()).unwrap();
    go_on.send(()).unwrap();
    running.ended.await.unwrap();
    assert_eq!(running.outbox.recorded.lock().unwrap().len(), 1);
    assert_eq!(running.outbox.pending.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_stop_does_not_wait_for_ever() {
    let hanging = Server::start(|_| Reaction::ThenHang(Vec::new())).await;
    let settings = Settings { grace: Duration::from_millis(20), ..settings() };
    let running = start(outbox_with(vec![event("one", hanging.url("/"), 0)]), settings);
    while hanging.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    running.stop.send(()).unwrap();
    running.ended.await.unwrap();
    assert!(running.outbox.recorded.lock().unwrap().is_empty());
}
