//! The head of a response: which part of the file its body is.

use std::time::{Duration, SystemTime};

use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{CONTENT_RANGE, DATE, ETAG, LAST_MODIFIED},
};

/// A header that distinguishes two versions of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Validator {
    name: HeaderName,
    pub value: HeaderValue,
}

impl Validator {
    /// Returns the strong validator of a response. Only parts with the same one belong together.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        if let Some(value) = headers.get(ETAG) {
            let is_strong = value.as_bytes().starts_with(b"\"");
            return is_strong.then(|| Self { name: ETAG, value: value.clone() });
        }
        // A date is a strong validator only if it is older than the response (RFC 9110, section 8.8.2.2).
        const LATER: Duration = Duration::from_secs(60);
        let time = |name| -> Option<SystemTime> {
            httpdate::parse_http_date(headers.get::<HeaderName>(name)?.to_str().ok()?).ok()
        };
        let age = time(DATE)?.duration_since(time(LAST_MODIFIED)?).ok()?;
        let value = headers.get(LAST_MODIFIED).filter(|_| age >= LATER)?;
        Some(Self { name: LAST_MODIFIED, value: value.clone() })
    }

    fn differs(&self, headers: &HeaderMap) -> bool {
        headers.get(&self.name).is_some_and(|other| *other != self.value)
    }
}

/// A part of a file: its first byte, the one after its last, and the size of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub first: u64,
    pub end: Option<u64>,
    pub total: Option<u64>,
}

impl Part {
    /// Reads a `Content-Range`: `bytes 5-9/10`, or `bytes 5-9/*`.
    fn read(text: &str) -> Option<Self> {
        let (unit, range) = text.trim().split_once(' ')?;
        let (range, total) = range.split_once('/')?;
        let (first, last) = range.split_once('-')?;
        let number = |text: &str| text.parse::<u64>().ok().filter(|_| !text.starts_with('+'));
        let total = if total == "*" { None } else { Some(number(total)?) };
        let (first, last) = (number(first)?, number(last)?);
        let end = last.checked_add(1)?;
        let is_valid = unit.eq_ignore_ascii_case("bytes") && first <= last;
        (is_valid && total.is_none_or(|total| end <= total)).then_some(Self { first, end: Some(end), total })
    }
}

/// The meaning of a response's head for a download.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The body is this part of the file. The whole file begins at 0.
    Body(Part),
    /// The file has changed, or has no such part: the download starts again.
    Again,
    /// The body is another part than the requested one.
    Wrong(Option<String>),
    /// There is no file.
    Refused,
}

