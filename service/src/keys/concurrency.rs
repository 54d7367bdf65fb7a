//! Limits how many requests of one caller, a key or an address, are in progress at the same time.
//!
//! A request is in progress until its response is sent. The unsent bytes of large responses count too: a caller that has
//! too many of them begins no request.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

/// The number of bytes of a response that are not counted. The number of requests in progress bounds small responses.
const SMALL: u64 = 16 * 1024;

/// The unsent bytes of large responses with which a caller begins no further request.
pub const UNSENT: u64 = 8 * 1024 * 1024;

/// The requests in progress of each caller. Clones share them.
#[derive(Debug)]
pub struct InProgress<K>(Arc<Mutex<HashMap<K, Count>>>);

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
        Self(Arc::default())
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
        let count = counts.get(caller).unwrap_or(&Count { requests: 0, unsent: 0 });
        let with = count.requests.saturating_add(weight);
        if count.requests > 0 && (with > most || count.unsent >= UNSENT) {
            return None;
        }
        counts.entry(caller.clone()).or_default().requests = with;
        Some(Turn { all: self.clone(), caller: caller.clone(), weight, unsent: AtomicU64::new(0) })
    }
}

impl<K: Eq + Hash> Turn<K> {
    /// Returns the caller.
    pub fn caller(&self) -> &K {
        &self.caller
    }

    /// Counts the bytes of the response until this is dropped.
    pub fn sends(&self, bytes: u64) {
        if bytes > SMALL {
            self.unsent.fetch_add(bytes, Ordering::Relaxed);
            if let Some(count) = self.all.0.lock().get_mut(&self.caller) {
                count.unsent = count.unsent.saturating_add(bytes);
            }
        }
    }
}

impl<K: Eq + Hash> Drop for Turn<K> {
    fn drop(&mut self) {
        let mut counts = self.all.0.lock();
        if let Some(count) = counts.get_mut(&self.caller) {
            count.requests = count.requests.saturating_sub(self.weight);
            count.unsent = count.unsent.saturating_sub(*self.unsent.get_mut());
            if count.requests == 0 {
                counts.remove(&self.caller);
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
        assert!(all.0.lock().is_empty(), "keys without requests take no memory");
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
        assert!(all.0.lock().is_empty());
    }
}
