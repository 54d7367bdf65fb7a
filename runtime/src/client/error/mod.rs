//! The errors of a call, with one variant per cause.

mod answers;
mod problem;

use std::{fmt, time::Duration};

use http::{HeaderMap, StatusCode};

use super::{
    BoxError,
    response::{media_type, retry_after},
};
use crate::{codec::Fault, types::NoError, validation::Violations};

pub use answers::{ApiFailure, Undecodable, Unexpected};
pub use problem::{InvalidInput, Problem};

/// The reason why a call did not return a documented success.
///
/// `E` is the type of the operation's documented errors.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::client::Error;
///
/// fn explain<E: std::fmt::Debug>(error: &Error<E>) -> String {
///     match error {
///         Error::Api(failure) => format!("documented error with status {}", failure.status),
///         error if error.is_retryable() => format!("temporary error: {error}"),
///         error => error.to_string(),
///     }
/// }
/// let error = Error::<()>::UnknownOperation { id: "getIcon".to_owned() };
/// assert_eq!(explain(&error), "The operation `getIcon` does not exist.");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error<E: fmt::Debug> {
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
    #[error("The server couldn't be reached: {}", root_cause(&**.0))]
    Connect(#[source] BoxError),

    /// An attempt exceeded its timeout. The server may have processed the request.
    #[error("The server didn't respond within {after:?}.")]
    Timeout {
        /// The duration of the attempt.
        after: Duration,
    },

    /// The connection failed during the request or the response.
    ///
    /// The server may have processed the request.
    #[error("The connection to the server failed: {}", root_cause(&**.0))]
    Transport(#[source] BoxError),

    /// The response is larger than the client's limit.
    ///
    /// The server has processed the request. [`response_limit`](super::ClientBuilder::response_limit) sets
    /// the limit.
    #[error("The response ({status}) is larger than the client's limit of {limit} bytes.")]
    TooLarge {
        /// The status.
        status: StatusCode,
        /// The limit, in bytes.
        limit: u64,
    },

    /// The call's deadline passed during an attempt.
    #[error("The call didn't finish within its deadline of {after:?}.")]
    Deadline {
        /// The maximum duration of the call.
        after: Duration,
    },

    /// The call can't be turned into a request. Nothing was sent.
    #[error("The call can't be turned into a request: {0}")]
    Encode(EncodeError),

    /// The input violates the API's constraints, by the check before sending.
    ///
    /// Nothing was sent.
    #[error("The input violates the API's constraints, so it wasn't sent: {}", listed(violations))]
    Invalid {
        /// The violations.
        violations: Box<Violations>,
    },

    /// The provider of a credential failed. Nothing was sent.
    #[error("The provider of the credential failed: {}", root_cause(&**.0))]
    Credential(#[source] BoxError),

    /// The JSON input of a dynamic call does not match the operation. Nothing was sent.
    #[error("The input doesn't match the operation: {0}")]
    Input(Box<Fault>),

    /// A dynamic call named an operation that does not exist. Nothing was sent.
    #[error("The operation `{id}` does not exist.")]
    UnknownOperation {
        /// The operation id.
        id: String,
    },
}

impl<E: fmt::Debug> Error<E> {
    /// Returns the status, if the server responded.
    #[must_use]
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Self::TooLarge { status, .. } => Some(*status),
            _ => self.answer().map(|(status, _)| status),
        }
    }

    /// Returns the headers, if there is a response.
    #[must_use]
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.answer().map(|(_, headers)| headers)
    }

    /// Returns the documented error, if this is one.
    #[must_use]
    pub const fn as_api(&self) -> Option<&ApiFailure<E>> {
        match self {
            Self::Api(failure) => Some(failure),
            _ => None,
        }
    }

    /// Returns the body of the documented error, if this is one.
    #[must_use]
    pub fn api_body(&self) -> Option<&E> {
        self.as_api().map(|failure| &failure.body)
    }

    /// Returns the server's message about the error, if the body contains one.
    ///
    /// This is `detail`, `message` or `title` of a JSON object, or of the object in its `error`, or `error`
    /// itself if it is a string.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        self.refusal().and_then(|(_, _, body)| problem::message(body))
    }

    /// Returns the problem details (RFC 9457) in the response, documented or not.
    ///
    /// Generated servers reject requests with problem details by default. Returns `None` if the response is
    /// not `application/problem+json`.
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        let (status, headers, body) = self.refusal()?;
        let is_problem = media_type(headers).eq_ignore_ascii_case(problem::MEDIA_TYPE);
        is_problem.then(|| Problem::read(status, body)).flatten()
    }

    /// Returns how long the server asks to wait (`Retry-After`).
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(self.headers()?, std::time::SystemTime::now())
    }

    /// Returns whether the same call may succeed later.
    ///
    /// It is `true` if the cause is the connection or the present state of the server. It does not mean that
    /// a repetition is safe: after a timeout, the server may have processed the request.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Connect(_) | Self::Timeout { .. } | Self::Transport(_) | Self::Deadline { .. } => true,
            Self::Api(failure) if failure.is_permanent => false,
            Self::Unexpected(unexpected) if unexpected.is_permanent => false,
            Self::Api(_) | Self::Unexpected(_) => {
                self.status().is_some_and(|status| matches!(status.as_u16(), 408 | 429 | 502 | 503 | 504))
            }
            // The provider may have failed temporarily or permanently. Only the caller knows.
            Self::Credential(_) => false,
            // The next response would be as undecodable, or as large.
            Self::Decode(_) | Self::TooLarge { .. } => false,
            Self::Encode(_) | Self::Invalid { .. } | Self::Input(_) | Self::UnknownOperation { .. } => false,
        }
    }

    /// Converts the type of the documented errors.
    pub fn map_api<F: fmt::Debug>(self, change: impl FnOnce(E) -> F) -> Error<F> {
        match self {
            Self::Api(failure) => {
                let ApiFailure { status, headers, body, raw, is_permanent } = *failure;
                Error::Api(Box::new(ApiFailure { status, headers, body: change(body), raw, is_permanent }))
            }
            Self::Unexpected(unexpected) => Error::Unexpected(unexpected),
            Self::Decode(undecodable) => Error::Decode(undecodable),
            Self::Connect(source) => Error::Connect(source),
            Self::Timeout { after } => Error::Timeout { after },
            Self::Transport(source) => Error::Transport(source),
            Self::TooLarge { status, limit } => Error::TooLarge { status, limit },
            Self::Deadline { after } => Error::Deadline { after },
            Self::Encode(error) => Error::Encode(error),
            Self::Invalid { violations } => Error::Invalid { violations },
            Self::Credential(source) => Error::Credential(source),
            Self::Input(fault) => Error::Input(fault),
            Self::UnknownOperation { id } => Error::UnknownOperation { id },
        }
    }

    fn answer(&self) -> Option<(StatusCode, &HeaderMap)> {
        match self {
            Self::Decode(undecodable) => Some((undecodable.status, &undecodable.headers)),
            _ => self.refusal().map(|(status, headers, _)| (status, headers)),
        }
    }

    /// Returns the response, if it is not a documented success.
    fn refusal(&self) -> Option<(StatusCode, &HeaderMap, &[u8])> {
        match self {
            Self::Api(failure) => Some((failure.status, &failure.headers, &failure.raw)),
            Self::Unexpected(unexpected) => Some((unexpected.status, &unexpected.headers, &unexpected.body)),
            _ => None,
        }
    }
}

