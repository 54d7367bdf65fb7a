//! The metrics: the recorder, the help text of each metric, and periodic upkeep.
//!
//! The macros of `metrics` record values throughout the service. Times are histograms with fixed buckets, which can be
//! summed over processes.

pub mod keys;

use std::collections::BTreeSet;
use std::future::{Future, ready};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use parking_lot::Mutex;
use tokio::time::{MissedTickBehavior, interval};

use crate::domain::{DeliveryCaps, QueueLength, TaskStatus};
use crate::files::Files;
use crate::store::{self, HeldBack, Load, OldVersions, SharedStore, Undelivered};
use crate::time::{Clock, Millis};
use crate::trace::otlp;
use crate::{log, machine};

/// Bucket bounds for times of requests, in seconds.
const REQUEST: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

/// Bucket bounds for times of tasks, in seconds.
const WORK: &[f64] =
    &[0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0];

/// The name and help text of each counter.
const COUNTERS: &[(&str, &str)] = &[
    ("http_requests_total", "Responses, by operation and status."),
    ("requests_limited_total", "Requests rejected by a limit, by limit."),
    (
        "database_timeouts_total",
        "Statements that ended at a time limit, by limit: of the `statement`, of the `response`, of the wait for a `connection` or for a `lock`.",
    ),
    (
        "connections_closed_total",
        "Connections that the service closed, by reason: `full` to make room for another, `idle` without a request, `stalled` with an unread response.",
    ),
    ("tasks_created_total", "Accepted tasks, by family."),
    ("tasks_ended_total", "Ended tasks, by status."),
    ("tasks_failed_total", "Failed tasks, by the code of their error, such as `result_too_large`."),
    ("task_leases_lost_total", "Leases that expired during an attempt, whose result was discarded."),
    ("engine_failures_total", "Calls that failed because an attached engine does not work, by engine."),
    (
        "engine_calls_total",
        "Finished calls of attached engines, by engine and whether the settings name a price.",
    ),
    (
        "engine_cost_millionths_total",
        "Cost of finished calls in millionths of a currency unit, by engine and currency.",
    ),
    ("engines_hung_total", "Engines that ignored their cancellation and still occupy a thread."),
    ("process_cpu_seconds_total", "Processor time that the process has used, in seconds."),
    ("sweeps_failed_total", "Sweeps that failed; the next one continues."),
    (
        otlp::SPANS,
        "Spans by outcome: sent to the collector, dropped because too many waited, or refused by the collector.",
    ),
    (log::DROPPED, "Log lines dropped because stderr was not read in time."),
    ("webhook_attempts_total", "Attempts to deliver a webhook event, by outcome."),
];
/// The gauge of unsent bytes.
pub const UNSENT: &str = "http_unsent_bytes";

