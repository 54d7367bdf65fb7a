//! The failures that a handler can return.

use std::error::Error;

use super::{Body, Rejection};
use crate::types::{StreamError, StreamErrorKind};
use crate::validation::InvalidItem;

/// A failure, which a handler returns instead of an output.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure<E> {
    /// An error that the document describes. Every documented error converts into this.
    Documented(E),
    /// The operation is not implemented (501 by default).
    NotImplemented,
    /// An internal error (500 by default).
    ///
    /// The caller never sees the error. The [`reject`](super::Builder::reject) hook gets it.
    Internal(Box<dyn Error + Send + Sync>),
    /// A rejection, like those that precede the handler.
    Rejected(Box<Rejection>),
    /// A response that is sent as is, for cases that the document can't describe.
    Response(Box<http::Response<Body>>),
}

impl<E> Failure<E> {
    /// Creates an internal failure from an error or a text.
    ///
    /// # Examples
    /// ```
    /// use openapi_crates_runtime::server::Failure;
    ///
    /// fn port(text: &str) -> Result<u16, Failure<()>> {
    ///     text.parse().map_err(Failure::internal)
    /// }
    /// assert!(matches!(port("x"), Err(Failure::Internal(_))));
    /// ```
    pub fn internal(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Internal(error.into())
    }

    /// Creates a failure from a rejection.
    ///
    /// This is for constraints that the document can't express.
    #[must_use]
    pub fn rejected(rejection: Rejection) -> Self {
        Self::Rejected(Box::new(rejection))
    }

    /// Creates a rejection for a streamed request body that could not be read.
    ///
    /// The rejection is [`PayloadTooLarge`](Rejection::PayloadTooLarge) (413 by default) if the body exceeds
    /// its limit, [`Invalid`](Rejection::Invalid) (400 by default) if an item violates constraints, and
    /// [`MalformedBody`](Rejection::MalformedBody) (400 by default) otherwise.
    #[must_use]
    pub fn unread(error: StreamError) -> Self {
        Self::rejected(match error.into_kind() {
            StreamErrorKind::TooLarge { limit } => Rejection::PayloadTooLarge { limit },
            StreamErrorKind::Invalid(error) => match error.downcast::<InvalidItem>() {
                Ok(item) => Rejection::Invalid { violations: item.violations },
                Err(error) => Rejection::MalformedBody { detail: error.to_string() },
            },
            error => Rejection::MalformedBody { detail: error.to_string() },
        })
    }

    /// Creates a failure from a response, which is sent as is.
    #[must_use]
    pub fn response(response: http::Response<Body>) -> Self {
        Self::Response(Box::new(response))
    }
}

impl<E> From<E> for Failure<E> {
    fn from(error: E) -> Self {
        Self::Documented(error)
    }
}
