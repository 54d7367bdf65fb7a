//! Tasks: their records, the queue, and idempotent creation.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use uuid::Uuid;

use super::Result;
use crate::time::Millis;

/// The status of a task; it only moves forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskStatus {
    /// Accepted, not begun.
    Created,
    /// Claimed by a worker at least once.
    InProgress,
    /// Ended with a result.
    Completed,
    /// Ended by a failure or a cancellation.
    Failed,
}

impl TaskStatus {
    /// Returns the number that databases store.
    #[must_use]
    pub const fn number(self) -> i16 {
        match self {
            Self::Created => 0,
            Self::InProgress => 1,
            Self::Completed => 2,
            Self::Failed => 3,
        }
    }

    /// Converts from the number that databases store.
    #[must_use]
    pub const fn from_number(number: i16) -> Option<Self> {
        match number {
            0 => Some(Self::Created),
            1 => Some(Self::InProgress),
            2 => Some(Self::Completed),
            3 => Some(Self::Failed),
            _ => None,
        }
    }

    /// Returns the name that the API uses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "CREATED",
            Self::InProgress => "IN_PROGRESS",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
        }
    }

    /// Returns whether the task has ended.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed)
    }
}

/// A piece of a result, stored as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The file or the text.
    #[serde(flatten)]
    pub content: Content,
    /// What is known of it besides.
    #[serde(default, skip_serializing_if = "Facts::is_empty")]
    pub facts: Facts,
}

/// The content of a piece of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// The key of a file in the file store.
    File(String),
    /// A text.
    Text(String),
}

/// What is known of a piece of a result besides its content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// The step of a workflow app that made it: the name of its family.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The width and height of a picture or video, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<(u32, u32)>,
    /// The length of a sound or video, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milliseconds: Option<u64>,
    /// Whether the engine's filter found that it is unsafe, if a filter ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nsfw: Option<bool>,
}

impl Facts {
    /// Returns whether nothing is known.
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Piece {
    /// Returns the key of the file, if this is one.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match &self.content {
            Content::File(key) => Some(key),
            Content::Text(_) => None,
        }
    }
}

impl From<Content> for Piece {
    fn from(content: Content) -> Self {
        Self { content, facts: Facts::default() }
    }
}

/// Why a task failed, as clients see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureCause {
    /// A code such as `fetch_failed`, `unsupported_media` or `attempts_exhausted`.
    pub code: String,
    /// A sentence.
    pub message: String,
}

/// A task: what its client sees, and what the worker needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The id.
    pub id: Uuid,
    /// The API key that created it.
    pub key_id: String,
    /// The path that lists it, with the model's name: `/v1/ai/image-expand/standard`.
    pub scope: String,
    /// The status.
    pub status: TaskStatus,
    /// The pieces of the result, in order; empty until the task has ended.
    ///
    /// A failed task has those of the steps before the one that failed.
    pub results: Vec<Piece>,
    /// Why it failed.
    pub error: Option<FailureCause>,
    /// The engine that makes or made the result.
    pub engine: String,
    /// Its folder in the file store: 32 random hexadecimal digits.
    pub folder: String,
    /// The work to do, as JSON of the task domain; the store does not interpret it.
    pub work: String,
    /// The URL that receives its webhook events.
    pub webhook_url: Option<String>,
    /// How far its engine has come, as JSON of the engine domain.
    pub progress: Option<String>,
    /// The time at which it was accepted.
    pub created_at: Millis,
    /// The time at which its status last changed.
    pub updated_at: Millis,
}

/// What a task needs from the process that claims it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand {
    /// The families whose engines it needs, joined by `+`; empty if unknown.
    pub families: String,
    /// The binary logarithm of the milliseconds that it is expected to take, rounded up.
    pub size: i16,
}

/// Any process, and an unknown time.
impl Default for Demand {
    fn default() -> Self {
        Self { families: String::new(), size: i16::MAX }
    }
}