/// Interprets a response to a request for the bytes from `first` on.
///
/// `length` is that of the body, `total` that of the file as far as it is known.
pub(super) fn meaning(
    (status, headers): (StatusCode, &HeaderMap),
    (first, total): (u64, Option<u64>),
    validator: Option<&Validator>,
    length: Option<u64>,
) -> Meaning {
    match status {
        StatusCode::RANGE_NOT_SATISFIABLE if first > 0 => Meaning::Again,
        StatusCode::PARTIAL_CONTENT => {
            let text = headers.get(CONTENT_RANGE).map(|value| String::from_utf8_lossy(value.as_bytes()));
            let Some(part) = text.as_deref().and_then(Part::read).filter(|part| part.first == first) else {
                return Meaning::Wrong(text.map(Into::into));
            };
            // Without the size of the file, the end of a part is not known to be that of the file.
            let Some(size) = part.total.or(total) else {
                // The whole file was requested already.
                return if first > 0 { Meaning::Again } else { Meaning::Wrong(text.map(Into::into)) };
            };
            let is_other_size = total.zip(part.total).is_some_and(|(before, now)| before != now);
            match validator {
                Some(validator) if first > 0 && (is_other_size || validator.differs(headers)) => {
                    Meaning::Again
                }
                _ => Meaning::Body(Part { total: Some(size), ..part }),
            }
        }
        _ if status.is_success() => Meaning::Body(Part { first: 0, end: length, total: length }),
        _ => Meaning::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(HeaderName, &str)]) -> HeaderMap {
        lines.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn ranges_are_read() {
        let part = |first, end, total| Some(Part { first, end: Some(end), total });
        for (text, expected) in [
            ("bytes 5-9/10", part(5, 10, Some(10))),
            ("Bytes 0-0/*", part(0, 1, None)),
            ("bytes 5-10/10", None),
            ("bytes 5-4/10", None),
            ("bytes +5-9/10", None),
            ("bytes 5-9", None),
            ("bytes */10", None),
            ("items 5-9/10", None),
            ("bytes=5-9/10", None),
            ("bytes 0-18446744073709551615/*", None),
            ("", None),
        ] {
            assert_eq!(Part::read(text), expected, "{text}");
        }
    }

    #[test]
    fn only_strong_validators_count() {
        const OLD: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
        const NEW: &str = "Sun, 06 Nov 1994 08:50:37 GMT";
        for (lines, expected) in [
            (vec![(ETAG, "\"a\"")], Some("\"a\"")),
            (vec![(ETAG, "W/\"a\""), (LAST_MODIFIED, OLD), (DATE, NEW)], None),
            (vec![(LAST_MODIFIED, OLD), (DATE, NEW)], Some(OLD)),
            (vec![(LAST_MODIFIED, OLD), (DATE, OLD)], None),
            (vec![(LAST_MODIFIED, NEW), (DATE, OLD)], None),
            (vec![(LAST_MODIFIED, OLD)], None),
            (vec![], None),
        ] {
            let found = Validator::of(&headers(&lines));
            assert_eq!(found.as_ref().map(|found| found.value.to_str().unwrap()), expected, "{lines:?}");
        }
    }

    #[test]
    fn heads_mean_a_part_or_another_start() {
        let (status, headers_of) = (|code| StatusCode::from_u16(code).unwrap(), headers);
        let validator = Validator { name: ETAG, value: "\"a\"".parse().unwrap() };
        let whole = Meaning::Body(Part { first: 0, end: Some(4), total: Some(4) });
        let rest = || Meaning::Body(Part { first: 5, end: Some(10), total: Some(10) });
        let wrong = |text: &str| Meaning::Wrong(Some(text.to_owned()));
        for (code, lines, expected) in [
            (200, vec![], whole),
            (206, vec![(CONTENT_RANGE, "bytes 5-9/10")], rest()),
            (206, vec![(CONTENT_RANGE, "bytes 5-9/*"), (ETAG, "\"a\"")], rest()),
            (206, vec![(CONTENT_RANGE, "bytes 5-9/10"), (ETAG, "\"b\"")], Meaning::Again),
            (206, vec![(CONTENT_RANGE, "bytes 5-9/11")], Meaning::Again),
            (206, vec![(CONTENT_RANGE, "bytes 0-9/10")], wrong("bytes 0-9/10")),
            (206, vec![(CONTENT_RANGE, "5-9")], wrong("5-9")),
            (206, vec![], Meaning::Wrong(None)),
            (416, vec![], Meaning::Again),
            (404, vec![], Meaning::Refused),
        ] {
            let headers = headers_of(&lines);
            let found = meaning((status(code), &headers), (5, Some(10)), Some(&validator), Some(4));
            assert_eq!(found, expected, "{code} {lines:?}");
        }
        for (first, text, expected) in
            [(5, "bytes 5-9/*", Meaning::Again), (0, "bytes 0-9/*", wrong("bytes 0-9/*"))]
        {
            let headers = headers_of(&[(CONTENT_RANGE, text)]);
            let found = meaning((status(206), &headers), (first, None), Some(&validator), Some(5));
            assert_eq!(found, expected, "a part of a file of unknown size");
        }
    }
}
