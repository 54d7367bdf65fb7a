//! Stores the outcome of an attempt.

use std::time::Duration;

use futures_util::future::BoxFuture;
use rand::RngExt;
use uuid::Uuid;

use super::outcome::{Effect, Requeue, attempts_exhausted};
use super::output;
use super::{Stop, Worker};
use crate::crash;
use crate::domain::{Claimed, Counts, Ended, FailureCause, Lease, Release, RemainingWork, Task, TaskStatus};
use crate::store::{Result, SharedStore};
use crate::tasks::results::Results;
use crate::tasks::{cancel, view};
use crate::trace;

/// The pause after an error of the store.
const PAUSE: Duration = Duration::from_secs(1);

impl Worker {
    /// Stores what follows from an attempt, and how long engines have worked in it.
    pub(super) async fn settle(
        &self,
        claimed: &Claimed,
        effect: Effect,
        engine_time: Option<Duration>,
        stop: &Stop,
    ) {
        match effect {
            Effect::Complete(results) => self.end(claimed, results, None, engine_time, stop).await,
            Effect::Fail(results, cause) => {
                let results = results.unwrap_or_else(|| Results::earlier(&claimed.work));
                self.end(claimed, results, Some(cause), engine_time, stop).await;
            }
            Effect::Advance(rest) => {
                let rest = RemainingWork { engine_time, ..rest };
                let advanced = self.store.advance_task(&claimed.lease, &rest);
                log_lease(claimed, trace::stored("advance_task", advanced).await);
            }
            Effect::Requeue(requeue) => self.requeue(claimed, requeue, engine_time, stop).await,
            Effect::Nothing => {}
        }
    }

    /// Returns a task to the queue, or fails it if it has no attempt left.
    async fn requeue(&self, claimed: &Claimed, requeue: Requeue, engine_time: Option<Duration>, stop: &Stop) {
        let (task, attempt, reason) = (claimed.task.id, claimed.lease.attempt, requeue.reason.clone());
        let (now, jitter) = (self.clock.now(), rand::rng().random_range(0.8..1.2));
        match requeue.release(claimed, &self.settings, now, jitter) {
            Ok(release) => {
                if reason.is_some() {
                    let (counts, milliseconds) = (release.counts, release.not_before - now);
                    tracing::warn!(%task, attempt, ?counts, reason, milliseconds, "attempt failed; will retry");
                }
                let release = Release { engine_time, ..release };
                let released = self.store.release_task(&claimed.lease, release);
                log_lease(claimed, trace::stored("release_task", released).await);
            }
            Err(cause) => {
                tracing::warn!(%task, attempt, reason, "the last attempt failed");
                self.end(claimed, Results::earlier(&claimed.work), Some(cause), engine_time, stop).await;
            }
        }
    }

    /// Hands back a task that finds no permit.
    pub(super) async fn hand_back(&self, claimed: &Claimed) {
        let release = Release::new(Counts::Nothing, self.clock.now());
        log_lease(claimed, self.store.release_task(&claimed.lease, release).await);
    }

    /// Fails a task that has no attempt left.
    pub(super) async fn fail_exhausted(&self, claimed: &Claimed, stop: &Stop) {
        let cause = attempts_exhausted(self.settings.max_attempts);
        self.end(claimed, Results::earlier(&claimed.work), Some(cause), None, stop).await;
    }

    /// Ends a task; the same transaction queues its webhook, and adds the time that engines have worked.
    async fn end(
        &self,
        claimed: &Claimed,
        results: Results,
        cause: Option<FailureCause>,
        engine_time: Option<Duration>,
        stop: &Stop,
    ) {
        let ended = self.ended(&claimed.task, results, cause, engine_time);
        crash::point("before-end");
        let committed = commit(&self.store, &claimed.lease, &ended, stop.forced()).await;
        crash::point("after-end");
        let task = claimed.task.id;
        match committed {
            Commit::Done => {
                let (status, code) = match &ended.error {
                    None => ("completed", ""),
                    Some(cause) => ("failed", cause.code.as_str()),
                };
                tracing::info!(%task, status, code, "task ended");
                cancel::count_end(ended.error.as_ref().map(|cause| cause.code.as_str()));
            }
            Commit::LeaseLost => {
                lease_lost(task);
                output::discard(self, &claimed.task.folder, claimed.lease.attempt).await;
            }
            Commit::Unknown => {
                tracing::error!(%task, "the process stops while the store does not respond; the task may run again");
            }
        }
    }

    /// Returns the end of a task with its webhook payload.
    fn ended(
        &self,
        task: &Task,
        results: Results,
        error: Option<FailureCause>,
        engine_time: Option<Duration>,
    ) -> Ended {
        let now = self.clock.now();
        let Results { pieces: results, bytes: result_bytes, engine } = results;
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
        let payload = view::payload(&shown, &self.urls);
        Ended { results, error, engine, result_bytes, engine_time, now, payload }
    }
}

