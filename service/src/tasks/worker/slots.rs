//! The engine threads, and how many tasks a worker claims ahead of them.
//!
//! A claim is a commit. If tasks take less time than a commit, a worker that claims one task per free thread
//! mostly waits for the disk. So it claims as many tasks as its threads will start within a moment. Slow
//! tasks are claimed one by one as threads become free, so that another process can take them.

use std::future::pending;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::holders::{Holder, Holders};

/// A worker claims ahead the tasks that should start within this time.
pub(super) const AHEAD: Duration = Duration::from_millis(20);

/// The maximum number of tasks claimed ahead per thread.
const MOST_AHEAD: u64 = 16;

/// How long a task that was claimed ahead may wait before it is given back.
pub(super) const PATIENCE: Duration = Duration::from_millis(200);

/// The engine threads of a worker. Clones share them.
#[derive(Clone)]
pub(super) struct Slots {
    free: Arc<Semaphore>,
    threads: u64,
    pace: Arc<Pace>,
    holders: Holders,
    /// How many more threads may be replaced; see [`Slot::replace`].
    spare: Arc<Semaphore>,
    /// How many threads are occupied by hung engines, and were not replaced.
    lost: Arc<AtomicU64>,
    /// How long a task may hold a thread before it has to give it up.
    longest: Option<Duration>,
}

/// An engine thread, occupied until this is dropped.
pub(super) struct Slot {
    place: Mutex<Place>,
    taken: Instant,
    pace: Arc<Pace>,
    spare: Arc<Semaphore>,
    lost: Arc<AtomicU64>,
    longest: Option<Duration>,
}

/// What a task on a thread takes from the others.
enum Place {
    /// The thread counts for the key. It is lost if the engine hangs and there is no other thread.
    Occupied { _permit: OwnedSemaphorePermit, holder: Holder, lost: Option<Counted> },
    /// The engine hangs, and another thread counts instead.
    Replaced { _spare: OwnedSemaphorePermit },
}

/// Counts as one until it is dropped.
struct Counted(Arc<AtomicU64>);

impl Counted {
    fn new(count: &Arc<AtomicU64>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Slots {
    pub(super) fn new(threads: usize) -> Self {
        let pace = Arc::new(Pace(AtomicU64::new(micros(PATIENCE))));
        let free = Arc::new(Semaphore::new(threads));
        let spare = Arc::new(Semaphore::new(threads));
        let (holders, lost) = (Holders::default(), Arc::default());
        Self { free, threads: threads as u64, pace, holders, spare, lost, longest: None }
    }

    /// Lets a task hold a thread for at most this long.
    pub(super) fn at_most(self, longest: Duration) -> Self {
        Self { longest: Some(longest), ..self }
    }

    /// Returns whether hung engines occupy all threads, and all that could replace them.
    pub(super) fn are_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed) >= self.threads
    }

    /// Returns how many tasks may be claimed now; 0 if no thread is free.
    pub(super) fn room(&self) -> usize {
        match self.free.available_permits() {
            0 => 0,
            free => free.saturating_add(self.pace.ahead(self.threads)),
        }
    }

    /// Returns how many slots are free.
    pub(super) fn free(&self) -> usize {
        self.free.available_permits()
    }

    /// Returns whether a thread was free a moment ago, so that one is probably free soon.
    pub(super) fn is_flowing(&self) -> bool {
        self.holders.youngest().is_none_or(|age| age < AHEAD)
    }

    /// Takes a thread for a task of this key, or returns `None` if none is free until then.
    ///
    /// After `None`, tasks are not claimed ahead until some were quick again.
    pub(super) async fn take(&self, key_id: &str, until: tokio::time::Instant) -> Option<Slot> {
        let free = Arc::clone(&self.free).acquire_owned();
        let Ok(Ok(permit)) = tokio::time::timeout_at(until, free).await else {
            self.pace.took(PATIENCE * 8);
            return None;
        };
        let holder = self.holders.enter(key_id);
        Some(Slot {
            place: Mutex::new(Place::Occupied { _permit: permit, holder, lost: None }),
            taken: Instant::now(),
            pace: Arc::clone(&self.pace),
            spare: Arc::clone(&self.spare),
            lost: Arc::clone(&self.lost),
            longest: self.longest,
        })
    }

    /// Returns the API key that has held all of several threads for a while.
    pub(super) fn sole_holder(&self) -> Option<String> {
        self.holders.sole(self.threads)
    }

