//! The few types that generated models need beside the standard library's.
//!
//! Those that stand for strings are parsed by the functions here, by the codec and by the checks of formats alike, so
//! that both always agree on which text is well-formed.

use std::collections::BTreeMap;

mod base64;
mod date;
mod file;
mod nullable;
mod parsed;
mod timestamp;

pub use ::uuid::Uuid;
pub use bytes::Bytes;
pub use serde_json::Value;

pub use crate::stream::{ByteStream, Event, ItemStream, StreamError};

pub use self::{
    base64::Base64, date::Date, file::File, nullable::Nullable, parsed::Parsed, timestamp::Timestamp,
};

use crate::codec::Fault;

/// An object of which only the type of its values is known.
pub type Map<T> = BTreeMap<String, T>;

/// The error of a call that documents none: there is no such value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoError {}

impl std::fmt::Display for NoError {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {}
    }
}

impl std::error::Error for NoError {}

/// Sets fields of a value in passing: `Request::new("…").with(|request| request.speed = Some(1.1))`.
pub trait With: Sized {
    /// This value, changed.
    #[must_use]
    fn with(mut self, set: impl FnOnce(&mut Self)) -> Self {
        set(&mut self);
        self
    }
}

impl<T> With for T {}

/// Reads a UUID in its hyphenated form, of either case; the other forms that `Uuid` parses are none on the wire.
///
/// # Errors
/// The text is something else.
pub fn parse_uuid(text: &str) -> Result<Uuid, Fault> {
    const HYPHENATED: usize = 36;
    match Uuid::try_parse(text) {
        Ok(uuid) if text.len() == HYPHENATED => Ok(uuid),
        _ => Err(Fault::malformed("a UUID")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hyphenated_uuids() {
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
    fn sets_in_passing() {
        assert_eq!((1, 2).with(|pair| pair.1 = 3), (1, 3));
    }
}
