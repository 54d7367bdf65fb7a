//! Rows of tasks.

use uuid::Uuid;

use super::{duration, invalid, json, row, unknown, unsigned};
use crate::domain::{
    Claimed, Created, Demand, Ended, FailureCause, FolderOwner, Idempotency, Lease, Listed, NewTask, Piece,
    Task, TaskStatus, Usage,
};
use crate::store::{Error, Result};
use crate::time::Millis;
use crate::trace::TraceContext;

/// Lists the columns of a [`TaskRow`].
macro_rules! task_columns {
    () => {
        "id, key_id, family, model, status, created_at, updated_at, engine, folder, webhook_url, app, ignored, progress, \
         error, results"
    };
}
pub(in crate::store) use task_columns;

row! {
    /// A row of `tasks`, without the columns of the queue.
    pub(in crate::store) struct TaskRow {
        id: Uuid,
        key_id: String,
        family: String,
        model: String,
        status: i16,
        created_at: Millis,
        updated_at: Millis,
        engine: String,
        folder: String,
        webhook_url: Option<String>,
        app: Option<String>,
        ignored: Option<String>,
        progress: Option<String>,
        error: Option<String>,
        results: Option<String>,
    }
}

impl TaskRow {
    /// Returns the task, which is open and so has no end that could be unreadable. One such row would stop all others.
    pub(in crate::store) fn open(self) -> Task {
        let has_begun = self.status != TaskStatus::Created.number();
        let status = if has_begun { TaskStatus::InProgress } else { TaskStatus::Created };
        self.with(status, Vec::new(), None)
    }

