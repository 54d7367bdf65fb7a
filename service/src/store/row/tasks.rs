//! Rows of tasks.

use uuid::Uuid;

use super::{invalid, json, row, unknown};
use crate::domain::{
    Claimed, Demand, Ended, FolderOwner, Idempotency, InvalidEngines, Lease, Listed, Task, TaskStatus, Usage,
};
use crate::store::{Error, Result};
use crate::time::Millis;

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
    pub(in crate::store) const fn id(&self) -> Uuid {
        self.id
    }
}

impl TryFrom<TaskRow> for Task {
    type Error = Error;

    fn try_from(row: TaskRow) -> Result<Self> {
        let status =
            TaskStatus::from_number(row.status).ok_or_else(|| unknown("status of a task", row.status))?;
        Ok(Self {
            id: row.id,
            key_id: row.key_id,
            family: row.family,
            model: Some(row.model).filter(|model| !model.is_empty()),
            status,
            results: row.results.as_deref().map_or(Ok(Vec::new()), |text| json("results of a task", text))?,
            error: row.error.as_deref().map(|text| json("error of a task", text)).transpose()?,
            engine: row.engine,
            folder: row.folder,
            webhook_url: row.webhook_url,
            app: row.app,
            ignored: row.ignored.as_deref().map_or(Ok(Vec::new()), |text| json("ignored fields", text))?,
            progress: row.progress,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }
}

row! {
    /// A row of `tasks` with the counters of the queue.
    pub(in crate::store) struct QueuedRow {
        /// The order of acceptance.
        pub(in crate::store) seq: i64,
        /// The number of claims.
        pub(in crate::store) attempt: i32,
        /// The number of claims that do not count.
        refunded: i32,
        outages: i32,
        refusals: i32,
        crashes: i32,
        demand: String,
        size: i16,
        call: Option<String>,
        work: String,
    } with task: TaskRow
}

/// Lists the columns of a [`QueuedRow`].
macro_rules! queued_columns {
    () => {
        concat!(
            "seq, attempt, refunded, outages, refusals, crashes, demand, size, call, work, ",
            $crate::store::row::task_columns!()
        )
    };
}
pub(in crate::store) use queued_columns;

impl QueuedRow {
    pub(in crate::store) const fn task_id(&self) -> Uuid {
        self.task.id
    }

    /// Returns the task with a lease for this attempt.
    pub(in crate::store) fn leased(self, owner: &str, attempt: i32) -> Result<Claimed> {
        let engines = self.demand.parse().map_err(|error: InvalidEngines| Error::Corrupt {
            what: "demand of a task",
            why: error.to_string(),
        })?;
        let task = Task::try_from(self.task)?;
        Ok(Claimed {
            lease: Lease { task_id: task.id, attempt: attempt.unsigned_abs(), owner: owner.to_owned() },
            task,
            work: self.work,
            demand: Demand { engines, size: self.size },
            tries: attempt.saturating_sub(self.refunded).unsigned_abs(),
            outages: self.outages.unsigned_abs(),
            refusals: self.refusals.unsigned_abs(),
            crashes: u32::try_from(self.crashes).unwrap_or_default(),
            call: self.call,
        })
    }
}

row! {
    /// A row of `tasks` with its work.
    pub(in crate::store) struct OwnerRow {
        attempt: i32,
        work: String,
    } with task: TaskRow
}

impl TryFrom<OwnerRow> for FolderOwner {
    type Error = Error;

    fn try_from(row: OwnerRow) -> Result<Self> {
        let OwnerRow { attempt, work, task } = row;
        Ok(Self { task: task.try_into()?, work, attempts: attempt.unsigned_abs() })
    }
}

row! {
    /// A row of `tasks` for an operator.
    pub(in crate::store) struct ListedRow {
        attempt: i32,
        refunded: i32,
        crashes: i32,
        lease_owner: Option<String>,
        due_at: Millis,
    } with task: TaskRow
}

impl TryFrom<ListedRow> for Listed {
    type Error = Error;

    fn try_from(row: ListedRow) -> Result<Self> {
        let task = Task::try_from(row.task)?;
        Ok(Self {
            tries: row.attempt.saturating_sub(row.refunded).unsigned_abs(),
            crashes: u32::try_from(row.crashes).unwrap_or_default(),
            held: task.status == TaskStatus::InProgress && row.lease_owner.is_some(),
            due_at: row.due_at,
            task,
        })
    }
}

row! {
    /// A row of `tasks` with the `Idempotency-Key` that created it.
    pub(in crate::store) struct IdempotentRow {
        idempotency_hash: Option<Vec<u8>>,
        idempotency_expires: Option<Millis>,
    } with task: TaskRow
}

/// The earlier use of an `Idempotency-Key`.
pub(in crate::store) enum Used {
    /// The same request, which created this task.
    Same(Box<Task>),
    /// Another request.
    Other,
    /// A request whose key has expired.
    Expired,
}

impl IdempotentRow {
    /// Compares the stored key with the key of a new request.
    pub(in crate::store) fn used(self, idempotency: &Idempotency, now: Millis) -> Result<Used> {
        Ok(if self.idempotency_expires.is_none_or(|expires| expires <= now) {
            Used::Expired
        } else if self.idempotency_hash.as_deref() == Some(&idempotency.body_hash) {
            Used::Same(Box::new(self.task.try_into()?))
        } else {
            Used::Other
        })
    }
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
