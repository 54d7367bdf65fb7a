//! Functions of the caller before and after each attempt.

use std::{error::Error, fmt, sync::Arc, time::Duration};

use http::{HeaderMap, StatusCode};

use super::{BoxError, ClientBuilder, ErrorKind, Outcome};
use crate::codec::StreamCall;
use crate::table::Operation;
use crate::types::NoError;

/// An attempt of a call.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Attempt {
    /// The operation.
    pub operation: &'static Operation,
    /// The number of the attempt, from 1.
    pub number: u32,
}

impl From<Attempt> for StreamCall {
    fn from(attempt: Attempt) -> Self {
        let Operation { id: operation, method, path, .. } = *attempt.operation;
        Self { operation, method, path, attempts: attempt.number }
    }
}

/// The end of an attempt.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Finished<'a> {
    /// The attempt.
    pub attempt: Attempt,
    /// The time from the start of the attempt to the last byte of the response.
    ///
    /// The start is before a provider is asked for a credential. For a streamed response, the end is the head.
    pub elapsed: Duration,
    /// The status, if the server responded.
    pub status: Option<StatusCode>,
    /// The headers of the response.
    pub headers: Option<&'a HeaderMap>,
    /// The size of the body, in bytes, unless it is streamed.
    pub body_size: Option<u64>,
    /// The reason why there is no complete response, as human-readable text.
    pub error: Option<&'a (dyn Error + 'static)>,
}

type Before = dyn Fn(Attempt, &mut reqwest::Request) -> Result<(), BoxError> + Send + Sync;
type After = dyn Fn(&Finished<'_>) + Send + Sync;

/// The hooks of a client, in the order in which they were added.
#[derive(Clone, Default)]
pub(super) struct Hooks {
    before: Vec<Arc<Before>>,
    after: Vec<Arc<After>>,
}

impl ClientBuilder {
    /// Adds a function that is called with the request of each attempt before it is sent.
    ///
    /// It can sign the request or add headers. Credentials and the call's own headers are already set. If it
    /// fails, the call fails with [`ErrorKind::Hook`](super::ErrorKind::Hook), and the attempt is not sent. A redirect
    /// repeats the changed request without another call, so a signature of the URL does not fit the new one.
    ///
    /// # Examples
    /// ```
    /// use openapi_crates_runtime::client::Client;
    ///
    /// let client = Client::builder()
    ///     .base_url("https://example.com")
    ///     .before_attempt(|attempt, request| {
    ///         request.headers_mut().insert("x-attempt", attempt.number.into());
    ///         Ok(())
    ///     })
    ///     .build()?;
    /// # Ok::<(), openapi_crates_runtime::client::BuildError>(())
    /// ```
    pub fn before_attempt<F>(mut self, hook: F) -> Self
    where
        F: Fn(Attempt, &mut reqwest::Request) -> Result<(), BoxError> + Send + Sync + 'static,
    {
        self.options.hooks.before.push(Arc::new(hook));
        self
    }

    /// Adds a function that is called at the end of each attempt, for metrics and logs.
    ///
    /// It is not called if the future of the call is dropped during the attempt.
    ///
    /// # Examples
    /// ```
    /// use openapi_crates_runtime::client::Client;
    ///
    /// let client = Client::builder()
    ///     .base_url("https://example.com")
    ///     .after_attempt(|finished| {
    ///         let operation = finished.attempt.operation;
    ///         println!("{} {}: {:?} in {:?}", operation.method, operation.path, finished.status, finished.elapsed);
    ///     })
    ///     .build()?;
    /// # Ok::<(), openapi_crates_runtime::client::BuildError>(())
    /// ```
    pub fn after_attempt(mut self, hook: impl Fn(&Finished<'_>) + Send + Sync + 'static) -> Self {
        self.options.hooks.after.push(Arc::new(hook));
        self
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} before and {} after", self.before.len(), self.after.len())
    }
}

impl Hooks {
    /// Returns whether a hook can add a credential to a request.
    pub(super) fn change_requests(&self) -> bool {
        !self.before.is_empty()
    }

    pub(super) fn before(
        &self,
        attempt: Attempt,
        request: &mut reqwest::Request,
    ) -> Result<(), ErrorKind<NoError>> {
        self.before.iter().try_for_each(|hook| hook(attempt, request)).map_err(ErrorKind::Hook)
    }

    pub(super) fn after(&self, attempt: Attempt, elapsed: Duration, outcome: &Outcome) {
        if self.after.is_empty() {
            return;
        }
        let response = outcome.as_ref().ok();
        let raw = response.map(|received| &received.raw);
        let finished = Finished {
            attempt,
            elapsed,
            status: raw.map(|raw| raw.status),
            headers: raw.map(|raw| &raw.headers),
            body_size: response
                .filter(|received| received.stream.is_none())
                .map(|received| received.raw.body.len() as u64),
            error: outcome.as_ref().err().map(|error| error as &(dyn Error + 'static)),
        };
        self.after.iter().for_each(|hook| hook(&finished));
    }
}
