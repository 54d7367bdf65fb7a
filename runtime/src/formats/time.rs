//! Times and durations of RFC 3339.

/// The minutes of a day.
const DAY: u16 = 24 * 60;

/// Returns whether `text` is a `full-time`: `12:00:00.5+01:00`.
///
/// The second may be 60 only where leap seconds are inserted, in the last minute of a day in UTC.
pub fn is_time(text: &str) -> bool {
    full_time(text.as_bytes()).is_some()
}

/// Returns whether `text` is a `duration` of appendix A: `P1DT12H`.
///
/// Only adjacent units can follow each other, and weeks stand alone. There are neither signs nor fractions. As
/// in any ABNF, the case of letters is free.
pub fn is_duration(text: &str) -> bool {
    let Some(parts) = text.strip_prefix(['P', 'p']) else { return false };
    match parts.split_once(['T', 't']) {
        Some((date, time)) => (date.is_empty() || are_amounts(date, b"YMD")) && are_amounts(time, b"HMS"),
        None => are_amounts(parts, b"YMD") || are_amounts(parts, b"W"),
    }
}

fn full_time(text: &[u8]) -> Option<()> {
    let (hour, text) = two_digits(text, 23)?;
    let (minute, text) = two_digits(text.strip_prefix(b":")?, 59)?;
    let (second, text) = two_digits(text.strip_prefix(b":")?, 60)?;
    let text = match text.strip_prefix(b".") {
        Some(fraction) => digits(fraction)?,
        None => text,
    };
    let ahead = minutes_ahead(text)?;
    let utc = (hour * 60 + minute + DAY - ahead) % DAY;
    (second < 60 || utc == DAY - 1).then_some(())
}

/// Returns how many minutes an offset is ahead of UTC, from 0 to a day. The offset must be the whole text.
fn minutes_ahead(text: &[u8]) -> Option<u16> {
    let (sign, text) = text.split_first()?;
    if matches!(sign, b'Z' | b'z') {
        return text.is_empty().then_some(0);
    }
    let (hours, text) = two_digits(text, 23)?;
    let (minutes, text) = two_digits(text.strip_prefix(b":")?, 59)?;
    let minutes = hours * 60 + minutes;
    match sign {
        b'+' if text.is_empty() => Some(minutes),
        b'-' if text.is_empty() => Some(DAY - minutes),
        _ => None,
    }
}

/// Parses two digits up to `most` at the start of `text`; also returns the remaining text.
fn two_digits(text: &[u8], most: u16) -> Option<(u16, &[u8])> {
    let ([tens, ones], behind) = text.split_first_chunk()?;
    let number = u16::from(digit(*tens)?) * 10 + u16::from(digit(*ones)?);
    (number <= most).then_some((number, behind))
}

fn digit(byte: u8) -> Option<u8> {
    byte.is_ascii_digit().then(|| byte - b'0')
}

/// Returns the text after the digits at its start; there must be at least one.
fn digits(text: &[u8]) -> Option<&[u8]> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).filter(|_| end > 0).map(|(_, behind)| behind)
}

/// Returns whether `text` has one or more amounts, each a number before a unit.
///
/// After the first, each unit must be the next one in `units`.
fn are_amounts(text: &str, units: &[u8]) -> bool {
    let mut text = text.as_bytes();
    let mut units = units.iter();
    let mut is_first = true;
    loop {
        let Some((unit, behind)) = digits(text).and_then(<[u8]>::split_first) else { return false };
        let is_unit = |known: &u8| known.eq_ignore_ascii_case(unit);
        let is_known = if is_first { units.any(is_unit) } else { units.next().is_some_and(is_unit) };
        if !is_known || behind.is_empty() {
            return is_known;
        }
        (text, is_first) = (behind, false);
    }
}
