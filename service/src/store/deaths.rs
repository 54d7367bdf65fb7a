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

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use crate::time::Millis;

/// The minimum time between two searches for processes that have died, in milliseconds.
const BETWEEN: Millis = 250;

/// What this process knows of suspects, so that claims are simple as long as there are none.
///
/// Other processes may know more for a moment.
#[derive(Debug, Default)]
pub(super) struct Suspects {
    searched: AtomicI64,
    are_there: AtomicBool,
}

impl Suspects {
    /// Returns whether there are suspects; `None` if the claim has to search for processes that have died.
    pub(super) fn known(&self, now: Millis) -> Option<bool> {
        let last = self.searched.load(Ordering::Relaxed);
        if now < last || now - last >= BETWEEN {
            self.searched.store(now, Ordering::Relaxed);
            return None;
        }
        Some(self.are_there.load(Ordering::Relaxed))
    }

    /// Notes what a claim has found.
    pub(super) fn note(&self, are_there: bool) {
        self.are_there.store(are_there, Ordering::Relaxed);
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
        tracing::warn!(
            owner,
            tasks,
            "a process died; the tasks that it had in progress are tried again one at a time"
        );
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
        let suspects = Suspects::default();
        assert_eq!([1000, 1249].map(|now| suspects.known(now)), [None, Some(false)]);
        suspects.note(true);
        assert_eq!(
            [1249, 1250, 1251, 1000].map(|now| suspects.known(now)),
            [Some(true), None, Some(true), None]
        );
    }
}
