//! Limits how many requests of one API key are in progress at the same time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The requests in progress of each key. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct InProgress(Arc<Mutex<HashMap<Arc<str>, u32>>>);

/// A request in progress, until this is dropped.
#[derive(Debug)]
pub struct Turn {
    all: InProgress,
    key: Arc<str>,
}

impl InProgress {
    /// Counts a request of this key; returns `None` if `most` are in progress.
    #[must_use]
    pub fn begin(&self, key: &Arc<str>, most: u32) -> Option<Turn> {
        let mut counts = self.lock();
        let count = counts.entry(Arc::clone(key)).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Turn { all: self.clone(), key: Arc::clone(key) })
    }

    /// Locks the counts, each of which a thread changes at once.
    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut counts = self.all.lock();
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.key);
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
        let (one, other) = (Arc::from("one"), Arc::from("other"));
        let first = all.begin(&one, 2);
        let second = all.begin(&one, 2);
        assert!(first.is_some() && second.is_some() && all.begin(&one, 2).is_none());
        assert!(all.begin(&other, 2).is_some());
        drop(first);
        assert!(all.begin(&one, 2).is_some());
        drop(second);
        assert!(all.lock().is_empty(), "keys without requests take no memory");
    }
}
