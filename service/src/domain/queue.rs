//! The queue of tasks: claims, leases, and the changes that a lease permits.

use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use super::{Demand, Engines, FailureCause, Offered, Piece, Quick, Task, TaskStatus};
use crate::time::Millis;
use crate::trace::TraceContext;

/// The limits of a claim of tasks.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The claiming process: a unique name for each running process.
    pub owner: String,
    /// The current time.
    pub now: Millis,
    /// The time until which the lease holds without a heartbeat.
    pub lease_until: Millis,
    /// The maximum number of tasks to claim.
    pub limit: u32,
    /// The maximum number of tasks of one API key in progress at a time, over all processes.
    pub running_per_key: u32,
    /// The maximum number of attempts of a task, without refunded ones.
    ///
    /// A task with no attempt left is not claimed; [`Tasks::exhausted`](crate::store::Tasks::exhausted) returns it.
    pub max_attempts: u32,
    /// Which tasks to claim.
    pub only: Only,
}

/// Selects the tasks of a claim. The default selects all.
#[derive(Debug, Clone, Default)]
pub struct Only {
    /// Only tasks that need no other engines than these.
    pub among: Option<Offered>,
    /// Only tasks that are expected to be quick.
    pub quick: Option<Quick>,
    /// No tasks of this API key.
    pub except: Option<String>,
    /// None of these tasks.
    pub skipped: Vec<Uuid>,
}

/// The right to work on a task and to end it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The task.
    pub task_id: Uuid,
    /// The number of the claim, from 1; no two leases of a task share it.
    pub attempt: u32,
    /// The process that holds it.
    pub owner: String,
}

/// Renders the webhook payload for the current status of a task.
pub type Payload = Arc<dyn Fn(&Task) -> String + Send + Sync>;

/// A task as an operator sees it, with its state in the queue.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The task.
    pub task: Task,
    /// The number of attempts that have begun, without refunded ones.
    pub tries: u32,
    /// The number of process crashes for which it is quarantined; 0 if it is not.
    pub crashes: u32,
    /// The process that has a lease on it.
    pub worker: Option<String>,
    /// The end of its lease or, without one, the time from which it may be claimed.
    pub due_at: Millis,
    /// The engines that its next attempt needs.
    pub engines: Engines,
    /// How many times a failure of the service itself has returned it to the queue.
    pub outages: u32,
    /// How many times an engine that was busy or unavailable has returned it to the queue.
    pub refusals: u32,
    /// The size of its stored media, in bytes.
    pub input_bytes: u64,
    /// The size of its results, in bytes.
    pub result_bytes: u64,
    /// How long engines have worked on it; `None`: unknown.
    pub engine_time: Option<Duration>,
    /// [`Claimed::call`].
    pub call: Option<String>,
    /// [`NewTask::trace`](super::NewTask::trace).
    pub trace: Option<TraceContext>,
}

/// A claimed task.
#[derive(Debug, Clone, PartialEq)]
pub struct Claimed {
    /// The task, in progress.
    pub task: Task,
    /// The work: [`NewTask::work`](super::NewTask::work).
    pub work: String,
    /// The right to work on it.
    pub lease: Lease,
    /// The demand that was expected.
    pub demand: Demand,
    /// The number of this attempt, from 1, without refunded ones.
    pub tries: u32,
    /// How many times a failure of the service itself has returned it to the queue.
    pub outages: u32,
    /// How many times an engine that was busy or unavailable has returned it to the queue.
    pub refusals: u32,
    /// The number of process crashes for which it is quarantined; 0 if it is not.
    pub crashes: u32,
    /// The call of a provider that an earlier attempt has recorded: see [`Tasks::record_call`](crate::store::Tasks::record_call).
    pub call: Option<String>,
    /// [`NewTask::trace`](super::NewTask::trace).
    pub trace: Option<TraceContext>,
}

/// The task that owns a folder of the file store.
///
/// Its texts name files. Nobody has to read more of them, so that a text of another version stops no sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderOwner {
    /// The folder.
    pub folder: String,
    /// The status.
    pub status: TaskStatus,
    /// The number of its claims.
    pub attempts: u32,
    /// The work: [`NewTask::work`](super::NewTask::work).
    pub work: String,
    /// The pieces of its result, as JSON; empty until it has ended.
    pub results: String,
}

/// The rest of a task's work after a part of it.
#[derive(Debug, Clone, PartialEq)]
pub struct RemainingWork {
    /// The work, as JSON of the task domain.
    pub work: String,
    /// The demand of the next part.
    pub demand: Demand,
    /// How long engines have worked in this attempt.
    pub engine_time: Option<Duration>,
    /// The time.
    pub now: Millis,
}

/// The counter that an attempt increases when it returns its task to the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// One of the attempts that the task has.
    Attempt,
    /// Nothing: the process hands the task back.
    Nothing,
    /// A failure of the service itself.
    Outage,
    /// An engine that is busy or does not work.
    Refusal,
}

/// How a task returns to the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// The time from which it can be claimed.
    pub not_before: Millis,
    /// The counter that the attempt increases.
    pub counts: Counts,
    /// Whether it has taken so long that no process should expect it to be quick.
    pub is_slow: bool,
    /// How long engines have worked in this attempt.
    pub engine_time: Option<Duration>,
}

impl Release {
    /// Creates the return of a task whose attempt counts as this.
    #[must_use]
    pub const fn new(counts: Counts, not_before: Millis) -> Self {
        Self { not_before, counts, is_slow: false, engine_time: None }
    }
}

/// The end of a task, stored by one transaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ended {
    /// The results. A failed task has the results of the steps before the failed one.
    pub results: Vec<Piece>,
    /// Why the task failed, or `None` if it is completed.
    pub error: Option<FailureCause>,
    /// The engine that made the result.
    ///
    /// It can be another version than the one that the task was accepted for.
    pub engine: Option<String>,
    /// The size of the files among the results.
    pub result_bytes: u64,
    /// How long engines have worked in the attempt that ends it; `None`: unknown.
    pub engine_time: Option<Duration>,
    /// The time.
    pub now: Millis,
    /// The payload of the terminal event; unused if the task has no webhook.
    pub payload: String,
}
