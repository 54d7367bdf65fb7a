//! Who is calling: the hook that a service implements, and how it is asked.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use http::HeaderMap;
use http::request::Parts;

use super::Rejection;
use super::credentials::{self, Credential};
use crate::table::{Operation, Scheme};

/// Finds out who is calling. It is asked before the body is read, for each operation that has security.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't authenticate callers",
    note = "implement `Authenticate` for it, or use `NoSecurity` for an API without security"
)]
pub trait Authenticate: Send + Sync + 'static {
    /// Who is calling: what handlers find in their context.
    type Principal: Send + 'static;

    /// Checks the credentials of one of the operation's alternatives, which are all there. Alternatives are tried in
    /// the order of the document as long as the answer is [`Denied::Invalid`].
    ///
    /// # Errors
    /// Why the caller may not call.
    fn authenticate(
        &self,
        attempt: Attempt<'_>,
    ) -> impl Future<Output = Result<Self::Principal, Denied>> + Send;

    /// Adds headers to every answer that this caller gets, such as those that describe its rate limit.
    fn response_headers(&self, principal: &Self::Principal, headers: &mut HeaderMap) {
        let _ = (principal, headers);
    }
}

/// One attempt to authenticate a caller.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Attempt<'a> {
    /// The operation; its [`requires`](Operation::requires) is for the hook to enforce.
    pub operation: &'static Operation,
    /// The credentials of one alternative: all of them must be good.
    pub credentials: &'a [Credential<'a>],
    /// The request without its body; its extensions hold what layers in front have left, such as the peer's address.
    pub request: &'a Parts,
}

impl<'a> Attempt<'a> {
    /// An attempt, for tests of an [`Authenticate`].
    #[must_use]
    pub const fn new(
        operation: &'static Operation,
        credentials: &'a [Credential<'a>],
        request: &'a Parts,
    ) -> Self {
        Self { operation, credentials, request }
    }

    /// The credential of this scheme.
    #[must_use]
    pub fn credential(&self, scheme: &Scheme) -> Option<&'a Credential<'a>> {
        self.credentials.iter().find(|credential| credential.scheme == scheme)
    }
}

/// Without the request, whose headers hold secrets.
impl fmt::Debug for Attempt<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut attempt = formatter.debug_struct("Attempt");
        attempt.field("operation", &self.operation.id).field("credentials", &self.credentials);
        attempt.finish_non_exhaustive()
    }
}

/// Why a caller may not call.
#[derive(Debug)]
#[non_exhaustive]
pub enum Denied {
    /// The credentials are not good.
    Invalid,
    /// They are, but not for this operation.
    Forbidden {
        /// Further headers of the response, such as those that describe a rate limit.
        headers: HeaderMap,
    },
    /// The caller asks too often.
    TooManyRequests {
        /// When to come back.
        retry_after: Option<Duration>,
        /// Further headers of the response, such as those that describe the limit.
        headers: HeaderMap,
    },
    /// Nobody can tell now.
    Unavailable {
        /// When to come back.
        retry_after: Option<Duration>,
        /// Further headers of the response, such as those that describe a rate limit.
        headers: HeaderMap,
    },
    /// Something broke: 500.
    Internal(Box<dyn std::error::Error + Send + Sync>),
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

/// A refusal, and further headers of its response.
pub(super) struct Refusal {
    pub(super) rejection: Rejection,
    pub(super) headers: HeaderMap,
}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Self {
        Self { rejection, headers: HeaderMap::new() }
    }
}

/// Asks `authenticator` who is calling. `None`: the operation does not insist on knowing, and the caller does not say.
///
/// Credentials that are given must be good even where the operation does not insist on them.
pub(super) async fn authenticate<A: Authenticate>(
    authenticator: &A,
    operation: &'static Operation,
    request: &Parts,
) -> Result<Option<A::Principal>, Refusal> {
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
            Err(Denied::Forbidden { headers }) => Err(Refusal { rejection: Rejection::Forbidden, headers }),
            Err(Denied::TooManyRequests { retry_after, headers }) => {
                Err(Rejection::TooManyRequests { retry_after, headers }.into())
            }
            Err(Denied::Unavailable { retry_after, headers }) => {
                Err(Refusal { rejection: Rejection::Unavailable { retry_after }, headers })
            }
            Err(Denied::Internal(error)) => Err(Rejection::Internal { error }.into()),
        };
    }
    if refused {
        Err(Rejection::InvalidCredentials { operation }.into())
    } else if optional {
        Ok(None)
    } else {
        Err(Rejection::MissingCredentials { operation }.into())
    }
}
