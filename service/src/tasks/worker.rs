//! The worker: claims tasks, has engines do them, and ends them.
//!
//! Engines block, so they run on threads of their own, as many at a time as [`Settings::threads`]; heartbeats go on beside
//! them. A task whose lease is lost is cancelled, and what it made is thrown away.

mod attempt;
mod heartbeat;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;

use super::registry::Registry;
use super::view::FileUrls;
use crate::crash;
use crate::files::Files;
use crate::net::fetch::Fetcher;
use crate::store::{Claim, Claimed, Ended, FailureCause, Payload, SharedStore, Task, TaskStatus};
use crate::time::{Clock, millis};

/// How the worker works.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The most engines that run at a time.
    pub threads: usize,
    /// How long a lease holds without a heartbeat.
    pub lease: Duration,
    /// How often the queue is looked at when nothing wakes the worker.
    pub poll: Duration,
    /// The most tasks of one API key in progress, over all processes.
    pub running_per_key: u32,
    /// How often a task is tried.
    pub max_attempts: u32,
    /// How long a task waits before its second attempt; each further one doubles it.
    pub backoff: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            threads: std::thread::available_parallelism().map_or(2, std::num::NonZero::get),
            lease: Duration::from_secs(30),
            poll: Duration::from_secs(1),
            running_per_key: 8,
            max_attempts: 3,
            backoff: Duration::from_secs(2),
        }
    }
}

/// What the worker works with.
#[derive(Clone)]
pub struct Worker {
    /// Where tasks are.
    pub store: SharedStore,
    /// Where files are.
    pub files: Files,
    /// How media are had.
    pub fetcher: Fetcher,
    /// Which engines there are.
    pub registry: Arc<Registry>,
    /// How results are named.
    pub urls: FileUrls,
    /// What time it is.
    pub clock: Clock,
    /// How it works.
    pub settings: Settings,
    /// What this process is called: unique among those that share the store.
    pub owner: String,
    /// Rung when a webhook event was queued.
    pub events: Arc<Notify>,
}

impl Worker {
    /// Works until `stop` says true; then gives back what is not done within `grace`.
    pub async fn run(self, mut stop: watch::Receiver<bool>, grace: Duration) {
        let slots = Arc::new(Semaphore::new(self.settings.threads));
        let mut running = JoinSet::new();
        while !*stop.borrow() {
            while running.try_join_next().is_some() {}
            let free = slots.available_permits();
            let claimed = if free == 0 { Vec::new() } else { self.claim(free).await };
            let idle = claimed.is_empty();
            for claimed in claimed {
                let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { return };
                running.spawn(self.clone().work(claimed, slot, stop.clone(), grace));
            }
            if idle {
                tokio::select! {
                    () = self.store.tasks_woken().notified() => {}
                    () = tokio::time::sleep(self.settings.poll) => {}
                    Some(_) = running.join_next() => {}
                    _ = stop.changed() => {}
                }
            }
        }
        while running.join_next().await.is_some() {}
    }

    /// Claims as many tasks as there is room for, and ends those that have no attempt left.
    async fn claim(&self, free: usize) -> Vec<Claimed> {
        let now = self.clock.now();
        let claim = Claim {
            owner: &self.owner,
            now,
            lease_until: now + millis(self.settings.lease),
            limit: u32::try_from(free).unwrap_or(u32::MAX),
            running_per_key: self.settings.running_per_key,
            max_attempts: self.settings.max_attempts,
        };
        match self.store.exhausted(&claim).await {
            Ok(exhausted) => {
                for claimed in exhausted {
                    let cause = attempts_exhausted(self.settings.max_attempts);
                    self.end(&claimed, Err(cause)).await;
                }
            }
            Err(error) => tracing::error!(%error, "tasks without attempts left can't be ended"),
        }
        let urls = self.urls.clone();
        let payload: Payload = Arc::new(move |task| super::view::payload(task, &urls));
        match self.store.claim_tasks(&claim, &payload).await {
            Ok(claimed) => {
                if !claimed.is_empty() {
                    crash::point("after-claim");
                    self.events.notify_one();
                }
                claimed
            }
            Err(error) => {
                tracing::error!(%error, "tasks can't be claimed");
                Vec::new()
            }
        }
    }