const GAUGES: &[(&str, &str)] = &[
    ("tasks_waiting", "Tasks that wait for a worker, in all processes."),
    (
        "tasks_oldest_waiting_seconds",
        "Age of the oldest task that could begin, in seconds, by the engines that it needs, in all processes; 0 if there is none.",
    ),
    ("webhook_events_pending", "Webhook events that are neither delivered nor given up, in all processes."),
    (
        "webhook_oldest_pending_seconds",
        "Age of the oldest pending webhook event, in seconds; 0 if there is none.",
    ),
    ("tasks_in_progress", "Tasks in progress, in all processes."),
    ("tasks_open", "Tasks that wait or are in progress, by family and status, in all processes."),
    (
        "tasks_oldest_running_seconds",
        "Time since the longest running task began, in seconds, in all processes; 0 if there is none.",
    ),
    ("clock_skew_seconds", "How far the clock of this machine is ahead of the database's, in seconds."),
    (
        "tasks_held_back",
        "Tasks that wait because their key has `running-per-key` tasks in progress, in all processes.",
    ),
    (
        "webhook_events_held_back",
        "Due webhook events that wait because their host, their key or both have as many deliveries in progress as they may, in all processes.",
    ),
    (
        "webhook_deliveries_in_progress",
        "Deliveries in progress in this process, at most the limit of a process.",
    ),
    ("quiesced", "1 while the service is a restored copy that an operator has not resumed, otherwise 0."),
    (
        "sweep_paused",
        "1 while the sweep removes nothing because a clock differs or has jumped, a backup is in progress or the service is quiesced, otherwise 0.",
    ),
    ("data_free_bytes", "Free space on the disk of the file store, in bytes."),
    (UNSENT, "Bytes of responses that clients have not taken yet."),
    ("database_connections", "Connections to the database, by state; of the embedded one, those that read."),
    ("database_connections_limit", "The most connections to the database."),
    ("database_writes_waiting", "Writes that wait for a transaction."),
    (
        "database_dead_rows",
        "Old versions of rows that PostgreSQL has not removed yet, by table, in all processes.",
    ),
    (
        "database_oldest_transaction_seconds",
        "Age of the oldest transaction that keeps PostgreSQL from removing old versions of rows, in seconds.",
    ),
    ("build_info", "1, with the version of the program."),
    ("process_start_time_seconds", "When the process started, in seconds since 1970."),
    ("process_resident_memory_bytes", "Memory of the process, in bytes."),
    ("process_open_fds", "Open files and connections of the process."),
    ("process_max_fds", "The most open files and connections that the process may have."),
];
const HISTOGRAMS: &[(&str, &str, &[f64])] = &[
    (
        "http_server_request_duration_seconds",
        "Seconds from a request to the head of its response, by route, method and status.",
        REQUEST,
    ),
    ("task_waiting_seconds", "Seconds from the creation of a task to its first attempt, by family.", WORK),
    ("task_attempt_seconds", "Duration of an attempt at a task in seconds, by family and outcome.", WORK),
    ("claim_seconds", "Duration of a claim in seconds, by queue.", REQUEST),
    ("webhook_duration_seconds", "Duration of an attempt to deliver a webhook event, in seconds.", REQUEST),
];

/// A limit that rejects requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The rate of an address.
    Address,
    /// The memory for bodies in progress.
    Bodies,
    /// The time in which a body has to arrive.
    BodyTime,
    /// The requests of a key in progress.
    Concurrency,
    /// The tasks of a key per day.
    Day,
    /// The free space of the disk.
    Disk,
    /// The downloads of an address in progress.
    Downloads,
    /// The rate of a key.
    Key,
    /// The tasks of a key that wait or are in progress.
    OpenTasks,
    /// The stored files of a key.
    Stored,
    /// The time until the response.
    Time,
    /// The media of a key per day.
    Uploads,
    /// The undelivered webhook events of a key.
    Webhooks,
}

impl Limit {
    /// All limits.
    pub const ALL: [Self; 13] = [
        Self::Address,
        Self::Bodies,
        Self::BodyTime,
        Self::Concurrency,
        Self::Day,
        Self::Disk,
        Self::Downloads,
        Self::Key,
        Self::OpenTasks,
        Self::Stored,
        Self::Time,
        Self::Uploads,
        Self::Webhooks,
    ];

    /// Returns its name, the label `limit` of the metric.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Bodies => "bodies",
            Self::BodyTime => "body-time",
            Self::Concurrency => "concurrency",
            Self::Day => "day",
            Self::Disk => "disk",
            Self::Downloads => "downloads",
            Self::Key => "key",
            Self::OpenTasks => "open-tasks",
            Self::Stored => "stored",
            Self::Time => "time",
            Self::Uploads => "uploads",
            Self::Webhooks => "webhooks",
        }
    }

    /// Counts a request that it rejected.
    pub fn count(self) {
        metrics::counter!("requests_limited_total", "limit" => self.name()).increment(1);
    }
}

/// Returns the name of every metric.
pub fn names() -> impl Iterator<Item = &'static str> {
    let plain = COUNTERS.iter().chain(&keys::COUNTERS).chain(GAUGES).map(|(name, _)| *name);
    plain.chain(HISTOGRAMS.iter().map(|(name, _, _)| *name))
}

