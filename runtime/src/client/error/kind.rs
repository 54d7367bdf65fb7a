//! The causes of errors.

use std::{fmt, time::Duration};

use http::StatusCode;

use super::line;
use crate::client::{
    ApiFailure, BoxError, EncodeError, MissingCredential, PagingError, Undecodable, Unexpected,
};
use crate::{codec::DecodeError, validation::Violations};

/// The cause of an [`Error`](super::Error).
///
/// The displayed text has no full stop, because the error puts the request before it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind<E: fmt::Debug> {
    /// The server responded with an error that the operation documents.
    #[error("{0}")]
    Api(Box<ApiFailure<E>>),

    /// The response has an undocumented status, or an undocumented body of an error.
    #[error("{0}")]
    Unexpected(Box<Unexpected>),

    /// The body or the headers of a documented success are not as documented.
    #[error("{0}")]
    Decode(Box<Undecodable>),

    /// No connection could be made. Nothing was sent.
    #[error("the server couldn't be reached: {}", root_cause(&**.0))]
    Connect(#[source] BoxError),

    /// An attempt exceeded its timeout. The server may have processed the request.
    #[error("the server didn't respond within {after:?}")]
    Timeout {
        /// The duration of the attempt.
        after: Duration,
    },

    /// The connection failed during the request or the response.
    ///
    /// The server may have processed the request.
    #[error("the connection to the server failed: {}", root_cause(&**.0))]
    Transport(#[source] BoxError),

    /// The response is larger than the client's limit.
    ///
    /// The server has processed the request. [`response_limit`](crate::client::ClientBuilder::response_limit) sets
    /// the limit.
    #[error("{status}: the response is larger than the client's limit of {limit} bytes")]
    TooLarge {
        /// The status.
        status: StatusCode,
        /// The limit, in bytes.
        limit: u64,
    },

    /// The call's deadline passed during an attempt.
    #[error("the call didn't finish within its deadline of {after:?}")]
    Deadline {
        /// The maximum duration of the call.
        after: Duration,
    },

    /// The call can't be turned into a request. Nothing was sent.
    #[error("the call can't be turned into a request: {0}")]
    Encode(EncodeError),

    /// The input violates the API's constraints, by the check before sending.
    ///
    /// Nothing was sent.
    #[error("the input violates the API's constraints, so it wasn't sent: {}", violations)]
    Invalid {
        /// The violations.
        violations: Box<Violations>,
    },

    /// No credential is set for the security schemes of the operation. Nothing was sent.
    #[error("no credential is set: {0}")]
    MissingCredential(MissingCredential),

    /// The provider of a credential failed. Nothing was sent.
    #[error("the provider of the credential failed: {}", root_cause(&**.0))]
    Credential(#[source] BoxError),

    /// A hook of the client rejected the request of an attempt. The attempt was not sent.
    #[error("a hook rejected the request: {}", root_cause(&**.0))]
    Hook(#[source] BoxError),

    /// The transport sends no such request: a mock has no response for it. It was not sent.
    #[error("the transport refused the request: {}", root_cause(&**.0))]
    Refused(#[source] BoxError),

    /// The JSON input of a dynamic call does not match the operation. Nothing was sent.
    #[error("the input doesn't match the operation: {0}")]
    Input(Box<DecodeError>),

    /// The next page of a list can't be requested.
    #[error("{0}")]
    Paging(PagingError),

    /// A response names the URL of the next page, or of a report on a long-running operation, and it is invalid or on
    /// another server, which must not get the credentials.
    #[error("the URL `{}` that the response names isn't on the server of the operation", line(url))]
    Elsewhere {
        /// The URL, without its query.
        url: String,
    },

    /// A dynamic call named an operation that does not exist. Nothing was sent.
    #[error("the operation `{id}` does not exist")]
    UnknownOperation {
        /// The operation id.
        id: String,
    },
}

impl<E: fmt::Debug> ErrorKind<E> {
    /// Converts the type of the documented errors.
    pub fn map_api<F: fmt::Debug>(self, change: impl FnOnce(E) -> F) -> ErrorKind<F> {
        match self {
            Self::Api(failure) => {
                let ApiFailure { status, headers, body, raw, is_permanent } = *failure;
                ErrorKind::Api(Box::new(ApiFailure {
                    status,
                    headers,
                    body: change(body),
                    raw,
                    is_permanent,
                }))
            }
            Self::Unexpected(unexpected) => ErrorKind::Unexpected(unexpected),
            Self::Decode(undecodable) => ErrorKind::Decode(undecodable),
            Self::Connect(source) => ErrorKind::Connect(source),
            Self::Timeout { after } => ErrorKind::Timeout { after },
            Self::Transport(source) => ErrorKind::Transport(source),
            Self::TooLarge { status, limit } => ErrorKind::TooLarge { status, limit },
            Self::Deadline { after } => ErrorKind::Deadline { after },
            Self::Encode(error) => ErrorKind::Encode(error),
            Self::Invalid { violations } => ErrorKind::Invalid { violations },
            Self::MissingCredential(missing) => ErrorKind::MissingCredential(missing),
            Self::Credential(source) => ErrorKind::Credential(source),
            Self::Hook(source) => ErrorKind::Hook(source),
            Self::Refused(source) => ErrorKind::Refused(source),
            Self::Input(error) => ErrorKind::Input(error),
            Self::Paging(error) => ErrorKind::Paging(error),
            Self::Elsewhere { url } => ErrorKind::Elsewhere { url },
            Self::UnknownOperation { id } => ErrorKind::UnknownOperation { id },
        }
    }
}

impl<E: fmt::Debug> From<PagingError> for ErrorKind<E> {
    fn from(error: PagingError) -> Self {
        Self::Paging(error)
    }
}

/// Returns the message of the innermost error, which is the most specific one.
fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    std::iter::successors(Some(error), |error| error.source())
        .last()
        .map(ToString::to_string)
        .unwrap_or_default()
}
