//! `Range` headers (RFC 9110, section 14).

use std::ops::Range;

/// The part of a file that a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asked {
    /// The whole file.
    Whole,
    /// These bytes.
    Range(Range<u64>),
    /// Bytes beyond the end of the file.
    Unsatisfiable,
}

/// Returns the requested part of a file of this size.
///
/// Multiple ranges, other units and malformed headers select the whole file, as the RFC permits.
pub(super) fn asked(header: Option<&str>, size: u64) -> Asked {
    let Some(range) = header.and_then(|header| header.trim().strip_prefix("bytes=")) else {
        return Asked::Whole;
    };
    let Some((first, last)) = range.trim().split_once('-') else { return Asked::Whole };
    if range.contains(',') {
        return Asked::Whole;
    }
    match (number(first), number(last)) {
        (Some(Some(first)), Some(last)) => {
            let end = last.map_or(size, |last| last.saturating_add(1).min(size));
            if last.is_some_and(|last| last < first) {
                Asked::Whole
            } else if first >= size {
                Asked::Unsatisfiable
            } else {
                Asked::Range(first..end)
            }
        }
        (Some(None), Some(Some(suffix))) if suffix > 0 && size > 0 => {
            Asked::Range(size.saturating_sub(suffix)..size)
        }
        (Some(None), Some(Some(_))) => Asked::Unsatisfiable,
        _ => Asked::Whole,
    }
}

/// Parses a number or an empty text (`Some(None)`); `None` if it is neither.
fn number(text: &str) -> Option<Option<u64>> {
    let text = text.trim();
    if text.is_empty() {
        return Some(None);
    }
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| Some(text.parse().unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_a_file_of_ten_bytes() {
        let rows: &[(&str, Asked)] = &[
            ("bytes=0-3", Asked::Range(0..4)),
            ("bytes=4-", Asked::Range(4..10)),
            ("bytes=4-99", Asked::Range(4..10)),
            ("bytes=4-99999999999999999999999", Asked::Range(4..10)),
            ("bytes=-3", Asked::Range(7..10)),
            ("bytes=-30", Asked::Range(0..10)),
            ("bytes=10-", Asked::Unsatisfiable),
            ("bytes=-0", Asked::Unsatisfiable),
            ("bytes=5-2", Asked::Whole),
            ("bytes=0-1,3-4", Asked::Whole),
            ("bytes=a-b", Asked::Whole),
            ("bytes=-", Asked::Whole),
            ("lines=0-3", Asked::Whole),
        ];
        for (header, expected) in rows {
            assert_eq!(asked(Some(header), 10), *expected, "{header}");
        }
        assert_eq!(asked(None, 10), Asked::Whole);
        assert_eq!(asked(Some("bytes=-5"), 0), Asked::Unsatisfiable);
    }
}
