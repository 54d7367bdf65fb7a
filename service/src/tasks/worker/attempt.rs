//! One attempt at a task: runs its next stage under heartbeats until it ends or is interrupted, and stores the outcome.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, timeout};
use tracing::Instrument as _;

use super::known::Known;
use super::outcome::{Effect, Interruption, Outcome, Wait};
use super::permits::Permit;
use super::settle::lease_lost;
use super::stage::Stage;
use super::stopwatch::Stopwatch;
use super::{MAX_WAIT, Stop, Worker};
use crate::domain::{Claimed, Engines, Lease};
use crate::engine::Failure;
use crate::engine::context::Cancellation;
use crate::engine::family::Family;
use crate::tasks::cancel;
use crate::telemetry::keys::{self, Use};
use crate::time::millis;
use crate::trace::{Kind, Span};

/// How long a built-in engine may take to notice that its attempt was cancelled.
const GRACE_PERIOD: Duration = Duration::from_secs(3);

/// Runs one attempt from claim to end, in the trace of the task's request.
///
/// Returns `true` if the task was handed back because the process stops.
pub(super) async fn run(
    worker: &Worker,
    claimed: &Claimed,
    permit: Permit,
    known: &Known,
    stop: &Stop,
) -> bool {
    let (task, attempt) = (&claimed.task, claimed.lease.attempt);
    let family = Family::named(&task.family).map_or("none", |family| family.name);
    if attempt == 1 {
        let waited = worker.clock.now().saturating_sub(task.created_at).max(0);
        metrics::histogram!("task_waiting_seconds", "family" => family).record(waited as f64 / 1000.0);
        drop(Span::start(Kind::Internal, "queue", claimed.trace).since(task.created_at));
    }
    let mut span = Span::start(Kind::Consumer, format_args!("attempt {family}"), claimed.trace);
    span.set("task.id", task.id);
    span.set("task.family", family);
    span.set_number("task.attempt", attempt);
    let logged = tracing::info_span!("attempt", trace_id = span.context().trace_id());
    let attempted = attempted(worker, claimed, permit, family, known, stop).instrument(logged);
    let (outcome, is_handed_back) = span.scope(attempted).await;
    span.set("task.outcome", outcome);
    is_handed_back
}

/// Runs one attempt; returns its outcome, and whether the task was handed back because the process stops.
async fn attempted(
    worker: &Worker,
    claimed: &Claimed,
    permit: Permit,
    family: &'static str,
    known: &Known,
    stop: &Stop,
) -> (&'static str, bool) {
    let (begun, stopwatch) = (Instant::now(), Stopwatch::default());
    let limit = worker.settings.deadline(family);
    let outcome = outcome(worker, claimed, Arc::new(permit), limit, &stopwatch, stop).await;
    let is_handed_back = matches!(outcome, Outcome::Interrupted(Interruption::Stopping));
    let (label, mut effect) = outcome.row();
    let took = begun.elapsed();
    metrics::histogram!("task_attempt_seconds", "family" => family, "outcome" => label)
        .record(took.as_secs_f64());
    keys::count(&claimed.task.key_id, Use::Engines(stopwatch.elapsed()));
    known.learn(&claimed.demand, took, matches!(effect, Effect::Complete(_) | Effect::Advance(_)));
    if let Effect::Requeue(requeue) = &mut effect
        && requeue.wait == Wait::Others
        && !known.skip(claimed.task.id, std::time::Instant::now())
    {
        requeue.wait = Wait::For(MAX_WAIT);
    }
    worker.settle(claimed, effect, Some(stopwatch.elapsed()), stop).await;
    (label, is_handed_back)
}

