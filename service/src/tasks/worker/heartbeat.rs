//! Heartbeats: extend a lease while the work goes on.

use tokio::time::MissedTickBehavior;

use super::Worker;
use crate::engine::context::{Cancellation, Over};
use crate::store::{Claimed, Lease};
use crate::tasks::cancel;
use crate::time::millis;

/// Extends the lease until it is lost, then cancels the work; returns whether an operator has cancelled the task.
///
/// A quarantine ends after one heartbeat, and after twice as many for each further crash. Errors of the store don't
/// cancel the work, because the lease may still be valid.
pub(super) async fn keep(worker: &Worker, claimed: &Claimed, cancellation: &Cancellation) -> bool {
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
            Ok(false) => {
                let task = worker.store.any_task(lease.task_id).await;
                let has_ended =
                    matches!(&task, Ok(task) if task.as_ref().is_none_or(|task| task.status.is_terminal()));
                cancellation.end(if has_ended { Over::Ended } else { Over::Interrupted });
                let cause = task.ok().flatten().and_then(|task| task.error);
                return cause.is_some_and(|cause| cause.code == cancel::CODE);
            }
            Err(error) => tracing::error!(task = %lease.task_id, %error, "can't extend a lease"),
        }
    }
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
