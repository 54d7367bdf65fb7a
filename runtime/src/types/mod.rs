//! The types that generated models need in addition to the standard library's.
//!
//! A type that is a string on the wire has one parser. The codec and the checks of string formats both use
//! it, so they agree on which text is valid.

mod base64;
mod date;
mod media;
mod nullable;
mod parsed;
mod timestamp;

pub use uuid::Uuid;

pub use crate::codec::{ByteStream, Bytes, File, Map, StreamError, StreamErrorKind, Value};
pub use crate::stream::{Event, ItemStream};

pub use self::{
    base64::Base64,
    date::Date,
    media::{Base64Medium, DataUriMedium},
    nullable::Nullable,
    parsed::Parsed,
    timestamp::Timestamp,
};

use crate::codec::{Decode, DecodeError, Encode, Format, Reader, Writer, parsed};

/// The error type of an operation that documents no errors. It has no values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoError {}

impl std::fmt::Display for NoError {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {}
    }
}

impl std::error::Error for NoError {}

impl Encode for NoError {
    fn encode(&self, _writer: &mut dyn Writer) {
        match *self {}
    }
}

impl Decode for NoError {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        Err(DecodeError::unknown_choice(reader.choice()))
    }
}

/// Sets fields of a value within an expression.
///
/// Generated structs are `#[non_exhaustive]` and have a constructor for their required fields. This trait
/// sets the optional ones. Every type implements it.
///
/// ```
/// use openapi_crates_runtime::types::{Event, With};
///
/// let event = Event::new("hello").with(|event| event.retry = Some(1000));
/// assert_eq!(event.retry, Some(1000));
/// ```
pub trait With: Sized {
    /// Calls `set` with this value and returns the changed value.
    #[must_use]
    fn with(mut self, set: impl FnOnce(&mut Self)) -> Self {
        set(&mut self);
        self
    }
}

impl<T> With for T {}

/// Parses a hyphenated UUID in upper or lower case.
///
/// # Errors
/// Fails for any other text, including the other forms that [`Uuid::try_parse`] accepts.
pub fn parse_uuid(text: &str) -> Result<Uuid, DecodeError> {
    const HYPHENATED: usize = 36;
    match Uuid::try_parse(text) {
        Ok(uuid) if text.len() == HYPHENATED => Ok(uuid),
        _ => Err(DecodeError::malformed("a UUID")),
    }
}

impl Encode for Uuid {
    fn encode(&self, writer: &mut dyn Writer) {
        let mut buffer = Self::encode_buffer();
        writer.formatted(Format::Uuid, self.hyphenated().encode_lower(&mut buffer));
    }
}

impl Decode for Uuid {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        parsed(reader, parse_uuid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hyphenated_uuids_are_accepted() {
        for (text, is_one) in [
            ("67e55044-10b1-426f-9247-bb680e5fe0c8", true),
            ("67E55044-10B1-426F-9247-BB680E5FE0C8", true),
            ("00000000-0000-0000-0000-000000000000", true),
            ("67e5504410b1426f9247bb680e5fe0c8", false),
            ("{67e55044-10b1-426f-9247-bb680e5fe0c8}", false),
            ("urn:uuid:67e55044-10b1-426f-9247-bb680e5fe0c8", false),
            ("67e55044-10b1-426f-9247-bb680e5fe0cg", false),
            ("67e550441-0b1-426f-9247-bb680e5fe0c8", false),
            ("", false),
        ] {
            assert_eq!(parse_uuid(text).is_ok(), is_one, "{text}");
        }
    }

    #[test]
    fn with_returns_the_changed_value() {
        assert_eq!((1, 2).with(|pair| pair.1 = 3), (1, 3));
    }
}
