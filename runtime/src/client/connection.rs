//! The client of a server.

use std::{fmt, sync::Arc};

use http::HeaderMap;

use super::{
    Call, ClientBuilder, Limits, Pending, RetryBudget, RetryPolicy, Transport, Typed,
    credential::Credentials, hooks::Hooks,
};
use crate::{codec::Encode, table::Operation};

/// A client of one server.
///
/// Cloning is cheap. Clones share connections, credentials and settings.
#[derive(Clone)]
pub struct Client(Arc<Settings>);

/// The settings that all clones of a client share.
pub(super) struct Settings {
    /// The scheme, the host and the path prefix, without a slash at the end. `None` if only operations have servers.
    pub base: Option<String>,
    /// Whether operations go to servers of their own.
    pub operation_servers: bool,
    pub transport: Arc<dyn Transport>,
    pub headers: HeaderMap,
    pub credentials: Credentials,
    pub options: Options,
}

/// The settings that a builder passes on as they are.
#[derive(Debug, Clone)]
pub(super) struct Options {
    /// Whether a call fails if no credential is set for its operation.
    pub require_credentials: bool,
    pub limits: Limits,
    pub retry: RetryPolicy,
    pub budget: RetryBudget,
    /// The maximum size of a response body, in bytes.
    pub response_limit: u64,
    pub preflight: bool,
    /// Whether a success with an undocumented status is an error.
    pub strict_status: bool,
    /// Whether a date-time without an offset is one in UTC.
    pub assume_utc: bool,
    pub hooks: Hooks,
}

impl Client {
    /// Creates a builder with the default settings.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    pub(super) fn new(settings: Settings) -> Self {
        Self(Arc::new(settings))
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.0
    }

    pub(super) fn options(&self) -> &Options {
        &self.0.options
    }

    /// Returns the URL of the server, without a slash at the end. `None` if only operations have servers.
    #[must_use]
    pub fn base_url(&self) -> Option<&str> {
        self.0.base.as_deref()
    }

    /// Creates a call of `operation` with this input.
    ///
    /// Nothing is sent yet. The input is `&()` for an operation without one. `T` is the output and `E` the
    /// documented errors. Generated functions call this method, and ensure that both types match the
    /// operation.
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
            .field("options", &self.0.options)
            .finish_non_exhaustive()
    }
}
