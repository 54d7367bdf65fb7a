//! A calendar date.

use std::{fmt, str::FromStr};

use jiff::civil;

use crate::codec::{Decode, DecodeError, Encode, Format, Reader, Writer, parsed};

/// A calendar date in the years 0000 to 9999.
///
/// The text is a `full-date` of RFC 3339: `2024-02-29`.
///
/// ```
/// use openapi_crates_runtime::{codec::DecodeError, types::Date};
///
/// let date: Date = "2024-02-29".parse()?;
/// assert_eq!((date.year(), date.month(), date.day()), (2024, 2, 29));
/// assert_eq!(Date::new(2023, 2, 29), None);
/// # Ok::<(), DecodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(civil::Date);

impl Date {
    /// Returns a date, or `None` if it does not exist; months and days count from 1.
    #[must_use]
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let year = i16::try_from(year).ok()?;
        civil::Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok().map(Self)
    }

    /// Returns a date, with each part limited to its valid range.
    ///
    /// The year is at most 9999, the month is 1 to 12, and the day is 1 to the last day of that month.
    #[must_use]
    pub fn nearest(year: u16, month: u8, day: u8) -> Self {
        let (year, month) = (year.min(9999), month.clamp(1, 12));
        let there_is = (1..=day.clamp(1, 31)).rev().find_map(|day| Self::new(year, month, day));
        there_is.unwrap_or(Self(civil::Date::ZERO))
    }

    /// Returns the year.
    #[must_use]
    pub fn year(self) -> u16 {
        self.0.year().unsigned_abs()
    }

    /// Returns the month, from 1 to 12.
    #[must_use]
    pub fn month(self) -> u8 {
        self.0.month().unsigned_abs()
    }

    /// Returns the day of the month, from 1 to 31.
    #[must_use]
    pub fn day(self) -> u8 {
        self.0.day().unsigned_abs()
    }
}

impl FromStr for Date {
    type Err = DecodeError;

    fn from_str(text: &str) -> Result<Self, DecodeError> {
        match date(text.as_bytes()) {
            Some((date, [])) => Ok(Self(date)),
            _ => Err(DecodeError::malformed("an RFC 3339 date")),
        }
    }
}

/// Parses the date at the start of `text`; also returns the remaining text.
pub(super) fn date(text: &[u8]) -> Option<(civil::Date, &[u8])> {
    let (year, text) = digits::<4>(text)?;
    let (month, text) = digits::<2>(text.strip_prefix(b"-")?)?;
    let (day, text) = digits::<2>(text.strip_prefix(b"-")?)?;
    Some((civil::Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()?, text))
}

/// Parses `N` digits at the start of `text`; also returns the remaining text.
///
/// `N` is at most four, so that the number fits.
pub(super) fn digits<const N: usize>(text: &[u8]) -> Option<(i16, &[u8])> {
    let (digits, behind) = text.split_first_chunk::<N>()?;
    let number = digits.iter().try_fold(0_i16, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + i16::from(digit - b'0'))
    })?;
    Some((number, behind))
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.0.year(), self.0.month(), self.0.day())
    }
}

impl Encode for Date {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.formatted(Format::Date, &self.to_string());
    }
}

impl Decode for Date {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        parsed(reader, str::parse)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn full_dates_alone() {
        for (text, is_one) in [
            ("2024-02-29", true),
            ("0000-01-01", true),
            ("9999-12-31", true),
            ("2023-02-29", false),
            ("2024-13-01", false),
            ("2024-00-10", false),
            ("2024-04-31", false),
            ("2024-1-1", false),
            ("20240101", false),
            ("-024-01-01", false),
            ("+2024-01-01", false),
            ("2024-01-01T00:00:00Z", false),
            ("2024-01-01 ", false),
            ("２024-01-01", false),
            ("", false),
        ] {
            let date = text.parse::<Date>();
            assert_eq!(date.is_ok(), is_one, "{text}");
            if let Ok(date) = date {
                assert_eq!(date.to_string(), text);
                assert_eq!(Date::new(date.year(), date.month(), date.day()), Some(date));
            }
        }
        assert_eq!(Date::new(10_000, 1, 1), None);
        assert_eq!(Date::new(2024, 1, 200), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text: String) {
            drop(text.parse::<Date>());
        }
    }
}
