//! Ends tasks that no worker ends: an operator cancels them, or no process has run them for too long.

use super::results::Results;
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
    let cause = cause(CODE, "The operator of the service has cancelled the task.");
    // The task ends without results, so its payload has no URLs.
    end(store, task, true, Results::default(), cause, &FileUrls::new(""), now).await
}

/// Ends a task as failed because no process has done it; its webhook gets the event.
///
/// A run of an app keeps the results of the steps before. Returns `false` if the task has ended, or if a worker has claimed
/// it meanwhile.
///
/// # Errors
/// Fails if the store fails.
pub(super) async fn give_up(store: &SharedStore, task: Task, urls: &FileUrls, now: Millis) -> Result<bool> {
    let cause = cause("engine_unavailable", "No engine has done the task in the time that it may wait.");
    let work = store.work(task.id).await?.unwrap_or_default();
    end(store, task, false, Results::earlier(&work), cause, urls, now).await
}

/// Counts a task that a process of the service has ended, failed with this code or completed.
pub(super) fn count_end(code: Option<&str>) {
    let status = if code.is_some() { "failed" } else { "completed" };
    metrics::counter!("tasks_ended_total", "status" => status).increment(1);
    if let Some(code) = code {
        metrics::counter!("tasks_failed_total", "code" => code.to_owned()).increment(1);
    }
}

fn cause(code: &str, message: &str) -> FailureCause {
    FailureCause { code: code.to_owned(), message: message.to_owned() }
}

async fn end(
    store: &SharedStore,
    mut task: Task,
    even_held: bool,
    results: Results,
    cause: FailureCause,
    urls: &FileUrls,
    now: Millis,
) -> Result<bool> {
    task.status = TaskStatus::Failed;
    task.results = results.pieces;
    task.error = Some(cause.clone());
    task.updated_at = now;
    let payload = view::payload(&task, urls);
    let code = cause.code.clone();
    let ended = Ended {
        results: task.results,
        error: Some(cause),
        result_bytes: results.bytes,
        now,
        payload,
        ..Ended::default()
    };
    let has_ended = store.cancel_task(task.id, even_held, &ended).await?;
    if has_ended {
        count_end(Some(&code));
    }
    Ok(has_ended)
}
