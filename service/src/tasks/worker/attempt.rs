//! One attempt at a task: loads its media, runs its engines, stores its files.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::measured::EngineTime;
use super::output::{Made, put, size};
use super::slots::Slot;
use super::steps::{self, Before, DoneStep, StepTrouble};
use super::{Worker, heartbeat, progress};
use crate::crash;
use crate::engine::Failure;
use crate::engine::call::{Calls, OnUncertain};
use crate::engine::context::{Cancellation, Context, Over};
use crate::engine::registry::lane::Lane;
use crate::engine::work::Assignment;
use crate::files::FilesError;
use crate::media::load::LoadError;
use crate::store::{Claimed, Engines, FailureCause, Rest};
use crate::tasks::effort;

/// How long a built-in engine may take to notice that its attempt is over.
const LAST_MOMENTS: Duration = Duration::from_secs(3);

/// The outcome of an attempt.
pub(super) enum Outcome {
    /// The task ends.
    ///
    /// If a step failed, holds what the steps before have made, and the cause.
    Ended(Made, Option<FailureCause>),
    /// The steps of this attempt are done; others are left.
    Advanced(Rest),
    /// The attempt failed and may succeed later.
    ///
    /// Holds the cause for the client if this was the last attempt, and the reason for the log.
    TryAgain(Option<FailureCause>, String),
    /// The service itself has a failure, so the attempt does not count.
    ///
    /// Holds the reason for the log.
    Wait(String),
    /// The engine does not work or is busy. The task waits as long as it takes, and the attempt does not count.
    ///
    /// Holds the reason for the log, and when the engine wants to be asked again.
    NotNow(String, Option<Duration>),
    /// This process can't do the task. Another one may: of another release, or with other engines.
    ///
    /// Holds the cause for the client if none does, and the reason for the log.
    NotHere(FailureCause, String),
    /// The attempt exceeded its deadline, as another one would: the task ends.
    Late(FailureCause),
    /// The process stops, or another key gets the thread.
    GiveBack,
    /// The task is too slow for the thread that it has, and needs another one.
    Slow,
    /// The lease is lost: another worker may hold the task.
    Lost,
    /// An operator has cancelled the task; holds whether its engine has stopped.
    Cancelled(bool),
}

/// What an attempt has done.
enum Done {
    All(Made),
    Part(Rest),
    /// A step of a workflow app failed; holds what the steps before have made.
    Failed(Made, FailureCause),
}

/// Why an attempt has no result.
pub(super) enum Trouble {
    Final(FailureCause),
    /// Media could not be downloaded.
    ///
    /// Holds the cause for the client and the reason for the log.
    Unreachable(FailureCause, String),
    /// The engine failed; another attempt may succeed.
    Passing(String),
    /// The file store failed; another attempt may succeed, and this one does not count.
    Outage(FilesError),
    /// The engine does not work or is busy.
    NotNow(String, Option<Duration>),
    /// This process can't do the task.
    NotHere(FailureCause, String),
    Cancelled,
}

/// Runs one attempt under heartbeats, until its deadline.
pub(super) async fn run(
    worker: &Worker,
    claimed: &Claimed,
    slot: Arc<Slot>,
    (deadline, engines): (Duration, &EngineTime),
    (stop, grace): (watch::Receiver<bool>, Duration),
) -> Outcome {
    let assignment = match assignment(claimed) {
        Ok(assignment) => assignment,
        Err(outcome) => return outcome,
    };
    let cancellation = Cancellation::default();
    let (asked, overdue, thread) = (slot.asked(), slot.overdue(), Arc::downgrade(&slot));
    let called_off = async {
        tokio::select! {
            () = stopped(stop, grace) => CalledOff::Stop,
            () = asked => CalledOff::Asked,
            () = overdue => CalledOff::Slow,
        }
    };
    // What an attached engine serves needs nothing else, also as a step of a workflow app.
    let is_attached = lane(worker, claimed).is_some();
    let last_moments = |over: Over| if is_attached { over.last_moments() } else { LAST_MOMENTS };
    let work = attempt(worker, claimed, assignment, slot, (deadline, engines), cancellation.clone());
    let beats = heartbeat::keep(worker, claimed, &cancellation);
    tokio::pin!(work, beats);
    let (over, why) = tokio::select! {
        done = &mut work => return outcome(done),
        // An engine cancels its provider's job if an operator has ended the task.
        is_cancelled = &mut beats => {
            let over = cancellation.over().unwrap_or(Over::Interrupted);
            let done = timeout(last_moments(over), &mut work).await;
            // An attached engine ends when its work is dropped.
            return lost(is_cancelled, is_attached || done.is_ok());
        }
        () = tokio::time::sleep(deadline) => (Over::Ended, None),
        why = called_off => (Over::Interrupted, Some(why)),
    };
    cancellation.end(over);
    let done = timeout(last_moments(over), &mut work);
    tokio::pin!(done);
    let done = tokio::select! {
        done = &mut done => done,
        is_cancelled = &mut beats => {
            let done = done.await;
            return lost(is_cancelled, is_attached || done.is_ok());
        }
    };
    // No thread can be stopped, so an engine that ignores the cancellation keeps its thread: to its end, or to
    // that of the process.
    if done.is_err() && why != Some(CalledOff::Stop) {
        hangs(claimed, &thread);
    }
    if let Some(why) = why {
        return match done.unwrap_or(Err(Trouble::Cancelled)) {
            Err(Trouble::Cancelled) if why == CalledOff::Slow => Outcome::Slow,
            done => outcome(done),
        };
    }
    Outcome::Late(FailureCause {
        code: "deadline_exceeded".to_owned(),
        message: format!("The task took longer than {} seconds.", deadline.as_secs()),
    })
}