/// Runs the next stage of a task until it ends or is interrupted.
async fn outcome(
    worker: &Worker,
    claimed: &Claimed,
    permit: Arc<Permit>,
    limit: Duration,
    stopwatch: &Stopwatch,
    stop: &Stop,
) -> Outcome {
    let lane = match &claimed.demand.engines {
        Engines::Attached(family) => worker.registry.lane(family).map(Arc::as_ref),
        Engines::BuiltIn(_) | Engines::Unknown(_) => None,
    };
    let (yielded, overdue, held) = (permit.yielded(), permit.overdue(), Arc::downgrade(&permit));
    let interrupted = async {
        tokio::select! {
            () = stop.forced() => Interruption::Stopping,
            () = yielded => Interruption::Yielded,
            () = overdue => Interruption::Overdue,
            () = tokio::time::sleep(limit) => Interruption::Deadline(limit),
        }
    };
    let (cancellation, deadline) = (Cancellation::default(), Instant::now() + limit);
    let heartbeats = heartbeats(worker, claimed);
    tokio::pin!(heartbeats);
    let stage = Stage { worker, claimed, lane, stopwatch };
    let mut steps = Box::pin(stage.run(deadline, permit, cancellation.clone()));
    let mut why = tokio::select! {
        outcome = &mut steps => return match outcome {
            // The store has refused a change, because another worker holds the task or has ended it.
            Outcome::Failed(_, Failure::Cancelled) => Outcome::Interrupted(lost(worker, &claimed.lease).await),
            outcome => outcome,
        },
        why = interrupted => why,
        why = &mut heartbeats => why,
    };
    cancellation.cancel(why.reason());
    let grace_period = if lane.is_some() { why.reason().grace_period() } else { GRACE_PERIOD };
    let done = {
        let done = timeout(grace_period, &mut steps);
        tokio::pin!(done);
        tokio::select! {
            done = &mut done => done.ok(),
            lost = &mut heartbeats, if why.has_lease() => {
                why = lost;
                done.await.ok()
            }
        }
    };
    // This ends an attached engine or a download that is still running.
    drop(steps);
    if done.is_none() && why != Interruption::Stopping {
        replace_hung(claimed, &held);
    }
    why.outcome(done)
}

/// Adds a permit in place of that of an engine that ignores its cancellation, so that another engine can run.
///
/// A thread can't be stopped, so the engine keeps its thread until it returns, or until the process ends.
fn replace_hung(claimed: &Claimed, held: &Weak<Permit>) {
    let Some(permit) = held.upgrade() else { return };
    let is_replaced = permit.replace();
    tracing::error!(task = %claimed.task.id, is_replaced, "an engine hangs and occupies a thread");
    metrics::counter!("engines_hung_total").increment(1);
}

/// Extends the lease until it is lost; returns why.
///
/// A quarantine ends after one heartbeat, and after twice as many for each further crash. Errors of the store don't
/// end the attempt, because the lease may still be valid.
async fn heartbeats(worker: &Worker, claimed: &Claimed) -> Interruption {
    let lease = &claimed.lease;
    let mut quarantine = claimed.crashes.checked_sub(1).map(|further| 2_u32.saturating_pow(further));
    let mut beats = tokio::time::interval(worker.settings.lease / 3);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    beats.tick().await;
    loop {
        beats.tick().await;
        let until = worker.clock.now() + millis(worker.settings.lease);
        match worker.store.heartbeat(lease, until).await {
            Ok(true) => quarantine = quarantined(worker, lease, quarantine).await,
            Ok(false) => return lost(worker, lease).await,
            Err(error) => tracing::error!(task = %lease.task_id, %error, "can't extend a lease"),
        }
    }
}

/// Returns why a lease is lost.
async fn lost(worker: &Worker, lease: &Lease) -> Interruption {
    let task = worker.store.any_task(lease.task_id).await;
    let has_ended = match task {
        Ok(Some(task)) if task.error.as_ref().is_some_and(|cause| cause.code == cancel::CODE) => {
            tracing::info!(task = %task.id, "an operator cancelled the task");
            return Interruption::Cancelled;
        }
        Ok(task) => task.is_none_or(|task| task.status.is_terminal()),
        Err(_) => false,
    };
    lease_lost(lease.task_id);
    Interruption::LeaseLost { has_ended }
}

/// Returns how many heartbeats a quarantine still lasts; ends it at the last one.
async fn quarantined(worker: &Worker, lease: &Lease, left: Option<u32>) -> Option<u32> {
    let left = left?.saturating_sub(1);
    if left > 0 {
        return Some(left);
    }
    if let Err(error) = worker.store.end_quarantine(lease).await {
        tracing::error!(task = %lease.task_id, %error, "can't end the quarantine of a task; its next heartbeat will");
        return Some(1);
    }
    None
}
