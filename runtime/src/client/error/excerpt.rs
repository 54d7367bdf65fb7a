//! What the text of an error quotes from a response.

use std::fmt;

use http::HeaderMap;

use super::problem::message;
use crate::{
    client::response::media_type,
    codec::{DecodeError, DecodeErrorKind, Kind, Segment},
    types::Value,
};

/// The maximum number of characters of a server's message.
const MESSAGE: usize = 300;

/// The maximum number of characters of a value.
const VALUE: usize = 60;

/// The maximum size of a body that is parsed for the text of an error, in bytes.
const PARSED: usize = 64 * 1024;

/// Ends a line with the server's message, or with the size and the type of a body without one.
pub(super) fn write_message(f: &mut fmt::Formatter<'_>, headers: &HeaderMap, body: &[u8]) -> fmt::Result {
    let media_type = media_type(headers);
    let text = || match media_type {
        "text/plain" | "" => Some(start_of(body, MESSAGE)),
        _ => None,
    };
    let message = Some(body).filter(|body| body.len() <= PARSED).and_then(message);
    match message.map(|text| start_of(text.as_bytes(), MESSAGE)).or_else(text) {
        Some(text) if !text.is_empty() => write!(f, ": {text}"),
        _ if body.is_empty() => Ok(()),
        _ if media_type.is_empty() => write!(f, " ({} bytes)", body.len()),
        _ => write!(f, " ({} bytes of {media_type})", body.len()),
    }
}

/// Returns the beginning of the JSON value that a decode error is about.
///
/// Returns `None` if the body is not JSON, or if the error already names the value or is about a missing one.
pub(super) fn value_at(error: &DecodeError, body: &[u8]) -> Option<String> {
    match error.kind() {
        DecodeErrorKind::Syntax { offset, .. } => {
            Some(start_of(body.get(*offset..)?, VALUE)).filter(|text| !text.is_empty())
        }
        // The error says that it is an array or an object.
        DecodeErrorKind::WrongKind { found: Kind::Array | Kind::Object, .. } => None,
        DecodeErrorKind::WrongKind { .. }
        | DecodeErrorKind::OutOfRange { .. }
        | DecodeErrorKind::Malformed { .. }
        | DecodeErrorKind::NoVariant { .. }
            if body.len() <= PARSED =>
        {
            let body: Value = serde_json::from_slice(body).ok()?;
            let value = error.path().try_fold(&body, |value, segment| match segment {
                Segment::Field(name) => value.get(name.as_ref()),
                Segment::Index(index) => value.get(index),
            })?;
            Some(start_of(value.to_string().as_bytes(), VALUE))
        }
        _ => None,
    }
}

/// Returns the first characters of a text, in one line.
fn start_of(text: &[u8], length: usize) -> String {
    let text = text.trim_ascii();
    // A character has at most four bytes, so the rest of a long text is never read.
    let start = String::from_utf8_lossy(text.get(..length * 4).unwrap_or(text));
    let line = |character: char| if character.is_control() { ' ' } else { character };
    let mut line: String = start.chars().take(length).map(line).collect();
    if start.chars().count() > length || text.len() > length * 4 {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_path() {
        let body = br#"{"pets": [{"name": 17}, {"name": [1, 2]}]}"#;
        let error = |kind, index| DecodeError::new(kind).in_field("name").at_index(index).in_field("pets");
        let wrong = || DecodeErrorKind::OutOfRange { expected: "a string" };
        for (error, body, expected) in [
            (error(wrong(), 0), &body[..], Some("17")),
            (error(wrong(), 1), body, Some("[1,2]")),
            (error(wrong(), 2), body, None),
            (error(DecodeErrorKind::Missing("name"), 0), body, None),
            (error(wrong(), 0), b"no JSON", None),
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
        let large = format!("[{}1]", "1,".repeat(PARSED));
        assert_eq!(value_at(&error(wrong(), 0), large.as_bytes()), None, "it is not parsed");
        assert!(value_at(&syntax(0), large.as_bytes()).unwrap().ends_with("1,1…"));
        let long = format!("\"{}\"", "é".repeat(100));
        let start = value_at(&DecodeError::new(wrong()), long.as_bytes()).unwrap();
        assert_eq!((start.chars().count(), start.ends_with("é…")), (VALUE + 1, true));
    }
}
