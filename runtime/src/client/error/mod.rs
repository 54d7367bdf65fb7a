//! The errors of a call: the cause, and the operation that was called.

mod build;
mod excerpt;
mod kind;
mod message;
mod missing;
mod paging;
mod problem;
mod responses;

use std::{fmt, time::Duration};

use http::{HeaderMap, StatusCode};

use super::response::{media_type, retry_after};
use super::{RawResponse, platform::wall_clock};
use crate::{table::Operation, types::NoError};

pub use build::BuildError;
pub(super) use excerpt::{line, value_at};
pub use kind::ErrorKind;
pub(super) use message::message;
pub use missing::MissingCredential;
pub use paging::PagingError;
pub use problem::{InvalidInput, Problem};
pub use responses::{ApiFailure, Undecodable, Unexpected};

/// The reason why a call did not return a documented success.
///
/// `E` is the type of the operation's documented errors. [`kind`](Self::kind) has one variant per cause. The
/// displayed text is one human-readable line:
///
/// ```text
/// GET /v1/icons/{id}: 404 Not Found: Icon not found
/// GET /v1/icons/{id}: the server didn't respond within 10s (3 attempts)
/// ```
///
/// # Examples
/// ```
/// use openapi_crates_runtime::client::{Error, ErrorKind};
///
/// fn explain<E: std::fmt::Debug>(error: &Error<E>) -> String {
///     match error.kind() {
///         ErrorKind::Api(failure) => format!("documented error with status {}", failure.status),
///         _ if error.is_retryable() => format!("temporary error: {error}"),
///         _ => error.to_string(),
///     }
/// }
/// ```
// It is one pointer wide, so that a `Result` with it stays small.
pub struct Error<E: fmt::Debug>(Box<Inner<E>>);

struct Inner<E: fmt::Debug> {
    kind: ErrorKind<E>,
    operation: Option<&'static Operation>,
    attempts: u32,
}

impl<E: fmt::Debug> Error<E> {
    pub(super) fn new(kind: ErrorKind<E>, operation: Option<&'static Operation>, attempts: u32) -> Self {
        Self(Box::new(Inner { kind, operation, attempts }))
    }

    /// Returns the error of a response that the operation does not document.
    pub(super) fn unexpected(operation: &'static Operation, raw: RawResponse) -> Self {
        let attempts = raw.attempts;
        let kind = ErrorKind::Unexpected(Box::new(Unexpected::new(raw, None)));
        Self::new(kind, Some(operation), attempts)
    }

    /// Sets the operation, for a request that is a part of its call.
    #[cfg(feature = "file-transfer")]
    pub(super) fn of_operation(mut self, operation: &'static Operation) -> Self {
        self.0.operation = Some(operation);
        self
    }

