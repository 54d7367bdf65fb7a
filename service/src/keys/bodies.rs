//! Limits the memory for request bodies in progress, over all callers.
//!
//! Bytes count when they arrive, so announced bodies take none. A key may hold at most as much as stays free
//! for the others.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

/// The number of bytes of each body that are not counted.
///
/// Rate limits bound small bodies. Large bodies that fill the memory thus never block small ones.
pub const SMALL: u64 = 64 * 1024;

/// The memory for request bodies; clones share it.
#[derive(Debug, Clone)]
pub struct BodyMemory {
    taken: Arc<Mutex<Taken>>,
    total: u64,
}

#[derive(Debug, Default)]
struct Taken {
    all: u64,
    by_key: HashMap<Arc<str>, u64>,
}

/// The part of the memory that one request holds until the last clone is dropped.
///
/// It exists before the caller is known, and counts from then on.
#[derive(Debug, Clone, Default)]
pub struct BodyPermit(Arc<OnceLock<Mutex<Held>>>);

#[derive(Debug)]
struct Held {
    memory: BodyMemory,
    key: Arc<str>,
    /// The bytes that arrived.
    arrived_bytes: u64,
    /// The bytes that count.
    counted: u64,
}

impl BodyMemory {
    /// Creates a limit of this many bytes.
    #[must_use]
    pub fn new(total: u64) -> Self {
        Self { taken: Arc::default(), total }
    }

    /// Returns whether a body of this size fits now, without taking memory for it.
    #[must_use]
    pub fn fits(&self, key: &Arc<str>, bytes: u64) -> bool {
        let counted = bytes.saturating_sub(SMALL);
        counted == 0 || self.taken.lock().with(key, counted, self.total).is_some()
    }

    /// Takes memory for further bytes of a key; returns whether there is enough.
    fn take(&self, key: &Arc<str>, bytes: u64) -> bool {
        let mut taken = self.taken.lock();
        let Some((all, of_key)) = taken.with(key, bytes, self.total) else { return false };
        taken.all = all;
        taken.by_key.insert(Arc::clone(key), of_key);
        true
    }

    fn release(&self, key: &Arc<str>, bytes: u64) {
        let mut taken = self.taken.lock();
        taken.all = taken.all.saturating_sub(bytes);
        if let Some(of_key) = taken.by_key.get_mut(key) {
            *of_key = of_key.saturating_sub(bytes);
            if *of_key == 0 {
                taken.by_key.remove(key);
            }
        }
    }
}

impl Taken {
    /// Returns what all keys and this one would hold with further bytes, or `None` if the total is too small.
    ///
    /// With `n` keys that send as much as they can, each one gets a share of `1 / (n + 1)`. So memory is left for
    /// the next key.
    fn with(&self, key: &Arc<str>, bytes: u64, total: u64) -> Option<(u64, u64)> {
        let all = self.all.saturating_add(bytes);
        let of_key = self.by_key.get(key).copied().unwrap_or_default().saturating_add(bytes);
        (of_key <= total.saturating_sub(all)).then_some((all, of_key))
    }
}

impl BodyPermit {
    /// Counts the body's bytes for this key.
    pub fn count_for(&self, memory: &BodyMemory, key: &Arc<str>) {
        let held = Held { memory: memory.clone(), key: Arc::clone(key), arrived_bytes: 0, counted: 0 };
        let _ = self.0.set(Mutex::new(held));
    }

    /// Takes memory for further bytes of the body; returns whether there is enough.
    #[must_use]
    pub fn take(&self, bytes: u64) -> bool {
        self.0.get().is_none_or(|held| held.lock().take(bytes))
    }
}

impl Held {
    fn take(&mut self, bytes: u64) -> bool {
        self.arrived_bytes = self.arrived_bytes.saturating_add(bytes);
        let more = self.arrived_bytes.saturating_sub(SMALL).saturating_sub(self.counted);
        if more > 0 && !self.memory.take(&self.key, more) {
            return false;
        }
        self.counted += more;
        true
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.counted > 0 {
            self.memory.release(&self.key, self.counted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1024 * 1024;

    fn body(memory: &BodyMemory, key: &str) -> BodyPermit {
        let permit = BodyPermit::default();
        permit.count_for(memory, &Arc::from(key));
        permit
    }

    #[test]
    fn a_key_leaves_as_much_as_it_holds_and_releases_it() {
        let memory = BodyMemory::new(12 * MIB);
        let first = body(&memory, "a");
        assert!(first.take(SMALL) && first.take(6 * MIB));
        assert!(!body(&memory, "a").take(SMALL + 1), "half of the memory for one key");
        let second = body(&memory, "b");
        assert!(second.take(SMALL + 3 * MIB) && !second.take(1));
        assert!(body(&memory, "c").take(SMALL + MIB));
        drop((first, second));
        let taken = memory.taken.lock();
        assert_eq!((taken.all, taken.by_key.len()), (0, 0));
    }

    #[test]
    fn bodies_that_do_not_arrive_and_small_ones_take_nothing() {
        let memory = BodyMemory::new(2 * MIB);
        let bodies: Vec<_> = (0..1000).map(|_| body(&memory, "a")).collect();
        assert!(bodies.iter().all(|body| body.take(SMALL)));
        assert_eq!(memory.taken.lock().all, 0);
        assert!(bodies.iter().take(1).all(|body| body.take(MIB)));
        assert!(body(&memory, "a").take(SMALL) && !body(&memory, "a").take(SMALL + 1));
    }
}
