//! The number of tasks that a key may create before its usage is read again.
//!
//! Counting a key's open tasks takes longer the more it has. So a count allows a share of the rest: one sixteenth, for
//! half a second. Sixteen processes together stay within the limit; a key near its limit is counted for each task.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::time::{Millis, millis};

/// How long a count is valid.
const VALID: Duration = Duration::from_millis(500);

/// The part of the rest that a count allows.
const SHARE: u32 = 16;

/// How many keys are remembered before those whose counts have expired are removed.
const CLEANUP_THRESHOLD: usize = 1024;

/// The number of tasks that each key may create before its usage is counted again. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Allowances(Arc<Mutex<HashMap<String, Allowance>>>);

#[derive(Debug)]
struct Allowance {
    tasks: u32,
    until: Millis,
}

impl Allowances {
    /// Takes one task from the key's allowance; returns `false` if its usage must be read first.
    pub fn take(&self, key_id: &str, now: Millis) -> bool {
        let mut all = self.0.lock();
        let valid = all.get_mut(key_id).filter(|allowance| allowance.until > now && allowance.tasks > 0);
        valid.map(|allowance| allowance.tasks -= 1).is_some()
    }

    /// Notes how many more tasks the key may have open, by a count of this moment.
    pub fn note(&self, key_id: &str, left: u32, now: Millis) {
        let mut all = self.0.lock();
        if all.len() >= CLEANUP_THRESHOLD {
            all.retain(|_, allowance| allowance.until > now);
        }
        all.insert(key_id.to_owned(), Allowance { tasks: left / SHARE, until: now + millis(VALID) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_allows_a_share_for_a_while() {
        let (allowances, now) = (Allowances::default(), 1_000_000);
        assert!(!allowances.take("a", now), "nothing is known");
        allowances.note("a", 40, now);
        assert_eq!([(); 3].map(|()| allowances.take("a", now + 1)), [true, true, false]);
        assert!(!allowances.take("b", now));
        allowances.note("a", 40, now);
        assert!(!allowances.take("a", now + millis(VALID)), "it has expired");
        allowances.note("a", 15, now);
        assert!(!allowances.take("a", now), "near the limit each task is counted");
    }
}
