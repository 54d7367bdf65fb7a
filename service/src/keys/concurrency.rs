//! Limits how many requests of one caller, a key or an address, are in progress at the same time.
//!
//! A request is in progress until its response is sent. The unsent bytes of large responses count too: a caller that has
//! too many of them begins no request.
//!
//! Several processes on one database report their requests to each other, so that they count together.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

/// The number of bytes of a response that are not counted. The number of requests in progress bounds small responses.
const SMALL: u64 = 16 * 1024;

/// The unsent bytes of large responses with which a caller begins no further request.
pub const UNSENT: u64 = 8 * 1024 * 1024;

/// A change of this part of a caller's limit is reported at once.
const LARGE: u32 = 8;

/// The requests in progress of each caller. Clones share them.
#[derive(Debug)]
pub struct InProgress<K>(Arc<Mutex<Counts<K>>>);

#[derive(Debug)]
struct Counts<K> {
    here: HashMap<K, Count>,
    /// What this process and the others report to each other, if there can be others.
    reports: Option<HashMap<K, Report>>,
}

/// The reports about a caller that had requests in the last seconds.
#[derive(Debug, Clone, Copy, Default)]
struct Report {
    /// The requests of this process and of the others in the last reports; `None` before the first ones.
    last: Option<(u32, u32)>,
    /// Whether a request has begun since.
    has_begun: bool,
    /// The maximum number of requests.
    most: u32,
}

/// The requests that one caller has in progress.
#[derive(Debug, Default)]
struct Count {
    /// The requests, each with its weight.
    requests: u32,
    /// The bytes of large responses that are not sent yet.
    unsent: u64,
}

impl<K> Clone for InProgress<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K> Default for InProgress<K> {
    fn default() -> Self {
        Self::new(false)
    }
}

impl<K> InProgress<K> {
    /// Creates the counts of a process, and notes whether other processes count the same callers.
    #[must_use]
    pub fn new(is_shared: bool) -> Self {
        let counts = Counts { here: HashMap::new(), reports: is_shared.then(HashMap::new) };
        Self(Arc::new(Mutex::new(counts)))
    }
}

/// A request in progress, until this is dropped.
#[derive(Debug)]
pub struct Turn<K: Eq + Hash> {
    all: InProgress<K>,
    caller: K,
    weight: u32,
    /// The bytes of the response that count.
    unsent: AtomicU64,
}

impl<K: Clone + Eq + Hash> InProgress<K> {
    /// Counts a request of this caller as `weight` requests.
    ///
    /// Returns `None` if more than `most` would be in progress, or if the caller leaves too many bytes of responses unread.
    ///
    /// A request that is alone is accepted with any weight.
    #[must_use]
    pub fn begin(&self, caller: &K, weight: u32, most: u32) -> Option<Turn<K>> {
        let mut counts = self.0.lock();
        let mut elsewhere = 0;
        if let Some(reports) = &mut counts.reports {
            let report = reports.entry(caller.clone()).or_default();
            (report.has_begun, report.most) = (true, most);
            elsewhere = report.last.map_or(0, |(_, elsewhere)| elsewhere);
        }
        let count = counts.here.get(caller).unwrap_or(&Count { requests: 0, unsent: 0 });
        let with = count.requests.saturating_add(weight);
        let is_alone = count.requests == 0 && elsewhere == 0;
        if !is_alone && (with.saturating_add(elsewhere) > most || count.unsent >= UNSENT) {
            return None;
        }
        counts.here.entry(caller.clone()).or_default().requests = with;
        Some(Turn { all: self.clone(), caller: caller.clone(), weight, unsent: AtomicU64::new(0) })
    }

    /// Returns how many requests to report to the other processes: of all callers, or of those that are new or have a
    /// large change.
    ///
    /// [`Self::settle`] takes the result. A caller without requests is reported once more, and then forgotten.
    pub fn report(&self, of_all: bool) -> Vec<(K, u32)> {
        let mut counts = self.0.lock();
        let Counts { here, reports } = &mut *counts;
        let mut due = Vec::new();
        if let Some(reports) = reports {
            reports.retain(|caller, report| {
                let requests = here.get(caller).map_or(0, |count| count.requests);
                let is_idle =
                    requests == 0 && !report.has_begun && report.last.is_none_or(|(here, _)| here == 0);
                if of_all && is_idle {
                    return false;
                }
                let is_large = |(last, _)| requests.abs_diff(last) >= (report.most / LARGE).max(1);
                if of_all || report.last.is_none_or(is_large) {
                    report.has_begun &= !of_all;
                    due.push((caller.clone(), requests));
                }
                true
            });
        }
        due
    }

