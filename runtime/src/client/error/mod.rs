//! What can go wrong with a call, one variant per cause.

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

/// Why a call did not come back with a documented success. `E` is the operation's documented errors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error<E: fmt::Debug> {
    /// The server answered with an error that the operation documents.
    #[error("{0}")]
    Api(Box<ApiFailure<E>>),

    /// The server answered with something the operation does not document: another status, or an error whose body
    /// is not as documented.
    #[error("{0}")]
    Unexpected(Box<Unexpected>),

    /// The server answered with a documented success whose body or headers are not as documented.
    #[error("{0}")]
    Decode(Box<Undecodable>),

    /// No connection could be made; nothing was sent.
    #[error("The server couldn't be reached: {}", root_cause(&**.0))]
    Connect(#[source] BoxError),

    /// An attempt took longer than it may; whether the server processed the request is unknown.
    #[error("The server didn't answer within {after:?}.")]
    Timeout {
        /// How long the attempt lasted.
        after: Duration,
    },

    /// The connection failed while the request was sent or the answer received; whether the server processed the
    /// request is unknown.
    #[error("The connection to the server broke: {}", root_cause(&**.0))]
    Transport(#[source] BoxError),

    /// The answer is longer than the client takes
    /// ([`response_limit`](super::ClientBuilder::response_limit)); the server has processed the request.
    #[error("The server answered {status} with more than the {limit} bytes that this client takes.")]
    TooLarge {
        /// The status.
        status: StatusCode,
        /// How many bytes the client takes.
        limit: u64,
    },

    /// The call's deadline passed while an attempt was under way.
    #[error("The call wasn't done by its deadline of {after:?}.")]
    Deadline {
        /// The time that the call had.
        after: Duration,
    },

    /// The call can't be made into a request; nothing was sent.
    #[error("The call can't be made into a request: {0}")]
    Encode(EncodeError),

    /// The input breaks the API's rules, as the check before sending found; nothing was sent.
    #[error("The input breaks the API's rules, so it wasn't sent: {}", listed(violations))]
    Invalid {
        /// Every rule broken.
        violations: Box<Violations>,
    },

    /// A credential's provider failed; nothing was sent.
    #[error("The credential for the call couldn't be had: {}", root_cause(&**.0))]
    Credential(#[source] BoxError),

    /// The JSON input of a dynamic call is not what the operation takes; nothing was sent.
    #[error("The input isn't what the operation takes: {0}")]
    Input(Box<Fault>),

    /// A dynamic call named an operation that there is none of; nothing was sent.
    #[error("There is no operation `{id}`.")]
    UnknownOperation {
        /// The name.
        id: String,
    },
}

impl<E: fmt::Debug> Error<E> {
    /// The status, if the server answered at all.
    #[must_use]
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Self::TooLarge { status, .. } => Some(*status),
            _ => self.answer().map(|(status, _)| status),
        }
    }

    /// The headers, if there is an answer.
    #[must_use]
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.answer().map(|(_, headers)| headers)
    }

    /// The documented error, if it is one.
    #[must_use]
    pub const fn as_api(&self) -> Option<&ApiFailure<E>> {
        match self {
            Self::Api(failure) => Some(failure),
            _ => None,
        }
    }

    /// The documented error's body, if it is one.
    #[must_use]
    pub fn api_body(&self) -> Option<&E> {
        self.as_api().map(|failure| &failure.body)
    }

    /// What the server says is wrong, if it answered with an error whose body says so in words: `detail`, `message` or
    /// `title` of a JSON object, or of the object in its `error`; or `error` itself, where that is text.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        self.refusal().and_then(|(_, _, body)| problem::message(body))
    }

    /// The problem details (RFC 9457) that the server answered with, documented or not: what generated servers refuse
    /// requests with, and many others. Nothing if the answer isn't `application/problem+json`.
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        let (status, headers, body) = self.refusal()?;
        let is_problem = media_type(headers).eq_ignore_ascii_case(problem::MEDIA_TYPE);
        is_problem.then(|| Problem::read(status, body)).flatten()
    }

    /// How long the server asks to wait before the next try, if it answered and said so.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(self.headers()?, std::time::SystemTime::now())
    }

    /// Whether the same call may succeed later: the cause lies in the connection or in the server's present state. Says
    /// nothing on whether it is safe to repeat: after a timeout, the server may have processed the request.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Connect(_) | Self::Timeout { .. } | Self::Transport(_) | Self::Deadline { .. } => true,
            Self::Api(failure) if failure.is_permanent => false,
            Self::Unexpected(unexpected) if unexpected.is_permanent => false,
            Self::Api(_) | Self::Unexpected(_) => {
                self.status().is_some_and(|status| matches!(status.as_u16(), 408 | 429 | 502 | 503 | 504))
            }
            // The provider may have failed for a moment or for good; only the caller knows.
            Self::Credential(_) => false,
            // The answer would be as undecodable, or as long, the next time.
            Self::Decode(_) | Self::TooLarge { .. } => false,
            Self::Encode(_) | Self::Invalid { .. } | Self::Input(_) | Self::UnknownOperation { .. } => false,
        }
    }

    /// The same with another type of documented errors.
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

    /// The answer, if it is none of the documented successes.
    fn refusal(&self) -> Option<(StatusCode, &HeaderMap, &[u8])> {
        match self {
            Self::Api(failure) => Some((failure.status, &failure.headers, &failure.raw)),
            Self::Unexpected(unexpected) => Some((unexpected.status, &unexpected.headers, &unexpected.body)),
            _ => None,
        }
    }
}

impl Error<NoError> {
    /// What happened before an answer was there to be decoded, as an error of any operation.
    pub(super) fn widen<E: fmt::Debug>(self) -> Error<E> {
        self.map_api(|none| match none {})
    }
}

/// Why a call can't be made into a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// A header's name or value has characters that no header may have.
    #[error("the header `{name}` has characters that no header may have.")]
    Header {
        /// The header's name.
        name: String,
    },

    /// A credential has characters that can't stand where its scheme puts it.
    #[error("the credential for `{scheme}` has characters that can't be sent.")]
    Credential {
        /// The scheme.
        scheme: &'static str,
    },

    /// A path parameter makes the path another one: a whole segment would be empty, or `.` or `..`, which climb.
    #[error("a parameter of the path `{path}` is empty, `.` or `..`, which would make it another path.")]
    Path {
        /// The path template.
        path: &'static str,
    },

    /// The operation's method or path is none.
    #[error("`{method} {path}` makes no request.")]
    Target {
        /// The method.
        method: &'static str,
        /// The path template.
        path: &'static str,
    },
}

/// What is at the bottom of an error: the words that tell a person most.
fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    std::iter::successors(Some(error), |error| error.source())
        .last()
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// Every violation, in one line.
fn listed(violations: &Violations) -> String {
    let lines: Vec<_> = violations.iter().map(|one| format!("`{}` {}", one.name, one.expected())).collect();
    lines.join("; ")
}
