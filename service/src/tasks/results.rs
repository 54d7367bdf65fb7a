//! The results that a task ends with.

use crate::domain::Piece;
use crate::engine::work::{Assignment, FinishedStep};

/// The results of a task.
#[derive(Default)]
pub(super) struct Results {
    /// The texts and files, in order.
    pub(super) pieces: Vec<Piece>,
    /// The size of the files.
    pub(super) bytes: u64,
    /// The engines that made them.
    pub(super) engine: String,
}

impl Results {
    pub(super) fn of(finished: Vec<FinishedStep>) -> Self {
        let engines: Vec<&str> = finished.iter().map(|step| step.engine.as_str()).collect();
        let (engine, bytes) = (engines.join(" + "), finished.iter().map(|step| step.bytes).sum());
        Self { engine, bytes, pieces: finished.into_iter().flat_map(|step| step.pieces).collect() }
    }

    /// Returns the results of the steps that earlier attempts have finished, from the stored work of a task.
    pub(super) fn earlier(work: &str) -> Self {
        let assignment: Option<Assignment> = serde_json::from_str(work).ok();
        Self::of(assignment.map(|assignment| assignment.finished).unwrap_or_default())
    }
}