    /// Asks the task that has held a thread for the shortest time to give it up.
    pub(super) fn ask_youngest(&self) {
        self.holders.ask_youngest();
    }
}

impl Slot {
    /// Resolves when the task should give the thread up.
    pub(super) fn asked(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        let asked = match &*self.place() {
            Place::Occupied { holder, .. } => Some(holder.asked()),
            Place::Replaced { .. } => None,
        };
        async move {
            match asked {
                Some(asked) => asked.await,
                None => pending().await,
            }
        }
    }

    /// Resolves when a task that begins now has held the thread for as long as it may.
    pub(super) fn overdue(&self) -> impl Future<Output = ()> + Send + 'static + use<> {
        let longest = self.longest;
        async move {
            match longest {
                Some(longest) => tokio::time::sleep(longest).await,
                None => pending().await,
            }
        }
    }

    /// Lets another thread run in place of this one, because its engine hangs.
    ///
    /// At most as many threads as the worker has are replaced until engines return: each one takes memory and
    /// perhaps a processor. Returns whether this one was.
    pub(super) fn replace(&self) -> bool {
        let mut place = self.place();
        let Place::Occupied { lost, .. } = &mut *place else { return true };
        let Ok(spare) = Arc::clone(&self.spare).try_acquire_owned() else {
            lost.get_or_insert_with(|| Counted::new(&self.lost));
            return false;
        };
        *place = Place::Replaced { _spare: spare };
        true
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.pace.took(self.taken.elapsed());
    }
}

/// The moving average of the time that tasks occupy a thread, in microseconds.
///
/// Each new time has a weight of one eighth.
struct Pace(AtomicU64);

impl Pace {
    fn took(&self, time: Duration) {
        let mean = |mean: u64| (mean.saturating_mul(7).saturating_add(micros(time))) / 8;
        // The closure never returns `None`, so the update succeeds.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| Some(mean(old)));
    }

    fn ahead(&self, threads: u64) -> usize {
        let each = micros(AHEAD) / self.0.load(Ordering::Relaxed).max(1);
        usize::try_from(each.min(MOST_AHEAD).saturating_mul(threads)).unwrap_or(usize::MAX)
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_tasks_are_claimed_ahead_and_slow_ones_are_not() {
        let slots = Slots::new(2);
        assert_eq!(slots.room(), 2, "no task has run yet");
        for _ in 0..64 {
            slots.pace.took(Duration::from_millis(5));
        }
        let ahead = slots.room() - 2;
        assert!((6..=8).contains(&ahead), "{ahead}");
        for _ in 0..64 {
            slots.pace.took(Duration::from_micros(50));
        }
        assert_eq!(slots.room(), 2 + 2 * 16, "the number claimed ahead has a maximum");
        slots.pace.took(Duration::from_secs(2));
        assert_eq!(slots.room(), 2, "one slow task must stop claiming ahead");
        for _ in 0..64 {
            slots.pace.took(Duration::from_secs(2));
        }
        slots.pace.took(Duration::ZERO);
        assert_eq!(slots.room(), 2, "one quick task must not resume claiming ahead");
    }

    #[tokio::test]
    async fn who_finds_no_thread_claims_no_more_ahead() {
        let slots = Slots::new(1);
        for _ in 0..64 {
            slots.pace.took(Duration::ZERO);
        }
        let soon = tokio::time::Instant::now() + Duration::from_millis(1);
        let taken = slots.take("A", soon).await;
        assert!(taken.is_some());
        assert_eq!(slots.room(), 0);
        assert!(slots.take("A", soon).await.is_none());
        drop(taken);
        assert_eq!(slots.room(), 1);
    }

    #[tokio::test]
    async fn threads_of_hung_engines_are_replaced_as_often_as_there_are_threads() {
        let slots = Slots::new(1);
        let soon = || tokio::time::Instant::now() + Duration::from_millis(1);
        let hung = slots.take("A", soon()).await.unwrap();
        assert!(hung.replace());
        assert_eq!(slots.sole_holder(), None);
        let second = slots.take("A", soon()).await.unwrap();
        assert!(!second.replace());
        assert!(slots.are_lost(), "nothing can run any more");
        assert!(slots.take("A", soon()).await.is_none());
        drop(hung);
        assert!(second.replace(), "the engine has returned");
        assert!(!slots.are_lost());
        assert!(slots.take("A", soon()).await.is_some());
    }
}
