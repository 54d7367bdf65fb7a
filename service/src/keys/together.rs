//! Counts the limits of keys together with the other processes of a database.
//!
//! Each process decides on its own, and reports to the database what it has allowed. It reports large changes ten times a
//! second, and the others once a second. So no request waits for a write. While the database does not respond, each
//! process counts alone.

use std::fmt::Display;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::{MissedTickBehavior, interval};

use super::concurrency::InProgress;
use super::limits::{Buckets, Failures, Rate, Used};
use crate::store::limits::SharedLimits;
use crate::store::{Result, SharedStore};

/// The maximum number of keys that have a bucket at the same time.
const BUCKETS: usize = 100_000;

/// The time between two reports.
const PAUSE: Duration = Duration::from_millis(100);

/// The time between two reports of all requests in progress.
const ALL: Duration = Duration::from_secs(1);

/// The time between two removals of idle callers.
const REMOVAL_INTERVAL: Duration = Duration::from_secs(60);

/// The time between two warnings.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);

/// The maximum number of callers in a statement.
const CALLERS: usize = 5000;

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
        Self::counted(store.shared_limits().is_some(), failures)
    }

    /// Creates limits that count in this process alone.
    #[must_use]
    pub fn alone(failures: Rate) -> Self {
        Self::counted(false, failures)
    }

    fn counted(is_shared: bool, failures: Rate) -> Self {
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
        let (mut reported, mut removed, mut warned) = (None, None, None);
        loop {
            beats.tick().await;
            let of_all = is_due(&mut reported, ALL);
            // A part that fails does not end the others.
            let parts = [
                report_in_progress(&limits, shared, &process, of_all).await,
                report_used(&limits.rates, "key", shared, |_| true).await,
                report_used(&limits.failures.buckets, "address", shared, is_of_one_caller).await,
                if is_due(&mut removed, REMOVAL_INTERVAL) { shared.forget_idle().await } else { Ok(()) },
            ];
            let error = parts.into_iter().find_map(Result::err);
            if let Some(error) = error.filter(|_| is_due(&mut warned, WARNING_INTERVAL)) {
                tracing::warn!(%error, "limits count in this process alone, until the database responds");
            }
        }
    };
    tokio::select! {
        () = report => {}
        () = stop => {}
    }
}

/// Returns whether this time has passed since the last one, and notes the present as the last one.
fn is_due(last: &mut Option<Instant>, pause: Duration) -> bool {
    let is_due = last.is_none_or(|last| last.elapsed() >= pause);
    if is_due {
        *last = Some(Instant::now());
    }
    is_due
}

/// Returns whether an address is the same caller for all processes. A private one can be another caller in another network.
fn is_of_one_caller(address: &IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !(address.is_loopback() || address.is_private() || address.is_link_local()),
        IpAddr::V6(address) => {
            !(address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local())
        }
    }
}

async fn report_in_progress(
    limits: &Limits,
    shared: &dyn SharedLimits,
    process: &str,
    of_all: bool,
) -> Result<()> {
    let requests = limits.in_progress.report(of_all);
    for some in requests.chunks(CALLERS) {
        let named: Vec<_> = some.iter().map(|(key, requests)| (key.to_string(), *requests)).collect();
        let elsewhere = match shared.set_in_progress(process, &named).await {
            Ok(elsewhere) => elsewhere,
            Err(error) => {
                limits.in_progress.count_alone();
                return Err(error);
            }
        };
        for (key, here) in some {
            limits.in_progress.settle(key, *here, elsewhere.get(&**key).copied().unwrap_or_default());
        }
    }
    Ok(())
}

/// Reports what callers of this kind have used.
async fn report_used<K>(
    buckets: &Buckets<K>,
    kind: &str,
    shared: &dyn SharedLimits,
    is_shared: impl Fn(&K) -> bool,
) -> Result<()>
where
    K: Clone + Display + Eq + Hash,
{
    let (mut due, begun) = (buckets.report(), Instant::now());
    due.retain(|(caller, _)| is_shared(caller));
    let mut result = Ok(());
    for some in due.chunks(CALLERS) {
        let named: Vec<_> = some.iter().map(|(caller, used)| (format!("{kind} {caller}"), *used)).collect();
        match shared.add_used(&named).await {
            Ok(missing) => {
                for ((caller, _), (name, _)) in some.iter().zip(&named) {
                    buckets.settle(caller, missing.get(name).copied().unwrap_or_default());
                }
            }
            Err(error) => {
                for (caller, used) in some {
                    buckets.put_back(caller.clone(), Used { since: used.since + begun.elapsed(), ..*used });
                }
                result = Err(error);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use async_trait::async_trait;

    use super::*;
    use crate::store::Error;

    /// A database that responds late, and with errors.
    struct Away;

    const LATE: Duration = Duration::from_millis(30);

    #[async_trait]
    impl SharedLimits for Away {
        async fn add_used(&self, _: &[(String, Used)]) -> Result<HashMap<String, Duration>> {
            tokio::time::sleep(LATE).await;
            Err(Error::DatabaseUrl("away".to_owned()))
        }

        async fn set_in_progress(&self, _: &str, _: &[(String, u32)]) -> Result<HashMap<String, u32>> {
            Err(Error::DatabaseUrl("away".to_owned()))
        }

        async fn forget_idle(&self) -> Result<()> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_use_that_could_not_be_reported_keeps_its_age() {
        let buckets: Buckets<&str> = Buckets::new(10).shared(true);
        assert!(buckets.take("key", Rate { depth: 1, per_second: 1.0 }).is_allowed());
        assert!(report_used(&buckets, "key", &Away, |_| true).await.is_err());
        let [(_, used)] = buckets.report().try_into().unwrap();
        assert!(used.since >= LATE, "{used:?}");
        assert!(report_used(&buckets, "key", &Away, |_| false).await.is_ok(), "it is not reported");
    }

    #[tokio::test]
    async fn without_reports_a_process_counts_alone() {
        let failures = Rate { depth: 1, per_second: 1.0 };
        let limits = Limits {
            rates: Buckets::new(10).shared(true),
            failures: Failures::new(failures, true),
            in_progress: InProgress::new(true),
        };
        let key: Arc<str> = "key".into();
        drop(limits.in_progress.begin(&key, 1, 2));
        limits.in_progress.settle(&key, 0, 2);
        assert!(limits.in_progress.begin(&key, 1, 2).is_none());
        assert!(report_in_progress(&limits, &Away, "process", true).await.is_err());
        assert!(limits.in_progress.begin(&key, 1, 2).is_some());
    }

    #[test]
    fn private_addresses_are_not_shared() {
        for (address, expected) in [
            ("127.0.0.1", false),
            ("172.17.0.1", false),
            ("::1", false),
            ("fd00::", false),
            ("8.8.8.8", true),
        ] {
            assert_eq!(is_of_one_caller(&address.parse().unwrap()), expected, "{address}");
        }
    }
}
