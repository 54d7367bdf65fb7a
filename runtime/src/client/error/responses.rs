//! Responses that are errors: documented, undocumented, or not decodable.

use std::fmt;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};

use super::excerpt::{value_at, write_message};
use crate::{client::response::RawResponse, codec::DecodeError};

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
        write!(f, "{}", self.status)?;
        write_message(f, &self.headers, &self.raw)
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
    /// The decode error, if the status is documented but the body is not as documented, or if the status is
    /// another success and the body does not fit the documented one.
    pub error: Option<DecodeError>,
    /// Whether the response states that no later attempt changes it.
    pub is_permanent: bool,
}

impl Unexpected {
    pub(in crate::client) fn new(raw: RawResponse, error: Option<DecodeError>) -> Self {
        let RawResponse { status, headers, body, is_permanent, .. } = raw;
        Self { status, headers, body, error, is_permanent }
    }
}

impl fmt::Display for Unexpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            Some(error) if self.status.is_success() => {
                write!(
                    f,
                    "{}, which isn't documented, with a body that isn't as documented ({error})",
                    self.status
                )?;
            }
            Some(error) => write!(f, "{} with a body that isn't as documented ({error})", self.status)?,
            None => write!(f, "{}, which isn't documented", self.status)?,
        }
        write_message(f, &self.headers, &self.body)
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
    pub error: DecodeError,
}

impl Undecodable {
    pub(in crate::client) fn new(raw: RawResponse, error: DecodeError) -> Self {
        Self { status: raw.status, headers: raw.headers, body: raw.body, error }
    }
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, but the response isn't as documented: {}", self.status, self.error)?;
        match value_at(&self.error, &self.body) {
            Some(value) => write!(f, ", `{value}`"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Undecodable {}
