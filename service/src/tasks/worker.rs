//! The worker: claims tasks, runs their engines, and ends them.
//!
//! Built-in engines block, so they run on their own threads: at most [`Settings::threads`] at a time, and one
//! more for quick tasks. Attached engines need no thread: each has a lane of its own. Heartbeats continue meanwhile. If a task's lease is lost, the worker cancels the task and discards its output.

mod attempt;
mod ending;
mod floor;
mod heartbeat;
mod holders;
mod measured;
mod output;
mod passed;
mod progress;
mod quick;
mod slots;
mod steps;

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use rand::RngExt;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::crash;
use crate::engine::call::{Calls, Earlier};
use crate::engine::family::Family;
use crate::engine::registry::Registry;
use crate::files::{FileUrls, Files};
use crate::net::fetch::Fetcher;
use crate::store::{
    Claim, Claimed, Counts, Ended, Engines, FailureCause, Only, Payload, Release, SharedStore, Task,
    TaskStatus,
};
use crate::time::{Clock, millis};

use ending::Kept;
use floor::{Floor, Known};
use output::Made;
use slots::Slot;

/// The minimum time between claims.
///
/// It lets one claim take several tasks that become available one by one.
const BETWEEN_CLAIMS: Duration = Duration::from_millis(2);

/// How long hung engines may occupy all threads until the worker stops; one may return after all.
const LAST_HOPE: Duration = Duration::from_secs(10);

/// Hung engines occupy all threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "hung engines occupy all its threads, and those that took their places; restart the process, and see the log for their tasks"
)]
pub struct NoThreadLeft;

/// The maximum number of tasks without attempts left that are ended at a time.
const EXHAUSTED: usize = 100;

/// The settings of the worker.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The maximum number of engines that run at the same time, besides one for quick tasks.
    pub threads: usize,
    /// How long a lease is valid without a heartbeat.
    pub lease: Duration,
    /// How often the worker polls the queue if nothing wakes it.
    pub poll: Duration,
    /// The maximum number of tasks in progress per API key, over all processes.
    pub running_per_key: u32,
    /// The maximum number of attempts per task.
    pub max_attempts: u32,
    /// The delay before the second attempt, with a jitter of 20 %.
    ///
    /// Each further delay doubles, up to [`LONGEST_WAIT`].
    pub backoff: Duration,
    /// How often the failure of the service itself may return a task to the queue.
    pub max_outages: u32,
    /// How long an attempt may take, by [family](crate::engine::family::Family::name).
    pub deadlines: BTreeMap<String, Duration>,
}

impl Settings {
    /// Returns how long an attempt at a task of this family may take.
    fn deadline(&self, family: &str) -> Duration {
        self.deadlines.get(family).copied().unwrap_or(DEADLINE)
    }
}

/// How long an attempt may take by default.
pub const DEADLINE: Duration = Duration::from_secs(30 * 60);

/// The maximum delay between two attempts, before jitter.
pub const LONGEST_WAIT: Duration = Duration::from_secs(5 * 60);

impl Default for Settings {
    fn default() -> Self {
        Self {
            threads: crate::machine::processors(),
            lease: Duration::from_secs(30),
            poll: Duration::from_secs(1),
            running_per_key: 8,
            max_attempts: 3,
            backoff: Duration::from_secs(10),
            max_outages: 20,
            deadlines: BTreeMap::new(),
        }
    }
}

/// The parts that a worker needs. Clones share them.
#[derive(Clone)]
pub struct Worker {
    /// The store of tasks.
    pub store: SharedStore,
    /// The file store.
    pub files: Files,
    /// Downloads media.
    pub fetcher: Fetcher,
    /// The engines by family.
    pub registry: Arc<Registry>,
    /// Builds the URLs of results.
    pub urls: FileUrls,
    /// The source of time.
    pub clock: Clock,
    /// The settings.
    pub settings: Settings,
    /// The name of this process, unique among those that share the store.
    pub owner: String,
}

impl Worker {
    /// Works until `stop` is true, then gives back what does not finish in `grace`.
    ///
    /// # Errors
    /// Stops by itself if hung engines occupy all threads, because only a new process has other ones.
    pub async fn run(self, mut stop: watch::Receiver<bool>, grace: Duration) -> Result<(), NoThreadLeft> {
        let halt = watch::Sender::new(false);
        let stopped = async {
            if stop.wait_for(|stop| *stop).await.is_ok() {
                halt.send_replace(true);
            }
            pending().await
        };
        tokio::select! {
            ended = self.work_until(&halt, grace) => ended,
            ended = stopped => ended,
        }
    }

