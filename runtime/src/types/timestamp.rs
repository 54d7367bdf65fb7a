//! An instant.

use std::{
    fmt,
    str::FromStr,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use jiff::{SignedDuration, civil};

use super::date::{date, digits};
use crate::codec::{Decode, DecodeError, Encode, Format, Reader, Writer, parsed};

/// An instant with nanosecond precision, in the years 0000 to 9999 in UTC.
///
/// The text is a `date-time` of RFC 3339, such as `2024-02-29T12:00:00.5+01:00`. The letters `T` and `Z` may
/// be lower case, and digits after the nanoseconds are dropped. A leap second (`23:59:60` UTC) is read as the
/// nanosecond before it, because computer clocks have no leap seconds. A timestamp is written in UTC, with as
/// many fraction digits as it needs.
///
/// ```
/// use openapi_crates_runtime::{codec::DecodeError, types::Timestamp};
///
/// let time: Timestamp = "2024-02-29T12:00:00.5+01:00".parse()?;
/// assert_eq!(time.to_string(), "2024-02-29T11:00:00.5Z");
/// assert_eq!(time.unix_seconds(), 1_709_204_400);
/// # Ok::<(), DecodeError>(())
/// ```
// A `civil::DateTime`, because `jiff::Timestamp` ends some hours before the year 9999 does, and "9999-12-31"
// is a common value for "never".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(civil::DateTime);

const EPOCH: civil::DateTime = civil::date(1970, 1, 1).at(0, 0, 0, 0);

impl Timestamp {
    /// The Unix epoch, `1970-01-01T00:00:00Z`.
    pub const UNIX_EPOCH: Self = Self(EPOCH);

    /// Returns the current time of the system clock.
    #[must_use]
    pub fn now() -> Self {
        Self::from_system_time(SystemTime::now()).unwrap_or(Self::UNIX_EPOCH)
    }

    /// Returns the instant this many seconds after the Unix epoch.
    ///
    /// Returns `None` if its year is not 0000 to 9999.
    #[must_use]
    pub fn from_unix_seconds(seconds: i64) -> Option<Self> {
        Self::since_epoch(SignedDuration::from_secs(seconds))
    }

    /// Returns the instant this many seconds and nanoseconds after the Unix epoch.
    ///
    /// An instant outside of the years 0000 to 9999 is replaced by the nearest one inside.
    #[must_use]
    pub fn nearest(seconds: i64, nanoseconds: u32) -> Self {
        let since =
            SignedDuration::from_secs(seconds).saturating_add(SignedDuration::from_nanos(nanoseconds.into()));
        Self(EPOCH.saturating_add(since).max(civil::date(0, 1, 1).at(0, 0, 0, 0)))
    }

    /// Returns the number of seconds since the Unix epoch, rounded down.
    #[must_use]
    pub fn unix_seconds(self) -> i64 {
        let since = self.0.duration_since(EPOCH);
        since.as_secs() - i64::from(since.subsec_nanos() < 0)
    }

    /// Returns the nanoseconds within the second, from 0 to 999,999,999.
    #[must_use]
    pub fn subsec_nanoseconds(self) -> u32 {
        self.0.subsec_nanosecond().unsigned_abs()
    }

    /// Converts a system time; returns `None` if its year is not 0000 to 9999.
    #[must_use]
    pub fn from_system_time(time: SystemTime) -> Option<Self> {
        let since = match time.duration_since(UNIX_EPOCH) {
            Ok(after) => SignedDuration::try_from(after).ok()?,
            Err(before) => SignedDuration::try_from(before.duration()).ok()?.checked_neg()?,
        };
        Self::since_epoch(since)
    }

    /// Converts to a system time; returns `None` if the platform can't represent it.
    #[must_use]
    pub fn to_system_time(self) -> Option<SystemTime> {
        let since = self.0.duration_since(EPOCH);
        let distance: Duration = since.unsigned_abs();
        if since.is_negative() { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) }
    }

    /// Returns the instant of a time of a day, with its offset, on a fixed day (RFC 3339, `full-time`).
    #[cfg(feature = "validation")]
    pub(crate) fn of_time(text: &str) -> Option<Self> {
        at(civil::date(2000, 1, 1), text.as_bytes(), false)
    }

    fn since_epoch(since: SignedDuration) -> Option<Self> {
        EPOCH.checked_add(since).ok().filter(|time| time.year() >= 0).map(Self)
    }
}

impl FromStr for Timestamp {
    type Err = DecodeError;

    fn from_str(text: &str) -> Result<Self, DecodeError> {
        decoded(text, false)
    }
}