/// Returns the outcome of an attempt that has lost its lease.
fn lost(is_cancelled: bool, has_stopped: bool) -> Outcome {
    if is_cancelled { Outcome::Cancelled(has_stopped) } else { Outcome::Lost }
}

/// Returns the outcome of an attempt that ended by itself.
fn outcome(done: Result<Done, Trouble>) -> Outcome {
    match done {
        Ok(Done::All(made)) => Outcome::Ended(made, None),
        Ok(Done::Part(rest)) => Outcome::Advanced(rest),
        Ok(Done::Failed(made, cause)) => Outcome::Ended(made, Some(cause)),
        Err(Trouble::Final(cause)) => Outcome::Ended(Made::default(), Some(cause)),
        Err(Trouble::Unreachable(cause, why)) => {
            Outcome::TryAgain(Some(cause), format!("can't fetch media: {why}"))
        }
        Err(Trouble::Passing(reason)) => Outcome::TryAgain(None, reason),
        Err(Trouble::Outage(error)) => Outcome::Wait(error.to_string()),
        Err(Trouble::NotNow(reason, retry_after)) => Outcome::NotNow(reason, retry_after),
        Err(Trouble::NotHere(cause, reason)) => Outcome::NotHere(cause, reason),
        Err(Trouble::Cancelled) => Outcome::GiveBack,
    }
}

/// Why an attempt gives its thread up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CalledOff {
    /// The process stops.
    Stop,
    /// Another key gets the thread.
    Asked,
    /// The thread is for tasks that take less time.
    Slow,
}

/// Lets another thread run in place of one whose engine ignores its cancellation.
///
/// Nothing is to be done if only a download was under way.
fn hangs(claimed: &Claimed, thread: &Weak<Slot>) {
    let Some(slot) = thread.upgrade() else { return };
    let is_replaced = slot.replace();
    tracing::error!(task = %claimed.task.id, is_replaced, "an engine hangs and occupies a thread");
    metrics::counter!("engines_hung_total").increment(1);
}

/// Returns once the process has been stopping for `grace`.
pub(super) async fn stopped(mut stop: watch::Receiver<bool>, grace: Duration) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
    tokio::time::sleep(grace).await;
}

/// Reads what a claimed task is to do.
fn assignment(claimed: &Claimed) -> Result<Assignment, Outcome> {
    serde_json::from_str(&claimed.work).map_err(|error| {
        let message = "No process can read the task, which another version of the service accepted.";
        Outcome::NotHere(unavailable(message), format!("can't read the work: {error}"))
    })
}

/// Returns the lane of the attached engine that a claimed task needs.
fn lane<'w>(worker: &'w Worker, claimed: &Claimed) -> Option<&'w Arc<Lane>> {
    match &claimed.demand.engines {
        Engines::Attached(family) => worker.registry.lane(family),
        Engines::BuiltIn(_) => None,
    }
}

