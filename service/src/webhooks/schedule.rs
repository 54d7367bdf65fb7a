//! The retry schedule of failed deliveries.

use std::time::{Duration, SystemTime};

use crate::domain::Next;
use crate::time::{Millis, millis};

/// The delays after each failed attempt, in seconds, before jitter.
///
/// If the attempt after the last delay fails too, the service gives the event up.
pub const DELAYS: [u64; 9] =
    [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600];

/// The longest wait that a receiver may request with `Retry-After`.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 3600);

/// Returns what follows a failed attempt.
///
/// `failures` includes this attempt. `chance` (0 to 1) is the jitter: it changes the delay by up to 20 %, so
/// that receivers that failed together are not all retried at once. The wait is the longer one of the
/// schedule's delay and the receiver's `Retry-After`, of which at most 24 hours count.
#[must_use]
pub fn after_failure(failures: u32, ended: Millis, retry_after: Option<Duration>, chance: f64) -> Next {
    let delay = usize::try_from(failures).ok().and_then(|failures| DELAYS.get(failures.saturating_sub(1)));
    let Some(delay) = delay else { return Next::GiveUp };
    let delay = Duration::from_secs(*delay).mul_f64(0.8 + 0.4 * chance.clamp(0.0, 1.0));
    let asked = retry_after.unwrap_or_default().min(MAX_RETRY_AFTER);
    Next::RetryAt(ended.saturating_add(millis(delay.max(asked))))
}

/// Parses a `Retry-After` value, in seconds or as a date, into a wait.
#[must_use]
pub fn retry_after(text: &str, now: Millis) -> Option<Duration> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(text.parse().map_or(MAX_RETRY_AFTER, Duration::from_secs));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    let now = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(u64::try_from(now).ok()?))?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: Millis = 1_600_000_000_000;

    fn wait(failures: u32, asked: Option<Duration>, chance: f64) -> Option<Millis> {
        match after_failure(failures, NOW, asked, chance) {
            Next::RetryAt(at) => Some(at - NOW),
            _ => None,
        }
    }

    #[test]
    fn the_schedule_equals_the_documented_one() {
        let hour = 3_600_000;
        let documented =
            [5_000, 300_000, 1_800_000, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];
        for (failures, expected) in (1..).zip(documented) {
            assert_eq!(wait(failures, None, 0.5), Some(expected), "{failures}");
            assert_eq!(wait(failures, None, 0.0), Some(expected * 8 / 10), "{failures}");
            assert_eq!(wait(failures, None, 1.0), Some(expected * 12 / 10), "{failures}");
        }
        assert_eq!(after_failure(10, NOW, None, 0.5), Next::GiveUp);
        assert_eq!(after_failure(u32::MAX, NOW, Some(Duration::from_secs(1)), 0.5), Next::GiveUp);
    }

    #[test]
    fn a_receiver_may_ask_for_more_time_but_not_for_less() {
        assert_eq!(wait(1, Some(Duration::from_secs(60)), 0.5), Some(60_000));
        assert_eq!(wait(2, Some(Duration::from_secs(60)), 0.5), Some(300_000));
        assert_eq!(wait(1, Some(Duration::MAX), 0.5), Some(86_400_000));
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let cases = [
            ("0", Some(0)),
            (" 120 ", Some(120)),
            ("99999999999999999999999", Some(86_400)),
            ("Sun, 13 Sep 2020 12:27:40 GMT", Some(60)),
            ("Sun, 13 Sep 2020 12:00:00 GMT", Some(0)),
            ("", None),
            ("-5", None),
            ("1.5", None),
            ("soon", None),
        ];
        for (text, seconds) in cases {
            assert_eq!(retry_after(text, NOW), seconds.map(Duration::from_secs), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_wait_is_within_a_fifth(failures in 1..=9u32, chance: f64) {
            let middle = millis(Duration::from_secs(DELAYS[failures as usize - 1]));
            let wait = wait(failures, None, chance).unwrap();
            prop_assert!((middle * 8 / 10..=middle * 12 / 10).contains(&wait), "{}", wait);
        }

        #[test]
        fn no_retry_after_panics(text in "\\PC*", now: i64) {
            let _ = retry_after(&text, now);
        }
    }
}
