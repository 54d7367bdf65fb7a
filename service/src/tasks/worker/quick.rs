//! Tells quick tasks from slow ones.
//!
//! A task is stored with an expected size. This process measures how far tasks for the same engines are off,
//! and corrects what it takes for quick.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::store::{Demand, Engines, Quick};

/// The size of the slowest quick task: 2^11 milliseconds, two seconds.
const QUICK: f64 = 11.0;

/// How long a task may hold the thread for quick tasks: four times as long as the slowest quick one takes.
///
/// Then it returns to the queue as a slow one.
pub(super) const LONGEST: Duration = Duration::from_secs(8);

/// How far tasks are off the expected sizes, by their engines. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Corrections(Arc<Mutex<HashMap<Engines, f64>>>);

impl Corrections {
    /// Learns from a task that took this long.
    ///
    /// A task that took longer than expected has more weight, because it blocks quick ones.
    pub(super) fn took(&self, demand: &Demand, time: Duration) {
        self.learn(demand, time, true);
    }

    /// Learns from a task that has not succeeded after this time, and would have taken longer.
    pub(super) fn took_longer(&self, demand: &Demand, time: Duration) {
        self.learn(demand, time, false);
    }

    fn learn(&self, demand: &Demand, time: Duration, is_whole: bool) {
        let milliseconds = (time.as_secs_f64() * 1000.0).max(1.0);
        let off = milliseconds.log2() - f64::from(demand.size);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mean = known.entry(demand.engines.clone()).or_default();
        if !is_whole && off <= *mean {
            return;
        }
        let weight = if off > *mean { 0.5 } else { 0.125 };
        *mean += (off - *mean) * weight;
    }

    /// Returns what is quick, as far as is known.
    pub(super) fn quick(&self) -> Quick {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let most = |off: f64| (QUICK - off).floor() as i16;
        Quick {
            measured: known.iter().map(|(engines, off)| (engines.clone(), most(*off))).collect(),
            others: most(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quick_follows_what_is_measured() {
        let demand = Demand { engines: Engines::built_in(["voiceover"]), size: 10 };
        let corrections = Corrections::default();
        let most = || corrections.quick().measured.first().map(|(_, most)| *most);
        assert_eq!((most(), corrections.quick().others), (None, 11));
        corrections.took(&demand, Duration::from_secs(16));
        assert_eq!(most(), Some(9), "half of four doublings");
        corrections.took(&demand, Duration::from_secs(16));
        corrections.took(&demand, Duration::from_secs(16));
        assert_eq!(most(), Some(7));
        for _ in 0..99 {
            corrections.took(&demand, Duration::from_millis(64));
        }
        assert_eq!(most(), Some(14), "a sixteenth of what was expected");
    }

    #[test]
    fn what_fails_late_is_not_quick_either() {
        let demand = Demand { engines: Engines::built_in(["voiceover"]), size: 5 };
        let corrections = Corrections::default();
        let most = || corrections.quick().measured.first().map(|(_, most)| *most);
        corrections.took_longer(&demand, Duration::from_millis(1));
        assert_eq!(most(), Some(11), "a failure at once tells nothing");
        corrections.took_longer(&demand, Duration::from_secs(1800));
        assert!(most() < Some(demand.size), "half an hour for 32 milliseconds");
    }
}
