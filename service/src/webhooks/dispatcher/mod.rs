//! The loop that takes due events from the outbox and delivers them.
//!
//! The store is the queue. It counts the deliveries in progress per host and API key over all processes. So this loop
//! only needs more slots than a few slow hosts can fill. Events are leased: if a process dies, another one repeats its
//! deliveries with the same event id.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use metrics::{counter, gauge, histogram};
use tokio::sync::OnceCell;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tracing::Instrument as _;

use super::deliver::{DEADLINE, Sender};
use super::schedule;
use crate::crash;
use crate::domain::{Attempt, ClaimedEvent, DeliveryCaps, EventClaim, Next, WebhookSecret};
use crate::log::redact::without_values;
use crate::store::{Events, Keys};
use crate::time::{Clock, millis, timestamp};
use crate::trace::{self, Kind, Span};

/// The settings of the dispatcher.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The maximum number of deliveries in progress in this process.
    pub concurrency: usize,
    /// The maximum number of deliveries in progress in all processes.
    pub caps: DeliveryCaps,
    /// The interval at which the loop polls the store if nothing wakes it.
    pub poll: Duration,
    /// How long a claim is valid; longer than an attempt may take.
    pub lease: Duration,
    /// How long deliveries in progress may take to finish on shutdown.
    pub grace: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            concurrency: 256,
            caps: DeliveryCaps::default(),
            poll: Duration::from_secs(1),
            lease: DEADLINE * 3,
            grace: DEADLINE + Duration::from_secs(2),
        }
    }
}

/// The minimum time between claims, unless half of the deliveries end before.
///
/// It lets one claim fill many slots instead of one claim per slot.
const BETWEEN_CLAIMS: Duration = Duration::from_millis(5);

/// How many times the dispatcher tries to record an attempt.
///
/// An attempt that is not recorded is made again when its lease expires.
const RECORD_TRIES: u32 = 3;

/// The webhook secrets of an API key, read once per batch of claimed events.
type Secrets = OnceCell<Vec<WebhookSecret>>;

/// Claims due events and delivers them.
#[derive(Debug)]
pub struct Dispatcher<S: ?Sized> {
    store: Arc<S>,
    sender: Sender,
    clock: Clock,
    settings: Settings,
}

