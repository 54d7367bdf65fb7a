//! Counts the limits of keys together with the other processes of a database.
//!
//! Each process decides on its own, and reports to the database what it has allowed: ten times a second what is much for
//! its limit, and once a second the rest. So no request waits for a write, and a database that does not respond makes
//! each process count alone.

use std::collections::HashMap;
use std::fmt::Display;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use super::concurrency::InProgress;
use super::limits::{Buckets, Failures, Rate};
use crate::store::limits::SharedLimits;
use crate::store::{Result, SharedStore};

/// The maximum number of keys that have a bucket at the same time.
const BUCKETS: usize = 100_000;

/// The time between two reports.
const PAUSE: Duration = Duration::from_millis(100);

/// The number of reports until the next one of all requests in progress, and until idle callers are removed.
const REPORTS: u32 = 10;
const UNTIL_REMOVAL: u32 = 600;

/// The rates and the requests in progress of keys, and the failures of addresses.
#[derive(Debug)]
pub struct Limits {
    /// The calls of each key.
    pub rates: Buckets<Arc<str>>,
    /// The invalid keys of each address.
    pub failures: Failures,
    /// The requests of each key in progress.
    pub in_progress: InProgress<Arc<str>>,
}

impl Limits {
    /// Creates the limits of a process, which counts alone if its store does.
    #[must_use]
    pub fn new(store: &SharedStore, failures: Rate) -> Self {
        let is_shared = store.shared_limits().is_some();
        Self {
            rates: Buckets::new(BUCKETS).shared(is_shared),
            failures: Failures::new(failures, is_shared),
            in_progress: InProgress::new(is_shared),
        }
    }
}

/// Reports to the other processes, if there can be some, until `stop` is ready.
pub async fn run(limits: Arc<Limits>, store: SharedStore, process: String, stop: impl Future<Output = ()>) {
    let report = async {
        let Some(shared) = store.shared_limits() else { return std::future::pending().await };
        let mut beats = interval(PAUSE);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for number in (0..UNTIL_REMOVAL).cycle() {
            beats.tick().await;
            if let Err(error) = report(&limits, shared, &process, number).await {
                tracing::debug!(%error, "can't count limits together with other processes");
            }
        }
    };
    tokio::select! {
        () = report => {}
        () = stop => {}
    }
}

async fn report(limits: &Limits, shared: &dyn SharedLimits, process: &str, number: u32) -> Result<()> {
    report_used(&limits.rates, "key", shared).await?;
    report_used(&limits.failures.buckets, "address", shared).await?;
    let requests = limits.in_progress.report(number.is_multiple_of(REPORTS));
    if !requests.is_empty() {
        let named: Vec<_> = requests.iter().map(|(key, requests)| (key.to_string(), *requests)).collect();
        let elsewhere = shared.set_in_progress(process, &named).await?;
        for (key, here) in requests {
            limits.in_progress.settle(&key, here, elsewhere.get(&*key).copied().unwrap_or_default());
        }
    }
    if number == 0 { shared.forget_idle().await } else { Ok(()) }
}

/// Reports what callers of this kind have used.
async fn report_used<K>(buckets: &Buckets<K>, kind: &str, shared: &dyn SharedLimits) -> Result<()>
where
    K: Clone + Display + Eq + Hash,
{
    let due = buckets.report();
    if due.is_empty() {
        return Ok(());
    }
    let named: Vec<_> = due.iter().map(|(caller, used)| (format!("{kind} {caller}"), *used)).collect();
    let missing = shared.add_used(&named).await;
    let known = missing.as_ref().ok();
    for ((caller, used), (name, _)) in due.into_iter().zip(&named) {
        match known.map(|missing: &HashMap<_, _>| missing.get(name)) {
            Some(missing) => buckets.settle(&caller, missing.copied().unwrap_or_default()),
            None => buckets.put_back(caller, used),
        }
    }
    missing.map(drop)
}