/// What an API key has taken of the quotas that don't depend on the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Its tasks that wait or are in progress.
    pub open_tasks: u32,
    /// The size of the stored files of its tasks, in bytes.
    ///
    /// Inputs count until their task is completed. Results count as long as they are stored.
    pub stored_bytes: u64,
}

/// A task to be accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTask {
    /// The task as it will be stored: `CREATED`, without results.
    pub task: Task,
    /// What it needs from the process that claims it.
    pub demand: Demand,
    /// The size of its stored inputs, in bytes.
    pub input_bytes: u64,
    /// The client's `Idempotency-Key`, if it sent one.
    pub idempotency: Option<Idempotency>,
    /// The most tasks that the key may create per UTC day.
    ///
    /// `task.created_at` determines the day. The same transaction counts the task.
    pub daily_quota: Option<u32>,
}

/// An `Idempotency-Key` and the request that it stands for.
///
/// It is unique by API key, `path` and `key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    /// The operation, with the model or app if it has several.
    pub path: String,
    /// The header's value.
    pub key: String,
    /// The SHA-256 of the body.
    pub body_hash: Vec<u8>,
    /// The time from which the key is forgotten.
    pub expires_at: Millis,
}

/// The outcome of a creation.
#[derive(Debug, Clone, PartialEq)]
pub enum Created {
    /// The task is new.
    New,
    /// The same request created this task before.
    Repeat(Box<Task>),
    /// The `Idempotency-Key` was used with another body.
    Conflict,
    /// The API key has created as many tasks as it may today.
    QuotaExhausted,
}

/// The limits of a claim of tasks.
#[derive(Debug, Clone)]
pub struct Claim<'a> {
    /// The claiming process: a unique name for each running process.
    pub owner: &'a str,
    /// The current time.
    pub now: Millis,
    /// The time until which the lease holds without a heartbeat.
    pub lease_until: Millis,
    /// The most tasks to claim.
    pub limit: u32,
    /// The most tasks of one API key in progress at a time, over all processes.
    pub running_per_key: u32,
    /// The most attempts of a task, without refunded ones.
    ///
    /// A task with no attempt left is not claimed; [`Tasks::exhausted`] returns it.
    pub max_attempts: u32,
    /// Which tasks to claim.
    pub only: Only<'a>,
}

/// Selects the tasks of a claim. The default selects all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Only<'a> {
    /// Only tasks that need no other families than these; the empty name stands for an unknown need.
    ///
    /// A family that a later release has added is in no list, so its tasks are left to processes of that release.
    pub among: Option<&'a [&'a str]>,
    /// Only tasks that are expected to be quick.
    pub quick: Option<&'a Quick>,
    /// No tasks of this API key.
    pub except: Option<&'a str>,
    /// None of these tasks.
    pub passed: &'a [Uuid],
}

/// The largest [`Demand::size`] of a quick task.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Quick {
    /// By [`Demand::families`], where it has been measured.
    pub measured: Vec<(String, i16)>,
    /// For all others.
    pub others: i16,
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
    /// The number of process deaths for which it is a suspect; 0 if it is none.
    pub deaths: u32,
    /// Whether a worker holds a lease on it.
    pub held: bool,
    /// The end of its lease or, without one, the time from which it may be claimed.
    pub due_at: Millis,
}

/// A claimed task.
#[derive(Debug, Clone, PartialEq)]
pub struct Claimed {
    /// The task, in progress.
    pub task: Task,
    /// The right to work on it.
    pub lease: Lease,
    /// What it was expected to need.
    pub demand: Demand,
    /// The number of this attempt, from 1, without refunded ones.
    pub tries: u32,
    /// How often a failure of the service itself has returned it to the queue.
    pub outages: u32,
    /// How often an engine that was busy or did not work has returned it to the queue.
    pub refusals: u32,
    /// The number of process deaths for which it is a suspect on trial; 0 if it is none.
    pub deaths: u32,
    /// The call of a provider that an earlier attempt has recorded: see [`Tasks::record_call`].
    pub call: Option<String>,
}

