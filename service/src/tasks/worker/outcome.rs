//! The outcome of an attempt: the table from an engine's failure to the operation of the store.

use std::time::Duration;

use super::{MAX_WAIT, Settings};
use crate::domain::{Claimed, Counts, FailureCause, Release, RemainingWork};
use crate::engine::Failure;
use crate::engine::context::CancelReason;
use crate::tasks::results::Results;
use crate::time::{Millis, millis};

/// How an attempt ended.
pub(super) enum Outcome {
    /// All steps are done.
    Completed(Results),
    /// The steps of this attempt are done; others are left.
    Advanced(RemainingWork),
    /// A step failed. Holds the results of the steps before it.
    Failed(Results, Failure),
    /// The attempt ended before its engine.
    Interrupted(Interruption),
}

/// Why an attempt ends before its engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interruption {
    /// The process stops.
    Stopping,
    /// Another key gets the permit.
    Yielded,
    /// The permit is for tasks that take less time.
    Overdue,
    /// The attempt has taken this long, as another one would.
    Deadline(Duration),
    /// The lease is lost: another worker holds the task, or has ended it.
    LeaseLost { has_ended: bool },
    /// An operator has cancelled the task.
    Cancelled,
}

impl Interruption {
    /// Returns the result for the engine's circuit breaker.
    pub(super) const fn reason(self) -> CancelReason {
        match self {
            Self::Deadline(_) | Self::Cancelled | Self::LeaseLost { has_ended: true } => {
                CancelReason::TaskEnded
            }
            Self::Stopping | Self::Yielded | Self::Overdue | Self::LeaseLost { has_ended: false } => {
                CancelReason::Interrupted
            }
        }
    }

    /// Returns whether the lease is still valid.
    pub(super) const fn has_lease(self) -> bool {
        !matches!(self, Self::LeaseLost { .. } | Self::Cancelled)
    }

    /// Returns the outcome of the attempt if its steps end nevertheless.
    pub(super) fn outcome(self, done: Option<Outcome>) -> Outcome {
        let may_count = matches!(self, Self::Stopping | Self::Yielded | Self::Overdue);
        match done {
            Some(Outcome::Failed(_, Failure::Cancelled)) | None => Outcome::Interrupted(self),
            Some(done) if may_count => done,
            Some(_) => Outcome::Interrupted(self),
        }
    }
}

/// The operation of the store after an attempt.
pub(super) enum Effect {
    /// Ends the task as completed.
    Complete(Results),
    /// Ends the task as failed, with these results, or with results of earlier attempts.
    Fail(Option<Results>, FailureCause),
    /// Stores the rest of the work, and returns the task to the queue for it.
    Advance(RemainingWork),
    /// Returns the task to the queue for another attempt.
    Requeue(Requeue),
    /// Nothing: the lease is lost.
    Nothing,
}

/// How long other processes have for a task that one can't do: longer than it takes to replace all processes by a new release.
pub(super) const WAIT_FOR_OTHERS: Duration = Duration::from_secs(60 * 60);

/// How a task returns to the queue.
pub(super) struct Requeue {
    pub(super) wait: Wait,
    /// The counter that the attempt increases. Attempts and outages have a limit; after it, the task fails.
    counts: Counts,
    /// The failed part, for the log.
    pub(super) reason: Option<String>,
    /// Why the task fails after the last try; `None`: its attempts are exhausted.
    cause: Option<FailureCause>,
    is_slow: bool,
}

/// When a task that has returned to the queue may be claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// At once.
    None,
    /// After a delay that doubles with each failure of this kind.
    Backoff,
    /// After this time.
    For(Duration),
    /// At once, by other processes: this one can't do it. The task fails [`WAIT_FOR_OTHERS`] after its first attempt began.
    Others,
}

impl Outcome {
    /// Returns the label `outcome` of `task_attempt_seconds`, and what follows. This is the table of all outcomes.
    pub(super) fn row(self) -> (&'static str, Effect) {
        match self {
            Self::Completed(results) => ("completed", Effect::Complete(results)),
            Self::Advanced(rest) => ("advanced", Effect::Advance(rest)),
            Self::Interrupted(Interruption::Stopping) => ("handed_back", Effect::Requeue(Requeue::at_once())),
            Self::Interrupted(Interruption::Yielded) => ("yielded", Effect::Requeue(Requeue::at_once())),
            Self::Interrupted(Interruption::Overdue) => {
                ("overdue", Effect::Requeue(Requeue { is_slow: true, ..Requeue::at_once() }))
            }
            Self::Interrupted(Interruption::Deadline(limit)) => {
                let message = format!("The task took longer than {} seconds.", limit.as_secs());
                ("deadline_exceeded", Effect::Fail(None, cause("deadline_exceeded", message)))
            }
            Self::Interrupted(Interruption::LeaseLost { .. }) => ("lease_lost", Effect::Nothing),
            Self::Interrupted(Interruption::Cancelled) => ("cancelled", Effect::Nothing),
            Self::Failed(results, failure) => of_failure(Some(results), &failure),
        }
    }
}

