//! The time by which the sweep measures ages.
//!
//! A wrong clock would make everything look old. The sweep therefore uses the database's clock. It removes
//! nothing while this machine's clock differs from it, and for a day after it has jumped. It also waits for
//! backups, which copy files after the rows that name them.

use std::time::Duration;

use crate::store::{DatabaseClock, SharedStore};
use crate::time::{Clock, Millis, millis};

const DAY: Millis = 24 * 60 * 60 * 1000;

/// The maximum that this machine's clock may be off, in milliseconds.
const MAX_SKEW: Millis = 60_000;

/// How long the sweep removes nothing after a jump, in milliseconds: time for the operator to notice.
const HOLD: Millis = DAY;

/// Why the sweep removes nothing now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PauseReason {
    /// This machine's clock differs from the database's clock.
    #[error(
        "this machine's clock is {} seconds {} the database's clock; correct it (use NTP)",
        .ahead.abs() / 1000,
        if *.ahead < 0 { "behind" } else { "ahead of" }
    )]
    Differs {
        /// How far this machine's clock is ahead, in milliseconds; negative if it is behind.
        ahead: Millis,
    },
    /// The database's clock has jumped.
    #[error(
        "the database's clock has jumped, or no process has run for more than a day; correct the clock if it is wrong: \
             in {} minutes the sweep removes what is old by it",
        .left / 60_000
    )]
    Jumped {
        /// How long the sweep waits, in milliseconds.
        left: Millis,
    },
    /// A backup is in progress.
    #[error("a backup is in progress")]
    Backup,
}

/// Returns the database's time, or why the sweep must not use it. `every` is the time between sweeps.
///
/// # Errors
/// Fails if the store fails.
pub(super) async fn database_time(
    store: &SharedStore,
    clock: &Clock,
    every: Duration,
) -> crate::store::Result<Result<Millis, PauseReason>> {
    let gap = DAY.max(millis(every).saturating_mul(2));
    let before = clock.now();
    let read = store.read_clock(gap).await?;
    Ok(checked(read, before, clock.now()))
}

/// Checks a reading of the database's clock.
///
/// `before` and `after` are this machine's times before and after the reading.
fn checked(read: DatabaseClock, before: Millis, after: Millis) -> Result<Millis, PauseReason> {
    let DatabaseClock { now, jumped_at, held_until } = read;
    if now < held_until {
        return Err(PauseReason::Backup);
    }
    let ahead = if now < before { before - now } else { (after - now).min(0) };
    if ahead.abs() > MAX_SKEW {
        return Err(PauseReason::Differs { ahead });
    }
    let left = jumped_at.map_or(0, |jumped_at| jumped_at.saturating_add(HOLD) - now);
    if left > 0 { Err(PauseReason::Jumped { left }) } else { Ok(now) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_differs_or_has_jumped_is_not_trusted() {
        const NOW: Millis = 1_790_000_000_000;
        let read = |jumped_at| DatabaseClock { now: NOW, jumped_at, held_until: NOW };
        assert_eq!(checked(read(None), NOW, NOW), Ok(NOW));
        assert_eq!(checked(read(None), NOW - 90_000, NOW + 90_000), Ok(NOW), "a slow reading");
        let ahead = 31 * DAY;
        assert_eq!(checked(read(None), NOW + ahead, NOW + ahead), Err(PauseReason::Differs { ahead }));
        assert_eq!(
            checked(read(None), NOW - ahead, NOW - ahead),
            Err(PauseReason::Differs { ahead: -ahead })
        );
        assert_eq!(checked(read(Some(NOW)), NOW, NOW), Err(PauseReason::Jumped { left: DAY }));
        assert_eq!(checked(read(Some(NOW - DAY)), NOW, NOW), Ok(NOW));
        let held = DatabaseClock { held_until: NOW + 1, ..read(None) };
        assert_eq!(checked(held, NOW, NOW), Err(PauseReason::Backup));
    }
}
