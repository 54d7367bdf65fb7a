//! A calendar date.

use std::{fmt, str::FromStr};

use jiff::civil;

use crate::codec::{Decode, Encode, Fault, Format, Reader, Writer, parsed};

/// A calendar date, as RFC 3339 writes a `full-date`: `2024-02-29`. Years are 0000 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(civil::Date);

impl Date {
    /// The date of this year, month (from 1) and day (from 1), if there is one.
    #[must_use]
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let year = i16::try_from(year).ok()?;
        civil::Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok().map(Self)
    }

    /// The date of this year, month and day, or the last one of that month; of another year or month than there is, that
    /// which is nearest.
    #[must_use]
    pub fn nearest(year: u16, month: u8, day: u8) -> Self {
        let (year, month) = (year.min(9999), month.clamp(1, 12));
        let there_is = (1..=day.clamp(1, 31)).rev().find_map(|day| Self::new(year, month, day));
        there_is.unwrap_or(Self(civil::Date::ZERO))
    }

    /// The year.
    #[must_use]
    pub fn year(self) -> u16 {
        self.0.year().unsigned_abs()
    }

    /// The month, from 1.
    #[must_use]
    pub fn month(self) -> u8 {
        self.0.month().unsigned_abs()
    }

    /// The day of the month, from 1.
    #[must_use]
    pub fn day(self) -> u8 {
        self.0.day().unsigned_abs()
    }
}

impl FromStr for Date {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        match date(text.as_bytes()) {
            Some((date, [])) => Ok(Self(date)),
            _ => Err(Fault::malformed("an RFC 3339 date")),
        }
    }
}

/// The date at the front of `text`, and what is behind it.
pub(super) fn date(text: &[u8]) -> Option<(civil::Date, &[u8])> {
    let (year, text) = digits::<4>(text)?;
    let (month, text) = digits::<2>(text.strip_prefix(b"-")?)?;
    let (day, text) = digits::<2>(text.strip_prefix(b"-")?)?;
    Some((civil::Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()?, text))
}

/// The number of exactly `N` digits at the front of `text`, and what is behind it; at most four digits.
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
    fn decode(reader: &mut dyn Reader) -> Result<Self, Fault> {
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
