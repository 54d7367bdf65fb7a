//! Responses that are errors: documented, undocumented, or not decodable.

use std::fmt;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};

use super::excerpt::{Cause, write_message};
use crate::client::{RawResponse, reply::Misread};
use crate::codec::DecodeError;

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
    /// The decode error, if the response differs from the documented one.
    ///
    /// The documented response is that of the status, or that of the documented success if the status is another 2xx.
    pub error: Option<DecodeError>,
    /// The name of the header that the decode error is about, if it is not about the body.
    pub header: Option<&'static str>,
    /// Whether the response states that no later attempt changes it.
    pub is_permanent: bool,
}

impl Unexpected {
    pub(in crate::client) fn new(raw: RawResponse, misread: Option<Misread>) -> Self {
        let RawResponse { status, headers, body, is_permanent, .. } = raw;
        let (error, header) = misread.map_or((None, None), |Misread { error, header }| (Some(error), header));
        Self { status, headers, body, error, header, is_permanent }
    }
}

impl fmt::Display for Unexpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, headers, body, error, header, .. } = self;
        match error {
            Some(error) => {
                let link = if status.is_success() { ", which isn't documented," } else { "" };
                let part = if header.is_some() { "header" } else { "body" };
                let cause = Cause { error, header: *header, headers, body };
                write!(f, "{status}{link} with a {part} that isn't as documented ({cause})")?;
            }
            None => write!(f, "{status}, which isn't documented")?,
        }
        write_message(f, headers, body)
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
    /// The decode error. Its path is the location in the body or in the header.
    pub error: DecodeError,
    /// The name of the header that the decode error is about, if it is not about the body.
    pub header: Option<&'static str>,
}

impl Undecodable {
    pub(in crate::client) fn new(raw: RawResponse, Misread { error, header }: Misread) -> Self {
        Self { status: raw.status, headers: raw.headers, body: raw.body, error, header }
    }
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, headers, body, error, header } = self;
        let cause = Cause { error, header: *header, headers, body };
        write!(f, "{status}, but the response isn't as documented: {cause}")
    }
}

impl std::error::Error for Undecodable {}
