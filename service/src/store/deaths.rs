//! What happens to the tasks of a process that has died.
//!
//! One of the tasks that were in progress may have killed it, and nobody knows which. So all of them are suspects:
//!
//! - A suspect's attempt does not count, unless it was the only task of the process, or the suspect on trial.
//! - A process has one suspect on trial at a time, beside tasks of keys without suspects. Other tasks of a key wait
//!   until its suspects have been tried: they may be of the same kind.
//! - A death during the trial counts for the suspect. The tasks beside it become suspects themselves.
//! - A suspect is cleared if its attempt ends, or if it outlives its trial. A trial takes twice as long after each
//!   further death, so that a task that kills late is found, too.
//!
//! A process is dead if all of its leases have expired. A single lease that expires while the others are extended counts as
//! an attempt.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::time::Millis;

/// The minimum time between two searches for processes that have died, in milliseconds.
const BETWEEN: Millis = 250;

/// When this process last searched for processes that have died.
#[derive(Debug, Default)]
pub(super) struct Searches(AtomicI64);

impl Searches {
    /// Returns whether the next claim has to search, because the last search was a moment ago.
    pub(super) fn is_due(&self, now: Millis) -> bool {
        let last = self.0.load(Ordering::Relaxed);
        let is_due = now < last || now - last >= BETWEEN;
        if is_due {
            self.0.store(now, Ordering::Relaxed);
        }
        is_due
    }
}

/// A process some of whose leases have expired.
pub(super) struct Death {
    /// The number of its tasks in progress.
    pub(super) tasks: i64,
    /// The latest end of a lease.
    pub(super) latest: Option<Millis>,
    /// The time.
    pub(super) now: Millis,
    /// The end of a lease that begins now.
    pub(super) lease_until: Millis,
}

/// What to do with the tasks of a process.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Concerns the leases that had expired by then.
    pub(super) expired_at: Millis,
    /// Whether the attempt of each task counts, and not only that of a suspect on trial.
    pub(super) counts_all: bool,
    /// Whether the tasks become suspects.
    pub(super) suspects: bool,
}

impl Death {
    /// Returns what to do, or `None` if it is not known yet whether the process is dead.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        let &Self { tasks, latest, now, lease_until } = self;
        if latest? <= now {
            return Some(Verdict { expired_at: now, counts_all: tasks == 1, suspects: true });
        }
        // The leases of a dead process expire within the time of one lease. This one extends others.
        let lease = lease_until - now;
        (lease > 0).then(|| Verdict { expired_at: now - lease, counts_all: true, suspects: false })
    }
}

/// Logs the tasks that were returned to the queue.
pub(super) fn report(owner: &str, tasks: u64, suspects: bool) {
    if tasks > 0 && suspects {
        tracing::warn!(owner, tasks, "a process died; the tasks that it had in progress are tried again one at a time");
    } else if tasks > 0 {
        tracing::warn!(owner, tasks, "a process did not extend leases; the tasks are tried again");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_dead_once_all_its_leases_have_expired() {
        let death = |tasks, latest| Death { tasks, latest, now: 1000, lease_until: 1300 }.verdict();
        let dead = |counts_all| Some(Verdict { expired_at: 1000, counts_all, suspects: true });
        assert_eq!(death(2, Some(1000)), dead(false));
        assert_eq!(death(1, Some(900)), dead(true), "a task that was alone counts at once");
        let alive = Verdict { expired_at: 700, counts_all: true, suspects: false };
        assert_eq!(death(2, Some(1001)), Some(alive), "a lease that has not been extended for long");
        assert_eq!(death(0, None), None);
    }

    #[test]
    fn searches_are_not_frequent() {
        let searches = Searches::default();
        assert_eq!([1000, 1249, 1250, 1000].map(|now| searches.is_due(now)), [true, false, true, true]);
    }
}
