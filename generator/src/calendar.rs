//! Dates and instants of RFC 3339, for constants of the document: which there are, and where they stand in time.

/// The days of each month; of February in other years than leap years.
const DAYS: [u8; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

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

/// The day that a `full-date` names, if there is one.
pub(crate) fn day(text: &str) -> Option<Day> {
    let [year, month, day] = fields(text, '-', [4, 2, 2])?;
    let (month, day) = (u8::try_from(month).ok()?, u8::try_from(day).ok()?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = DAYS.get(usize::from(month).checked_sub(1)?)? + u8::from(leap && month == 2);
    (1..=days).contains(&day).then_some(Day { year, month, day })
}

/// The instant that a `date-time` names, if there is one.
pub(crate) fn instant(text: &str) -> Option<Instant> {
    let (date, time) = text.split_at_checked(10)?;
    let time = time.strip_prefix(['T', 't'])?;
    let (clock, rest) = time.split_at_checked(8)?;
    let [hour, minute, second] = fields(clock, ':', [2, 2, 2])?;
    let is_leap = second == 60;
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (fraction, zone) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?),
        None => ("0", rest),
    };
    let nanoseconds = format!("{fraction:0<9}").get(..9)?.parse().ok().filter(|_| !fraction.is_empty())?;
    let local = seconds_before(day(date)?) + i64::from(hour) * 3600 + i64::from(minute) * 60;
    let utc = local - offset(zone)?;
    // A leap second is the last nanosecond before it, as computers have none.
    let is_last = utc.rem_euclid(86_400) == 86_340;
    match is_leap {
        true if is_last => Some(Instant { seconds: utc + 59, nanoseconds: 999_999_999 }),
        true => None,
        false => Some(Instant { seconds: utc + i64::from(second), nanoseconds }),
    }
}

/// How many seconds a zone is ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    if zone == "Z" || zone == "z" {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let [hours, minutes] = fields(zone.strip_prefix(['+', '-'])?, ':', [2, 2])?;
    (hours < 24 && minutes < 60).then(|| sign * (i64::from(hours) * 3600 + i64::from(minutes) * 60))
}

/// The seconds from the beginning of 1970 to that of a day, by counting years from March, which puts leap days last.
fn seconds_before(Day { year, month, day }: Day) -> i64 {
    let (month, day) = (i64::from(month), i64::from(day));
    let year = i64::from(year) - i64::from(month <= 2);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (era * 146_097 + day_of_era - 719_468) * 86_400
}

/// Numbers of so many digits each, between separators.
fn fields<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[u16; N]> {
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
    fn days_that_there_are() {
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
    fn instants_that_there_are() {
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