/// What is left of a task's work after a part of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Rest {
    /// The work, as JSON of the task domain.
    pub work: String,
    /// What the next part needs.
    pub demand: Demand,
    /// How long engines have worked in this attempt.
    pub engine_time: Option<Duration>,
    /// The time.
    pub now: Millis,
}

/// What an attempt counts as if it returns its task to the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// One of the attempts that the task has.
    Attempt,
    /// Nothing: the process stops, or leaves the task to others.
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
    /// What the attempt counts as.
    pub counts: Counts,
    /// Whether it has taken so long that no process should expect it to be quick.
    pub is_slow: bool,
    /// What it needs, if that is not what the queue says.
    pub demand: Option<String>,
    /// How long engines have worked in this attempt.
    pub engine_time: Option<Duration>,
}

impl Release {
    /// Creates the return of a task whose attempt counts as this.
    #[must_use]
    pub const fn new(counts: Counts, not_before: Millis) -> Self {
        Self { not_before, counts, is_slow: false, demand: None, engine_time: None }
    }
}

/// The end of a task, stored by one transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// The results: of a failed task, those of the steps before the one that failed.
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

/// A page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The number of items to skip.
    pub offset: u64,
    /// The most items to return.
    pub limit: u32,
}

/// Filters tasks for an operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskQuery {
    /// Only tasks of this API key.
    pub key_id: Option<String>,
    /// Only tasks with this status.
    pub status: Option<TaskStatus>,
}

/// Stores tasks, which are also the queue.
#[async_trait]
pub trait Tasks {
    /// Accepts a task.
    ///
    /// One transaction stores the row with its `Idempotency-Key` and counts it for the quota.
    async fn create_task(&self, new: &NewTask) -> Result<Created>;

    /// Returns what this API key has taken of its quotas; open tasks are counted up to `most_open`.
    async fn usage(&self, key_id: &str, most_open: u32) -> Result<Usage>;

    /// Counts bytes of media that this API key sends on this day; returns `false`, and counts none, above `most`.
    async fn count_upload(&self, key_id: &str, now: Millis, bytes: u64, most: u64) -> Result<bool>;

    /// Returns what an `Idempotency-Key` was used for.
    ///
    /// [`Created::New`] means that it is unused. Callers check this before they begin any work on a repeated
    /// request.
    async fn idempotent(&self, key_id: &str, idempotency: &Idempotency, now: Millis) -> Result<Created>;

    /// Returns a task of this API key and scope.
    async fn task(&self, key_id: &str, scope: &str, id: Uuid) -> Result<Option<Task>>;

    /// Returns a task of any API key, for operators and workers.
    async fn any_task(&self, id: Uuid) -> Result<Option<Task>>;

    /// Returns a page of the tasks of this API key and scope, newest first.
    async fn tasks(&self, key_id: &str, scope: &str, page: Page) -> Result<Vec<Task>>;

    /// Returns a page of tasks for an operator, newest first.
    async fn all_tasks(&self, query: &TaskQuery, page: Page) -> Result<Vec<Listed>>;

