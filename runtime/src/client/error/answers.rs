//! Responses that are errors: documented, undocumented, or not decodable.

use std::fmt;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};

use crate::{client::response::RawResponse, codec::Fault};

/// A documented error, decoded.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ApiFailure<E> {
    /// The status.
    pub status: StatusCode,
    /// All headers, documented or not.
    pub headers: HeaderMap,
    /// The documented error, with its body.
    pub body: E,
    /// The raw body.
    pub raw: Bytes,
    /// Whether the response states that no later attempt changes it.
    pub is_permanent: bool,
}

impl<E> ApiFailure<E> {
    pub(in crate::client) fn new(raw: RawResponse, body: E) -> Self {
        let RawResponse { status, headers, is_permanent, .. } = raw;
        Self { status, headers, body, raw: raw.body, is_permanent }
    }
}

impl<E: fmt::Debug> fmt::Display for ApiFailure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "The server responded with {}", self.status)?;
        write_excerpt(f, &self.raw)
    }
}

impl<E: fmt::Debug> std::error::Error for ApiFailure<E> {}

/// A response that the operation does not document.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Unexpected {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
    /// The decode error, if the status is documented but the body is not as documented.
    pub fault: Option<Fault>,
    /// Whether the response states that no later attempt changes it.
    pub is_permanent: bool,
}

impl Unexpected {
    pub(in crate::client) fn new(raw: RawResponse, fault: Option<Fault>) -> Self {
        let RawResponse { status, headers, body, is_permanent, .. } = raw;
        Self { status, headers, body, fault, is_permanent }
    }
}

impl fmt::Display for Unexpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            Some(fault) => {
                write!(
                    f,
                    "The server responded with {} and a body that isn't as documented ({fault})",
                    self.status
                )?;
            }
            None => write!(f, "The server responded with {}, which isn't documented", self.status)?,
        }
        write_excerpt(f, &self.body)
    }
}

impl std::error::Error for Unexpected {}

/// A documented success that can't be decoded.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Undecodable {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Bytes,
    /// The decode error.
    pub fault: Fault,
}

impl Undecodable {
    pub(in crate::client) fn new(raw: RawResponse, fault: Fault) -> Self {
        Self { status: raw.status, headers: raw.headers, body: raw.body, fault }
    }
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "The server responded with {}, but the response isn't as documented ({})",
            self.status, self.fault
        )?;
        write_excerpt(f, &self.body)
    }
}

impl std::error::Error for Undecodable {}

/// Ends a sentence with the beginning of `body`, as one line of printable text.
fn write_excerpt(f: &mut fmt::Formatter<'_>, body: &[u8]) -> fmt::Result {
    const LENGTH: usize = 200;
    // A character has at most four bytes, so the rest of a large body is never read.
    let start = body.get(..LENGTH * 4).unwrap_or(body);
    let text = String::from_utf8_lossy(start);
    let text = text.trim();
    if text.is_empty() {
        return f.write_str(".");
    }
    f.write_str(": ")?;
    for character in text.chars().take(LENGTH) {
        fmt::Write::write_char(f, if character.is_control() { ' ' } else { character })?;
    }
    if text.chars().count() > LENGTH || start.len() < body.len() { f.write_str("…") } else { Ok(()) }
}
