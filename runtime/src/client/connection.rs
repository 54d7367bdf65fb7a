//! The client: a server, and how it is called.

use std::{fmt, sync::Arc, time::Duration};

use http::HeaderMap;

use super::{
    builder::ClientBuilder,
    call::{Call, Typed},
    credential::Credentials,
    pending::Pending,
    retry::RetryPolicy,
};
use crate::{codec::Encode, table::Operation};

/// A client of one server. Cloning is cheap; clones share connections, credentials and settings.
#[derive(Clone)]
pub struct Client(Arc<Settings>);

/// What all clones of a client share.
pub(super) struct Settings {
    /// Scheme, host and path prefix, without a slash at its end.
    pub base: String,
    pub http: reqwest::Client,
    /// Whether redirects are followed here, and not by `http`.
    pub follows_redirects: bool,
    pub headers: HeaderMap,
    pub credentials: Credentials,
    pub timeout: Duration,
    pub deadline: Option<Duration>,
    pub retry: RetryPolicy,
    /// The longest body of an answer, in bytes.
    pub response_limit: u64,
    pub preflight: bool,
}

impl Client {
    /// A builder with the default settings.
    #[must_use]
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    pub(super) fn new(settings: Settings) -> Self {
        Self(Arc::new(settings))
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.0
    }

    /// The server's URL, as the client was built with it, without user information and without a slash at its end.
    #[must_use]
    pub fn base_url(&self) -> &str {
        &self.0.base
    }

    /// A call of `operation` with this input (`&()` for an operation without one), whose answer is a `T` and whose
    /// documented errors are an `E`. Nothing is sent yet. Generated functions call this; that `T` and `E` fit the
    /// operation is theirs to know.
    pub fn call<T, E>(&self, operation: &'static Operation, input: &dyn Encode) -> Call<T, E> {
        Call::new(Pending::new(self, operation, input), Typed)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.0.base)
            .field("headers", &self.0.headers.keys().map(http::HeaderName::as_str).collect::<Vec<_>>())
            .field("credentials", &self.0.credentials)
            .field("timeout", &self.0.timeout)
            .field("deadline", &self.0.deadline)
            .field("retry", &self.0.retry)
            .field("response_limit", &self.0.response_limit)
            .field("preflight", &self.0.preflight)
            .finish_non_exhaustive()
    }
}