    /// One attempt, from claim to end.
    async fn work(
        self,
        claimed: Claimed,
        slot: OwnedSemaphorePermit,
        stop: watch::Receiver<bool>,
        grace: Duration,
    ) {
        let outcome = attempt::run(&self, &claimed, stop, grace).await;
        drop(slot);
        match outcome {
            attempt::Outcome::Ended(result) => self.end(&claimed, result).await,
            attempt::Outcome::TryAgain(cause, reason) => self.try_again(&claimed, cause, &reason).await,
            attempt::Outcome::GiveBack => {
                let released = self.store.release_task(&claimed.lease, self.clock.now(), true).await;
                log_lease(&claimed, "given back", released);
            }
            attempt::Outcome::Lost => {
                tracing::warn!(task = %claimed.task.id, "the lease was lost; the result is dropped")
            }
        }
    }

    /// Ends a task; its webhook is told by the same transaction.
    async fn end(&self, claimed: &Claimed, outcome: Result<Vec<crate::store::Piece>, FailureCause>) {
        let now = self.clock.now();
        let ended = Ended { payload: self.payload(&claimed.task, &outcome, now), outcome, now };
        crash::point("before-end");
        let kept = self.store.end_task(&claimed.lease, &ended).await;
        crash::point("after-end");
        if matches!(kept, Ok(true)) {
            let (status, code) = match &ended.outcome {
                Ok(_) => ("completed", ""),
                Err(cause) => ("failed", cause.code.as_str()),
            };
            tracing::info!(task = %claimed.task.id, status, code, "task ended");
            metrics::counter!("tasks_ended_total", "status" => status).increment(1);
            self.events.notify_one();
        } else {
            log_lease(claimed, "ended", kept);
            attempt::discard(self, &claimed.task.folder, claimed.lease.attempt).await;
        }
    }

    async fn try_again(&self, claimed: &Claimed, cause: Option<FailureCause>, reason: &str) {
        let attempt = claimed.lease.attempt;
        tracing::warn!(task = %claimed.task.id, attempt, reason, "an attempt failed");
        if attempt >= self.settings.max_attempts {
            let cause = cause.unwrap_or_else(|| attempts_exhausted(self.settings.max_attempts));
            return self.end(claimed, Err(cause)).await;
        }
        let wait = self.settings.backoff.saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1)));
        let released = self.store.release_task(&claimed.lease, self.clock.now() + millis(wait), false).await;
        log_lease(claimed, "released", released);
    }

    /// What the webhook is told of the end.
    fn payload(
        &self,
        task: &Task,
        outcome: &Result<Vec<crate::store::Piece>, FailureCause>,
        now: i64,
    ) -> String {
        let mut ended = task.clone();
        ended.updated_at = now;
        match outcome {
            Ok(results) => {
                ended.status = TaskStatus::Completed;
                ended.results.clone_from(results);
            }
            Err(cause) => {
                ended.status = TaskStatus::Failed;
                ended.error = Some(cause.clone());
            }
        }
        super::view::payload(&ended, &self.urls)
    }
}

fn attempts_exhausted(attempts: u32) -> FailureCause {
    FailureCause {
        code: "attempts_exhausted".to_owned(),
        message: format!("The task was tried {attempts} times and did not come to an end."),
    }
}

fn log_lease(claimed: &Claimed, what: &str, result: crate::store::Result<bool>) {
    let task = claimed.task.id;
    match result {
        Ok(true) => {}
        Ok(false) => tracing::warn!(%task, "the lease was lost before the task could be {what}"),
        Err(error) => tracing::error!(%task, %error, "the task can't be {what}; its lease will run out"),
    }
}
