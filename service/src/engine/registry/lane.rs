//! A lane: the tasks that one attached engine serves.
//!
//! They need no thread of the worker, so they don't wait for one. The engine's concurrency limits them.

use std::time::Duration;

use super::breaker::Breaker;
use crate::engine::call::OnUncertain;

/// The lane of an attached engine.
#[derive(Debug)]
pub struct Lane {
    /// The engine's name in the settings.
    pub name: String,
    /// The engine's kind.
    pub kind: String,
    /// The maximum number of requests of this process in progress.
    pub concurrency: usize,
    /// What follows if it is unknown whether the engine accepted a request.
    pub on_uncertain: OnUncertain,
    /// The families of the tasks that the engine serves.
    pub families: Vec<&'static str>,
    /// Stops claims while the engine does not work.
    pub breaker: Breaker,
}

/// How often an idle lane is looked at, at most.
pub const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
