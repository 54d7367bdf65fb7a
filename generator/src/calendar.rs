//! Reads dates and instants of RFC 3339, for constants of the document.
//!
//! jiff knows the calendar. The grammar is read here, because jiff's parser takes more than RFC 3339 allows.

use jiff::civil;

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Day {
    pub(crate) year: u16,
    pub(crate) month: u8,
    pub(crate) day: u8,
}

/// An instant: seconds since the beginning of 1970 UTC, and nanoseconds behind those.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instant {
    pub(crate) seconds: i64,
    pub(crate) nanoseconds: u32,
}

const EPOCH: civil::DateTime = civil::date(1970, 1, 1).at(0, 0, 0, 0);

/// Reads a `full-date`. Returns `None` for a day that does not exist.
pub(crate) fn day(text: &str) -> Option<Day> {
    let date = date(text)?;
    let day = |number: i8| number.unsigned_abs();
    Some(Day { year: date.year().unsigned_abs(), month: day(date.month()), day: day(date.day()) })
}

/// Reads a `date-time`. Returns `None` for an instant that does not exist.
pub(crate) fn instant(text: &str) -> Option<Instant> {
    let (day, time) = text.split_at_checked(10)?;
    let time = time.strip_prefix(['T', 't'])?;
    let (clock, rest) = time.split_at_checked(8)?;
    let [hour, minute, second] = fields(clock, ':', [2, 2, 2])?;
    let (fraction, zone) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?),
        None => ("0", rest),
    };
    let nanoseconds = format!("{fraction:0<9}").get(..9)?.parse().ok().filter(|_| !fraction.is_empty())?;
    // A leap second is the last nanosecond before it, because computers' clocks have none.
    let is_leap = second == 60;
    let (second, nanoseconds) = if is_leap { (59, 999_999_999) } else { (second, nanoseconds) };
    let small = |number: i16| i8::try_from(number).ok();
    let time = civil::Time::new(small(hour)?, small(minute)?, small(second)?, 0).ok()?;
    let seconds = date(day)?.to_datetime(time).duration_since(EPOCH).as_secs() - offset(zone)?;
    let is_last_of_day = seconds.rem_euclid(86_400) == 86_399;
    (is_last_of_day || !is_leap).then_some(Instant { seconds, nanoseconds })
}

fn date(text: &str) -> Option<civil::Date> {
    let [year, month, day] = fields(text, '-', [4, 2, 2])?;
    civil::Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// Returns how many seconds a zone is ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    if zone == "Z" || zone == "z" {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let [hours, minutes] = fields(zone.strip_prefix(['+', '-'])?, ':', [2, 2])?;
    (hours < 24 && minutes < 60).then(|| sign * (i64::from(hours) * 3600 + i64::from(minutes) * 60))
}

/// Reads numbers between separators, each with its number of digits.
fn fields<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[i16; N]> {
    let mut numbers = [0; N];
    let mut parts = text.split(separator);
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next()?;
        let is_number = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
        *number = part.parse().ok().filter(|_| is_number)?;
    }
    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_existing_days_are_accepted() {
        for good in ["2026-09-30", "2024-02-29", "2000-02-29", "0000-02-29", "9999-12-31"] {
            assert!(day(good).is_some(), "{good}");
        }
        for bad in [
            "2026-09-31",
            "2026-02-29",
            "1900-02-29",
            "2026-13-01",
            "2026-00-01",
            "2026-01-00",
            "26-01-01",
            "2026-1-1",
            "2026-01-01x",
            "",
        ] {
            assert_eq!(day(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_existing_instants_are_accepted() {
        for (text, seconds, nanoseconds) in [
            ("1970-01-01T00:00:00Z", 0, 0),
            ("2026-01-31T00:00:00Z", 1_769_817_600, 0),
            ("2024-02-29t12:00:00.5+01:00", 1_709_204_400, 500_000_000),
            ("1969-12-31T23:59:59.9999999999z", -1, 999_999_999),
            ("2016-12-31T23:59:60Z", 1_483_228_799, 999_999_999),
            ("0000-01-01T00:00:00Z", -62_167_219_200, 0),
        ] {
            assert_eq!(instant(text), Some(Instant { seconds, nanoseconds }), "{text}");
        }
        for bad in [
            "2026-09-31T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:00",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:00+1:00",
            "ä",
            "",
        ] {
            assert_eq!(instant(bad), None, "{bad}");
        }
    }
}