    /// Works until `halt` is true. Sets it if no thread is left.
    async fn work_until(&self, halt: &watch::Sender<bool>, grace: Duration) -> Result<(), NoThreadLeft> {
        let mut stop = halt.subscribe();
        let floor = Floor::new(self, stop.clone(), grace);
        let mut running = JoinSet::new();
        let mut given_back = 0;
        let mut next_look = Instant::now();
        let mut lost_since = None;
        let mut ended = Ok(());
        while !*stop.borrow() {
            while running.try_join_next().is_some() {}
            lost_since = floor.has_no_thread().then(|| lost_since.unwrap_or_else(Instant::now));
            if lost_since.is_some_and(|since| since.elapsed() >= LAST_HOPE) {
                tracing::error!("hung engines occupy all threads; the worker stops");
                ended = Err(NoThreadLeft);
                halt.send_replace(true);
                break;
            }
            if Instant::now() >= next_look {
                self.end_exhausted(&stop, grace).await;
                next_look = Instant::now() + self.settings.lease / 2;
            }
            let next_claim = Instant::now() + BETWEEN_CLAIMS;
            let left = floor.fill(&mut running).await;
            let has_begun = floor.fill_lanes(&mut running).await;
            let idle = left.is_none() && !has_begun && !floor.make_room(&mut running).await;
            let left = left.unwrap_or_default();
            join_all(left.iter().map(|claimed| self.give_back(claimed, None))).await;
            if *stop.borrow() {
                given_back += left.len();
            }
            if idle {
                tokio::select! {
                    () = self.store.tasks_woken().notified() => {}
                    () = tokio::time::sleep(floor.next_look(self.settings.poll)) => {}
                    Some(_) = running.join_next() => {}
                    _ = stop.changed() => {}
                }
            }
            tokio::time::sleep_until(next_claim).await;
        }
        while let Some(ended) = running.join_next().await {
            given_back += usize::from(ended.unwrap_or_default());
        }
        tracing::info!(given_back, "worker stopped; unfinished tasks are back in the queue");
        ended
    }

    /// Returns a claim for up to `limit` of these tasks, valid from now.
    fn claiming<'a>(&'a self, limit: usize, only: Only<'a>) -> Claim<'a> {
        let now = self.clock.now();
        Claim {
            owner: &self.owner,
            now,
            lease_until: now + millis(self.settings.lease),
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
            running_per_key: self.settings.running_per_key,
            max_attempts: self.settings.max_attempts,
            only,
        }
    }

    /// Fails unleased tasks that have no attempt left.
    async fn end_exhausted(&self, stop: &watch::Receiver<bool>, grace: Duration) {
        match self.store.exhausted(&self.claiming(EXHAUSTED, Only::default())).await {
            Ok(exhausted) => {
                for claimed in exhausted {
                    self.abandon(&claimed).await;
                    let cause = attempts_exhausted(self.settings.max_attempts);
                    self.fail(&claimed, cause, None, stop.clone(), grace).await;
                }
            }
            Err(error) => tracing::error!(%error, "can't end tasks without attempts left"),
        }
    }

    /// Cancels the provider's job that an earlier attempt of a task has left.
    async fn abandon(&self, claimed: &Claimed) {
        let Engines::Attached(family) = &claimed.demand.engines else { return };
        let attached = Family::named(family).and_then(|family| self.registry.attached(family));
        let Some(((lane, engine), call)) = attached.zip(claimed.call.as_deref()) else { return };
        let (store, lease) = (Arc::clone(&self.store), claimed.lease.clone());
        if let Earlier::Accepted(_, job) = Calls::of_task(&lane.name, store, lease, Some(call)).earlier() {
            engine.abandon(job).await;
        }
    }

    /// Claims up to `free` of these tasks.
    async fn claim(&self, free: usize, only: Only<'_>) -> Vec<Claimed> {
        let claim = self.claiming(free, only);
        let urls = self.urls.clone();
        let payload: Payload = Arc::new(move |task| super::view::payload(task, &urls));
        match self.store.claim_tasks(&claim, &payload).await {
            Ok(claimed) => {
                if !claimed.is_empty() {
                    crash::point("after-claim");
                }
                claimed
            }
            Err(error) => {
                tracing::error!(%error, "can't claim tasks");
                Vec::new()
            }
        }
    }