impl Error<NoError> {
    /// Converts an error that precedes decoding to the error type of any operation.
    pub(super) fn widen<E: fmt::Debug>(self) -> Error<E> {
        self.map_api(|none| match none {})
    }
}

/// The reason why a call can't be turned into a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The name or the value of a header has characters that are not allowed there.
    #[error("the header `{name}` has characters that are not allowed in headers.")]
    Header {
        /// The name of the header.
        name: String,
    },

    /// A credential has characters that its scheme can't send.
    #[error("the credential for `{scheme}` has characters that can't be sent.")]
    Credential {
        /// The name of the scheme.
        scheme: &'static str,
    },

    /// A path parameter would change the path: its segment is empty, `.` or `..`.
    #[error("a parameter of the path `{path}` is empty, `.` or `..`, which would change the path.")]
    Path {
        /// The path template.
        path: &'static str,
    },

    /// The method or the path of the operation is invalid.
    #[error("`{method} {path}` is not a valid method and URL.")]
    Target {
        /// The method.
        method: &'static str,
        /// The path template.
        path: &'static str,
    },
}

/// Returns the message of the innermost error, which is the most specific one.
fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    std::iter::successors(Some(error), |error| error.source())
        .last()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// Returns all violations in one line.
fn listed(violations: &Violations) -> String {
    let lines: Vec<_> = violations.iter().map(|one| format!("`{}` {}", one.name, one.expected())).collect();
    lines.join("; ")
}