/// The interval at which samples are moved into their buckets. Until then, each sample takes memory.
const UPKEEP: Duration = Duration::from_secs(5);

/// The interval at which the store is queried for counts.
const REFRESH: Duration = Duration::from_secs(10);

/// Installs the recorder of this process.
///
/// # Errors
/// Returns an error if a recorder is installed already.
pub fn install() -> Result<PrometheusHandle, BuildError> {
    let mut builder = PrometheusBuilder::new();
    for (name, _, buckets) in HISTOGRAMS {
        builder = builder.set_buckets_for_metric(Matcher::Full((*name).to_owned()), buckets)?;
    }
    let handle = builder.install_recorder()?;
    for (name, help) in COUNTERS.iter().chain(&keys::COUNTERS) {
        metrics::describe_counter!(*name, *help);
    }
    // A counter is exported only after its first use. These start at 0, so that an alert sees the first increase.
    for name in [log::DROPPED, "engines_hung_total", "sweeps_failed_total", "task_leases_lost_total"] {
        metrics::counter!(name).absolute(0);
    }
    for outcome in ["exported", "dropped", "refused"] {
        metrics::counter!(otlp::SPANS, "outcome" => outcome).absolute(0);
    }
    for (name, help) in GAUGES {
        metrics::describe_gauge!(*name, *help);
    }
    metrics::gauge!("build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    metrics::gauge!("process_start_time_seconds").set(now.as_secs_f64());
    for (name, help, _) in HISTOGRAMS {
        metrics::describe_histogram!(*name, *help);
    }
    Ok(handle)
}

/// Runs the periodic upkeep until `stop` is ready.
pub async fn run(
    handle: PrometheusHandle,
    store: SharedStore,
    files: Files,
    running_per_key: u32,
    stop: impl Future<Output = ()> + Send,
) {
    let upkeep = || {
        handle.run_upkeep();
        ready(())
    };
    let queues = Arc::default();
    let refresh = || refresh(Arc::clone(&store), files.clone(), running_per_key, Arc::clone(&queues));
    tokio::select! {
        () = every(UPKEEP, upkeep) => {}
        () = every(REFRESH, refresh) => {}
        () = stop => {}
    }
}

/// Does `work` at once and then once per period, forever.
async fn every<F: Future<Output = ()>>(period: Duration, mut work: impl FnMut() -> F) {
    let mut beats = interval(period);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        beats.tick().await;
        work().await;
    }
}