    /// Runs one attempt from claim to end.
    ///
    /// Returns `true` if the task was given back because the process stops.
    async fn work(
        self,
        claimed: Claimed,
        slot: Arc<Slot>,
        known: Known,
        stop: watch::Receiver<bool>,
        grace: Duration,
    ) -> bool {
        let measured = measured::begin(&claimed, self.clock.now());
        let family = measured.family();
        let deadline = self.settings.deadline(family);
        let outcome =
            attempt::run(&self, &claimed, slot, (deadline, measured.engines()), (stop.clone(), grace)).await;
        let spent = measured.engines().so_far();
        match outcome {
            attempt::Outcome::Ended(_, None) => known.corrections.took(&claimed.demand, measured.elapsed()),
            _ => known.corrections.took_longer(&claimed.demand, measured.elapsed()),
        }
        measured.end(&outcome);
        let is_given_back = matches!(outcome, attempt::Outcome::GiveBack);
        match outcome {
            attempt::Outcome::Ended(made, cause) => {
                self.end(&claimed, (made, cause), Some(spent), stop, grace).await
            }
            attempt::Outcome::Advanced(rest) => {
                let advanced = self.store.advance_task(&claimed.lease, &rest).await;
                log_lease(&claimed, "returned to the queue for its next step", advanced);
            }
            attempt::Outcome::Late(cause) => self.fail(&claimed, cause, Some(spent), stop, grace).await,
            attempt::Outcome::TryAgain(cause, reason) if claimed.tries >= self.settings.max_attempts => {
                let (task, attempt) = (claimed.task.id, claimed.lease.attempt);
                tracing::warn!(%task, attempt, reason, "the last attempt failed");
                let cause = cause.unwrap_or_else(|| attempts_exhausted(self.settings.max_attempts));
                self.fail(&claimed, cause, Some(spent), stop, grace).await;
            }
            attempt::Outcome::TryAgain(_, reason) => {
                self.release(&claimed, self.backoff(claimed.tries), (Counts::Attempt, spent), &reason).await;
            }
            attempt::Outcome::Wait(reason) => {
                if claimed.outages >= self.settings.max_outages {
                    tracing::error!(task = %claimed.task.id, reason, "the failure lasts; gave up a task");
                    self.fail(&claimed, storage_unavailable(), Some(spent), stop, grace).await;
                    return false;
                }
                let wait = self.backoff(claimed.outages + 1);
                self.release(&claimed, wait, (Counts::Outage, spent), &reason).await;
            }
            attempt::Outcome::NotNow(reason, retry_after) => {
                let wait = retry_after.unwrap_or_else(|| self.backoff(claimed.refusals + 1));
                self.release(&claimed, wait, (Counts::Refusal, spent), &reason).await;
            }
            attempt::Outcome::NotHere(cause, reason) => {
                metrics::counter!("tasks_passed_total", "family" => family).increment(1);
                if claimed.tries >= self.settings.max_attempts {
                    self.fail(&claimed, cause, Some(spent), stop, grace).await;
                    return false;
                }
                let wait = known.passed.add(claimed.task.id, std::time::Instant::now());
                self.release(&claimed, wait, (Counts::Attempt, spent), &reason).await;
            }
            attempt::Outcome::GiveBack => self.give_back(&claimed, Some(spent)).await,
            attempt::Outcome::Slow => {
                metrics::counter!("tasks_not_quick_total", "family" => family).increment(1);
                let release = Release::new(Counts::Nothing, self.clock.now()).of_a_slow_task().after(spent);
                let released = self.store.release_task(&claimed.lease, release).await;
                log_lease(&claimed, "given back", released);
            }
            attempt::Outcome::Lost => {
                tracing::warn!(task = %claimed.task.id, "lease lost; discarded the result")
            }
            attempt::Outcome::Cancelled(true) => {
                tracing::info!(task = %claimed.task.id, "the task was cancelled; its engine was stopped")
            }
            attempt::Outcome::Cancelled(false) => {
                tracing::warn!(task = %claimed.task.id, "the task was cancelled; its engine has not stopped yet")
            }
        }
        is_given_back
    }

    /// Ends a task as failed, with what earlier attempts have made.
    async fn fail(
        &self,
        claimed: &Claimed,
        cause: FailureCause,
        spent: Option<Duration>,
        stop: watch::Receiver<bool>,
        grace: Duration,
    ) {
        self.end(claimed, (Made::before(claimed), Some(cause)), spent, stop, grace).await;
    }

