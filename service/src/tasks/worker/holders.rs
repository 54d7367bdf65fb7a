//! Which API keys hold the engine threads.
//!
//! A key may hold all threads while no other key waits. When another key's task arrives, the task that began
//! last gives its thread up and returns to the queue. With a single thread nobody gives up: the keys would
//! only interrupt each other.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// How long a key holds all threads before a task of it has to give up.
const AT_LEAST: Duration = Duration::from_millis(500);

/// The tasks that hold threads, in the order in which they began. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Holders(Arc<Mutex<Vec<Holding>>>);

struct Holding {
    key_id: String,
    since: Instant,
    asked: Arc<Notify>,
    is_asked: bool,
}

/// A task that holds a thread until this is dropped.
pub(super) struct Holder {
    asked: Arc<Notify>,
    among: Holders,
}

impl Holders {
    /// Adds a task of this key.
    pub(super) fn enter(&self, key_id: &str) -> Holder {
        let asked = Arc::new(Notify::new());
        let (key_id, since) = (key_id.to_owned(), Instant::now());
        self.lock().push(Holding { key_id, since, asked: Arc::clone(&asked), is_asked: false });
        Holder { asked, among: self.clone() }
    }

    /// Returns the key that has held all of these threads for a while, unless a task of it is asked already.
    pub(super) fn sole(&self, threads: u64) -> Option<String> {
        let holders = self.lock();
        let first = holders.first()?;
        let is_sole = threads > 1
            && holders.len() as u64 >= threads
            && holders.iter().all(|holding| {
                holding.key_id == first.key_id && !holding.is_asked && holding.since.elapsed() >= AT_LEAST
            });
        is_sole.then(|| first.key_id.clone())
    }

    /// Returns how long ago the task that began last has begun.
    pub(super) fn youngest(&self) -> Option<Duration> {
        self.lock().last().map(|holding| holding.since.elapsed())
    }

    /// Asks the task that began last.
    pub(super) fn ask_youngest(&self) {
        if let Some(youngest) = self.lock().last_mut() {
            youngest.is_asked = true;
            youngest.asked.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Holding>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Holder {
    /// Resolves when the task should give its thread up.
    pub(super) fn asked(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        let asked = Arc::clone(&self.asked);
        async move { asked.notified().await }
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        self.among.lock().retain(|holding| !Arc::ptr_eq(&holding.asked, &self.asked));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn age(holders: &Holders) {
        for holding in &mut *holders.lock() {
            holding.since = holding.since.checked_sub(AT_LEAST).unwrap();
        }
    }

    #[tokio::test]
    async fn the_youngest_task_of_a_sole_holder_gives_up() {
        let holders = Holders::default();
        let first = holders.enter("A");
        assert_eq!(holders.sole(2), None, "a thread is free");
        let second = holders.enter("A");
        assert_eq!(holders.sole(2), None, "the tasks have only begun");
        age(&holders);
        assert_eq!(holders.sole(2).as_deref(), Some("A"));
        holders.ask_youngest();
        second.asked().await;
        assert_eq!(holders.sole(2), None, "one is on its way");
        drop(second);
        let _other = holders.enter("B");
        age(&holders);
        assert_eq!(holders.sole(2), None, "two keys share the threads");
        drop(first);
        assert_eq!(holders.sole(1), None, "a single thread is never given up");
    }
}
