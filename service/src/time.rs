//! Time, as the store keeps it, and a clock that tests can set.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A moment: milliseconds since 1970 in UTC.
pub type Millis = i64;

/// A duration as milliseconds, at most what a moment can hold.
#[must_use]
pub fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX / 4)
}

/// What time it is.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The machine's.
    #[default]
    System,
    /// What a test has set.
    Fixed(Arc<AtomicI64>),
    /// The machine's, were it wrong by so much.
    Wrong(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stands still until it is moved.
    #[must_use]
    pub fn fixed(now: Millis) -> Self {
        Self::Fixed(Arc::new(AtomicI64::new(now)))
    }

    /// A clock that goes as the machine's does, ahead of it by so much, or behind.
    #[must_use]
    pub fn wrong(by: Millis) -> Self {
        Self::Wrong(Arc::new(AtomicI64::new(by)))
    }

    /// What time it is.
    #[must_use]
    pub fn now(&self) -> Millis {
        match self {
            Self::System => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, millis),
            Self::Fixed(now) => now.load(Ordering::SeqCst),
            Self::Wrong(by) => Self::System.now() + by.load(Ordering::SeqCst),
        }
    }

    /// Moves a clock of tests forward; the machine's stays as it is.
    pub fn advance(&self, by: Duration) {
        if let Self::Fixed(moved) | Self::Wrong(moved) = self {
            moved.fetch_add(millis(by), Ordering::SeqCst);
        }
    }
}