fn decoded(text: &str, assumes_utc: bool) -> Result<Timestamp, DecodeError> {
    parse(text.as_bytes(), assumes_utc).ok_or_else(|| DecodeError::malformed("an RFC 3339 date and time"))
}

/// Parses an instant. If `assumes_utc` is set, a text without an offset is in UTC.
fn parse(text: &[u8], assumes_utc: bool) -> Option<Timestamp> {
    let (date, text) = date(text)?;
    at(date, strip_any(text, b"Tt")?, assumes_utc)
}

/// Parses the time of a day.
///
/// The second may be 60 only where leap seconds are inserted, in the last minute of a day in UTC.
fn at(date: civil::Date, text: &[u8], assumes_utc: bool) -> Option<Timestamp> {
    let (hour, text) = digits::<2>(text)?;
    let (minute, text) = digits::<2>(text.strip_prefix(b":")?)?;
    let (second, text) = digits::<2>(text.strip_prefix(b":")?)?;
    let (nanosecond, text) = match text.strip_prefix(b".") {
        Some(text) => fraction(text)?,
        None => (0, text),
    };
    let is_leap = second == 60;
    let (second, nanosecond) = if is_leap { (59, 999_999_999) } else { (second, nanosecond) };
    let local =
        civil::Time::new(hour.try_into().ok()?, minute.try_into().ok()?, second.try_into().ok()?, nanosecond)
            .ok()?;
    let offset = if assumes_utc && text.is_empty() { SignedDuration::ZERO } else { offset(text)? };
    let utc = date.to_datetime(local).checked_sub(offset).ok()?;
    let may_leap = utc.hour() == 23 && utc.minute() == 59;
    (utc.year() >= 0 && (may_leap || !is_leap)).then_some(Timestamp(utc))
}

/// Returns the text after its first byte, which must be one of `characters`.
fn strip_any<'a>(text: &'a [u8], characters: &[u8]) -> Option<&'a [u8]> {
    text.split_first().filter(|(first, _)| characters.contains(first)).map(|(_, behind)| behind)
}

/// Parses the fraction digits at the start of `text`; there must be at least one.
///
/// Returns the nanoseconds and the remaining text.
fn fraction(text: &[u8]) -> Option<(i32, &[u8])> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, behind) = text.split_at_checked(end)?;
    let nanoseconds =
        digits.iter().chain(b"000000000").take(9).fold(0, |n, digit| n * 10 + i32::from(digit - b'0'));
    (!digits.is_empty()).then_some((nanoseconds, behind))
}

/// Parses a UTC offset, which must be the whole text.
fn offset(text: &[u8]) -> Option<SignedDuration> {
    if let b"Z" | b"z" = text {
        return Some(SignedDuration::ZERO);
    }
    let (hours, behind) = digits::<2>(strip_any(text, b"+-")?)?;
    let (minutes, behind) = digits::<2>(behind.strip_prefix(b":")?)?;
    if hours > 23 || minutes > 59 || !behind.is_empty() {
        return None;
    }
    let minutes = i64::from(hours) * 60 + i64::from(minutes);
    Some(SignedDuration::from_mins(if text.starts_with(b"-") { -minutes } else { minutes }))
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let utc = self.0;
        write!(f, "{:04}-{:02}-{:02}", utc.year(), utc.month(), utc.day())?;
        write!(f, "T{:02}:{:02}:{:02}", utc.hour(), utc.minute(), utc.second())?;
        if utc.subsec_nanosecond() != 0 {
            let digits = format!("{:09}", utc.subsec_nanosecond());
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        f.write_str("Z")
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Timestamp({self})")
    }
}

impl Encode for Timestamp {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.formatted(Format::DateTime, &self.to_string());
    }
}