/// The queues that have a gauge.
#[derive(Default)]
struct Queues {
    /// By the engines that their tasks need.
    engines: Mutex<BTreeSet<String>>,
    /// By the family and the status of their tasks.
    families: Mutex<BTreeSet<(String, &'static str)>>,
}

/// Updates the gauges of this process.
fn refresh_process(store: &SharedStore) {
    let Load { connections, idle, most, writes_waiting, ahead } = store.load();
    metrics::gauge!("clock_skew_seconds").set(ahead as f64 / 1000.0);
    metrics::gauge!("database_connections", "state" => "idle").set(idle as f64);
    metrics::gauge!("database_connections", "state" => "in-use").set(connections.saturating_sub(idle) as f64);
    metrics::gauge!("database_connections_limit").set(most as f64);
    metrics::gauge!("database_writes_waiting").set(writes_waiting as f64);
    if let Some(used) = machine::used() {
        metrics::counter!("process_cpu_seconds_total").absolute(used.processor_seconds as u64);
        metrics::gauge!("process_resident_memory_bytes").set(used.memory as f64);
        metrics::gauge!("process_open_fds").set(used.files as f64);
        metrics::gauge!("process_max_fds").set(used.most_files as f64);
    }
}

/// Updates the gauges that the process, the store and the disk supply.
async fn refresh(store: SharedStore, files: Files, running_per_key: u32, queues: Arc<Queues>) {
    refresh_process(&store);
    if let Some(free) = files.free_space() {
        metrics::gauge!("data_free_bytes").set(free as f64);
    }
    if let Some(versions) = read("count old versions of rows", store.old_versions()).await {
        versions.into_iter().for_each(show_old_versions);
    }
    if let Some(lengths) = read("count the waiting tasks", store.queues()).await {
        show_lengths(&lengths, &queues);
    }
    let now = Clock::System.now();
    if let Some(oldest) = read("read how long tasks wait", store.oldest_due(now)).await {
        show_oldest(oldest, &queues.engines);
    }
    if let Some(HeldBack { tasks, events }) =
        read("count what caps hold back", store.held_back(running_per_key, DeliveryCaps::default(), now))
            .await
    {
        metrics::gauge!("tasks_held_back").set(tasks as f64);
        metrics::gauge!("webhook_events_held_back").set(events as f64);
    }
    if let Some(Undelivered { count, oldest }) =
        read("count the pending webhook events", store.undelivered()).await
    {
        metrics::gauge!("webhook_events_pending").set(count as f64);
        metrics::gauge!("webhook_oldest_pending_seconds").set(seconds_since(oldest));
    }
}

/// Reads from the store; logs an error.
async fn read<T>(what: &str, reading: impl Future<Output = store::Result<T>>) -> Option<T> {
    reading.await.inspect_err(|error| tracing::warn!(%error, "can't {what}")).ok()
}

/// Returns the seconds since this time; 0 without one.
fn seconds_since(at: Option<Millis>) -> f64 {
    at.map_or(0, |at| Clock::System.now().saturating_sub(at).max(0)) as f64 / 1000.0
}

fn show_old_versions(OldVersions { dead, oldest_transaction }: OldVersions) {
    for (table, dead) in dead {
        metrics::gauge!("database_dead_rows", "table" => table).set(dead as f64);
    }
    metrics::gauge!("database_oldest_transaction_seconds").set(oldest_transaction.as_secs_f64());
}

/// Shows the open tasks, in all and by family. Queues that are empty now show 0.
fn show_lengths(lengths: &[QueueLength], queues: &Queues) {
    let of = |status| lengths.iter().filter(move |length| length.status == status);
    let count = |status| of(status).map(|length| length.tasks).sum::<u64>() as f64;
    metrics::gauge!("tasks_waiting").set(count(TaskStatus::Created));
    metrics::gauge!("tasks_in_progress").set(count(TaskStatus::InProgress));
    let oldest = of(TaskStatus::InProgress).map(|length| length.oldest).min();
    metrics::gauge!("tasks_oldest_running_seconds").set(seconds_since(oldest));
    let name = |status| if status == TaskStatus::Created { "waiting" } else { "in-progress" };
    let mut families = queues.families.lock();
    families.extend(lengths.iter().map(|length| (length.family.clone(), name(length.status))));
    for (family, status) in families.iter() {
        let is_it = |length: &&QueueLength| length.family == *family && name(length.status) == *status;
        let tasks = lengths.iter().find(is_it).map_or(0, |length| length.tasks);
        metrics::gauge!("tasks_open", "family" => family.clone(), "status" => *status).set(tasks as f64);
    }
}

/// Shows how long the oldest task of each queue has waited. Queues that are empty now show 0.
fn show_oldest(oldest: Vec<(String, Millis)>, queues: &Mutex<BTreeSet<String>>) {
    let mut queues = queues.lock();
    queues.extend(oldest.iter().map(|(engines, _)| engines.clone()));
    for engines in queues.iter() {
        let accepted = oldest.iter().find(|(waiting, _)| waiting == engines).map(|(_, at)| *at);
        let gauge = metrics::gauge!("tasks_oldest_waiting_seconds", "engines" => engines.clone());
        gauge.set(seconds_since(accepted));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn periodic_work_repeats() {
        let done = AtomicUsize::new(0);
        let enough = tokio::sync::Notify::new();
        let work = || {
            if done.fetch_add(1, Ordering::SeqCst) == 3 {
                enough.notify_one();
            }
            ready(())
        };
        tokio::select! {
            () = every(Duration::from_millis(1), work) => {}
            () = enough.notified() => {}
        }
        assert!(done.load(Ordering::SeqCst) >= 3);
    }
}
