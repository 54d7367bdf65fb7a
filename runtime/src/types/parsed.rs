//! A wrapper for types of other crates that are strings on the wire.

use std::{
    fmt::{self, Display},
    ops::Deref,
    str::FromStr,
};

use crate::codec::{Decode, DecodeError, Encode, Reader, Writer, parsed};

/// A value that is a string on the wire, such as a `Parsed<url::Url>`.
///
/// It is read with the value's [`FromStr`] and written with its [`Display`]. Generated models contain one
/// where the caller of the generator replaces the type of a string.
///
/// ```
/// use std::net::IpAddr;
///
/// use openapi_crates_runtime::{codec::{from_json, to_json}, types::Parsed};
///
/// let address: Parsed<IpAddr> = from_json(br#""::1""#)?;
/// assert!(address.is_loopback());
/// assert_eq!(to_json(&address), br#""::1""#);
/// # Ok::<(), openapi_crates_runtime::codec::DecodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Parsed<T>(pub T);

impl<T> Deref for Parsed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> From<T> for Parsed<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T: FromStr> FromStr for Parsed<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        text.parse().map(Self)
    }
}

impl<T: Display> Display for Parsed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: FromStr> Decode for Parsed<T> {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        parsed(reader, |text| {
            text.parse().map_err(|_| DecodeError::malformed("text in the format of its type"))
        })
    }
}

impl<T: Display> Encode for Parsed<T> {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.rewritten(&self.0.to_string());
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use crate::codec::{from_json, to_json};

    #[test]
    fn is_text_on_the_wire() {
        let address: Parsed<IpAddr> = from_json(b"\"::1\"").unwrap();
        assert!(address.is_loopback());
        assert_eq!(to_json(&address), b"\"::1\"");
        assert!(from_json::<Parsed<IpAddr>>(b"\"here\"").is_err());
        assert!(from_json::<Parsed<IpAddr>>(b"1").is_err());
    }
}
