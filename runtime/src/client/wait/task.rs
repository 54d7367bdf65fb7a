//! The description of a task.

use crate::client::probe::Path;
use crate::{
    table::{Operation, setters},
    types::Value,
};

/// The description of a task. Generated code makes it.
#[derive(Debug)]
#[non_exhaustive]
#[must_use]
pub struct Task {
    /// The operation that gets the task.
    pub get: TaskStep,
    /// The operation that cancels the task.
    pub cancel: Option<TaskStep>,
    /// The status in the response that gets the task.
    pub status: Path,
    /// The values of the status of a task that has succeeded.
    pub done: &'static [&'static str],
    /// The values of the status of a task that has failed.
    pub failed: &'static [&'static str],
    /// The reason of a failure, as text.
    pub message: Option<Path>,
    /// The part of the work that is done, as a number.
    pub progress: Option<Path>,
}

/// An operation that follows the creation of a task.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[must_use]
pub struct TaskStep {
    /// The operation.
    pub operation: &'static Operation,
    /// The parameter of its path that takes the id of the task.
    pub id: Option<&'static str>,
}

/// The values of path parameters, by name.
pub(super) type PathValues = Vec<(&'static str, Value)>;

impl Task {
    /// Creates the description of a task. `done` are the values of the status of one that has succeeded.
    pub const fn new(get: TaskStep, status: Path, done: &'static [&'static str]) -> Self {
        Self { get, cancel: None, status, done, failed: &[], message: None, progress: None }
    }
}

setters! {
    Task {
        set failed: &'static [&'static str];
        some cancel: TaskStep, message: Path, progress: Path;
    }
}

impl TaskStep {
    /// Creates a step whose path takes no id.
    pub const fn new(operation: &'static Operation) -> Self {
        Self { operation, id: None }
    }

    /// Returns the path parameters: those of the call that created the task, and the id.
    ///
    /// The path lacks those that are unknown, so that no request is sent.
    pub(super) fn values(&self, known: &PathValues, id: &str) -> PathValues {
        let others = known.iter().filter(|(name, _)| Some(*name) != self.id).cloned();
        others.chain(self.id.map(|name| (name, id.into()))).collect()
    }
}

setters! {
    TaskStep {
        some id: &'static str;
    }
}
