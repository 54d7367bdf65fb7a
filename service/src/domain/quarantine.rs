//! Quarantine for the tasks of a process that has died.
//!
//! One of the tasks that were in progress may have crashed it, and it is unknown which. So all of them are quarantined:
//!
//! - The attempt of a quarantined task does not count, unless it was the only task of the process, or the one that it tried.
//! - A process tries one quarantined task at a time, together with tasks of keys without any. Other tasks of a key wait until its
//!   quarantined ones have been tried: they may be of the same kind.
//! - A crash during that attempt counts for the task. The tasks that ran at the same time are quarantined themselves.
//! - The quarantine ends with the attempt, or once the task has survived for a while. That takes twice as long after each
//!   further crash, so that a task that crashes late is found, too.
//!
//! A process is dead if all of its leases have expired. A single lease that expires while the others are extended counts as
//! an attempt.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use crate::time::Millis;

/// The minimum time between two searches for processes that have died, in milliseconds.
const BETWEEN: Millis = 250;

/// Whether tasks are quarantined, as far as this process knows, so that claims are simple as long as none is.
///
/// Other processes may know more for a moment.
#[derive(Debug, Default)]
pub(crate) struct Quarantine {
    searched: AtomicI64,
    has_tasks: AtomicBool,
}

impl Quarantine {
    /// Returns whether tasks are quarantined; `None` if the claim has to search for processes that have died.
    pub(crate) fn known(&self, now: Millis) -> Option<bool> {
        let last = self.searched.load(Ordering::Relaxed);
        if now < last || now - last >= BETWEEN {
            self.searched.store(now, Ordering::Relaxed);
            return None;
        }
        Some(self.has_tasks.load(Ordering::Relaxed))
    }

    /// Notes what a claim has found.
    pub(crate) fn note(&self, has_tasks: bool) {
        self.has_tasks.store(has_tasks, Ordering::Relaxed);
    }
}

/// A process with expired leases.
pub(crate) struct Owner {
    /// The number of its tasks in progress.
    pub(crate) tasks: i64,
    /// The latest end of a lease.
    pub(crate) latest: Option<Millis>,
    /// The time.
    pub(crate) now: Millis,
    /// The end of a lease that begins now.
    pub(crate) lease_until: Millis,
}

/// The leases of a process that end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Expired {
    /// Those that had expired by then.
    pub(crate) by: Millis,
    /// Whether the attempt of each task counts, and not only a quarantined task's.
    pub(crate) counts_all: bool,
    /// Whether the process has died, so that the tasks are quarantined.
    pub(crate) has_crashed: bool,
}

impl Owner {
    /// Returns the leases that end, or `None` if it is not known yet whether the process is dead.
    pub(crate) fn expired(&self) -> Option<Expired> {
        let &Self { tasks, latest, now, lease_until } = self;
        if latest? <= now {
            return Some(Expired { by: now, counts_all: tasks == 1, has_crashed: true });
        }
        // The leases of a dead process expire within the time of one lease. This one extends others.
        let lease = lease_until - now;
        (lease > 0).then(|| Expired { by: now - lease, counts_all: true, has_crashed: false })
    }
}

/// Logs the tasks that were returned to the queue.
pub(crate) fn report(owner: &str, tasks: u64, has_crashed: bool) {
    if tasks > 0 && has_crashed {
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
        let expired = |tasks, latest| Owner { tasks, latest, now: 1000, lease_until: 1300 }.expired();
        let dead = |counts_all| Some(Expired { by: 1000, counts_all, has_crashed: true });
        assert_eq!(expired(2, Some(1000)), dead(false));
        assert_eq!(expired(1, Some(900)), dead(true), "a task that was alone counts at once");
        let alive = Expired { by: 700, counts_all: true, has_crashed: false };
        assert_eq!(expired(2, Some(1001)), Some(alive), "a lease that has not been extended for long");
        assert_eq!(expired(0, None), None);
    }

    #[test]
    fn searches_are_not_frequent() {
        let quarantine = Quarantine::default();
        assert_eq!([1000, 1249].map(|now| quarantine.known(now)), [None, Some(false)]);
        quarantine.note(true);
        assert_eq!(
            [1249, 1250, 1251, 1000].map(|now| quarantine.known(now)),
            [Some(true), None, Some(true), None]
        );
    }
}