impl Decode for Timestamp {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let in_utc: fn(&str) -> Result<Self, DecodeError> = |text| decoded(text, true);
        let parse = if reader.assumes_utc() { in_utc } else { str::parse };
        parsed(reader, parse)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn times_without_an_offset_are_in_utc_if_the_reader_assumes_so() {
        let read = |text: &str, assumes_utc| {
            let reader = crate::codec::JsonReader::tolerant(text.as_bytes()).assuming_utc(assumes_utc);
            reader.read::<Timestamp>().ok().map(|time| time.to_string())
        };
        let naive = r#""2024-01-01T10:00:00.5""#;
        assert_eq!(read(naive, true).as_deref(), Some("2024-01-01T10:00:00.5Z"));
        assert_eq!(read(naive, false), None);
        assert_eq!(read(r#""2024-01-01T10:00:00+01:00""#, true).as_deref(), Some("2024-01-01T09:00:00Z"));
        assert_eq!(read(r#""2024-01-01T10:00:00+""#, true), None);
    }

    #[test]
    fn date_times_of_rfc_3339_alone() {
        for (text, expected) in [
            ("1985-04-12T23:20:50.52Z", Some("1985-04-12T23:20:50.52Z")),
            ("1996-12-19T16:39:57-08:00", Some("1996-12-20T00:39:57Z")),
            ("1937-01-01T12:00:27.87+00:20", Some("1937-01-01T11:40:27.87Z")),
            ("2024-02-29t00:00:00z", Some("2024-02-29T00:00:00Z")),
            ("2024-01-01T00:00:00-00:00", Some("2024-01-01T00:00:00Z")),
            ("2024-01-01T00:00:00.000Z", Some("2024-01-01T00:00:00Z")),
            ("2024-01-01T00:00:00.1234567899999Z", Some("2024-01-01T00:00:00.123456789Z")),
            ("0000-01-01T00:00:00Z", Some("0000-01-01T00:00:00Z")),
            ("9999-12-31T23:59:59.999999999Z", Some("9999-12-31T23:59:59.999999999Z")),
            ("1990-12-31T23:59:60Z", Some("1990-12-31T23:59:59.999999999Z")),
            ("1990-12-31T15:59:60.5-08:00", Some("1990-12-31T23:59:59.999999999Z")),
            ("1990-12-31T23:58:60Z", None),
            ("1990-12-31T23:59:61Z", None),
            ("0000-01-01T00:00:00+00:01", None),
            ("9999-12-31T23:59:59-00:01", None),
            ("2024-01-01T24:00:00Z", None),
            ("2024-01-01T00:60:00Z", None),
            ("2024-01-01T00:00:00", None),
            ("2024-01-01T00:00Z", None),
            ("2024-01-01T00:00:00.Z", None),
            ("2024-01-01T00:00:00,5Z", None),
            ("2024-01-01 00:00:00Z", None),
            ("2024-01-01T00:00:00+0100", None),
            ("2024-01-01T00:00:00+01", None),
            ("2024-01-01T00:00:00+24:00", None),
            ("2024-01-01T00:00:00+01:60", None),
            ("2024-01-01T00:00:00ZZ", None),
            ("2024-01-01T00:00:00Z[UTC]", None),
            ("2023-02-29T00:00:00Z", None),
            ("2024-01-01", None),
            ("", None),
        ] {
            let found = text.parse::<Timestamp>().ok().map(|timestamp| timestamp.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn orders_by_time() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        assert!(at("2024-01-01T00:00:00+01:00") < at("2024-01-01T00:00:00Z"));
        assert_eq!(at("2024-01-01T01:00:00+01:00"), at("2024-01-01T00:00:00Z"));
    }

    #[test]
    fn seconds_round_down() {
        for (text, seconds, nanoseconds) in [
            ("1970-01-01T00:00:01.5Z", 1, 500_000_000),
            ("1969-12-31T23:59:59.5Z", -1, 500_000_000),
            ("1969-12-31T23:59:59Z", -1, 0),
        ] {
            let timestamp = text.parse::<Timestamp>().unwrap();
            assert_eq!(
                (timestamp.unix_seconds(), timestamp.subsec_nanoseconds()),
                (seconds, nanoseconds),
                "{text}"
            );
        }
        assert_eq!(Timestamp::from_unix_seconds(i64::MAX), None);
        assert_eq!(Timestamp::from_unix_seconds(i64::MIN), None);
        assert!(Timestamp::now() > Timestamp::UNIX_EPOCH);
    }

    proptest! {
        #[test]
        fn round_trips(seconds in -62_167_219_200_i64..253_402_300_800, nanoseconds in 0_u32..1_000_000_000) {
            let timestamp = Timestamp::from_unix_seconds(seconds).unwrap();
            let timestamp = Timestamp(timestamp.0 + SignedDuration::from_nanos(nanoseconds.into()));
            prop_assert_eq!(timestamp.to_string().parse::<Timestamp>().unwrap(), timestamp);
            prop_assert_eq!(timestamp.unix_seconds(), seconds);
            prop_assert_eq!(timestamp.to_system_time().and_then(Timestamp::from_system_time), Some(timestamp));
        }

        #[test]
        fn no_text_panics(text in "[0-9TtZz:.+-]{0,40}|\\PC*") {
            drop(text.parse::<Timestamp>());
        }
    }
}