/// Counts and logs a result that does not count.
pub(super) fn lease_lost(task: Uuid) {
    metrics::counter!("task_leases_lost_total").increment(1);
    tracing::warn!(%task, "the task was cancelled or its lease is lost; discarded the result");
}

fn log_lease(claimed: &Claimed, returned: Result<bool>) {
    let task = claimed.task.id;
    match returned {
        Ok(true) => {}
        Ok(false) => lease_lost(task),
        Err(error) => {
            tracing::error!(%task, %error, "the task can't return to the queue; its lease will expire");
        }
    }
}

/// The outcome of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Commit {
    /// The task has this end.
    Done,
    /// The lease was lost before, so the result does not count.
    LeaseLost,
    /// The process stops before the store has responded.
    Unknown,
}

/// Ends a task; retries while the store fails, until `stopped` resolves.
///
/// If the store's response is lost, the commit may have happened or not. So it is repeated until the store responds. A
/// result that a client may have seen is never discarded.
async fn commit(
    store: &SharedStore,
    lease: &Lease,
    ended: &Ended,
    stopped: impl Future<Output = ()>,
) -> Commit {
    let end = || -> Response<'_> { Box::pin(trace::stored("end_task", store.end_task(lease, ended))) };
    let shows = || -> Response<'_> {
        Box::pin(async { Ok(store.any_task(lease.task_id).await?.is_some_and(|task| shows(&task, ended))) })
    };
    until_known(end, shows, stopped, PAUSE).await
}

/// Returns whether the task has this end.
///
/// File names identify the attempt. Texts and failure causes are the same for all attempts.
fn shows(task: &Task, ended: &Ended) -> bool {
    task.status.is_terminal() && task.error == ended.error && task.results == ended.results
}

/// A pending response of the store.
type Response<'a> = BoxFuture<'a, Result<bool>>;

async fn until_known<'a>(
    mut end: impl FnMut() -> Response<'a>,
    mut shows: impl FnMut() -> Response<'a>,
    stopped: impl Future<Output = ()>,
    pause: Duration,
) -> Commit {
    tokio::pin!(stopped);
    let mut in_doubt = false;
    loop {
        let response = match end().await {
            // An earlier commit, whose response was lost, may have ended the task.
            Ok(false) if in_doubt => shows().await,
            response => response,
        };
        match response {
            Ok(true) => return Commit::Done,
            Ok(false) => return Commit::LeaseLost,
            Err(error) => tracing::error!(%error, "can't end a task; retrying"),
        }
        in_doubt = true;
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = &mut stopped => return Commit::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;
    use crate::store::Error;

    fn broken() -> Result<bool> {
        Err(Error::Corrupt { what: "connection", why: "it is gone".to_owned() })
    }

    /// Returns the outcome for these responses, and how many were left over.
    async fn after(ends: Vec<Result<bool>>, shown: Vec<Result<bool>>) -> (Commit, usize, usize) {
        let (mut ends, mut shown) = (ends.into_iter(), shown.into_iter());
        let end = || -> Response<'static> { Box::pin(ready(ends.next().unwrap())) };
        let shows = || -> Response<'static> { Box::pin(ready(shown.next().unwrap())) };
        let committed = until_known(end, shows, pending(), Duration::ZERO).await;
        (committed, ends.len(), shown.len())
    }

    #[tokio::test]
    async fn a_lost_response_is_not_a_lost_lease() {
        assert_eq!(after(vec![Ok(true)], vec![]).await, (Commit::Done, 0, 0));
        assert_eq!(after(vec![Ok(false)], vec![]).await, (Commit::LeaseLost, 0, 0));
        assert_eq!(after(vec![broken(), broken(), Ok(true)], vec![]).await, (Commit::Done, 0, 0));
        assert_eq!(after(vec![broken(), Ok(false)], vec![Ok(true)]).await, (Commit::Done, 0, 0));
        assert_eq!(after(vec![broken(), Ok(false)], vec![Ok(false)]).await, (Commit::LeaseLost, 0, 0));
        let unsure = vec![broken(), Ok(false), broken(), Ok(false)];
        assert_eq!(after(unsure, vec![broken(), Ok(true)]).await, (Commit::Done, 0, 0));
    }

    #[tokio::test]
    async fn a_process_that_stops_does_not_wait_for_the_store() {
        let broken = || -> Response<'static> { Box::pin(ready(broken())) };
        let committed = until_known(broken, broken, ready(()), Duration::from_secs(60)).await;
        assert_eq!(committed, Commit::Unknown);
    }
}
