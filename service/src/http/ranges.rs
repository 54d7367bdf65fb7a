//! `Range` headers (RFC 9110, section 14).

use std::ops::Range;

/// The part of a file that a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Requested {
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
pub(super) fn requested(header: Option<&str>, size: u64) -> Requested {
    let Some(range) = header.and_then(|header| header.trim().strip_prefix("bytes=")) else {
        return Requested::Whole;
    };
    let Some((first, last)) = range.trim().split_once('-') else { return Requested::Whole };
    if range.contains(',') {
        return Requested::Whole;
    }
    match (number(first), number(last)) {
        (Some(Some(first)), Some(last)) => {
            let end = last.map_or(size, |last| last.saturating_add(1).min(size));
            if last.is_some_and(|last| last < first) {
                Requested::Whole
            } else if first >= size {
                Requested::Unsatisfiable
            } else {
                Requested::Range(first..end)
            }
        }
        (Some(None), Some(Some(suffix))) if suffix > 0 && size > 0 => {
            Requested::Range(size.saturating_sub(suffix)..size)
        }
        (Some(None), Some(Some(_))) => Requested::Unsatisfiable,
        _ => Requested::Whole,
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
        let rows: &[(&str, Requested)] = &[
            ("bytes=0-3", Requested::Range(0..4)),
            ("bytes=4-", Requested::Range(4..10)),
            ("bytes=4-99", Requested::Range(4..10)),
            ("bytes=4-99999999999999999999999", Requested::Range(4..10)),
            ("bytes=-3", Requested::Range(7..10)),
            ("bytes=-30", Requested::Range(0..10)),
            ("bytes=10-", Requested::Unsatisfiable),
            ("bytes=-0", Requested::Unsatisfiable),
            ("bytes=5-2", Requested::Whole),
            ("bytes=0-1,3-4", Requested::Whole),
            ("bytes=a-b", Requested::Whole),
            ("bytes=-", Requested::Whole),
            ("lines=0-3", Requested::Whole),
        ];
        for (header, expected) in rows {
            assert_eq!(requested(Some(header), 10), *expected, "{header}");
        }
        assert_eq!(requested(None, 10), Requested::Whole);
        assert_eq!(requested(Some("bytes=-5"), 0), Requested::Unsatisfiable);
    }
}