    /// Ends a task; the same transaction queues its webhook, and adds the time that engines have `spent` on it.
    async fn end(
        &self,
        claimed: &Claimed,
        result: (Made, Option<FailureCause>),
        spent: Option<Duration>,
        stop: watch::Receiver<bool>,
        grace: Duration,
    ) {
        let ended = Ended { engine_time: spent, ..self.ended(&claimed.task, result) };
        crash::point("before-end");
        let kept = ending::commit(&self.store, &claimed.lease, &ended, attempt::stopped(stop, grace)).await;
        crash::point("after-end");
        let task = claimed.task.id;
        match kept {
            Kept::Ended => {
                let (status, code) = match &ended.error {
                    None => ("completed", ""),
                    Some(cause) => ("failed", cause.code.as_str()),
                };
                tracing::info!(%task, status, code, "task ended");
                metrics::counter!("tasks_ended_total", "status" => status).increment(1);
                if !code.is_empty() {
                    metrics::counter!("tasks_failed_total", "code" => code.to_owned()).increment(1);
                }
            }
            Kept::Lost => {
                measured::lease_lost();
                tracing::warn!(%task, "the task was cancelled or its lease was lost before it could be ended; discarded the result");
                output::discard(self, &claimed.task.folder, claimed.lease.attempt).await;
            }
            Kept::Unknown => {
                tracing::error!(%task, "the process stops while the store does not respond; the task may run again")
            }
        }
    }

    /// Returns the delay after this many failures, with jitter.
    fn backoff(&self, failures: u32) -> Duration {
        wait(self.settings.backoff, failures, rand::rng().random_range(0.8..1.2))
    }

    /// Gives a task back for another attempt after this delay.
    async fn release(
        &self,
        claimed: &Claimed,
        wait: Duration,
        (counts, spent): (Counts, Duration),
        reason: &str,
    ) {
        let (task, attempt) = (claimed.task.id, claimed.lease.attempt);
        tracing::warn!(%task, attempt, ?counts, reason, ?wait, "attempt failed; will retry");
        let not_before = self.clock.now() + millis(wait);
        let release = Release::new(counts, not_before).after(spent);
        let released = self.store.release_task(&claimed.lease, release).await;
        log_lease(claimed, "released", released);
    }

    /// Gives a task back at once for any worker; the attempt does not count.
    async fn give_back(&self, claimed: &Claimed, spent: Option<Duration>) {
        let release = Release { engine_time: spent, ..Release::new(Counts::Nothing, self.clock.now()) };
        let released = self.store.release_task(&claimed.lease, release).await;
        log_lease(claimed, "given back", released);
    }

    /// Returns the end of a task with its webhook payload.
    fn ended(&self, task: &Task, (made, error): (Made, Option<FailureCause>)) -> Ended {
        let now = self.clock.now();
        let Made { pieces: results, bytes: result_bytes, engine } = made;
        // A failed task keeps the name of the engine that it was accepted for.
        let engine = Some(engine).filter(|_| error.is_none());
        let mut shown = task.clone();
        shown.updated_at = now;
        shown.status = if error.is_some() { TaskStatus::Failed } else { TaskStatus::Completed };
        shown.results.clone_from(&results);
        shown.error.clone_from(&error);
        if let Some(engine) = &engine {
            shown.engine.clone_from(engine);
        }
        let payload = super::view::payload(&shown, &self.urls);
        Ended { results, error, engine, result_bytes, engine_time: None, now, payload }
    }
}

/// Returns the delay after this many failures.
fn wait(backoff: Duration, failures: u32, jitter: f64) -> Duration {
    let doubled = backoff.saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1)));
    doubled.min(LONGEST_WAIT).mul_f64(jitter)
}

fn attempts_exhausted(attempts: u32) -> FailureCause {
    FailureCause {
        code: "attempts_exhausted".to_owned(),
        message: format!("The task did not finish in {attempts} attempts."),
    }
}

fn storage_unavailable() -> FailureCause {
    FailureCause {
        code: "storage_unavailable".to_owned(),
        message: "The service could not read or store the task's files.".to_owned(),
    }
}

fn log_lease(claimed: &Claimed, what: &str, result: crate::store::Result<bool>) {
    let task = claimed.task.id;
    match result {
        Ok(true) => {}
        Ok(false) => {
            measured::lease_lost();
            tracing::warn!(%task, "the task was cancelled or its lease was lost before it could be {what}");
        }
        Err(error) => tracing::error!(%task, %error, "the task can't be {what}; its lease will expire"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let backoff = Duration::from_secs(10);
        for (failures, seconds) in
            [(0, 10), (1, 10), (2, 20), (3, 40), (5, 160), (6, 300), (99, 300), (u32::MAX, 300)]
        {
            assert_eq!(wait(backoff, failures, 1.0), Duration::from_secs(seconds), "{failures}");
        }
        assert_eq!(wait(backoff, 2, 0.8), Duration::from_secs(16));
    }
}
