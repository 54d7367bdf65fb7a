//! Metrics of attempts, and how long engines work for them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::attempt::Outcome;
use crate::engine::family::Family;
use crate::store::Claimed;
use crate::time::Millis;

/// An attempt in progress.
pub(super) struct Attempt {
    family: &'static str,
    begun: Instant,
    engines: EngineTime,
}

/// Starts the metrics of an attempt; the first one records the task's waiting time.
pub(super) fn begin(claimed: &Claimed, now: Millis) -> Attempt {
    let family = Family::named(&claimed.task.family).map_or("none", |family| family.name);
    if claimed.lease.attempt == 1 {
        let waited = now.saturating_sub(claimed.task.created_at).max(0);
        metrics::histogram!("task_waiting_seconds", "family" => family).record(waited as f64 / 1000.0);
    }
    Attempt { family, begun: Instant::now(), engines: EngineTime::default() }
}

impl Attempt {
    /// Returns how long the attempt has taken.
    pub(super) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Returns the stopwatch of the attempt's engines.
    pub(super) fn engines(&self) -> &EngineTime {
        &self.engines
    }

    /// Returns the family's name, or `none` if this version does not know it.
    pub(super) fn family(&self) -> &'static str {
        self.family
    }

    /// Records the duration and the outcome.
    pub(super) fn end(self, outcome: &Outcome) {
        let name = match outcome {
            Outcome::Ended(_, None) => "completed",
            Outcome::Ended(_, Some(_)) => "failed",
            Outcome::Advanced(_) => "advanced",
            Outcome::TryAgain(..) => "try_again",
            Outcome::Wait(_) => "wait",
            Outcome::NotNow(..) => "not_now",
            Outcome::NotHere(..) => "not_here",
            Outcome::Late(_) => "late",
            Outcome::GiveBack => "given_back",
            Outcome::Slow => "slow",
            Outcome::Lost => "lost",
            Outcome::Cancelled(_) => "cancelled",
        };
        let took = self.begun.elapsed().as_secs_f64();
        metrics::histogram!("task_attempt_seconds", "family" => self.family, "outcome" => name).record(took);
        if matches!(outcome, Outcome::Lost) {
            lease_lost();
        }
    }
}

/// A stopwatch for the engines of an attempt. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct EngineTime(Arc<Mutex<Laps>>);

#[derive(Debug, Default)]
struct Laps {
    /// The engines that have ended.
    done: Duration,
    /// When the engine that works now has begun.
    since: Option<Instant>,
}

/// An engine works, until this is dropped.
pub(super) struct Working<'a>(&'a EngineTime);

impl EngineTime {
    /// Starts the time of the next engine.
    pub(super) fn start(&self) -> Working<'_> {
        self.lock().since = Some(Instant::now());
        Working(self)
    }

    /// Returns how long engines have worked so far, including one that has not ended yet.
    pub(super) fn so_far(&self) -> Duration {
        let laps = self.lock();
        laps.done + laps.since.map(|since| since.elapsed()).unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, Laps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Working<'_> {
    fn drop(&mut self) {
        let mut laps = self.0.lock();
        let lap = laps.since.take().map(|since| since.elapsed()).unwrap_or_default();
        laps.done += lap;
    }
}

/// Counts a lost lease.
pub(super) fn lease_lost() {
    metrics::counter!("task_leases_lost_total").increment(1);
}
