//! The reasons why there is no finished task.

use std::{fmt, time::Duration};

use crate::{
    client::error::{Error, line},
    table::Operation,
};

/// The reason why waiting returned no finished task.
///
/// `S` is the task. `F` and `E` are the documented errors of the operations that get and create it.
#[derive(Debug)]
#[non_exhaustive]
pub enum WaitError<S, F: fmt::Debug, E: fmt::Debug = F> {
    /// The call that creates the task has failed. The task may exist, for example if the response was lost.
    Start(Error<E>),

    /// The response that creates the task is not as documented. The task exists.
    Created {
        /// The id.
        id: String,
        /// The error of the response.
        error: Error<E>,
    },

    /// The response that creates the task has no id. The task may exist.
    NoId {
        /// The operation that creates the task.
        operation: &'static Operation,
    },

    /// The task has failed.
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

    /// The task can't be followed: a poll has failed. The task may go on.
    Poll {
        /// The id.
        id: String,
        /// The error of the last poll.
        error: Error<F>,
    },

    /// The response to a poll has no status. The task may go on.
    NoStatus {
        /// The id.
        id: String,
        /// The operation that gets the task.
        operation: &'static Operation,
    },

    /// The task did not end in time. It may go on.
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

impl<S, F: fmt::Debug, E: fmt::Debug> fmt::Display for WaitError<S, F, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = line(self.id().unwrap_or_default());
        match self {
            Self::Start(error) => error.fmt(f),
            Self::Created { error, .. } => write!(f, "task {id} was created: {error}"),
            Self::NoId { operation } => {
                write!(f, "{} {}: the response has no id of the task", operation.method, operation.path)
            }
            Self::Failed { status, message, .. } => {
                write!(f, "task {id} ended as {}", line(status))?;
                message.as_ref().map_or(Ok(()), |message| write!(f, ": {}", line(message)))
            }
            Self::Poll { error, .. } => write!(f, "task {id} can't be followed: {error}"),
            Self::NoStatus { operation, .. } => write!(
                f,
                "task {id} can't be followed: {} {}: the response has no status",
                operation.method, operation.path
            ),
            Self::Deadline { after, .. } => write!(f, "task {id} didn't end within {after:?}"),
        }
    }
}

impl<S: fmt::Debug, F: fmt::Debug + 'static, E: fmt::Debug + 'static> std::error::Error
    for WaitError<S, F, E>
{
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start(error) | Self::Created { error, .. } => Some(error),
            Self::Poll { error, .. } => Some(error),
            _ => None,
        }
    }
}
