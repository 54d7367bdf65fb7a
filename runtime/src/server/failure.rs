//! What an operation may fail with.

use std::error::Error;

use super::{Body, Rejection};
use crate::types::StreamError;

/// What a handler answers with where it does not succeed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure<E> {
    /// An error that the document describes. Every documented error converts into this.
    Documented(E),
    /// The operation is not implemented: 501.
    NotImplemented,
    /// Something broke: 500. The caller never sees what; the [`reject`](super::Builder::reject) hook does.
    Internal(Box<dyn Error + Send + Sync>),
    /// A refusal like those before the handler.
    Rejected(Box<Rejection>),
    /// Any response, sent as it is: for what the document can't say.
    Response(Box<http::Response<Body>>),
}

impl<E> Failure<E> {
    /// Something broke; any error, or a text.
    pub fn internal(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Internal(error.into())
    }

    /// A refusal like those before the handler, such as of a rule that the document can't say.
    #[must_use]
    pub fn rejected(rejection: Rejection) -> Self {
        Self::Rejected(Box::new(rejection))
    }

    /// A body that its reader got as it came, and that broke off (400) or went beyond the limit of bodies (413).
    #[must_use]
    pub fn unread(error: StreamError) -> Self {
        Self::rejected(match error {
            StreamError::TooLarge { limit } => Rejection::PayloadTooLarge { limit },
            error => Rejection::MalformedBody { detail: error.to_string() },
        })
    }

    /// Any response, sent as it is.
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
