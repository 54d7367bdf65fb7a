//! The settings of tasks: concurrency, retries, retention.

use serde::Deserialize;

/// Concurrency, leases and retries of tasks.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct WorkerSettings {
    /// The maximum number of engines that run at the same time.
    ///
    /// Default: the number of processors. With `0` this process runs no tasks.
    pub threads: Option<usize>,
    /// Seconds until a lease expires without a heartbeat. Default: 30.
    pub lease_seconds: Option<u64>,
    /// The maximum number of tasks in progress per API key. Default: 8.
    pub running_per_key: Option<u32>,
    /// The maximum number of attempts per task. Default: 3.
    pub max_attempts: Option<u32>,
    /// Seconds before the second attempt; each further delay doubles. Default: 10.
    pub backoff_seconds: Option<u64>,
    /// How often a failure of the service itself may return a task to the queue before it fails. Default: 20.
    pub max_outages: Option<u32>,
}

/// Limits on the disk of the data folder.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Disk {
    /// Free space in MiB under which no task is accepted. Default: 512.
    pub low_water_mib: u64,
}

impl Default for Disk {
    fn default() -> Self {
        Self { low_water_mib: 512 }
    }
}

/// How long tasks may wait, and how long ended tasks and their files are kept.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Retention {
    /// Days that a task may wait for its engine after it was accepted, before it fails. Default: 7.
    pub waiting_days: Option<u64>,
    /// Days that ended tasks are kept. Default: 30.
    pub task_days: Option<u64>,
    /// Whether the sweep removes the result files of expired tasks.
    ///
    /// Default: `false`.
    pub remove_files: bool,
    /// Seconds between sweeps. Default: 3600.
    pub sweep_seconds: Option<u64>,
    /// Seconds until the sweep removes a file that belongs to nothing.
    ///
    /// Default: one day.
    ///
    /// It must be longer than any request takes from its files to its task: at least 600.
    pub orphan_seconds: Option<u64>,
}
