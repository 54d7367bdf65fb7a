//! The state of the whole service that operators see, and the log of their changes.

use super::TaskStatus;
use crate::time::Millis;

/// The open tasks of a family with one status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueLength {
    /// The family.
    pub family: String,
    /// `CREATED` or `IN_PROGRESS`.
    pub status: TaskStatus,
    /// The number of tasks.
    pub tasks: u64,
    /// The time since which the oldest one has this status.
    pub oldest: Millis,
}

/// The totals of stored data, as the database counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stored {
    /// Tasks by status, in the order of [`TaskStatus`].
    pub tasks: [u64; 4],
    /// The size of the files of all keys.
    pub bytes: u64,
    /// The part of it that stays after its tasks.
    pub retained_bytes: u64,
}

/// A change by an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRecord {
    /// The time at which it began.
    pub at: Millis,
    /// The id of the operator's key, or another name of who made it.
    pub who: String,
    /// The change.
    pub action: String,
    /// What was changed.
    pub target: String,
    /// How it ended; `None` while it is in progress, or if its process has ended before.
    pub result: Option<String>,
}
