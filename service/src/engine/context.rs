//! The context of an attempt, for its engine.

use std::any::Any;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use asset_engines::Scratch;
use asset_engines::{Failure as EngineFailure, Job};
use tokio::sync::watch;
use tokio::time::Instant;

use super::Failure;
use super::call::Calls;
use crate::files::Account;

/// Why an attempt is cancelled before its engine has finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelReason {
    /// Another attempt continues: the process stops, or the lease is lost. A provider's job runs on.
    Interrupted,
    /// The task has ended: by its deadline, or by an operator. A provider's job is cancelled.
    TaskEnded,
}

impl CancelReason {
    /// Returns how long an attached engine may continue: to learn which job its request has created, and to cancel it.
    ///
    /// A process that stops waits for all engines, so the time is shorter.
    #[must_use]
    pub const fn grace_period(self) -> Duration {
        match self {
            Self::Interrupted => Duration::from_secs(6),
            Self::TaskEnded => Duration::from_secs(30),
        }
    }
}

/// Cancels an attempt. Clones share it.
#[derive(Debug, Clone)]
pub struct Cancellation {
    reason: Arc<watch::Sender<Option<CancelReason>>>,
    flag: Arc<AtomicBool>,
}

impl Default for Cancellation {
    fn default() -> Self {
        Self { reason: Arc::new(watch::Sender::new(None)), flag: Arc::default() }
    }
}

impl Cancellation {
    /// Cancels the attempt. The first reason counts.
    pub fn cancel(&self, reason: CancelReason) {
        self.flag.store(true, Ordering::Relaxed);
        self.reason.send_if_modified(|first| {
            let is_first = first.is_none();
            first.get_or_insert(reason);
            is_first
        });
    }

    /// Resolves when the attempt is cancelled.
    pub async fn cancelled(&self) -> CancelReason {
        let mut reason = self.reason.subscribe();
        match reason.wait_for(Option::is_some).await.map(|reason| *reason) {
            Ok(Some(reason)) => reason,
            // The sender is part of `self`, so it is not closed.
            _ => std::future::pending().await,
        }
    }

    /// Returns the flag that engines on threads read.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }
}

/// How far an engine has come.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Progress {
    /// The part that is done, in percent, if the engine reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<u8>,
    /// The stage of the engine's work: `queued`, `rendering`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stage: String,
}

/// The limits, the random seed and the records of an attempt.
pub struct Context {
    /// The seed of all random numbers.
    pub seed: u64,
    /// When the attempt has to be finished.
    pub deadline: Instant,
    /// The maximum size of all files of the result, in bytes.
    pub most_bytes: u64,
    /// The folder of scratch files.
    pub scratch_folder: Option<PathBuf>,
    /// Counts the bytes in private folders for the key of the task.
    pub account: Option<Account>,
    /// Cancels the attempt.
    pub cancellation: Cancellation,
    /// The calls of a provider.
    pub calls: Calls,
    progress: watch::Sender<Progress>,
    nsfw: OnceLock<Vec<bool>>,
    hold: Arc<dyn Any + Send + Sync>,
}

impl Context {
    /// Creates the context of an attempt. `hold` is kept as long as a thread of the engine works.
    #[must_use]
    pub fn new(seed: u64, deadline: Instant, calls: Calls, hold: Arc<dyn Any + Send + Sync>) -> Self {
        Self {
            seed,
            deadline,
            most_bytes: u64::MAX,
            scratch_folder: None,
            account: None,
            cancellation: Cancellation::default(),
            calls,
            progress: watch::Sender::new(Progress::default()),
            nsfw: OnceLock::new(),
            hold,
        }
    }

    /// Returns what a thread of the engine has to keep until it ends.
    #[must_use]
    pub fn hold(&self) -> Arc<dyn Any + Send + Sync> {
        Arc::clone(&self.hold)
    }

    /// Reports how far the engine has come.
    pub fn report(&self, percent: Option<u8>, stage: impl Into<String>) {
        self.progress
            .send_replace(Progress { percent: percent.map(|percent| percent.min(100)), stage: stage.into() });
    }

    /// Reports which outputs are unsafe, in their order. The first report counts.
    pub fn report_nsfw(&self, found: Vec<bool>) {
        let _ = self.nsfw.set(found);
    }

    /// Returns which outputs are unsafe, if the engine has reported it.
    #[must_use]
    pub fn nsfw(&self) -> Option<Vec<bool>> {
        self.nsfw.get().cloned()
    }

    /// Returns a receiver of the progress.
    #[must_use]
    pub fn progress(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// Creates a file for a result or an input.
    ///
    /// # Errors
    /// Returns [`Failure::Internal`] if the file can't be created.
    pub fn scratch(&self) -> Result<Scratch, Failure> {
        Scratch::new(self.scratch_folder.as_deref(), self.most_bytes)
            .map_err(|error| Failure::Internal(format!("can't create a scratch file: {error}")))
    }

    /// Returns the job of a built-in engine.
    #[must_use]
    pub fn job(&self) -> Job {
        Job::new(self.seed, self.cancellation.flag())
            .in_folder(self.scratch_folder.clone())
            .at_most(self.most_bytes)
    }

    /// Returns the failure of a result that exceeds the maximum size.
    #[must_use]
    pub fn too_large() -> Failure {
        EngineFailure::too_large().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_reason_counts() {
        let cancellation = Cancellation::default();
        let clone = cancellation.clone();
        let waiting = tokio::spawn(async move { clone.cancelled().await });
        assert!(!cancellation.flag().load(Ordering::Relaxed));
        cancellation.cancel(CancelReason::TaskEnded);
        cancellation.cancel(CancelReason::Interrupted);
        assert_eq!(waiting.await.unwrap(), CancelReason::TaskEnded);
        assert_eq!(cancellation.cancelled().await, CancelReason::TaskEnded);
        assert!(cancellation.flag().load(Ordering::Relaxed));
    }
}
