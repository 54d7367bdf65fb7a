//! The reasons why there is no finished task.

use std::{fmt, time::Duration};

use crate::client::{Error, error::line};
use crate::table::Operation;

/// The reason why waiting returned no finished task.
///
/// `S` is the task. `F` and `E` are the documented errors of the operations that get and create it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WaitError<S, F: fmt::Debug, E: fmt::Debug = F> {
    /// The call that creates the task has failed. The task may exist, for example if the response was lost.
    #[error("{0}")]
    Start(#[source] Error<E>),

    /// The response that creates the task is not as documented. The task exists.
    #[error("task {} was created: {error}", line(id))]
    Created {
        /// The id.
        id: String,
        /// The error of the response.
        #[source]
        error: Error<E>,
    },

    /// The response that creates the task has no id. The task may exist.
    #[error("{} {}: the response has no id of the task", .operation.method, .operation.path)]
    NoId {
        /// The operation that creates the task.
        operation: &'static Operation,
    },

    /// The task has failed.
    #[error("task {} ended as {}{}", line(id), line(status), .message.iter().map(|text| format!(": {}", line(text))).collect::<String>())]
    Failed {
        /// The id.
        id: String,
        /// The status.
        status: String,
        /// The reason, if the task has one.
        message: Option<String>,
        /// The task.
        task: Box<S>,
    },

    /// A poll has failed. The task may continue.
    #[error("task {} can't be followed: {error}", line(id))]
    Poll {
        /// The id.
        id: String,
        /// The error of the last poll.
        #[source]
        error: Error<F>,
    },

    /// The response to a poll has no status. The task may continue.
    #[error("task {} can't be followed: {} {}: the response has no status", line(id), .operation.method, .operation.path)]
    NoStatus {
        /// The id.
        id: String,
        /// The operation that gets the task.
        operation: &'static Operation,
    },

    /// The task did not end in time. It may continue.
    #[error("task {} didn't end within {after:?}", line(id))]
    Deadline {
        /// The id.
        id: String,
        /// The maximum duration.
        after: Duration,
    },
}

impl<S, F: fmt::Debug, E: fmt::Debug> WaitError<S, F, E> {
    /// Returns the id of the task, if it is known.
    ///
    /// The operation that gets the task takes it, to wait again.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Start(_) | Self::NoId { .. } => None,
            Self::Created { id, .. }
            | Self::Failed { id, .. }
            | Self::Poll { id, .. }
            | Self::NoStatus { id, .. }
            | Self::Deadline { id, .. } => Some(id),
        }
    }

    /// Returns the task, if it has failed.
    #[must_use]
    pub fn task(&self) -> Option<&S> {
        match self {
            Self::Failed { task, .. } => Some(task),
            _ => None,
        }
    }
}
