//! A cache of checked host names of submitted URLs.
//!
//! A client that submits one host in every request waits for name servers only once a minute. The cache
//! serves submissions only: each connection resolves and checks anew.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long an entry is valid.
const FRESH: Duration = Duration::from_secs(60);

/// The maximum number of entries. When it is reached, the cache is emptied.
const MOST_NAMES: usize = 4096;

/// Host names with the time of the lookup and whether the name was refused.
#[derive(Debug, Default)]
pub(super) struct Submitted(Mutex<HashMap<String, (Instant, bool)>>);

impl Submitted {
    /// Returns whether this name is refused, or `None` without a fresh entry.
    pub(super) fn is_refused(&self, name: &str, now: Instant) -> Option<bool> {
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (asked, is_refused) = names.get(name)?;
        (now.saturating_duration_since(*asked) < FRESH).then_some(*is_refused)
    }

    /// Records whether this name is refused.
    pub(super) fn remember(&self, name: &str, is_refused: bool, now: Instant) {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if names.len() >= MOST_NAMES {
            names.clear();
        }
        names.insert(name.to_owned(), (now, is_refused));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_count_for_a_minute() {
        let (submitted, now) = (Submitted::default(), Instant::now());
        let after = |seconds| now + Duration::from_secs(seconds);
        assert_eq!(submitted.is_refused("a.test", now), None);
        submitted.remember("a.test", true, now);
        assert_eq!(submitted.is_refused("a.test", after(59)), Some(true));
        assert_eq!(submitted.is_refused("b.test", after(59)), None);
        assert_eq!(submitted.is_refused("a.test", after(60)), None);
        submitted.remember("a.test", false, after(60));
        assert_eq!(submitted.is_refused("a.test", after(61)), Some(false));
    }

    #[test]
    fn a_flood_of_names_takes_no_more_room() {
        let submitted = Submitted::default();
        for number in 0..=MOST_NAMES {
            submitted.remember(&format!("{number}.test"), false, Instant::now());
        }
        assert_eq!(submitted.0.lock().unwrap().len(), 1);
    }
}
