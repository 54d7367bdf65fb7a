//! The tasks that this process can't run and leaves to others.
//!
//! A process of another release or with other settings has accepted them. What a process can do does not change while it
//! runs, so it does not claim such a task again soon.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use uuid::Uuid;

use super::LONGEST_WAIT;

/// The most tasks that are remembered, because every claim names them.
const MOST: usize = 1000;

/// The tasks that this process does not claim, and until when. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Skipped(Arc<Mutex<HashMap<Uuid, Instant>>>);

impl Skipped {
    /// Remembers a task; returns `false` if there are too many.
    pub(super) fn add(&self, id: Uuid, now: Instant) -> bool {
        let mut all = self.0.lock();
        let has_capacity = all.len() < MOST;
        if has_capacity {
            all.insert(id, now + LONGEST_WAIT);
        }
        has_capacity
    }

    /// Returns the tasks that are not to be claimed now.
    pub(super) fn ids(&self, now: Instant) -> Vec<Uuid> {
        let mut all = self.0.lock();
        all.retain(|_, until| *until > now);
        all.keys().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_left_to_others_for_a_while() {
        let (skipped, id, now) = (Skipped::default(), Uuid::now_v7(), Instant::now());
        assert!(skipped.add(id, now));
        assert_eq!(skipped.ids(now), [id]);
        assert!(skipped.ids(now + LONGEST_WAIT).is_empty());
        assert!((0..MOST).all(|_| skipped.add(Uuid::now_v7(), now)));
        assert!(!skipped.add(id, now));
        assert_eq!(skipped.ids(now).len(), MOST);
    }
}
