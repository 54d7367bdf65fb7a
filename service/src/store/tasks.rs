//! Tasks: the record, the queue, and idempotent creation.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use uuid::Uuid;

use super::Result;
use crate::time::Millis;

/// Where a task is. It only ever moves forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskStatus {
    /// Accepted, not begun.
    Created,
    /// Claimed by a worker at least once.
    InProgress,
    /// Ended with a result.
    Completed,
    /// Ended without one.
    Failed,
}

impl TaskStatus {
    /// As databases keep it.
    #[must_use]
    pub const fn number(self) -> i16 {
        match self {
            Self::Created => 0,
            Self::InProgress => 1,
            Self::Completed => 2,
            Self::Failed => 3,
        }
    }

    /// From what databases keep.
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

    /// As the API tells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "CREATED",
            Self::InProgress => "IN_PROGRESS",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
        }
    }

    /// Whether it is the end.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed)
    }
}

/// A piece of a result, as it is kept (JSON).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// A file: its key in the file store.
    File(String),
    /// A text.
    Text(String),
}

/// Why a task failed: what the client is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureCause {
    /// `fetch_failed`, `unsupported_media`, `attempts_exhausted`, …
    pub code: String,
    /// A sentence.
    pub message: String,
}

/// What a client sees of a task, and where it belongs.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// Its id.
    pub id: Uuid,
    /// The API key that made it.
    pub key_id: String,
    /// The path that lists it, with the model's name in it: `/v1/ai/image-expand/standard`.
    pub scope: String,
    /// Where it is.
    pub status: TaskStatus,
    /// The result, in order; empty until it is completed.
    pub results: Vec<Piece>,
    /// Why it failed.
    pub error: Option<FailureCause>,
    /// What makes, or made, the result.
    pub engine: String,
    /// Which folder of the file store is its own: 32 hexadecimal digits, random.
    pub folder: String,
    /// What is to be done (JSON of the task domain; the store does not look into it).
    pub work: String,
    /// Who is told.
    pub webhook_url: Option<String>,
    /// When it was accepted.
    pub created_at: Millis,
    /// When its status changed last.
    pub updated_at: Millis,
}

/// A task to be accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTask {
    /// As it is to be kept: `CREATED`, without results.
    pub task: Task,
    /// The client's word that a repeat is a repeat.
    pub idempotency: Option<Idempotency>,
    /// The most tasks that the key may create in the UTC day of `task.created_at`; counted in the same transaction.
    pub daily_quota: Option<u32>,
}

/// An `Idempotency-Key`, and what it stands for. Unique by API key, `path`, and itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idempotency {
    /// What was asked: the operation, and its model or app where it has several.
    pub path: String,
    /// The header's value.
    pub key: String,
    /// SHA-256 of the body.
    pub body_hash: Vec<u8>,
    /// From when on it is forgotten.
    pub expires_at: Millis,
}

/// What came of a creation.
#[derive(Debug, Clone, PartialEq)]
pub enum Created {
    /// A new task.
    New,
    /// The same request has made this task before.
    Repeat(Box<Task>),
    /// Another body has been sent with this `Idempotency-Key`.
    Conflict,
    /// The key has created as many tasks as it may today.
    QuotaExhausted,
}

/// How tasks are claimed.
#[derive(Debug, Clone)]
pub struct Claim<'a> {
    /// Who claims: one name for each running process.
    pub owner: &'a str,
    /// What time it is.
    pub now: Millis,
    /// Until when the lease holds without a heartbeat.
    pub lease_until: Millis,
    /// The most tasks to claim.
    pub limit: u32,
    /// The most tasks of one API key that may be in progress at a time, over all processes.
    pub running_per_key: u32,
    /// Tasks that have been claimed this often, refunded claims apart, are not claimed again: [`Tasks::exhausted`] has
    /// them.
    pub max_attempts: u32,
}

/// The right to work on a task, and to end it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The task.
    pub task_id: Uuid,
    /// Which attempt it is, from 1. No two leases of a task have the same.
    pub attempt: u32,
    /// Who holds it.
    pub owner: String,
}

/// What the webhook is told of a task: the payload of the event of its status.
pub type Payload = Arc<dyn Fn(&Task) -> String + Send + Sync>;

/// A task as an operator sees it: with its place in the queue.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The task.
    pub task: Task,
    /// How many attempts have begun; those that were refunded are left out.
    pub tries: u32,
    /// Whether a worker holds it.
    pub held: bool,
    /// Until when it is held or, where nobody does, when it may be claimed.
    pub due_at: Millis,
}

