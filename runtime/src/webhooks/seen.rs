//! The ids of events that were received before.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, PoisonError},
};

/// The ids of the last events of this process. Senders repeat an event until they get a success.
///
/// Clones share the ids. A program of several processes, or one that must remember the ids over a restart, stores them
/// where it stores what the event changes.
#[derive(Clone)]
pub struct Seen(Arc<Shared>);

struct Shared {
    ids: Mutex<Ids>,
    capacity: usize,
    hasher: RandomState,
}

#[derive(Default)]
struct Ids {
    /// Whether the events are handled, by the hashes of their ids.
    are_done: HashMap<u64, bool>,
    /// The handled events, the oldest first.
    done: VecDeque<u64>,
}

/// Whether an event was received before.
#[derive(Debug)]
pub enum Receipt {
    /// It is new.
    New(Claim),
    /// It is being handled.
    InProgress,
    /// It is handled.
    Done,
}

/// An event that is being handled. If it is dropped, the event is forgotten, so that the sender's next attempt is new.
#[must_use = "the event is forgotten if this is dropped"]
pub struct Claim {
    seen: Seen,
    hash: u64,
    is_done: bool,
}

impl Default for Seen {
    fn default() -> Self {
        Self::new(10_000)
    }
}

impl Seen {
    /// Creates a store of the last `capacity` handled ids. The default is 10,000.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let ids = Mutex::new(Ids::default());
        Self(Arc::new(Shared { ids, capacity: capacity.max(1), hasher: RandomState::new() }))
    }

    /// Begins to handle the event with this id, unless it was received before.
    #[must_use]
    pub fn begin(&self, id: &str) -> Receipt {
        let hash = self.0.hasher.hash_one(id);
        self.with(|ids| match ids.are_done.get(&hash) {
            Some(true) => Receipt::Done,
            Some(false) => Receipt::InProgress,
            None => {
                ids.are_done.insert(hash, false);
                Receipt::New(Claim { seen: self.clone(), hash, is_done: false })
            }
        })
    }

    fn with<R>(&self, then: impl FnOnce(&mut Ids) -> R) -> R {
        then(&mut self.0.ids.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Claim {
    /// Remembers the event as handled.
    pub fn done(mut self) {
        self.is_done = true;
        let (hash, capacity) = (self.hash, self.seen.0.capacity);
        self.seen.with(|ids| {
            ids.are_done.insert(hash, true);
            ids.done.push_back(hash);
            if ids.done.len() > capacity
                && let Some(oldest) = ids.done.pop_front()
            {
                ids.are_done.remove(&oldest);
            }
        });
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if !self.is_done {
            let hash = self.hash;
            self.seen.with(|ids| ids.are_done.remove(&hash));
        }
    }
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Claim")
    }
}

impl fmt::Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seen").field("capacity", &self.0.capacity).finish_non_exhaustive()
    }
}
