//! Tells quick tasks from slow ones.
//!
//! A task is stored with an expected size. This process measures how far tasks of the same families are off,
//! and corrects what it takes for quick.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::store::{Demand, Quick};

/// The size of the slowest quick task: 2^11 milliseconds, two seconds.
const QUICK: f64 = 11.0;

/// How far tasks are off the expected sizes, by their families. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Corrections(Arc<Mutex<HashMap<String, f64>>>);

impl Corrections {
    /// Learns from a task that took this long.
    ///
    /// A task that took longer than expected has more weight, because it blocks quick ones.
    pub(super) fn took(&self, demand: &Demand, time: Duration) {
        if demand.families.is_empty() {
            return;
        }
        let milliseconds = (time.as_secs_f64() * 1000.0).max(1.0);
        let off = milliseconds.log2() - f64::from(demand.size);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mean = known.entry(demand.families.clone()).or_default();
        let weight = if off > *mean { 0.5 } else { 0.125 };
        *mean += (off - *mean) * weight;
    }

    /// Returns what is quick, as far as is known.
    pub(super) fn quick(&self) -> Quick {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let most = |off: f64| (QUICK - off).floor() as i16;
        Quick {
            measured: known.iter().map(|(families, off)| (families.clone(), most(*off))).collect(),
            others: most(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quick_follows_what_is_measured() {
        let demand = Demand { families: "voiceover".to_owned(), size: 10 };
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
        corrections.took(&Demand::default(), Duration::from_secs(16));
        assert_eq!(corrections.quick().measured.len(), 1);
    }
}
