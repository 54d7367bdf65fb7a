//! Tasks, and what creates them.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Demand;
use crate::time::Millis;
use crate::trace::TraceContext;

/// The status of a task; it only moves forward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskStatus {
    /// Accepted, not begun.
    Created = 0,
    /// Claimed by a worker at least once.
    InProgress = 1,
    /// Ended with a result.
    Completed = 2,
    /// Ended by a failure or a cancellation.
    Failed = 3,
}

impl TaskStatus {
    const ALL: [Self; 4] = [Self::Created, Self::InProgress, Self::Completed, Self::Failed];

    /// Returns the number that databases store.
    #[must_use]
    pub const fn number(self) -> i16 {
        // The cast is exact: the discriminants are the numbers.
        self as i16
    }

    /// Converts from the number that databases store.
    #[must_use]
    pub fn from_number(number: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.number() == number)
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

    /// Converts from the name that the API uses.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
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
    /// Further facts about it.
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

/// Facts about a piece of a result besides its content.
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

/// A task as its client sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The id.
    pub id: Uuid,
    /// The API key that created it.
    pub key_id: String,
    /// The family that lists it: its name in the settings.
    ///
    /// A text, because a later release may have families that this one does not know.
    pub family: String,
    /// The model that lists it, if the family has models.
    pub model: Option<String>,
    /// The status.
    pub status: TaskStatus,
    /// The pieces of the result, in order; empty until the task has ended.
    ///
    /// A failed task has the results of the steps before the failed one.
    pub results: Vec<Piece>,
    /// Why it failed.
    pub error: Option<FailureCause>,
    /// The engine that makes or made the result.
    pub engine: String,
    /// Its folder in the file store: 32 random hexadecimal digits.
    pub folder: String,
    /// The URL that receives its webhook events.
    pub webhook_url: Option<String>,
    /// The workflow app that it runs.
    pub app: Option<String>,
    /// The fields of the request that the engine does not read.
    pub ignored: Vec<String>,
    /// The progress of its engine, as JSON that only the engines interpret.
    pub progress: Option<String>,
    /// The time at which it was accepted.
    pub created_at: Millis,
    /// The time at which its status last changed.
    pub updated_at: Millis,
}

/// A task to be accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTask {
    /// The task as it will be stored: `CREATED`, without results.
    pub task: Task,
    /// The work, as JSON of the task domain; the store does not interpret it.
    pub work: String,
    /// The engines and the size of its first attempt.
    pub demand: Demand,
    /// The size of its stored inputs, in bytes.
    pub input_bytes: u64,
    /// The client's `Idempotency-Key`, if it sent one.
    pub idempotency: Option<Idempotency>,
    /// The maximum number of tasks that the key may create per UTC day.
    ///
    /// `task.created_at` determines the day. The same transaction counts the task.
    pub daily_quota: Option<u32>,
    /// The context of the request in its trace.
    pub trace: Option<TraceContext>,
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

/// A page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The number of items to skip.
    pub offset: u64,
    /// The maximum number of items to return.
    pub limit: u32,
}

/// Filters tasks for an operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskQuery {
    /// Only tasks of this API key.
    pub key_id: Option<String>,
    /// Only tasks with this status.
    pub status: Option<TaskStatus>,
    /// Only tasks of this family.
    pub family: Option<String>,
    /// Only tasks of this engine.
    pub engine: Option<String>,
    /// Only tasks that failed with this code.
    pub error: Option<String>,
    /// Only tasks that were accepted before this time.
    pub created_before: Option<Millis>,
    /// Only tasks that were accepted after this time.
    pub created_after: Option<Millis>,
}
