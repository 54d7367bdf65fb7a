//! What is measured: the recorder, what each measurement is, and what has to be done now and then for it.
//!
//! Measurements are made where things happen, by the macros of `metrics`; here is what they mean. Times are told in
//! buckets, which can be added up over processes.

use std::future::{Future, ready};
use std::sync::Arc;
use std::time::Duration;

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tokio::time::{MissedTickBehavior, interval};

use crate::files::Files;
use crate::log;
use crate::store::{SharedStore, Undelivered};
use crate::time::Clock;

/// Upper bounds of what takes as long as a request, in seconds.
const REQUEST: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

/// Upper bounds of what takes as long as a task, in seconds.
const WORK: &[f64] =
    &[0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0];

/// Each measurement, and what it tells.
const COUNTERS: &[(&str, &str)] = &[
    ("http_requests_total", "Requests that were answered, by operation and status."),
    (
        "requests_limited_total",
        "Requests that were refused, by the limit: of the key, of its day, of the address, of bodies under way.",
    ),
    ("tasks_created_total", "Tasks that were accepted, by family."),
    ("tasks_ended_total", "Tasks that have ended, by status."),
    ("task_leases_lost_total", "Leases that ran out under the work, which was thrown away."),
    ("sweeps_failed_total", "Sweeps that ended early; what was left is swept the next time."),
    (log::DROPPED, "Log lines that were dropped because stderr was not read in time."),
    ("webhook_attempts_total", "Attempts to deliver a webhook event, by what came of them."),
];
const GAUGES: &[(&str, &str)] = &[
    ("tasks_waiting", "Tasks that wait for a worker, of all processes."),
    ("webhook_events_pending", "Webhook events that are neither delivered nor given up, of all processes."),
    ("webhook_oldest_pending_seconds", "Age of the oldest of them; 0 where there is none."),
    ("tasks_in_progress", "Tasks that are worked on, by all processes."),
    ("data_free_bytes", "Free space on the disk of the file store."),
];
const HISTOGRAMS: &[(&str, &str, &[f64])] = &[
    ("http_request_seconds", "Time from a request to its answer's head, by operation.", REQUEST),
    ("task_waiting_seconds", "Time from a task's creation to its first attempt, by family.", WORK),
    ("task_attempt_seconds", "Time that an attempt at a task took, by family and by what came of it.", WORK),
    ("webhook_duration_seconds", "Time that an attempt to deliver a webhook event took.", REQUEST),
];

/// How often samples are taken into their buckets. Until then each is kept by itself, whether anybody asks for them or not.
const UPKEEP: Duration = Duration::from_secs(5);

/// How often the store is asked for what it alone knows.
const REFRESH: Duration = Duration::from_secs(10);

/// Makes the recorder that all measurements of this process go to.
///
/// # Errors
/// There is one already.
pub fn install() -> Result<PrometheusHandle, BuildError> {
    let mut builder = PrometheusBuilder::new();
    for (name, _, buckets) in HISTOGRAMS {
        builder = builder.set_buckets_for_metric(Matcher::Full((*name).to_owned()), buckets)?;
    }
    let handle = builder.install_recorder()?;
    for (name, help) in COUNTERS {
        metrics::describe_counter!(*name, *help);
    }
    // A counter is exported once it is touched, and this one should be there before anything is dropped.
    metrics::counter!(log::DROPPED).absolute(0);
    for (name, help) in GAUGES {
        metrics::describe_gauge!(*name, *help);
    }
    for (name, help, _) in HISTOGRAMS {
        metrics::describe_histogram!(*name, *help);
    }
    Ok(handle)
}

/// Keeps measurements in order until `stop` is ready.
pub async fn run(
    handle: PrometheusHandle,
    store: SharedStore,
    files: Files,
    stop: impl Future<Output = ()> + Send,
) {
    let upkeep = || {
        handle.run_upkeep();
        ready(())
    };
    tokio::select! {
        () = every(UPKEEP, upkeep) => {}
        () = every(REFRESH, || refresh(Arc::clone(&store), files.clone())) => {}
        () = stop => {}
    }
}

/// Does this at once, and then once in each such time, for ever.
async fn every<F: Future<Output = ()>>(period: Duration, mut work: impl FnMut() -> F) {
    let mut beats = interval(period);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        beats.tick().await;
        work().await;
    }
}

/// What only the store and the disk know.
async fn refresh(store: SharedStore, files: Files) {
    if let Some(free) = files.free_space() {
        metrics::gauge!("data_free_bytes").set(free as f64);
    }
    match store.depth().await {
        Ok((waiting, running)) => {
            metrics::gauge!("tasks_waiting").set(waiting as f64);
            metrics::gauge!("tasks_in_progress").set(running as f64);
        }
        Err(error) => tracing::warn!(%error, "the tasks that wait can't be counted"),
    }
    match store.undelivered().await {
        Ok(Undelivered { count, oldest }) => {
            let age = oldest.map_or(0, |oldest| Clock::System.now().saturating_sub(oldest).max(0));
            metrics::gauge!("webhook_events_pending").set(count as f64);
            metrics::gauge!("webhook_oldest_pending_seconds").set(age as f64 / 1000.0);
        }
        Err(error) => tracing::warn!(%error, "the webhook events that wait can't be counted"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn what_is_done_now_and_then_is_done_again_and_again() {
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
