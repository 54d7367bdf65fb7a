//! Durations of RFC 3339.

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
