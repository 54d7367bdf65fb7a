//! Refusals: every answer that is not an operation's own.
//!
//! A request is refused in this order: no route, method, credentials, permission, rate, media type, size, content.

use std::error::Error;
use std::time::Duration;

use http::HeaderMap;

use crate::table::Operation;
use crate::validation::{In, Problem, Violation, Violations};

/// Why a request was refused. The [`reject`](super::Builder::reject) hook turns it into a response;
/// [`RejectionStyle::respond`](super::RejectionStyle::respond) is the hook that stands in for one.
#[derive(Debug)]
#[non_exhaustive]
pub enum Rejection {
    /// No template matches the path.
    NoRoute,
    /// The path has no such method.
    MethodNotAllowed {
        /// The methods that it has, as an `Allow` header lists them.
        allow: String,
    },
    /// The operation needs credentials, and there are none.
    MissingCredentials {
        /// The operation.
        operation: &'static Operation,
    },
    /// The credentials are not good.
    InvalidCredentials {
        /// The operation.
        operation: &'static Operation,
    },
    /// The caller is known, and may not do this.
    Forbidden,
    /// The caller asks too often.
    TooManyRequests {
        /// When to come back.
        retry_after: Option<Duration>,
        /// Further headers of the answer, such as those that describe the limit.
        headers: HeaderMap,
    },
    /// What is needed to answer is not there now.
    Unavailable {
        /// When to come back.
        retry_after: Option<Duration>,
    },
    /// The body is of no documented media type, or in a form of it that is not read.
    UnsupportedMediaType {
        /// The documented ones, as an `Accept` header lists them.
        supported: String,
        /// What it is about the body.
        cause: Unsupported,
    },
    /// The body is too large.
    PayloadTooLarge {
        /// The most that is accepted, in bytes.
        limit: u64,
    },
    /// The body can't be read at all: no JSON, a form cut off.
    MalformedBody {
        /// What is wrong with it.
        detail: String,
    },
    /// Parameters or fields break their rules.
    Invalid {
        /// Which ones, how, in the order of the document; at least one.
        violations: Violations,
    },
    /// The operation is documented, but not implemented or not mounted.
    NotImplemented {
        /// The operation.
        operation: &'static Operation,
    },
    /// Something broke inside.
    Internal {
        /// What broke: for logs, never for the caller.
        error: Box<dyn Error + Send + Sync>,
    },
}

/// What it is about a body that is not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsupported {
    /// Its media type is not documented, or there are several that differ.
    MediaType,
    /// Its `charset` is not UTF-8.
    Charset,
    /// It has a `Content-Encoding`. A layer in front that takes it off takes the header off as well.
    ContentEncoding,
}

impl Unsupported {
    /// What follows the supported media types in a message.
    pub(super) const fn condition(self) -> &'static str {
        match self {
            Self::MediaType => "",
            Self::Charset => " in UTF-8",
            Self::ContentEncoding => " without a content encoding",
        }
    }
}

impl Rejection {
    /// One field or parameter breaks a rule that the document can't say: `must name a public host`.
    #[must_use]
    pub fn invalid(location: In, name: impl Into<String>, expected: &'static str) -> Self {
        let mut violations = Violations::new();
        let problem = Problem::Other(expected);
        violations.push(Violation { location, name: name.into(), problem, reason: None });
        Self::Invalid { violations }
    }

    pub(super) fn internal(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Internal { error: error.into() }
    }
}