impl<S: Events + Keys + Send + Sync + ?Sized + 'static> Dispatcher<S> {
    /// Creates a dispatcher for the events of this store.
    pub fn new(store: Arc<S>, sender: Sender, clock: Clock, settings: Settings) -> Self {
        Self { store, sender, clock, settings }
    }

    /// Delivers events until `stop` resolves, then finishes those in progress.
    pub async fn run(self, stop: impl Future<Output = ()> + Send) {
        let (this, mut running) = (Arc::new(self), JoinSet::new());
        tokio::pin!(stop);
        'run: loop {
            let next_claim = Instant::now() + BETWEEN_CLAIMS;
            let mut secrets: HashMap<String, Arc<Secrets>> = HashMap::new();
            for claimed in this.claim(&running).await {
                let secrets = Arc::clone(secrets.entry(claimed.event.key_id.clone()).or_default());
                let this = Arc::clone(&this);
                running.spawn(async move { this.attempt(claimed, &secrets).await });
            }
            let under_way = running.len();
            gauge!("webhook_deliveries_in_progress").set(under_way as f64);
            tokio::select! {
                // A stop that comes together with a free slot takes no more events.
                biased;
                () = &mut stop => break,
                () = this.store.events_woken().notified() => {}
                // A slot is free, and perhaps capacity for a host.
                Some(ended) = running.join_next() => report(ended),
                () = sleep(this.settings.poll) => {}
            }
            while under_way == 0 || running.len() > under_way / 2 {
                tokio::select! {
                    biased;
                    () = &mut stop => break 'run,
                    Some(ended) = running.join_next() => report(ended),
                    () = sleep_until(next_claim) => break,
                }
            }
            while let Some(ended) = running.try_join_next() {
                report(ended);
            }
        }
        let finish = async {
            while let Some(ended) = running.join_next().await {
                report(ended);
            }
        };
        if timeout(this.settings.grace, finish).await.is_err() {
            tracing::warn!("shutdown cut off webhook deliveries; they are retried when their leases expire");
        }
    }

    async fn claim(&self, running: &JoinSet<()>) -> Vec<ClaimedEvent> {
        let free = self.settings.concurrency.saturating_sub(running.len());
        if free == 0 {
            return Vec::new();
        }
        let now = self.clock.now();
        let claim = EventClaim {
            now,
            lease_until: now + millis(self.settings.lease),
            caps: self.settings.caps,
            limit: u32::try_from(free).unwrap_or(u32::MAX),
        };
        let begun = Instant::now();
        let claimed = self.store.claim_events(&claim).await;
        histogram!("claim_seconds", "queue" => "webhooks").record(begun.elapsed().as_secs_f64());
        let claimed = claimed.unwrap_or_else(|error| {
            tracing::error!(%error, "can't claim webhook events");
            Vec::new()
        });
        if !claimed.is_empty() {
            crash::point("after-event-claim");
        }
        claimed
    }

    /// Delivers an event in the trace of its task's request.
    async fn attempt(&self, claimed: ClaimedEvent, secrets: &Secrets) {
        let event = &claimed.event;
        let mut span = Span::start(Kind::Client, "webhook", event.trace);
        span.set("task.id", event.task_id);
        span.set("webhook.event.id", &event.id);
        span.set_number("webhook.attempt", event.attempts.saturating_add(1));
        let logged = tracing::info_span!("delivery", trace_id = span.context().trace_id());
        let outcome = span.scope(self.attempted(&claimed, secrets).instrument(logged)).await;
        span.set("webhook.outcome", outcome.unwrap_or("not_sent"));
        if outcome != Some("delivered") {
            span.fail("not_delivered");
        }
    }

    /// Makes and records an attempt; returns its outcome, or `None` without one.
    async fn attempted(&self, claimed: &ClaimedEvent, secrets: &Secrets) -> Option<&'static str> {
        let event = &claimed.event;
        let read = || self.store.webhook_secrets(&event.key_id, self.clock.now());
        let secrets = match secrets.get_or_try_init(read).await {
            Ok(secrets) => secrets,
            // No attempt was made, so none is recorded; the event is claimed again when its lease expires.
            Err(error) => {
                tracing::error!(%error, event = event.id, "can't read webhook secrets");
                return None;
            }
        };
        let (attempt, retry_after) = self.sender.send(event, secrets).await;
        let next = match attempt.status {
            Some(200..=299) => Next::Delivered,
            Some(410) => Next::Gone,
            _ => {
                let failures = event.attempts.saturating_add(1);
                schedule::after_failure(failures, self.clock.now(), retry_after, rand::random())
            }
        };
        let outcome = outcome(next);
        counter!("webhook_attempts_total", "outcome" => outcome).increment(1);
        histogram!("webhook_duration_seconds").record(attempt.duration as f64 / 1000.0);
        let retry_at = if let Next::RetryAt(at) = next { Some(timestamp(at)) } else { None };
        tracing::info!(
            event = event.id,
            task = %event.task_id,
            status = attempt.status,
            error = attempt.error,
            next = outcome,
            retry_at = retry_at.map(display),
            "webhook attempt"
        );
        self.record(claimed, &attempt, next).await;
        Some(outcome)
    }

    async fn record(&self, claimed: &ClaimedEvent, attempt: &Attempt, next: Next) {
        crash::point("after-send");
        for tries in 1..=RECORD_TRIES {
            let recorded = self.store.record_attempt(claimed, attempt, next);
            match trace::stored("record_attempt", recorded).await {
                Ok(true) => return,
                Ok(false) => {
                    tracing::warn!(event = claimed.event.id, "webhook attempt ended after its lease expired");
                    return;
                }
                Err(error) => {
                    tracing::error!(%error, event = claimed.event.id, "can't record a webhook attempt")
                }
            }
            if tries < RECORD_TRIES {
                sleep(Duration::from_millis(200) * tries).await;
            }
        }
    }
}

fn outcome(next: Next) -> &'static str {
    match next {
        Next::Delivered => "delivered",
        Next::RetryAt(_) => "failed",
        Next::GiveUp => "given_up",
        Next::Gone => "gone",
    }
}

fn report(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        let error = error.to_string();
        tracing::error!(
            error = without_values(&error),
            "webhook delivery panicked; it is retried when its lease expires"
        );
    }
}

#[cfg(test)]
mod tests;
