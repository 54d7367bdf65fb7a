//! A lane: the tasks that one attached engine serves.
//!
//! They need no thread of the worker, so they don't wait for one. The engine's concurrency limits them.

use super::breaker::Breaker;
use super::call::OnUncertain;

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
    /// The demands of the tasks that the engine serves.
    pub demands: Vec<&'static str>,
    /// Stops claims while the engine does not work.
    pub breaker: Breaker,
}

/// The demand of a step without an input in a family with an attached engine: a built-in engine serves it.
pub const BUILT_IN_ENGINES: &str = "built-in";
