//! Limits how many requests of one caller, a key or an address, are in progress at the same time.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The requests in progress of each caller. Clones share them.
#[derive(Debug)]
pub struct InProgress<K>(Arc<Mutex<HashMap<K, u32>>>);

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
}

impl<K: Clone + Eq + Hash> InProgress<K> {
    /// Counts a request of this caller as so many; returns `None` if more than `most` would be in progress.
    ///
    /// A request that is alone is counted whatever its weight.
    #[must_use]
    pub fn begin(&self, caller: &K, weight: u32, most: u32) -> Option<Turn<K>> {
        let mut counts = self.lock();
        let count = counts.get(caller).copied().unwrap_or_default();
        let with = count.saturating_add(weight);
        if count > 0 && with > most {
            return None;
        }
        counts.insert(caller.clone(), with);
        Some(Turn { all: self.clone(), caller: caller.clone(), weight })
    }
}

impl<K> InProgress<K> {
    /// Locks the counts, each of which a thread changes at once.
    fn lock(&self) -> MutexGuard<'_, HashMap<K, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash> Drop for Turn<K> {
    fn drop(&mut self) {
        let mut counts = self.all.lock();
        if let Some(count) = counts.get_mut(&self.caller) {
            *count = count.saturating_sub(self.weight);
            if *count == 0 {
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
        assert!(all.lock().is_empty(), "keys without requests take no memory");
    }

    #[test]
    fn a_heavy_request_takes_the_room_of_several_but_never_waits_for_ever() {
        let (all, key) = (InProgress::default(), "key");
        let heavy = all.begin(&key, 4, 5);
        let light = all.begin(&key, 1, 5);
        assert!(heavy.is_some() && light.is_some() && all.begin(&key, 1, 5).is_none());
        drop(heavy);
        assert!(all.begin(&key, 5, 5).is_none());
        drop(light);
        assert!(all.begin(&key, 9, 5).is_some(), "it is alone");
    }
}