    /// Claims tasks that wait or whose lease has expired.
    ///
    /// No API key exceeds its cap. The key with the fewest tasks in progress goes first; within a key, the
    /// oldest task. With oldest first over all keys, a key with a hundred thousand waiting tasks and a cap
    /// above the number of workers would starve the others.
    ///
    /// The tasks of a process whose leases have all expired are suspects of its death. A process claims one suspect at a
    /// time, and no other tasks of a key with suspects. The attempt of a suspect counts only if it was on trial, or the
    /// only task of the process.
    ///
    /// The first claim of a task also queues its `IN_PROGRESS` event with `payload`, in the same transaction.
    async fn claim_tasks(&self, claim: &Claim<'_>, payload: &Payload) -> Result<Vec<Claimed>>;

    /// Returns the notifier that fires when tasks may be claimable.
    ///
    /// It is a hint for one loop per process. It may fire needlessly or not at all, so the loop must poll as
    /// well.
    fn tasks_woken(&self) -> &Notify;

    /// Extends a lease; returns `false` if it is lost.
    async fn heartbeat(&self, lease: &Lease, lease_until: Millis) -> Result<bool>;

    /// Records the call of a provider, as JSON of the engine domain; `None` removes the record.
    ///
    /// Returns `false` if the lease is lost; nothing changes then.
    async fn record_call(&self, lease: &Lease, call: Option<&str>) -> Result<bool>;

    /// Ends the trial of a suspect that goes on: other suspects may be tried now. Returns `false` if the lease is lost.
    async fn clear_suspect(&self, lease: &Lease) -> Result<bool>;

    /// Stores how far the engine has come, as JSON. Returns `false` if the lease is lost.
    async fn record_progress(&self, lease: &Lease, progress: &str) -> Result<bool>;

    /// Ends a task.
    ///
    /// One transaction stores the results, the status and the terminal event, and gives up an undelivered
    /// `IN_PROGRESS` event. Returns `false` if the lease is lost; nothing changes then.
    async fn end_task(&self, lease: &Lease, ended: &Ended) -> Result<bool>;

    /// Ends a task that has not ended, whoever holds it.
    ///
    /// Its worker loses the lease. Otherwise it is like [`end_task`](Self::end_task). Returns `false` if the
    /// task has ended or does not exist.
    async fn cancel_task(&self, id: Uuid, ended: &Ended) -> Result<bool>;

    /// Deletes an ended task with its events, whether delivered or not.
    ///
    /// Returns `false` if the task has not ended or does not exist.
    async fn delete_task(&self, id: Uuid) -> Result<bool>;

    /// Returns a task to the queue.
    ///
    /// It stays `IN_PROGRESS`. Returns `false` if the lease is lost.
    async fn release_task(&self, lease: &Lease, release: Release) -> Result<bool>;

    /// Stores what is left of a task's work, and returns the task to the queue for it.
    ///
    /// The record of its call is removed, and attempts count anew. Returns `false` if the lease is lost; nothing
    /// changes then.
    async fn advance_task(&self, lease: &Lease, rest: &Rest) -> Result<bool>;

    /// Takes over tasks that nobody holds and that have no attempt left.
    ///
    /// Their leases have expired, or they were returned to the queue. The caller ends them as failed.
    async fn exhausted(&self, claim: &Claim<'_>) -> Result<Vec<Claimed>>;

    /// Returns how many tasks wait and how many are in progress.
    async fn depth(&self) -> Result<(u64, u64)>;

    /// Deletes ended tasks and returns their folders.
    ///
    /// It deletes at most `limit` tasks that were last updated before `before`, with their events, attempts
    /// and `Idempotency-Key`s. A task stays while an event of it is pending or its `Idempotency-Key` is
    /// valid. What is known of days more than [`Days::KEPT`](super::Days::KEPT) ago is deleted too. With `keeps_results`, the results count as stored
    /// until [`sweep_kept`](Self::sweep_kept).
    async fn sweep_tasks(
        &self,
        before: Millis,
        now: Millis,
        limit: u32,
        keeps_results: bool,
    ) -> Result<Vec<String>>;

    /// Returns up to `limit` folders whose results stayed after their task, and no longer counts them.
    async fn sweep_kept(&self, limit: u32) -> Result<Vec<String>>;

    /// Returns the tasks that own these folders, and the number of claims of each.
    ///
    /// The sweep of orphaned files uses it.
    async fn folders(&self, folders: &[String]) -> Result<Vec<(Task, u32)>>;
}