    /// Returns the cause.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind<E> {
        &self.0.kind
    }

    /// Returns the cause.
    #[must_use]
    pub fn into_kind(self) -> ErrorKind<E> {
        self.0.kind
    }

    /// Returns the operation: its id, method and path template.
    ///
    /// It is `None` for [`ErrorKind::UnknownOperation`] alone.
    #[must_use]
    pub fn operation(&self) -> Option<&'static Operation> {
        self.0.operation
    }

    /// Returns the number of attempts. It is 0 if the call failed before the first one.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// Returns the status, if the server responded.
    #[must_use]
    pub fn status(&self) -> Option<StatusCode> {
        match self.kind() {
            ErrorKind::TooLarge { status, .. } => Some(*status),
            _ => self.response().map(|(status, _)| status),
        }
    }

    /// Returns the headers, if there is a response.
    #[must_use]
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.response().map(|(_, headers)| headers)
    }

    /// Returns the documented error, if this is one.
    #[must_use]
    pub fn as_api(&self) -> Option<&ApiFailure<E>> {
        match self.kind() {
            ErrorKind::Api(failure) => Some(failure),
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
    /// It is found in JSON of the common shapes (`message`, `detail`, `error`, RFC 9457, lists of any of them), and in
    /// plain text. Violations that the body lists follow in the same line:
    /// `body.items.0: Field required; query.page: too low`. A body of more than 64 KiB has none.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        self.refusal().and_then(|(_, headers, body)| message(headers, body))
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
        retry_after(self.headers()?, wall_clock())
    }

    /// Returns whether the same call may succeed later.
    ///
    /// It is `true` if the cause is the connection or the present state of the server. It does not mean that
    /// a repetition is safe: after a timeout, the server may have processed the request.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self.kind() {
            ErrorKind::Connect(_)
            | ErrorKind::Timeout { .. }
            | ErrorKind::Transport(_)
            | ErrorKind::Deadline { .. } => true,
            ErrorKind::Api(failure) if failure.is_permanent => false,
            ErrorKind::Unexpected(unexpected) if unexpected.is_permanent => false,
            ErrorKind::Api(_) | ErrorKind::Unexpected(_) => self.status().is_some_and(is_temporary),
            // Only the caller knows whether a provider or a hook has failed temporarily. The next response would be as
            // undecodable, or as large.
            _ => false,
        }
    }

    /// Converts the type of the documented errors.
    pub fn map_api<F: fmt::Debug>(self, change: impl FnOnce(E) -> F) -> Error<F> {
        let Inner { kind, operation, attempts } = *self.0;
        Error::new(kind.map_api(change), operation, attempts)
    }

    fn response(&self) -> Option<(StatusCode, &HeaderMap)> {
        match self.kind() {
            ErrorKind::Decode(undecodable) => Some((undecodable.status, &undecodable.headers)),
            _ => self.refusal().map(|(status, headers, _)| (status, headers)),
        }
    }

    /// Returns the response, if it is not a documented success.
    fn refusal(&self) -> Option<(StatusCode, &HeaderMap, &[u8])> {
        match self.kind() {
            ErrorKind::Api(failure) => Some((failure.status, &failure.headers, &failure.raw)),
            ErrorKind::Unexpected(unexpected) => {
                Some((unexpected.status, &unexpected.headers, &unexpected.body))
            }
            _ => None,
        }
    }
}

impl<E: fmt::Debug> fmt::Display for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, operation, attempts } = &*self.0;
        if let Some(operation) = operation {
            write!(f, "{} {}: ", operation.method, operation.path)?;
        }
        write!(f, "{kind}")?;
        if *attempts > 1 { write!(f, " ({attempts} attempts)") } else { Ok(()) }
    }
}

impl<E: fmt::Debug> fmt::Debug for Error<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("operation", &self.0.operation.map(|operation| operation.id))
            .field("attempts", &self.0.attempts)
            .field("kind", &self.0.kind)
            .finish()
    }
}

impl<E: fmt::Debug> std::error::Error for Error<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(self.kind())
    }
}

impl Error<NoError> {
    /// Converts an error that precedes decoding to the error type of any operation.
    pub(super) fn widen<E: fmt::Debug>(self) -> Error<E> {
        self.map_api(|none| match none {})
    }
}

/// Returns whether a response with this status is about the present state of the server.
pub(super) fn is_temporary(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 429 | 502 | 503 | 504)
}

/// The reason why a call can't be turned into a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The name or the value of a header has characters that are not allowed there.
    #[error("the header `{name}` has characters that are not allowed in headers")]
    Header {
        /// The name of the header.
        name: String,
    },

    /// A credential has characters that its scheme can't send.
    #[error("the credential for `{scheme}` has characters that can't be sent")]
    Credential {
        /// The name of the scheme.
        scheme: &'static str,
    },

    /// A path parameter would change the path: its segment is empty, `.` or `..`.
    #[error("a parameter of the path `{path}` is empty, `.` or `..`, which would change the path")]
    Path {
        /// The path template.
        path: &'static str,
    },

    /// A value contains something that its format can't represent, or its delimiter, which the format does not escape.
    ///
    /// This concerns cookies in the style `cookie`, properties of multipart bodies with a style, keys with a `]` in the
    /// style `deepObject`, and bodies in XML.
    #[error("the value of `{name}` has a character that can't be sent there")]
    Value {
        /// The name of the parameter or property.
        name: &'static str,
    },

    /// A number is NaN or infinite, which no format of requests has.
    #[error("the number at `{path}` is not finite")]
    Number {
        /// The path in the input: `body.price`.
        path: String,
    },

    /// The client has no server for the operation.
    #[error("`{method} {path}` has no server: set the client's base URL")]
    NoServer {
        /// The method.
        method: &'static str,
        /// The path template.
        path: &'static str,
    },

    /// The method or the path of the operation is invalid.
    #[error("`{method} {path}` is not a valid method and URL")]
    Target {
        /// The method.
        method: &'static str,
        /// The path template.
        path: &'static str,
    },
}
