//! The worker: claims tasks, runs their engines, and ends them.
//!
//! Built-in engines block, so they run on threads: at most [`Settings::threads`] at a time, and one more for quick
//! tasks. Attached engines need no thread: each has a lane of its own.
//!
//! A task passes these modules: `scheduler` (with `choice` and `permits`) claims it, `attempt` runs its `stage`,
//! `outcome` says what follows, and `settle` stores it.

mod attempt;
mod choice;
mod known;
mod outcome;
mod output;
mod permits;
mod scheduler;
mod settle;
mod stage;
mod stopwatch;

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::config::{as_seconds, seconds};
use crate::engine::registry::Registry;
use crate::files::{FileUrls, Files};
use crate::net::fetch::Fetcher;
use crate::store::SharedStore;
use crate::time::Clock;

use scheduler::Scheduler;

/// Hung engines occupy all threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "hung engines occupy all its threads, and those that replaced them; restart the process, and see the log for their tasks"
)]
pub struct NoThreadLeft;

/// The settings of the worker: the table `worker`.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Settings {
    /// The maximum number of engines that run at the same time, in addition to one for quick tasks.
    ///
    /// Default: the number of processors. With `0` this process runs no tasks.
    pub threads: usize,
    /// How long a lease is valid without a heartbeat. Default: 30 seconds.
    #[serde(rename = "lease-seconds", deserialize_with = "seconds", serialize_with = "as_seconds")]
    pub lease: Duration,
    /// The interval at which the worker polls the queue if nothing wakes it.
    #[serde(skip)]
    pub poll: Duration,
    /// The maximum number of tasks in progress per API key, over all processes. Default: 8.
    pub running_per_key: u32,
    /// The maximum number of attempts per task. Default: 3.
    pub max_attempts: u32,
    /// The delay before the second attempt, with a jitter of 20 %. Default: 10 seconds.
    ///
    /// Each further delay doubles, up to [`MAX_WAIT`].
    #[serde(rename = "backoff-seconds", deserialize_with = "seconds", serialize_with = "as_seconds")]
    pub backoff: Duration,
    /// How many times a failure of the service itself may return a task to the queue before it fails. Default: 20.
    pub max_outages: u32,
    /// How long an attempt may take, by [family](crate::engine::family::Family::name): the table `deadlines`.
    #[serde(skip)]
    pub deadlines: BTreeMap<String, Duration>,
}

impl Settings {
    /// Returns how long an attempt at a task of this family may take.
    fn deadline(&self, family: &str) -> Duration {
        self.deadlines.get(family).copied().unwrap_or(DEADLINE)
    }
}

/// How long an attempt may take by default.
pub const DEADLINE: Duration = Duration::from_secs(30 * 60);

/// The maximum delay between two attempts, before jitter.
pub const MAX_WAIT: Duration = Duration::from_secs(5 * 60);

impl Default for Settings {
    fn default() -> Self {
        Self {
            threads: crate::machine::processors(),
            lease: Duration::from_secs(30),
            poll: Duration::from_secs(1),
            running_per_key: 8,
            max_attempts: 3,
            backoff: Duration::from_secs(10),
            max_outages: 20,
            deadlines: BTreeMap::new(),
        }
    }
}

/// The parts that a worker needs. Clones share them.
#[derive(Clone)]
pub struct Worker {
    /// The store of tasks.
    pub store: SharedStore,
    /// The file store.
    pub files: Files,
    /// Downloads media.
    pub fetcher: Fetcher,
    /// The engines by family.
    pub registry: Arc<Registry>,
    /// Builds the URLs of results.
    pub urls: FileUrls,
    /// The source of time.
    pub clock: Clock,
    /// The settings.
    pub settings: Settings,
    /// The name of this process, unique among those that share the store.
    pub owner: String,
}

impl Worker {
    /// Works until `stop` is true, then hands back what does not finish in `grace`.
    ///
    /// # Errors
    /// Also stops if hung engines occupy all threads, because only a new process has free threads.
    pub async fn run(self, mut stop: watch::Receiver<bool>, grace: Duration) -> Result<(), NoThreadLeft> {
        let halt = watch::Sender::new(false);
        let scheduler = Scheduler::new(&self, Stop { signal: halt.subscribe(), grace_period: grace });
        let stopped = async {
            if stop.wait_for(|stop| *stop).await.is_ok() {
                halt.send_replace(true);
            }
            pending().await
        };
        tokio::select! {
            ended = scheduler.run(&halt) => ended,
            ended = stopped => ended,
        }
    }
}

/// The signal to stop, and how long attempts may continue after it.
#[derive(Clone)]
struct Stop {
    signal: watch::Receiver<bool>,
    grace_period: Duration,
}

impl Stop {
    fn is_set(&self) -> bool {
        *self.signal.borrow()
    }

    /// Resolves once the process stops.
    async fn set(&self) {
        if self.signal.clone().wait_for(|stop| *stop).await.is_err() {
            pending::<()>().await;
        }
    }

    /// Resolves once attempts have to end.
    async fn forced(&self) {
        self.set().await;
        tokio::time::sleep(self.grace_period).await;
    }
}