    /// Forgets the requests of the other processes, because reports fail.
    pub fn count_alone(&self) {
        for report in self.0.lock().reports.iter_mut().flat_map(HashMap::values_mut) {
            report.last = report.last.map(|(here, _)| (here, 0));
        }
    }

    /// Notes what was reported of a caller, and what the other processes have reported.
    pub fn settle(&self, caller: &K, here: u32, elsewhere: u32) {
        let mut counts = self.0.lock();
        let reports = counts.reports.as_mut();
        if let Some(report) = reports.and_then(|reports| reports.get_mut(caller)) {
            report.last = Some((here, elsewhere));
        }
    }
}

impl<K: Eq + Hash> Turn<K> {
    /// Counts the bytes of the response until this is dropped.
    pub fn sends(&self, bytes: u64) {
        if bytes > SMALL {
            self.unsent.fetch_add(bytes, Ordering::Relaxed);
            if let Some(count) = self.all.0.lock().here.get_mut(&self.caller) {
                count.unsent = count.unsent.saturating_add(bytes);
            }
        }
    }
}

impl<K: Eq + Hash> Drop for Turn<K> {
    fn drop(&mut self) {
        let mut counts = self.all.0.lock();
        if let Some(count) = counts.here.get_mut(&self.caller) {
            count.requests = count.requests.saturating_sub(self.weight);
            count.unsent = count.unsent.saturating_sub(*self.unsent.get_mut());
            if count.requests == 0 {
                counts.here.remove(&self.caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_turns_and_gets_them_back() {
        let all = InProgress::default();
        let (one, other) = ("one", "other");
        let first = all.begin(&one, 1, 2);
        let second = all.begin(&one, 1, 2);
        assert!(first.is_some() && second.is_some() && all.begin(&one, 1, 2).is_none());
        assert!(all.begin(&other, 1, 2).is_some());
        drop(first);
        assert!(all.begin(&one, 1, 2).is_some());
        drop(second);
        assert!(all.0.lock().here.is_empty(), "keys without requests take no memory");
    }

    #[test]
    fn a_heavy_request_counts_as_several_but_never_waits_for_ever() {
        let (all, key) = (InProgress::default(), "key");
        let heavy = all.begin(&key, 4, 5);
        let light = all.begin(&key, 1, 5);
        assert!(heavy.is_some() && light.is_some() && all.begin(&key, 1, 5).is_none());
        drop(heavy);
        assert!(all.begin(&key, 5, 5).is_none());
        drop(light);
        assert!(all.begin(&key, 9, 5).is_some(), "it is alone");
    }

    #[test]
    fn a_client_with_unread_responses_begins_no_request() {
        let (all, key) = (InProgress::default(), "key");
        let begin = || all.begin(&key, 1, 100);
        let small: Vec<_> = std::iter::repeat_with(|| begin().unwrap()).take(10).collect();
        small.iter().for_each(|turn| turn.sends(SMALL));
        let large = begin().unwrap();
        large.sends(UNSENT);
        assert!(begin().is_none() && all.begin(&"other", 1, 100).is_some());
        drop(large);
        assert!(begin().is_some());
        drop(small);
        assert!(all.0.lock().here.is_empty());
    }

    #[test]
    fn processes_count_together() {
        let (here, key) = (InProgress::new(true), "key");
        let turns: Vec<_> = (0..10).map_while(|_| here.begin(&key, 1, 16)).collect();
        assert_eq!(here.report(false), [(key, 10)]);
        here.settle(&key, 10, 5);
        assert_eq!(here.report(false), [], "nothing has changed");
        assert_eq!(here.report(true), [(key, 10)], "but the others forget old reports");
        let last = here.begin(&key, 1, 16);
        assert!(last.is_some() && here.begin(&key, 1, 16).is_none());
        assert_eq!(here.report(false), [], "a small change waits");
        drop((turns, last));
        assert_eq!(here.report(false), [(key, 0)]);
        here.settle(&key, 0, 16);
        assert!(here.begin(&key, 1, 16).is_none(), "it is not alone");
        // Requests that are too short for a report learn of the others, too.
        assert_eq!(here.report(true), [(key, 0)]);
        here.settle(&key, 0, 15);
        assert!(here.begin(&key, 1, 16).is_some());
        assert_eq!([here.report(true).len(), here.report(true).len()], [1, 0]);
        assert!(here.0.lock().reports.as_ref().is_some_and(HashMap::is_empty), "idle keys take no memory");
    }
}