/// Returns the row for a failure of a step that has these results.
///
/// The cause in it is for the client.
fn of_failure(results: Option<Results>, failure: &Failure) -> (&'static str, Effect) {
    // `cause` is why the task fails after its last attempt, if not by the number of attempts.
    let again = |wait, counts, cause| {
        let reason = Some(failure.for_log());
        Effect::Requeue(Requeue { reason, cause, ..Requeue::new(wait, counts) })
    };
    match failure {
        // The attempt ends as interrupted before this row is read.
        Failure::Cancelled => ("handed_back", again(Wait::None, Counts::Nothing, None)),
        Failure::Busy { retry_after } => {
            let wait = Failure::requested_wait(*retry_after).map_or(Wait::Backoff, Wait::For);
            ("deferred", again(wait, Counts::Refusal, None))
        }
        Failure::Unavailable(_) | Failure::Credentials(_) => {
            ("deferred", again(Wait::Backoff, Counts::Refusal, None))
        }
        Failure::Timeout(_) | Failure::Internal(_) => {
            ("retried", again(Wait::Backoff, Counts::Attempt, None))
        }
        Failure::Fetch { code, message, .. } => {
            ("retried", again(Wait::Backoff, Counts::Attempt, Some(cause(code, message))))
        }
        Failure::Storage(_) => {
            let message = "The service could not read or store the task's files or its state.";
            let cause = cause("storage_unavailable", message);
            ("storage_failed", again(Wait::Backoff, Counts::Outage, Some(cause)))
        }
        Failure::Unsupported(message) => {
            let cause = cause("unsupported_parameters", message);
            ("unsupported", again(Wait::Others, Counts::Nothing, Some(cause)))
        }
        Failure::Unserved { message, .. } => {
            let cause = cause("engine_unavailable", *message);
            ("unsupported", again(Wait::Others, Counts::Nothing, Some(cause)))
        }
        Failure::Moderation(message) => ("failed", Effect::Fail(results, cause("content_refused", message))),
        Failure::Invalid(message) => {
            ("failed", Effect::Fail(results, cause("unsupported_parameters", message)))
        }
        Failure::Media { code, message } => ("failed", Effect::Fail(results, cause(code, message))),
        Failure::Gone(_) | Failure::Uncertain(_) => {
            let message = "The connection to the engine was lost, and it is unknown whether it did the work.";
            ("failed", Effect::Fail(results, cause("outcome_unknown", message)))
        }
    }
}

/// Returns whether no other attempt follows this failure.
pub(super) fn is_final(failure: &Failure) -> bool {
    matches!(of_failure(None, failure).1, Effect::Fail(..))
}

impl Requeue {
    const fn new(wait: Wait, counts: Counts) -> Self {
        Self { wait, counts, reason: None, cause: None, is_slow: false }
    }

    /// Returns a task at once, and its attempt does not count.
    const fn at_once() -> Self {
        Self::new(Wait::None, Counts::Nothing)
    }

    /// Returns how the store releases the task, or why the task fails instead because it has no attempt left.
    ///
    /// `jitter` varies the delay.
    pub(super) fn release(
        self,
        claimed: &Claimed,
        settings: &Settings,
        now: Millis,
        jitter: f64,
    ) -> Result<Release, FailureCause> {
        let (failures, has_ended) = match self.counts {
            Counts::Attempt => (claimed.tries, claimed.tries >= settings.max_attempts),
            Counts::Outage => (claimed.outages + 1, claimed.outages >= settings.max_outages),
            Counts::Refusal => (claimed.refusals + 1, false),
            Counts::Nothing if self.wait == Wait::Others => {
                (0, now.saturating_sub(claimed.task.updated_at) >= millis(WAIT_FOR_OTHERS))
            }
            Counts::Nothing => (0, false),
        };
        if has_ended {
            return Err(self.cause.unwrap_or_else(|| attempts_exhausted(settings.max_attempts)));
        }
        let wait = match self.wait {
            Wait::None | Wait::Others => Duration::ZERO,
            Wait::Backoff => backoff(settings.backoff, failures, jitter),
            Wait::For(wait) => wait,
        };
        let not_before = now + millis(wait);
        let Self { counts, is_slow, .. } = self;
        Ok(Release { not_before, counts, is_slow, engine_time: None })
    }
}

/// Returns the delay after this many failures.
fn backoff(first: Duration, failures: u32, jitter: f64) -> Duration {
    let doubled = first.saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1)));
    doubled.min(MAX_WAIT).mul_f64(jitter)
}

pub(super) fn attempts_exhausted(attempts: u32) -> FailureCause {
    cause("attempts_exhausted", format!("The task did not finish in {attempts} attempts."))
}

fn cause(code: &str, message: impl Into<String>) -> FailureCause {
    FailureCause { code: code.to_owned(), message: message.into() }
}

#[cfg(test)]
mod tests;
