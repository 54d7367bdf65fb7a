//! The loops that run in the background of `serve`, and the phases in which they stop.
//!
//! No loop may end before the process stops. If one does, by a bug, the process ends as a failure: it would
//! otherwise accept tasks that no loop runs, or events that no loop delivers.

use std::any::Any;
use std::convert::Infallible;
use std::fmt::Display;
use std::future::pending;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::CommandError;
use crate::log::redact::panic_text;

/// Loops that stop together, within a time limit.
pub(super) struct Phase {
    name: &'static str,
    limit: Duration,
    stopper: watch::Sender<bool>,
    loops: JoinSet<Ended>,
}

/// The end of a loop.
struct Ended {
    name: &'static str,
    why: Option<String>,
}

impl Phase {
    pub(super) fn new(name: &'static str, limit: Duration) -> Self {
        Self { name, limit, stopper: watch::Sender::new(false), loops: JoinSet::new() }
    }

    /// Starts a loop, which gets the signal to stop.
    pub(super) fn spawn<F>(&mut self, name: &'static str, run: impl FnOnce(watch::Receiver<bool>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.spawn_fallible(name, |stop| run(stop).map(Ok::<(), Infallible>));
    }

    /// Starts a loop that returns a reason if it ends before it is stopped.
    pub(super) fn spawn_fallible<F, E>(
        &mut self,
        name: &'static str,
        run: impl FnOnce(watch::Receiver<bool>) -> F,
    ) where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Display,
    {
        let run = run(self.stopper.subscribe());
        self.loops.spawn(async move {
            let why = match AssertUnwindSafe(run).catch_unwind().await {
                Ok(ended) => ended.err().map(|error| error.to_string()),
                Err(panic) => Some(message(&*panic)),
            };
            Ended { name, why }
        });
    }

    /// Returns which loop has ended, once one has.
    pub(super) async fn failed(&mut self) -> CommandError {
        match self.loops.join_next().await {
            Some(Ok(Ended { name, why })) => ended(name, why.as_deref().unwrap_or("it returned")),
            // No loop runs, or one was aborted, which no code does.
            Some(Err(_)) | None => pending().await,
        }
    }

    /// Stops the loops and waits until all have ended.
    pub(super) async fn end(mut self) {
        let _ = self.stopper.send(true);
        let finished = async { while self.loops.join_next().await.is_some() {} };
        bounded(self.name, self.limit, finished).await;
    }
}

/// Runs a phase of the shutdown within its time limit, and logs how it ended.
pub(super) async fn bounded(phase: &str, limit: Duration, work: impl Future<Output = ()>) {
    let begun = Instant::now();
    match timeout(limit, work).await {
        Ok(()) => tracing::info!(phase, took = ?begun.elapsed(), "stopped a part of the service"),
        Err(_) => tracing::warn!(phase, ?limit, "gave up waiting for a part of the service to stop"),
    }
}

/// Returns the failure of a loop that has ended.
pub(super) fn ended(name: &'static str, why: &str) -> CommandError {
    tracing::error!(name, why, "a background loop has ended; the process stops");
    CommandError::Background { name, why: why.to_owned() }
}

/// Resolves when the process stops.
pub(super) async fn stopped_by(mut stop: watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

fn message(panic: &(dyn Any + Send)) -> String {
    format!("it panicked: {}", panic_text(panic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_loop_that_ends_is_named() {
        let brief = Duration::from_millis(10);
        let mut phase = Phase::new("test", brief);
        assert!(timeout(brief, phase.failed()).await.is_err(), "nothing runs");
        phase.spawn("steady", stopped_by);
        assert!(timeout(brief, phase.failed()).await.is_err());
        phase.spawn("brief", async |_| {});
        assert!(phase.failed().await.to_string().contains("brief"));
        phase.spawn("broken", async |_| panic!("a bug of {}", 1));
        let failed = phase.failed().await.to_string();
        phase.spawn_fallible("stuck", async |_| Err("it can't go on"));
        let stuck = phase.failed().await.to_string();
        assert!(stuck.contains("stuck") && stuck.contains("it can't go on"), "{stuck}");
        assert!(failed.contains("broken") && failed.contains("a bug of 1"), "{failed}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_phase_ends_with_its_loops_or_at_its_limit() {
        let limit = Duration::from_millis(500);
        let begun = tokio::time::Instant::now();
        let mut phase = Phase::new("test", limit);
        phase.spawn("steady", stopped_by);
        phase.end().await;
        assert!(begun.elapsed() < limit);
        let mut phase = Phase::new("test", limit);
        phase.spawn("stubborn", |_| pending());
        phase.end().await;
        assert!(begun.elapsed() >= limit);
    }
}
