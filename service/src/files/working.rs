//! The bytes of each key in private folders of running programs.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// The bytes by key. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Working(Arc<Mutex<BTreeMap<String, u64>>>);

impl Working {
    /// Returns the bytes of a key.
    pub(super) fn of(&self, key_id: &str) -> u64 {
        self.0.lock().get(key_id).copied().unwrap_or_default()
    }

    /// Returns the account of a key.
    pub(super) fn account(&self, key_id: &str) -> Account {
        Account { working: self.clone(), key_id: key_id.to_owned() }
    }
}

/// Counts the bytes of a key.
#[derive(Debug, Clone)]
pub struct Account {
    working: Working,
    key_id: String,
}

impl Account {
    /// Counts these bytes until the returned value is dropped.
    #[must_use]
    pub fn hold(&self, bytes: u64) -> Held {
        let mut all = self.working.0.lock();
        let of_key = all.entry(self.key_id.clone()).or_default();
        *of_key = of_key.saturating_add(bytes);
        Held { account: self.clone(), bytes }
    }
}

/// Bytes that count for a key as long as this exists.
#[derive(Debug)]
pub struct Held {
    account: Account,
    bytes: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        let Self { account: Account { working, key_id }, bytes } = self;
        let mut all = working.0.lock();
        match all.get(key_id).map_or(0, |of_key| of_key.saturating_sub(*bytes)) {
            0 => drop(all.remove(key_id)),
            left => drop(all.insert(key_id.clone(), left)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_count_for_their_key_as_long_as_they_are_held() {
        let working = Working::default();
        let (one, other) = (working.account("one"), working.account("other"));
        let first = one.hold(5);
        let _second = one.hold(7);
        let _others = other.hold(100);
        assert_eq!((working.of("one"), working.of("other"), working.of("none")), (12, 100, 0));
        drop(first);
        assert_eq!(working.of("one"), 7);
    }
}
