//! Limits the memory for request bodies in progress, over all callers.
//!
//! No API key can take all of the memory with many bodies.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The largest body that is not counted, in bytes.
///
/// Rate limits bound small bodies. Large bodies that fill the room thus never block small ones.
pub const SMALL: u64 = 64 * 1024;

/// Room for request bodies; clones share it.
#[derive(Debug, Clone)]
pub struct Room {
    taken: Arc<Mutex<Taken>>,
    total: u64,
}

#[derive(Debug, Default)]
struct Taken {
    all: u64,
    by_key: HashMap<Arc<str>, u64>,
}

/// A part of the room, taken for one request until it is dropped.
#[derive(Debug)]
pub struct Place {
    room: Room,
    key: Arc<str>,
    bytes: u64,
}

impl Room {
    /// Creates room for this many bytes.
    #[must_use]
    pub fn new(total: u64) -> Self {
        Self { taken: Arc::default(), total }
    }

    /// Takes room for a body of this API key; returns `None` if there is not enough.
    ///
    /// Bodies of at most [`SMALL`] bytes always fit. A key that has larger bodies in progress gets at most
    /// half of the room.
    #[must_use]
    pub fn take(&self, key: &Arc<str>, bytes: u64) -> Option<Place> {
        let counted = if bytes <= SMALL { 0 } else { bytes };
        let mut taken = self.lock();
        let of_key = taken.by_key.get(key).copied().unwrap_or_default();
        let all = taken.all.saturating_add(counted);
        let fair = of_key == 0 || of_key.saturating_add(counted) <= self.total / 2;
        if counted > 0 && (all > self.total || !fair) {
            return None;
        }
        if counted > 0 {
            taken.all = all;
            *taken.by_key.entry(Arc::clone(key)).or_default() += counted;
        }
        Some(Place { room: self.clone(), key: Arc::clone(key), bytes: counted })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut taken = self.room.lock();
        taken.all = taken.all.saturating_sub(self.bytes);
        if let Some(of_key) = taken.by_key.get_mut(&self.key) {
            *of_key = of_key.saturating_sub(self.bytes);
            if *of_key == 0 {
                taken.by_key.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1024 * 1024;

    fn key(name: &str) -> Arc<str> {
        Arc::from(name)
    }

    #[test]
    fn the_room_is_shared_and_given_back() {
        let room = Room::new(10 * MIB);
        let first = room.take(&key("a"), 4 * MIB).unwrap();
        assert!(room.take(&key("a"), 2 * MIB).is_none(), "more than half of the room for one key");
        let second = room.take(&key("b"), 6 * MIB).unwrap();
        assert!(room.take(&key("c"), MIB).is_none(), "there is no room left");
        drop(first);
        let third = room.take(&key("c"), 4 * MIB).unwrap();
        drop((second, third));
        let taken = room.lock();
        assert_eq!((taken.all, taken.by_key.len()), (0, 0));
    }

    #[test]
    fn one_large_body_of_a_key_may_have_all_the_room() {
        assert!(Room::new(10 * MIB).take(&key("a"), 10 * MIB).is_some());
        assert!(Room::new(10 * MIB).take(&key("a"), 10 * MIB + 1).is_none());
    }

    #[test]
    fn small_bodies_always_have_room() {
        let room = Room::new(MIB);
        let _full = room.take(&key("a"), MIB).unwrap();
        let places: Vec<_> = (0..1000).map(|_| room.take(&key("a"), SMALL).unwrap()).collect();
        assert!(room.take(&key("b"), SMALL + 1).is_none());
        drop(places);
        assert_eq!(room.lock().all, MIB);
    }
}