async fn attempt(
    worker: &Worker,
    claimed: &Claimed,
    mut assignment: Assignment,
    slot: Arc<Slot>,
    (deadline, engines): (Duration, &EngineTime),
    cancellation: Cancellation,
) -> Result<Done, Trouble> {
    crash::on(&claimed.work).await;
    let stage = assignment.stage().to_vec();
    let lane = lane(worker, claimed);
    let lane_name = lane.map_or("", |lane| lane.name.as_str());
    let calls =
        Calls::of_task(lane_name, Arc::clone(&worker.store), claimed.lease.clone(), claimed.call.as_deref());
    let made_before: u64 = assignment.finished.iter().map(|step| step.bytes).sum();
    let most_bytes = assignment.most_bytes.saturating_sub(made_before);
    let context = Context::new(assignment.seed, Instant::now() + deadline, calls, slot)
        .in_folder(worker.files.scratch())
        .counted_by(worker.files.account(&claimed.task.key_id))
        .at_most(most_bytes)
        .ended_by(cancellation);
    let mut done: Vec<DoneStep> = Vec::new();
    let mut failure = None;
    for step in stage {
        let before = Before { finished: &assignment.finished, done: &done };
        let run = steps::run(worker, step, &context, &before, engines);
        let trouble = match progress::told(worker, &claimed.lease, &context, run).await {
            Ok(step) => {
                done.push(step);
                continue;
            }
            Err(StepTrouble::Engine(failure)) => {
                let on_uncertain = lane.map_or(OnUncertain::Retry, |lane| lane.on_uncertain);
                after(failure, &context, on_uncertain).await
            }
            Err(StepTrouble::Other(trouble)) => trouble,
        };
        match trouble {
            Trouble::Final(cause) if claimed.task.app.is_some() => failure = Some(cause),
            trouble => return Err(trouble),
        }
        break;
    }
    drop(context);
    size(done.iter().flat_map(|step| &step.outputs), most_bytes)?;
    let is_app = claimed.task.app.is_some();
    let finished = put(worker, claimed, done, is_app).await?;
    assignment.finished.extend(finished);
    if let Some(cause) = failure {
        return Ok(Done::Failed(Made::of(assignment.finished), cause));
    }
    let unwritable = |error: serde_json::Error| Trouble::Passing(format!("can't write the work: {error}"));
    if assignment.stage().is_empty() {
        return Ok(Done::All(Made::of(assignment.finished)));
    }
    let demand = effort::demand_of(&assignment);
    let work = serde_json::to_string(&assignment).map_err(unwritable)?;
    let engine_time = Some(engines.so_far());
    Ok(Done::Part(Rest { work, demand, engine_time, now: worker.clock.now() }))
}

pub(super) fn unavailable(message: &str) -> FailureCause {
    FailureCause { code: "engine_unavailable".to_owned(), message: message.to_owned() }
}

/// Returns what follows from an engine's failure.
async fn after(failure: Failure, context: &Context, on_uncertain: OnUncertain) -> Trouble {
    match failure {
        Failure::Cancelled => Trouble::Cancelled,
        Failure::Busy { retry_after } => Trouble::NotNow(failure.for_log(), retry_after),
        Failure::Unavailable(_) | Failure::Credentials(_) => Trouble::NotNow(failure.for_log(), None),
        Failure::Timeout(_) | Failure::Internal(_) => Trouble::Passing(failure.for_log()),
        Failure::Uncertain(_) | Failure::Gone(_) if on_uncertain == OnUncertain::Retry => {
            match context.calls.clear().await {
                Ok(()) => Trouble::Passing(failure.for_log()),
                Err(error) => Trouble::Passing(error.to_string()),
            }
        }
        Failure::Uncertain(_) | Failure::Gone(_) => {
            let reason = failure.for_log();
            tracing::error!(reason, "a task fails, because another call could cost twice");
            Trouble::Final(failure_cause(failure))
        }
        Failure::NotHere(_) => {
            let reason = failure.for_log();
            Trouble::NotHere(failure_cause(failure), reason)
        }
        Failure::Moderation(_) | Failure::Invalid(_) | Failure::Media { .. } => {
            Trouble::Final(failure_cause(failure))
        }
    }
}

/// Returns the cause that the client reads.
pub(super) fn failure_cause(failure: Failure) -> FailureCause {
    let (code, message) = match failure {
        Failure::Media { code, message } => (code, message),
        Failure::Moderation(message) => ("content_refused", message),
        Failure::Invalid(message) | Failure::NotHere(message) => ("unsupported_parameters", message),
        Failure::Uncertain(_) | Failure::Gone(_) => (
            "outcome_unknown",
            "The connection to the engine was lost, and it is unknown whether it did the work.".to_owned(),
        ),
        _ => ("engine_failed", "The engine failed.".to_owned()),
    };
    FailureCause { code: code.to_owned(), message }
}

pub(super) fn load_trouble(error: &LoadError) -> Trouble {
    if error.is_temporary() {
        Trouble::Unreachable(error.cause(), error.for_operator())
    } else {
        Trouble::Final(error.cause())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_policy_decides_about_an_unknown_outcome() {
        let context = Context::new(0, Instant::now(), Calls::unrecorded("p"), Arc::new(()));
        for failure in [|| Failure::Uncertain(String::new()), || Failure::Gone(String::new())] {
            let again = after(failure(), &context, OnUncertain::Retry).await;
            assert!(matches!(again, Trouble::Passing(_)));
            let ends = after(failure(), &context, OnUncertain::Fail).await;
            assert!(matches!(ends, Trouble::Final(cause) if cause.code == "outcome_unknown"));
        }
    }
}
