//! The loop that takes due events from the outbox and delivers them.
//!
//! The store is the queue and counts what is under way for each host, over all processes; this loop only has to keep
//! enough places that no few hosts can fill them. Events are leased: what a process that dies had under way is delivered
//! again, under the same id.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use metrics::{counter, histogram};
use tokio::sync::OnceCell;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::deliver::{DEADLINE, Delivery, Sender, Verdict};
use super::schedule;
use crate::crash;
use crate::store::{ClaimedEvent, EventClaim, Events, Keys, Next, WebhookSecret};
use crate::time::{Clock, millis};

/// How events are dispatched.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The most deliveries under way, in this process.
    pub concurrency: usize,
    /// The most of them for one host, over all processes.
    pub per_host: u32,
    /// The most of them of one API key, over all processes: many hosts that hang don't fill all places.
    pub per_key: u32,
    /// How often the store is asked when nobody wakes the loop.
    pub poll: Duration,
    /// How long a claim holds; longer than an attempt takes.
    pub lease: Duration,
    /// How long deliveries that are under way may take at shutdown.
    pub grace: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            concurrency: 256,
            per_host: 8,
            per_key: 64,
            poll: Duration::from_secs(1),
            lease: DEADLINE * 3,
            grace: DEADLINE + Duration::from_secs(2),
        }
    }
}

/// Claims are this far apart, or until half of what is under way has ended, so that places that become free one by one are
/// filled many at a time.
const BETWEEN_CLAIMS: Duration = Duration::from_millis(5);

/// How often it is tried to record an attempt. An attempt that is not recorded is made again.
const RECORD_TRIES: u32 = 3;

/// The secrets of an API key: read once for all of its events that are claimed together.
type Secrets = OnceCell<Vec<WebhookSecret>>;

/// Delivers events.
#[derive(Debug)]
pub struct Dispatcher<S: ?Sized> {
    store: Arc<S>,
    sender: Sender,
    clock: Clock,
    settings: Settings,
}

impl<S: ?Sized> Clone for Dispatcher<S> {
    fn clone(&self) -> Self {
        Self {
            store: Arc::clone(&self.store),
            sender: self.sender.clone(),
            clock: self.clock.clone(),
            settings: self.settings.clone(),
        }
    }
}

impl<S: Events + Keys + Send + Sync + ?Sized + 'static> Dispatcher<S> {
    /// A dispatcher of this store's events.
    pub fn new(store: Arc<S>, sender: Sender, clock: Clock, settings: Settings) -> Self {
        Self { store, sender, clock, settings }
    }

    /// Delivers events until `stop` is ready; then finishes what is under way.
    pub async fn run(self, stop: impl Future<Output = ()> + Send) {
        let mut running = JoinSet::new();
        tokio::pin!(stop);
        'run: loop {
            let next_claim = Instant::now() + BETWEEN_CLAIMS;
            let mut secrets: HashMap<String, Arc<Secrets>> = HashMap::new();
            for claimed in self.claim(&running).await {
                let secrets = Arc::clone(secrets.entry(claimed.event.key_id.clone()).or_default());
                let this = self.clone();
                running.spawn(async move { this.attempt(claimed, &secrets).await });
            }
            let under_way = running.len();
            tokio::select! {
                () = &mut stop => break,
                () = self.store.events_woken().notified() => {}
                // A place is free, or a host's turn.
                Some(ended) = running.join_next() => report(ended),
                () = sleep(self.settings.poll) => {}
            }
            while under_way == 0 || running.len() > under_way / 2 {
                tokio::select! {
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
        if timeout(self.settings.grace, finish).await.is_err() {
            tracing::warn!(
                "webhook deliveries were cut off by the shutdown; they are made again when their leases end"
            );
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
            per_host: self.settings.per_host,
            per_key: self.settings.per_key,
            limit: u32::try_from(free).unwrap_or(u32::MAX),
        };
        self.store.claim_events(&claim).await.unwrap_or_else(|error| {
            tracing::error!(%error, "webhook events could not be claimed");
            Vec::new()
        })
    }

    async fn attempt(&self, claimed: ClaimedEvent, secrets: &Secrets) {
        let event = &claimed.event;
        let read = || self.store.webhook_secrets(&event.key_id, self.clock.now());
        let secrets = match secrets.get_or_try_init(read).await {
            Ok(secrets) => secrets,
            // No attempt was made, so none is recorded; the lease ends and it is claimed again.
            Err(error) => {
                tracing::error!(%error, event = event.id, "webhook secrets could not be read");
                return;
            }
        };
        let delivery = self.sender.send(event, secrets).await;
        let next = self.next(event.attempts, &delivery);
        count(&delivery, next);
        let attempt = &delivery.attempt;
        tracing::info!(
            event = event.id,
            task = %event.task_id,
            status = attempt.status,
            error = attempt.error,
            ?next,
            "webhook attempt"
        );
        self.record(&claimed, &delivery, next).await;
    }

    fn next(&self, attempts_before: u32, delivery: &Delivery) -> Next {
        match delivery.verdict {
            Verdict::Delivered => Next::Delivered,
            Verdict::Gone => Next::Gone,
            Verdict::Failed { retry_after } => {
                let failures = attempts_before.saturating_add(1);
                schedule::after_failure(failures, self.clock.now(), retry_after, rand::random())
            }
        }
    }

    async fn record(&self, claimed: &ClaimedEvent, delivery: &Delivery, next: Next) {
        crash::point("after-send");
        for attempt in 1..=RECORD_TRIES {
            match self.store.record_attempt(claimed, &delivery.attempt, next).await {
                Ok(true) => return,
                Ok(false) => {
                    tracing::warn!(event = claimed.event.id, "a webhook attempt has outlived its lease");
                    return;
                }
                Err(error) => {
                    tracing::error!(%error, event = claimed.event.id, "a webhook attempt could not be recorded")
                }
            }
            sleep(Duration::from_millis(200) * attempt).await;
        }
    }
}

fn count(delivery: &Delivery, next: Next) {
    let outcome = match next {
        Next::Delivered => "delivered",
        Next::RetryAt(_) => "failed",
        Next::GiveUp => "given_up",
        Next::Gone => "gone",
    };
    counter!("webhook_attempts_total", "outcome" => outcome).increment(1);
    let duration = u64::try_from(delivery.attempt.duration).unwrap_or_default();
    histogram!("webhook_duration_seconds").record(Duration::from_millis(duration).as_secs_f64());
}

fn report(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a webhook delivery has crashed; it is made again when its lease ends");
    }
}

#[cfg(test)]
mod tests;
