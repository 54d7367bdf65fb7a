//! Cancels tasks for an operator.

use super::view;
use crate::domain::{Ended, FailureCause, Task, TaskStatus};
use crate::files::FileUrls;
use crate::store::{Result, SharedStore};
use crate::time::Millis;

/// The `error.code` of a task that an operator has cancelled.
pub(super) const CODE: &str = "cancelled";

/// Ends a task as failed with the code `cancelled`; its webhook gets the event.
///
/// A worker that runs it stops at its next heartbeat. Returns `false` if the task has ended.
///
/// # Errors
/// Fails if the store fails.
pub async fn cancel(store: &SharedStore, mut task: Task, now: Millis) -> Result<bool> {
    let cause = FailureCause {
        code: CODE.to_owned(),
        message: "The operator of the service has cancelled the task.".to_owned(),
    };
    task.status = TaskStatus::Failed;
    task.error = Some(cause.clone());
    task.updated_at = now;
    // A failed task has no files, and so no URLs.
    let payload = view::payload(&task, &FileUrls::new(""));
    store
        .cancel_task(
            task.id,
            &Ended {
                results: Vec::new(),
                error: Some(cause),
                engine: None,
                result_bytes: 0,
                engine_time: None,
                now,
                payload,
            },
        )
        .await
}