    /// Returns the task with this status and end.
    fn with(self, status: TaskStatus, results: Vec<Piece>, error: Option<FailureCause>) -> Task {
        let ignored = self.ignored.as_deref().map_or(Ok(Vec::new()), |text| json("ignored fields", text));
        Task {
            id: self.id,
            key_id: self.key_id,
            family: self.family,
            model: Some(self.model).filter(|model| !model.is_empty()),
            status,
            results,
            error,
            engine: self.engine,
            folder: self.folder,
            webhook_url: self.webhook_url,
            app: self.app,
            // They are only shown, so the task can do without them.
            ignored: ignored.unwrap_or_else(|error| {
                tracing::error!(task = %self.id, %error, "a task is read without its ignored fields");
                Vec::new()
            }),
            progress: self.progress,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

impl TryFrom<TaskRow> for Task {
    type Error = Error;

    fn try_from(row: TaskRow) -> Result<Self> {
        let results =
            row.results.as_deref().map_or(Ok(Vec::new()), |text| json("results of a task", text))?;
        let error = row.error.as_deref().map(|text| json("error of a task", text)).transpose()?;
        let status = status(row.status)?;
        Ok(row.with(status, results, error))
    }
}

impl<'row, R: sqlx::Row> sqlx::FromRow<'row, R> for Task
where
    TaskRow: sqlx::FromRow<'row, R>,
{
    fn from_row(row: &'row R) -> sqlx::Result<Self> {
        Ok(TaskRow::from_row(row)?.try_into()?)
    }
}

fn status(number: i16) -> Result<TaskStatus> {
    TaskStatus::from_number(number).ok_or_else(|| unknown("status of a task", number))
}

row! {
    /// A row of `tasks` with the counters of the queue.
    pub(in crate::store) struct QueuedRow {
        /// The order of acceptance.
        pub(in crate::store) seq: i64,
        /// The number of claims.
        attempt: i32,
        /// The number of claims that do not count.
        refunded: i32,
        outages: i32,
        refusals: i32,
        crashes: i32,
        demand: String,
        size: i16,
        call: Option<String>,
        traceparent: Option<String>,
        work: String,
    } with task: TaskRow
}

/// Lists the columns of a [`QueuedRow`].
macro_rules! queued_columns {
    () => {
        concat!(
            "seq, attempt, refunded, outages, refusals, crashes, demand, size, call, traceparent, work, ",
            $crate::store::row::task_columns!()
        )
    };
}
pub(in crate::store) use queued_columns;

impl QueuedRow {
    /// Returns the task with a lease. `claims` is the number of claims that the row does not count yet.
    pub(in crate::store) fn leased(self, owner: &str, claims: i32) -> Claimed {
        let (task, attempt) = (self.task.open(), self.attempt.saturating_add(claims));
        Claimed {
            lease: Lease { task_id: task.id, attempt: attempt.unsigned_abs(), owner: owner.to_owned() },
            task,
            work: self.work,
            demand: Demand { engines: self.demand.into(), size: self.size },
            tries: attempt.saturating_sub(self.refunded).unsigned_abs(),
            outages: self.outages.unsigned_abs(),
            refusals: self.refusals.unsigned_abs(),
            crashes: u32::try_from(self.crashes).unwrap_or_default(),
            call: self.call,
            trace: self.traceparent.as_deref().and_then(TraceContext::parse),
        }
    }
}

row! {
    FolderOwner {
        folder: String,
        status: i16 => |number| status(number)?,
        attempts: i32 => |number| unsigned(number),
        work: String,
        results: Option<String> => |results| results.unwrap_or_default(),
    }
}

/// Lists the columns of a [`Listed`].
macro_rules! listed_columns {
    () => {
        concat!(
            "attempt - refunded AS tries, crashes, CASE status WHEN 1 THEN lease_owner END AS worker, due_at, \
             demand AS engines, outages, refusals, input_bytes, result_bytes, engine_time, call, traceparent AS trace, ",
            $crate::store::row::task_columns!()
        )
    };
}
pub(in crate::store) use listed_columns;

row! {
    Listed {
        tries: i32 => |number| unsigned(number),
        crashes: i32 => |number| unsigned(number),
        worker: Option<String>,
        due_at: Millis,
        engines: String => |words| words.into(),
        outages: i32 => |number| unsigned(number),
        refusals: i32 => |number| unsigned(number),
        input_bytes: i64 => |bytes| bytes.unsigned_abs(),
        result_bytes: i64 => |bytes| bytes.unsigned_abs(),
        engine_time: Option<Millis> => |time| time.map(duration),
        call: Option<String>,
        trace: Option<String> => |text| text.as_deref().and_then(TraceContext::parse),
    } with task: Task
}

row! {
    /// A row of `tasks` with the `Idempotency-Key` that created it.
    pub(in crate::store) struct IdempotentRow {
        idempotency_hash: Option<Vec<u8>>,
        idempotency_expires: Option<Millis>,
    } with task: TaskRow
}

impl IdempotentRow {
    /// Compares the stored key with the key of a new request. It creates a task if the stored key has expired.
    pub(in crate::store) fn used(self, idempotency: &Idempotency, now: Millis) -> Result<Created> {
        Ok(if self.idempotency_expires.is_none_or(|expires| expires <= now) {
            Created::New
        } else if self.idempotency_hash.as_deref() == Some(&idempotency.body_hash) {
            Created::Repeat(Box::new(self.task.try_into()?))
        } else {
            Created::Conflict
        })
    }
}

/// Returns the column for the trace context of a new task.
pub(in crate::store) fn traceparent(new: &NewTask) -> Option<String> {
    new.trace.map(|trace| trace.to_string())
}

/// Returns the column for the fields that the engine does not read.
pub(in crate::store) fn ignored(task: &Task) -> Option<String> {
    (!task.ignored.is_empty()).then(|| serde_json::json!(task.ignored).to_string())
}

/// Returns the columns for the end of a task: status, results, error.
pub(in crate::store) fn outcome(ended: &Ended) -> Result<(TaskStatus, Option<String>, Option<String>)> {
    let unwritable = |what| move |error: serde_json::Error| invalid(what, &error);
    let results = serde_json::to_string(&ended.results).map_err(unwritable("results of a task"))?;
    let Some(cause) = &ended.error else { return Ok((TaskStatus::Completed, Some(results), None)) };
    let error = serde_json::to_string(cause).map_err(unwritable("error of a task"))?;
    let results = Some(results).filter(|_| !ended.results.is_empty());
    Ok((TaskStatus::Failed, results, Some(error)))
}

/// The outcome of ending a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum HasEnded {
    /// The lease was lost.
    Not,
    /// The task ended; it has no webhook.
    Silently,
    /// The task ended and its terminal event is queued.
    WithEvent,
}

/// Reads the counts of [`Usage`]: open tasks, and bytes.
pub(in crate::store) fn usage((open_tasks, stored_bytes): (i64, i64)) -> Usage {
    Usage {
        open_tasks: u32::try_from(open_tasks).unwrap_or(u32::MAX),
        stored_bytes: u64::try_from(stored_bytes).unwrap_or_default(),
    }
}
