//! Encoded text and its decoding.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// The encoding of text on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    /// Not encoded, as in headers.
    Plain,
    /// Percent-encoded, as in paths and cookies.
    Percent,
    /// Percent-encoded with `+` for a space, as in queries and forms.
    Form,
    /// Never readable, because the name that belongs to this text is malformed.
    Malformed,
}

/// Text before it is decoded.
///
/// Delimiters are searched before decoding, so that decoded values may contain them.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Raw<'a> {
    /// Text without encoded characters.
    Text(&'a str),
    /// Bytes that may be encoded and may not be UTF-8.
    Bytes(&'a [u8], Coding),
}

/// The error for text with an invalid percent-encoding or invalid UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed;

impl<'a> Raw<'a> {
    pub(crate) const fn new(bytes: &'a [u8], coding: Coding) -> Self {
        Self::Bytes(bytes, coding)
    }

    /// Creates a raw text from valid UTF-8.
    pub(crate) fn of_text(text: &'a str, coding: Coding) -> Self {
        if is_encoded(text.as_bytes(), coding) {
            Self::Bytes(text.as_bytes(), coding)
        } else {
            Self::Text(text)
        }
    }

    /// Returns whether the text is used as it is, without decoding.
    pub(crate) const fn is_plain(self) -> bool {
        matches!(self, Self::Text(_) | Self::Bytes(_, Coding::Plain))
    }

    /// Returns the bytes without decoding them.
    pub(crate) const fn bytes(self) -> &'a [u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes, _) => bytes,
        }
    }

    /// Returns a part of this text, with the same encoding.
    pub(crate) const fn with(self, bytes: &'a [u8]) -> Self {
        match self {
            Self::Text(_) => Self::Bytes(bytes, Coding::Plain),
            Self::Bytes(_, coding) => Self::Bytes(bytes, coding),
        }
    }

    /// Decodes the text; copies it only if it has encoded characters.
    #[inline]
    pub(crate) fn decode(self) -> Result<Cow<'a, str>, Malformed> {
        match self {
            Self::Text(text) => Ok(Cow::Borrowed(text)),
            Self::Bytes(bytes, coding) => decode(bytes, coding),
        }
    }

    /// Decodes the text, with replacement characters if it is malformed.
    ///
    /// Also returns whether it is malformed.
    pub(crate) fn decode_lossy(self) -> (Cow<'a, str>, bool) {
        match self.decode() {
            Ok(text) => (text, false),
            Err(Malformed) => {
                let bytes: Vec<u8> = percent_encoding::percent_decode(self.bytes()).collect();
                let text = String::from_utf8_lossy(&bytes).into_owned();
                // The added character keeps a malformed text from being equal to a valid one.
                (Cow::Owned(format!("{text}\u{FFFD}")), true)
            }
        }
    }

    /// Removes leading and trailing spaces and tabs.
    pub(crate) fn trim(self) -> Self {
        self.with(trim(self.bytes()))
    }
}

// Most texts are not encoded, so this is not inlined.
#[inline(never)]
fn decode(bytes: &[u8], coding: Coding) -> Result<Cow<'_, str>, Malformed> {
    match coding {
        Coding::Malformed => Err(Malformed),
        _ if is_encoded(bytes, coding) => unescape(bytes, coding == Coding::Form)
            .and_then(|bytes| String::from_utf8(bytes).map_err(|_| Malformed))
            .map(Cow::Owned),
        _ => std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|_| Malformed),
    }
}

/// Returns whether these bytes have encoded characters.
fn is_encoded(bytes: &[u8], coding: Coding) -> bool {
    // A vectorized search has a fixed cost, so short texts are searched byte by byte.
    let is_short = bytes.len() < 16;
    match coding {
        Coding::Plain => false,
        Coding::Percent if is_short => bytes.contains(&b'%'),
        Coding::Form if is_short => bytes.iter().any(|byte| matches!(byte, b'%' | b'+')),
        Coding::Percent => memchr(b'%', bytes).is_some(),
        Coding::Form => memchr2(b'%', b'+', bytes).is_some(),
        Coding::Malformed => true,
    }
}

/// Removes leading and trailing spaces and tabs.
pub(crate) fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = bytes {
        bytes = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}

fn unescape(bytes: &[u8], plus_is_space: bool) -> Result<Vec<u8>, Malformed> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        rest = match rest {
            [] => return Ok(out),
            [b'%', high, low, rest @ ..] => {
                out.push(hex(*high)? << 4 | hex(*low)?);
                rest
            }
            [b'%', ..] => return Err(Malformed),
            [b'+', rest @ ..] if plus_is_space => {
                out.push(b' ');
                rest
            }
            [byte, rest @ ..] => {
                out.push(*byte);
                rest
            }
        };
    }
}

fn hex(digit: u8) -> Result<u8, Malformed> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok()).ok_or(Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_is_encoded() {
        let cases: &[(&str, Coding, Option<&str>)] = &[
            ("", Coding::Form, Some("")),
            ("a+b", Coding::Form, Some("a b")),
            ("a+b", Coding::Percent, Some("a+b")),
            ("a%2Bb", Coding::Form, Some("a+b")),
            ("a%20b", Coding::Plain, Some("a%20b")),
            ("%C3%a9", Coding::Percent, Some("é")),
            ("é", Coding::Percent, Some("é")),
            ("%00", Coding::Percent, Some("\0")),
            ("%C3", Coding::Percent, None),
            ("%", Coding::Percent, None),
            ("%4", Coding::Form, None),
            ("%+1", Coding::Form, None),
            ("%zz", Coding::Form, None),
            ("%%41", Coding::Form, None),
            ("fine", Coding::Malformed, None),
        ];
        for (text, coding, expected) in cases {
            let from_text = Raw::new(text.as_bytes(), *coding).decode().ok();
            assert_eq!(from_text.as_deref(), *expected, "{text} as {coding:?}");
            assert_eq!(Raw::of_text(text, *coding).decode().ok(), from_text, "{text} as {coding:?}");
        }
    }

    #[test]
    fn copies_only_what_is_encoded() {
        assert!(matches!(Raw::new(b"plain", Coding::Form).decode(), Ok(Cow::Borrowed("plain"))));
    }

    #[test]
    fn a_malformed_name_never_equals_a_well_formed_one() {
        let (name, malformed) = Raw::new(b"na%me", Coding::Form).decode_lossy();
        assert!(malformed);
        assert_ne!(name, "na%me");
    }

    #[test]
    fn trims_spaces_and_tabs() {
        assert_eq!(trim(b" \ta b\t "), b"a b");
        assert_eq!(trim(b"  "), b"");
    }
}
