//! Times as the store keeps them, and a clock that tests can set.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use asset_api_models::types::Timestamp;

/// A time in milliseconds since 1970 in UTC, or a duration in milliseconds.
pub type Millis = i64;

/// Converts a duration into milliseconds; caps one that is too long.
#[must_use]
pub fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX / 4)
}

/// Converts a time to the API's timestamp: the nearest one, if it is out of range.
#[must_use]
pub fn timestamp(at: Millis) -> Timestamp {
    let nanoseconds = u32::try_from(at.rem_euclid(1000)).unwrap_or_default() * 1_000_000;
    Timestamp::nearest(at.div_euclid(1000), nanoseconds)
}

/// Converts a timestamp to a time in milliseconds.
#[must_use]
pub fn millis_of(at: Timestamp) -> Millis {
    at.unix_seconds().saturating_mul(1000).saturating_add(i64::from(at.subsec_nanoseconds() / 1_000_000))
}

/// A clock.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    System,
    /// A time that a test sets.
    Fixed(Arc<AtomicI64>),
    /// The machine's clock, off by this many milliseconds.
    Wrong(Arc<AtomicI64>),
}

impl Clock {
    /// Creates a clock that only moves when it is advanced.
    #[must_use]
    pub fn fixed(now: Millis) -> Self {
        Self::Fixed(Arc::new(AtomicI64::new(now)))
    }

    /// Creates a clock that is ahead of the machine's clock; a negative `by` is behind.
    #[must_use]
    pub fn wrong(by: Millis) -> Self {
        Self::Wrong(Arc::new(AtomicI64::new(by)))
    }

    /// Returns the current time.
    #[must_use]
    pub fn now(&self) -> Millis {
        match self {
            Self::System => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, millis),
            Self::Fixed(now) => now.load(Ordering::SeqCst),
            Self::Wrong(by) => Self::System.now() + by.load(Ordering::SeqCst),
        }
    }

    /// Advances a clock of tests; leaves the machine's clock as it is.
    pub fn advance(&self, by: Duration) {
        if let Self::Fixed(moved) | Self::Wrong(moved) = self {
            moved.fetch_add(millis(by), Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_has_a_timestamp() {
        for (at, shown) in [
            (0, "1970-01-01T00:00:00Z"),
            (1_709_204_400_500, "2024-02-29T11:00:00.5Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (-86_400_000, "1969-12-31T00:00:00Z"),
        ] {
            assert_eq!((timestamp(at).to_string().as_str(), millis_of(timestamp(at))), (shown, at));
        }
        assert_eq!(timestamp(Millis::MIN).to_string(), "0000-01-01T00:00:00Z");
        assert_eq!(timestamp(Millis::MAX).to_string(), "9999-12-31T23:59:59.999999999Z");
    }
}
