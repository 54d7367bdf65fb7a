//! Ends tasks that no worker ends: an operator cancels them, or no process has run them for too long.

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
pub async fn cancel(store: &SharedStore, task: Task, now: Millis) -> Result<bool> {
    end(store, task, true, CODE, "The operator of the service has cancelled the task.", now).await
}

/// Ends a task as failed because no process has done it; its webhook gets the event.
///
/// Returns `false` if the task has ended, or if a worker has claimed it meanwhile.
///
/// # Errors
/// Fails if the store fails.
pub(super) async fn give_up(store: &SharedStore, task: Task, now: Millis) -> Result<bool> {
    let (code, message) = ("engine_unavailable", "No engine has done the task in the time that it may wait.");
    end(store, task, false, code, message, now).await
}

/// Counts a task that a process of the service has ended, failed with this code or completed.
pub(super) fn count_end(code: Option<&str>) {
    let status = if code.is_some() { "failed" } else { "completed" };
    metrics::counter!("tasks_ended_total", "status" => status).increment(1);
    if let Some(code) = code {
        metrics::counter!("tasks_failed_total", "code" => code.to_owned()).increment(1);
    }
}

async fn end(
    store: &SharedStore,
    mut task: Task,
    even_held: bool,
    code: &str,
    message: &str,
    now: Millis,
) -> Result<bool> {
    let cause = FailureCause { code: code.to_owned(), message: message.to_owned() };
    task.status = TaskStatus::Failed;
    task.error = Some(cause.clone());
    task.updated_at = now;
    // The task ends without results, so its payload has no URLs.
    let payload = view::payload(&task, &FileUrls::new(""));
    let has_ended = store
        .cancel_task(
            task.id,
            even_held,
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
        .await?;
    if has_ended {
        count_end(Some(code));
    }
    Ok(has_ended)
}
