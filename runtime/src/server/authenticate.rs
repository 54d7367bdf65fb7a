//! Authentication: the hook that a service implements, and the code that calls it.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use http::HeaderMap;
use http::request::Parts;

use super::Rejection;
use super::credentials::{self, Credential};
use crate::table::{Operation, Scheme};

/// A hook that authenticates callers.
///
/// The service calls it for every operation that has security, before it reads the body.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::server::{Attempt, Authenticate, Denied};
///
/// struct Keys;
///
/// impl Authenticate for Keys {
///     type Principal = String;
///
///     async fn authenticate(&self, attempt: Attempt<'_>) -> Result<String, Denied> {
///         match attempt.credentials {
///             [key] if key.secret() == "correct horse" => Ok("alice".to_owned()),
///             [key] if key.secret() == "expired" => Err(Denied::forbidden()),
///             _ => Err(Denied::Invalid),
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't authenticate callers",
    note = "implement `Authenticate` for it, or use `NoSecurity` for an API without security"
)]
pub trait Authenticate: Send + Sync + 'static {
    /// The caller, as handlers get it in their [`Context`](super::Context).
    type Principal: Send + 'static;

    /// Authenticates a caller by the credentials of one alternative.
    ///
    /// The request contains all credentials of the alternative. Alternatives are tried in the order of the
    /// document while the result is [`Denied::Invalid`].
    ///
    /// # Errors
    /// Returns the reason why the caller is denied.
    fn authenticate(
        &self,
        attempt: Attempt<'_>,
    ) -> impl Future<Output = Result<Self::Principal, Denied>> + Send;

    /// Adds headers to every response to this caller, such as those of its rate limit.
    ///
    /// A header that the response itself has wins. The default adds no headers.
    fn response_headers(&self, principal: &Self::Principal, headers: &mut HeaderMap) {
        let _ = (principal, headers);
    }
}

/// An attempt to authenticate a caller.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Attempt<'a> {
    /// The operation. The hook must enforce its [`requires`](Operation::requires).
    pub operation: &'static Operation,
    /// The credentials of one alternative. All of them must be valid.
    pub credentials: &'a [Credential<'a>],
    /// The request without its body.
    ///
    /// Its extensions hold what the layers in front of the service have added, such as the peer's address.
    pub request: &'a Parts,
}

impl<'a> Attempt<'a> {
    /// Creates an attempt, for tests of an [`Authenticate`].
    #[must_use]
    pub const fn new(
        operation: &'static Operation,
        credentials: &'a [Credential<'a>],
        request: &'a Parts,
    ) -> Self {
        Self { operation, credentials, request }
    }

    /// Returns the credential for this scheme.
    #[must_use]
    pub fn credential(&self, scheme: &Scheme) -> Option<&'a Credential<'a>> {
        self.credentials.iter().find(|credential| credential.scheme == scheme)
    }
}

/// Omits the request, whose headers contain secrets.
impl fmt::Debug for Attempt<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut attempt = formatter.debug_struct("Attempt");
        attempt.field("operation", &self.operation.id).field("credentials", &self.credentials);
        attempt.finish_non_exhaustive()
    }
}

/// The reason why a caller is denied.
#[derive(Debug)]
#[non_exhaustive]
pub enum Denied {
    /// The credentials are not valid (401 by default).
    Invalid,
    /// The credentials are valid, but do not permit this operation (403 by default).
    Forbidden {
        /// Further headers of the response, such as those that describe a rate limit.
        headers: HeaderMap,
    },
    /// The caller exceeds its rate limit (429 by default).
    TooManyRequests {
        /// The time to wait before the next request (`Retry-After`).
        retry_after: Option<Duration>,
        /// Further headers of the response, such as those that describe the limit.
        headers: HeaderMap,
    },
    /// The credentials can't be checked at present (503 by default).
    Unavailable {
        /// The time to wait before the next request (`Retry-After`).
        retry_after: Option<Duration>,
        /// Further headers of the response, such as those that describe a rate limit.
        headers: HeaderMap,
    },
    /// An internal error (500 by default).
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

impl Denied {
    /// Creates a denial for a caller whose credentials do not permit the operation.
    #[must_use]
    pub fn forbidden() -> Self {
        Self::Forbidden { headers: HeaderMap::new() }
    }

    /// Creates a denial for a caller that exceeds its rate limit, and the time to wait.
    ///
    /// # Examples
    /// ```
    /// use std::time::Duration;
    ///
    /// use openapi_crates_runtime::server::Denied;
    ///
    /// let denied = Denied::too_many_requests(Duration::from_secs(3));
    /// assert!(matches!(denied, Denied::TooManyRequests { retry_after: Some(_), headers } if headers.is_empty()));
    /// ```
    #[must_use]
    pub fn too_many_requests(retry_after: impl Into<Option<Duration>>) -> Self {
        Self::TooManyRequests { retry_after: retry_after.into(), headers: HeaderMap::new() }
    }

    /// Creates a denial for credentials that can't be checked at present, and the time to wait.
    #[must_use]
    pub fn unavailable(retry_after: impl Into<Option<Duration>>) -> Self {
        Self::Unavailable { retry_after: retry_after.into(), headers: HeaderMap::new() }
    }
}

/// The authenticator of an API without security.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSecurity;

impl Authenticate for NoSecurity {
    type Principal = ();

    async fn authenticate(&self, _attempt: Attempt<'_>) -> Result<(), Denied> {
        Ok(())
    }
}

/// Authenticates the caller of an operation.
///
/// Returns `None` if the operation does not require credentials and the request has none. Credentials that
/// the request has must be valid, even if the operation does not require them.
///
/// # Errors
/// Returns a rejection, and further headers of its response.
pub(super) async fn authenticate<A: Authenticate>(
    authenticator: &A,
    operation: &'static Operation,
    request: &Parts,
) -> Result<Option<A::Principal>, (Rejection, HeaderMap)> {
    let mut optional = operation.security.is_empty();
    let mut refused = false;
    for alternative in operation.security {
        if alternative.is_empty() {
            optional = true;
            continue;
        }
        let credentials = match credentials::present(alternative, request) {
            Ok(Some(credentials)) => credentials,
            Ok(None) => continue,
            Err(credentials::Unusable) => {
                refused = true;
                continue;
            }
        };
        let attempt = Attempt { operation, credentials: credentials.as_slice(), request };
        return match authenticator.authenticate(attempt).await {
            Ok(principal) => Ok(Some(principal)),
            Err(Denied::Invalid) => {
                refused = true;
                continue;
            }
            Err(Denied::Forbidden { headers }) => Err((Rejection::Forbidden, headers)),
            Err(Denied::TooManyRequests { retry_after, headers }) => {
                Err((Rejection::TooManyRequests { retry_after, headers }, HeaderMap::new()))
            }
            Err(Denied::Unavailable { retry_after, headers }) => {
                Err((Rejection::Unavailable { retry_after }, headers))
            }
            Err(Denied::Internal(error)) => Err((Rejection::Internal { error }, HeaderMap::new())),
        };
    }
    if refused {
        Err((Rejection::InvalidCredentials { operation }, HeaderMap::new()))
    } else if optional {
        Ok(None)
    } else {
        Err((Rejection::MissingCredentials { operation }, HeaderMap::new()))
    }
}
