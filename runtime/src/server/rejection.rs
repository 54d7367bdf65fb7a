//! Rejections: all responses that do not come from an operation's handler.
//!
//! The checks run in this order: route, method, credentials, permission, rate, media type, size, content.

use std::borrow::Cow;
use std::error::Error;
use std::time::Duration;

use http::HeaderMap;

use crate::table::Operation;
use crate::validation::{In, Violation, ViolationKind, Violations};

/// The reason why a request was rejected.
///
/// The [`reject`](super::Builder::reject) hook turns it into a response. The default hook is
/// [`RejectionStyle::respond`](super::RejectionStyle::respond).
#[derive(Debug)]
#[non_exhaustive]
pub enum Rejection {
    /// No path template matches the path.
    NoRoute,
    /// The path does not have the request's method.
    MethodNotAllowed {
        /// The methods of the path, in the form of an `Allow` header.
        allow: String,
    },
    /// The operation requires credentials, but the request has none.
    MissingCredentials {
        /// The operation.
        operation: &'static Operation,
    },
    /// The credentials are not valid.
    InvalidCredentials {
        /// The operation.
        operation: &'static Operation,
    },
    /// The caller is authenticated, but not permitted to call the operation.
    Forbidden,
    /// The caller exceeds its rate limit.
    TooManyRequests {
        /// The time to wait before the next request (`Retry-After`).
        retry_after: Option<Duration>,
        /// Further headers of the response, such as those of the rate limit.
        headers: HeaderMap,
    },
    /// The service can't respond at present, for example because a dependency is down.
    Unavailable {
        /// The time to wait before the next request (`Retry-After`).
        retry_after: Option<Duration>,
    },
    /// The media type, the charset or the encoding of the body is not supported.
    UnsupportedMediaType {
        /// The documented media types, in the form of an `Accept` header.
        supported: String,
        /// The property of the body that is not supported.
        cause: Unsupported,
    },
    /// The body exceeds its size limit.
    PayloadTooLarge {
        /// The limit, in bytes.
        limit: u64,
    },
    /// The body can't be parsed: for example, it is not JSON, or it was cut off.
    MalformedBody {
        /// The description of the problem.
        detail: String,
    },
    /// Parameters or fields violate constraints.
    Invalid {
        /// The violations in the order path, query, header, cookie, body.
        ///
        /// There is at least one.
        violations: Violations,
    },
    /// The operation is documented, but not implemented or not mounted.
    NotImplemented {
        /// The operation.
        operation: &'static Operation,
    },
    /// An internal error.
    Internal {
        /// The error, for logs. It must not reach the caller.
        error: Box<dyn Error + Send + Sync>,
    },
}

/// The property of a body that is not supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsupported {
    /// The media type is not documented, or the request has several different ones.
    MediaType,
    /// The `charset` is neither UTF-8 nor US-ASCII.
    Charset,
    /// The body has a `Content-Encoding`.
    ///
    /// A layer in front of the service that decodes bodies must also remove the header.
    ContentEncoding,
    /// The part with this name is a file of an undocumented media type. The name of a part without one is empty.
    Part(&'static str),
}

impl Unsupported {
    /// Returns the text that follows the supported media types in a message.
    pub(super) fn condition(self) -> Cow<'static, str> {
        match self {
            Self::MediaType => "".into(),
            Self::Charset => " in UTF-8".into(),
            Self::ContentEncoding => " without a content encoding".into(),
            Self::Part("") => " in each part".into(),
            Self::Part(name) => format!(" in the part `{name}`").into(),
        }
    }
}

impl Rejection {
    /// Creates a rejection for one field or parameter.
    ///
    /// This is for constraints that the document can't express. `expected` is the end of a sentence.
    ///
    /// # Examples
    /// ```
    /// use openapi_crates_runtime::server::{In, Rejection, RejectionStyle};
    ///
    /// let rejection = Rejection::invalid(In::Body, "webhook_url", "must name a public host");
    /// let message = RejectionStyle::PROBLEM_DETAILS.message(&rejection);
    /// assert_eq!(message, "`webhook_url` must name a public host");
    /// ```
    #[must_use]
    pub fn invalid(location: In, name: impl Into<String>, expected: &'static str) -> Self {
        let mut violations = Violations::new();
        let kind = ViolationKind::Other(expected);
        violations.push(Violation { location, name: name.into(), kind, reason: None });
        Self::Invalid { violations }
    }

    pub(super) fn internal(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Internal { error: error.into() }
    }
}
