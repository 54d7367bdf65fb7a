//! The tasks that this process can't do, and leaves to others.
//!
//! A process of another release or with other settings has accepted them. What a process can do does not change while it
//! runs, so it does not claim such a task again soon.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::LONGEST_WAIT;

/// How long this process claims no such task.
const FOR: Duration = LONGEST_WAIT;

/// The most tasks that are remembered, because every claim names them.
const MOST: usize = 1000;

/// The tasks that this process leaves to others. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Passed(Arc<Mutex<HashMap<Uuid, Instant>>>);

impl Passed {
    /// Remembers a task; returns how long all processes should wait for it: only if there are too many.
    pub(super) fn add(&self, id: Uuid, now: Instant) -> Duration {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            return FOR;
        }
        all.insert(id, now + FOR);
        Duration::ZERO
    }

    /// Returns the tasks that are not to be claimed now.
    pub(super) fn ids(&self, now: Instant) -> Vec<Uuid> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, until| *until > now);
        all.keys().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_left_to_others_for_a_while() {
        let (passed, id, now) = (Passed::default(), Uuid::now_v7(), Instant::now());
        assert_eq!(passed.add(id, now), Duration::ZERO);
        assert_eq!(passed.ids(now), [id]);
        assert!(passed.ids(now + FOR).is_empty());
        for _ in 0..MOST {
            assert_eq!(passed.add(Uuid::now_v7(), now), Duration::ZERO);
        }
        assert_eq!((passed.add(id, now), passed.ids(now).len()), (FOR, MOST), "the others wait, too");
    }
}
