//! Estimates which tasks are quick, from measured times.
//!
//! A task is stored with an expected size. This process measures how far tasks for the same engines are off, and
//! corrects which ones it takes for quick.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::domain::{Demand, Engines, Quick};

/// The size of the longest quick task: 2^11 milliseconds, two seconds.
const QUICK: f64 = 11.0;

/// How long a task may have the reserve: four times as long as the longest quick one takes.
///
/// Then it returns to the queue as a slow one.
pub(super) const LIMIT: Duration = Duration::from_secs(8);

/// How far tasks are off the expected sizes, by their engines. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Estimates(Arc<Mutex<HashMap<Engines, f64>>>);

impl Estimates {
    /// Learns from a task that took this long, or that has not succeeded after this time and would have taken longer.
    ///
    /// A task that took longer than expected has more weight, because it blocks quick ones.
    pub(super) fn learn(&self, demand: &Demand, time: Duration, has_succeeded: bool) {
        let milliseconds = (time.as_secs_f64() * 1000.0).max(1.0);
        let off = milliseconds.log2() - f64::from(demand.size);
        let mut known = self.0.lock();
        let mean = known.entry(demand.engines.clone()).or_default();
        if !has_succeeded && off <= *mean {
            return;
        }
        let weight = if off > *mean { 0.5 } else { 0.125 };
        *mean += (off - *mean) * weight;
    }

    /// Returns which tasks are quick, as far as is known.
    pub(super) fn quick(&self) -> Quick {
        let known = self.0.lock();
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
    fn the_size_of_quick_work_follows_from_measurements() {
        let demand = Demand { engines: Engines::built_in(["voiceover"]), size: 10 };
        let estimates = Estimates::default();
        let most = || estimates.quick().measured.first().map(|(_, most)| *most);
        let took = |demand, time| estimates.learn(demand, time, true);
        assert_eq!((most(), estimates.quick().others), (None, 11));
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
        let estimates = Estimates::default();
        let most = || estimates.quick().measured.first().map(|(_, most)| *most);
        estimates.learn(&demand, Duration::from_millis(1), false);
        assert_eq!(most(), Some(11), "a failure at once says nothing");
        estimates.learn(&demand, Duration::from_secs(1800), false);
        assert!(most() < Some(demand.size), "half an hour for 32 milliseconds");
    }
}
