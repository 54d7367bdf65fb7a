//! The observations of a process about tasks: which are quick, and which it leaves to other processes.
//!
//! A task is stored with an expected size. This process measures how far tasks for the same engines are off, and
//! corrects which ones it takes for quick.
//!
//! A process of another release or with other settings may have accepted a task that this one can't run. What a process can
//! do does not change while it runs, so it does not claim such a task again soon.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use uuid::Uuid;

use super::MAX_WAIT;
use crate::domain::{Demand, Engines, Quick};

/// The size of the longest quick task: 2^11 milliseconds, two seconds.
const QUICK: f64 = 11.0;

/// How long a task may have the reserve: four times as long as the longest quick one takes.
///
/// Then it returns to the queue as a slow one.
pub(super) const LIMIT: Duration = Duration::from_secs(8);

/// The maximum number of tasks that are skipped, because every claim names them.
const MAX_SKIPPED: usize = 1000;

/// The observations of a process's worker about tasks.
#[derive(Default)]
pub(super) struct Known {
    /// How far tasks are off the expected sizes, by their engines.
    off: Mutex<HashMap<Engines, f64>>,
    /// The tasks that this process does not claim, and until when.
    skipped: Mutex<HashMap<Uuid, Instant>>,
}

impl Known {
    /// Learns from a task that took this long, or that has not succeeded after this time and would have taken longer.
    ///
    /// A task that took longer than expected has more weight, because it blocks quick ones.
    pub(super) fn learn(&self, demand: &Demand, time: Duration, has_succeeded: bool) {
        let milliseconds = (time.as_secs_f64() * 1000.0).max(1.0);
        let off = milliseconds.log2() - f64::from(demand.size);
        let mut known = self.off.lock();
        let mean = known.entry(demand.engines.clone()).or_default();
        if !has_succeeded && off <= *mean {
            return;
        }
        let weight = if off > *mean { 0.5 } else { 0.125 };
        *mean += (off - *mean) * weight;
    }

    /// Returns which tasks are quick, as far as is known.
    pub(super) fn quick(&self) -> Quick {
        let known = self.off.lock();
        let most = |off: f64| (QUICK - off).floor() as i16;
        Quick {
            measured: known.iter().map(|(engines, off)| (engines.clone(), most(*off))).collect(),
            others: most(0.0),
        }
    }

    /// Remembers a task that is not to be claimed; returns `false` if there are too many.
    pub(super) fn skip(&self, id: Uuid, now: Instant) -> bool {
        let mut all = self.skipped.lock();
        let has_capacity = all.len() < MAX_SKIPPED;
        if has_capacity {
            all.insert(id, now + MAX_WAIT);
        }
        has_capacity
    }

    /// Returns the tasks that are not to be claimed now.
    pub(super) fn skipped(&self, now: Instant) -> Vec<Uuid> {
        let mut all = self.skipped.lock();
        all.retain(|_, until| *until > now);
        all.keys().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_quick_work_follows_from_measurements() {
        let demand = Demand { engines: Engines::built_in(["voiceover"]), size: 10 };
        let known = Known::default();
        let most = || known.quick().measured.first().map(|(_, most)| *most);
        let took = |demand, time| known.learn(demand, time, true);
        assert_eq!((most(), known.quick().others), (None, 11));
        took(&demand, Duration::from_secs(16));
        assert_eq!(most(), Some(9), "half of four doublings");
        took(&demand, Duration::from_secs(16));
        took(&demand, Duration::from_secs(16));
        assert_eq!(most(), Some(7));
        (0..99).for_each(|_| took(&demand, Duration::from_millis(64)));
        assert_eq!(most(), Some(14), "a sixteenth of what was expected");
    }

    #[test]
    fn slow_failures_are_not_quick() {
        let demand = Demand { engines: Engines::built_in(["voiceover"]), size: 5 };
        let known = Known::default();
        let most = || known.quick().measured.first().map(|(_, most)| *most);
        known.learn(&demand, Duration::from_millis(1), false);
        assert_eq!(most(), Some(11), "a failure at once says nothing");
        known.learn(&demand, Duration::from_secs(1800), false);
        assert!(most() < Some(demand.size), "half an hour for 32 milliseconds");
    }

    #[test]
    fn a_task_is_left_to_others_for_a_while() {
        let (known, id, now) = (Known::default(), Uuid::now_v7(), Instant::now());
        assert!(known.skip(id, now));
        assert_eq!(known.skipped(now), [id]);
        assert!(known.skipped(now + MAX_WAIT).is_empty());
        assert!((0..MAX_SKIPPED).all(|_| known.skip(Uuid::now_v7(), now)));
        assert!(!known.skip(id, now));
        assert_eq!(known.skipped(now).len(), MAX_SKIPPED);
    }
}