/// A task that was claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct Claimed {
    /// The task, in progress.
    pub task: Task,
    /// The right to work on it.
    pub lease: Lease,
    /// Which of the attempts that count it is, from 1: those that were refunded are left out.
    pub tries: u32,
}

/// How a task ended, as one transaction keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// Its results, or why there are none.
    pub outcome: std::result::Result<Vec<Piece>, FailureCause>,
    /// What made the result, where there is one: perhaps another version than the task was accepted for.
    pub engine: Option<String>,
    /// When.
    pub now: Millis,
    /// What the webhook is told, where the task has one: the payload of the terminal event.
    pub payload: String,
}

/// A part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// How many are left out.
    pub offset: u64,
    /// How many there are at most.
    pub limit: u32,
}

/// Which tasks an operator wants to see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskQuery {
    /// Of this API key alone.
    pub key_id: Option<String>,
    /// Of this status alone.
    pub status: Option<TaskStatus>,
}

/// Tasks, and the queue that they are.
#[async_trait]
pub trait Tasks {
    /// Accepts a task: the row, its `Idempotency-Key` and its count for the quota in one transaction.
    async fn create_task(&self, new: &NewTask) -> Result<Created>;

    /// The task that was made with this `Idempotency-Key`, before any work on a repeat is begun. [`Created::New`]: none.
    async fn idempotent(&self, key_id: &str, idempotency: &Idempotency, now: Millis) -> Result<Created>;

    /// A task of this API key and scope.
    async fn task(&self, key_id: &str, scope: &str, id: Uuid) -> Result<Option<Task>>;

    /// A task, whoever's it is: for operators and workers.
    async fn any_task(&self, id: Uuid) -> Result<Option<Task>>;

    /// The tasks of this API key and scope, newest first.
    async fn tasks(&self, key_id: &str, scope: &str, page: Page) -> Result<Vec<Task>>;

    /// Tasks for an operator, newest first.
    async fn all_tasks(&self, query: &TaskQuery, page: Page) -> Result<Vec<Listed>>;

    /// Claims tasks that wait, or whose lease has run out: no API key above its cap, the key with the fewest tasks under
    /// way first, and of each key the oldest task. (Oldest first over all keys would let a key with a hundred thousand
    /// waiting tasks and a cap above the number of workers have them all.) The first claim of a task queues its
    /// `IN_PROGRESS` event, which tells `payload`, in the same transaction.
    async fn claim_tasks(&self, claim: &Claim<'_>, payload: &Payload) -> Result<Vec<Claimed>>;

    /// Is notified when tasks may be there to claim. A hint that is sometimes wrong or lost, for one loop per process:
    /// polling is the truth.
    fn tasks_woken(&self) -> &Notify;

    /// Prolongs a lease. `false`: it is lost.
    async fn heartbeat(&self, lease: &Lease, lease_until: Millis) -> Result<bool>;

    /// Ends a task: results, status and terminal event in one transaction; an undelivered `IN_PROGRESS` event is given
    /// up. `false`: the lease is lost, and nothing is changed.
    async fn end_task(&self, lease: &Lease, ended: &Ended) -> Result<bool>;

    /// Gives a task back: it is claimed again after `not_before`, and stays `IN_PROGRESS`. `refund`: this attempt does not
    /// count (a shutdown). `false`: the lease is lost.
    async fn release_task(&self, lease: &Lease, not_before: Millis, refund: bool) -> Result<bool>;

    /// Tasks whose lease has run out, or that were given back, and that have no attempt left: taken over so that they can
    /// be ended as failed.
    async fn exhausted(&self, claim: &Claim<'_>) -> Result<Vec<Claimed>>;

    /// How many tasks wait and how many are in progress.
    async fn depth(&self) -> Result<(u64, u64)>;

    /// Removes ended tasks (with their events, attempts and `Idempotency-Key`s) that were updated before `before` and have
    /// no event under way and no `Idempotency-Key` that is still good, at most `limit`, and quota counts that are over;
    /// returns the folders of those tasks.
    async fn sweep_tasks(&self, before: Millis, now: Millis, limit: u32) -> Result<Vec<String>>;

    /// Which of these folders belong to tasks: the task's attempt and what it shows, for the sweep of orphaned files.
    async fn folders(&self, folders: &[String]) -> Result<Vec<(Task, u32)>>;
}
