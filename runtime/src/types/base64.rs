//! Bytes that are base64 on the wire.

use std::{fmt, str::FromStr};

use ::base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::codec::{Decode, DecodeError, Encode, Format, Reader, Writer, parsed};

/// Bytes that are base64 on the wire (`format: byte`).
///
/// The text uses the standard alphabet of RFC 4648 with padding. White space, a `data:` prefix and non-zero
/// bits after the last byte are errors, so each value has exactly one text.
///
/// ```
/// use openapi_crates_runtime::{codec::DecodeError, types::Base64};
///
/// let bytes: Base64 = "aGk=".parse()?;
/// assert_eq!(bytes.as_bytes(), b"hi");
/// assert!("aGk".parse::<Base64>().is_err());
/// # Ok::<(), DecodeError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Base64(pub Vec<u8>);

impl Base64 {
    /// Returns bytes as base64 text.
    #[must_use]
    pub fn encode_text(bytes: &[u8]) -> String {
        STANDARD.encode(bytes)
    }

    /// Returns the bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the bytes without copying them.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

impl FromStr for Base64 {
    type Err = DecodeError;

    fn from_str(text: &str) -> Result<Self, DecodeError> {
        STANDARD.decode(text).map(Self).map_err(|_| DecodeError::malformed("base64"))
    }
}

impl fmt::Display for Base64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Self::encode_text(&self.0))
    }
}

/// Shows the number of bytes instead of the bytes.
impl fmt::Debug for Base64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Base64({} bytes)", self.0.len())
    }
}

impl From<Vec<u8>> for Base64 {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl From<&[u8]> for Base64 {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl AsRef<[u8]> for Base64 {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Encode for Base64 {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.formatted(Format::Base64, &Self::encode_text(&self.0));
    }
}

impl Decode for Base64 {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        parsed(reader, str::parse)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_text_per_value() {
        for (text, bytes) in [
            ("", Some(&b""[..])),
            ("aGk=", Some(b"hi")),
            ("+/8=", Some(&[0xfb, 0xff])),
            ("aGk", None),
            ("aGl=", None),
            ("aGk==", None),
            ("-_8=", None),
            ("aG k=", None),
            ("aGk=\n", None),
            ("data:;base64,aGk=", None),
        ] {
            assert_eq!(text.parse::<Base64>().ok().as_ref().map(Base64::as_bytes), bytes, "{text}");
        }
    }

    #[test]
    fn debug_is_short() {
        assert_eq!(format!("{:?}", Base64(vec![0; 3])), "Base64(3 bytes)");
    }

    proptest! {
        #[test]
        fn round_trips(bytes: Vec<u8>) {
            let base64 = Base64(bytes);
            prop_assert_eq!(base64.to_string().parse::<Base64>().unwrap(), base64);
        }

        #[test]
        fn accepts_only_what_it_writes(text in "[A-Za-z0-9+/=]{0,12}") {
            if let Ok(base64) = text.parse::<Base64>() {
                prop_assert_eq!(base64.to_string(), text);
            }
        }
    }
}
