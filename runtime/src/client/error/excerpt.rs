//! The part of a response that the text of an error quotes.

use std::fmt;

use http::HeaderMap;

use super::message::message;
use crate::client::response::media_type;
use crate::codec::{DecodeError, DecodeErrorKind, EXCERPT, JsonReader, Kind, Reader, Segment, start_of};

/// The maximum number of characters of a server's message.
const MESSAGE: usize = 1000;

/// Returns a server's text as a line of moderate length, which ends no log entry and controls no terminal.
pub(in crate::client) fn line(text: &str) -> String {
    start_of(text.as_bytes(), MESSAGE)
}

/// Ends a line with the server's message, or with the size and the type of a body without one.
pub(super) fn write_message(f: &mut fmt::Formatter<'_>, headers: &HeaderMap, body: &[u8]) -> fmt::Result {
    let media_type = media_type(headers);
    match message(headers, body).map(|text| line(&text)) {
        Some(text) if !text.is_empty() => write!(f, ": {text}"),
        _ if body.is_empty() => Ok(()),
        _ if media_type.is_empty() => write!(f, " ({} bytes)", body.len()),
        _ => write!(f, " ({} bytes of {media_type})", body.len()),
    }
}

/// Displays why a response is not as documented: the location, the decode error and the offending value.
pub(super) struct Cause<'a> {
    pub error: &'a DecodeError,
    /// The header that the error is about, if it is not about the body.
    pub header: Option<&'static str>,
    pub headers: &'a HeaderMap,
    pub body: &'a [u8],
}

impl fmt::Display for Cause<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = match (self.header, self.error.kind()) {
            (Some(name), DecodeErrorKind::Missing(_)) => return write!(f, "the header `{name}` is missing"),
            (Some(name), _) => {
                write!(f, "header `{name}`: {}", self.error)?;
                self.headers.get(name).map(|value| start_of(value.as_bytes(), EXCERPT))
            }
            (None, _) => {
                write!(f, "{}", self.error)?;
                value_at(self.error, self.body)
            }
        };
        match value {
            Some(value) if !value.is_empty() => write!(f, ", `{value}`"),
            _ => Ok(()),
        }
    }
}

/// Returns the beginning of the value in a body that a decode error is about.
///
/// Returns `None` if the error already names the value or is about a missing one.
pub(in crate::client) fn value_at(error: &DecodeError, body: &[u8]) -> Option<String> {
    let value = match error.kind() {
        DecodeErrorKind::Syntax { offset, .. } => body.get(*offset..)?,
        // The error says that it is an array or an object.
        DecodeErrorKind::WrongKind { found: Kind::Array | Kind::Object, .. } => return None,
        DecodeErrorKind::WrongKind { .. }
        | DecodeErrorKind::OutOfRange { .. }
        | DecodeErrorKind::Malformed { .. }
        | DecodeErrorKind::NoVariant { .. } => value_in(body, &mut error.path())?,
        _ => return None,
    };
    Some(start_of(value, EXCERPT)).filter(|text| !text.is_empty())
}

/// Returns the text of the value at a path in a JSON body. The text of any other body is its only value.
fn value_in<'a>(body: &'a [u8], path: &mut dyn Iterator<Item = &Segment>) -> Option<&'a [u8]> {
    let mut reader = JsonReader::tolerant(body);
    let mut is_found = false;
    // It fails at the value, so that nothing behind it is read.
    let _stopped = walk(&mut reader, path, &mut is_found);
    let start = reader.offset();
    let end = reader.skip().map_or(body.len(), |()| reader.offset());
    body.get(start..end).filter(|_| is_found)
}

/// Walks along a path. Fails with the reader at its end, or because there is none.
fn walk(
    reader: &mut dyn Reader,
    path: &mut dyn Iterator<Item = &Segment>,
    is_found: &mut bool,
) -> Result<(), DecodeError> {
    match path.next() {
        Some(Segment::Field(field)) => reader.entries(&mut |name, reader| {
            if name == field { walk(reader, path, is_found) } else { reader.skip() }
        }),
        Some(Segment::Index(index)) => {
            let mut next = 0..;
            reader.array(&mut |reader| {
                if next.next() == Some(*index) { walk(reader, path, is_found) } else { reader.skip() }
            })
        }
        None => {
            *is_found = true;
            Err(DecodeError::custom("found"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::error::message::PARSED;

    #[test]
    fn values_are_found_by_their_path() {
        let body = br#"{"pets": [{"name": 17}, {"name": [1, 2]}, {"name": "a\n"}, {"name": 1"#;
        let error = |kind, index| DecodeError::new(kind).in_field("name").at_index(index).in_field("pets");
        let wrong = || DecodeErrorKind::OutOfRange { expected: "a string" };
        for (error, body, expected) in [
            (error(wrong(), 0), &body[..], Some("17")),
            (error(wrong(), 1), body, Some("[1, 2]")),
            (error(wrong(), 2), body, Some(r#""a\n""#)),
            (error(wrong(), 3), body, Some("1")),
            (error(wrong(), 4), body, None),
            (error(DecodeErrorKind::Missing("name"), 0), body, None),
            (error(wrong(), 0), b"no JSON", None),
            (DecodeError::new(wrong()), b"no JSON", Some("no JSON")),
            (DecodeError::new(wrong()), b" ", None),
        ] {
            assert_eq!(value_at(&error, body).as_deref(), expected, "{error}");
        }
        let syntax = |offset| {
            DecodeError::new(DecodeErrorKind::Syntax { offset, line: 1, column: 1, message: "no value" })
        };
        assert_eq!(value_at(&syntax(6), b"{\"a\": \x01no}").as_deref(), Some(" no}"));
        assert_eq!(value_at(&syntax(99), b"{}"), None);
        let array = DecodeError::wrong_kind("a string", Kind::Array);
        assert_eq!(value_at(&array, b"[1]"), None);
        let large = format!("[{}17]", "1,".repeat(PARSED));
        assert!(value_at(&syntax(0), large.as_bytes()).unwrap().ends_with("1,1…"));
        let last = DecodeError::new(wrong()).at_index(PARSED);
        assert_eq!(value_at(&last, large.as_bytes()).as_deref(), Some("17"));
        let long = format!("\"{}\"", "é".repeat(100));
        let start = value_at(&DecodeError::new(wrong()), long.as_bytes()).unwrap();
        assert_eq!((start.chars().count(), start.ends_with("é…")), (EXCERPT + 1, true));
    }

    #[test]
    fn json_without_a_message_is_never_cut_off() {
        struct Message<'a>(&'a HeaderMap, &'a [u8]);
        impl fmt::Display for Message<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write_message(f, self.0, self.1)
            }
        }
        let long = format!(" [{}1]", "1,".repeat(300));
        for (media_type, body, expected) in [
            ("", "no", ": no"),
            ("text/plain", "no", ": no"),
            ("application/json", "no", ": no"),
            ("text/html", "no", " (2 bytes of text/html)"),
            ("", r#"{"code": 7}"#, " (11 bytes)"),
            ("text/plain", r#"{"code": 7}"#, " (11 bytes of text/plain)"),
            ("text/plain", r#"{"message": "no"}"#, ": no"),
            ("text/plain; charset=utf-8", &long, " (604 bytes of text/plain)"),
            ("", "", ""),
        ] {
            let mut headers = HeaderMap::new();
            if !media_type.is_empty() {
                headers.insert(http::header::CONTENT_TYPE, media_type.parse().unwrap());
            }
            assert_eq!(Message(&headers, body.as_bytes()).to_string(), expected, "{media_type}: {body}");
        }
    }
}
