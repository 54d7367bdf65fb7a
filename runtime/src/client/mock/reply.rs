//! The responses of a script.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use futures_core::Stream;
use http::header::CONTENT_TYPE;

use crate::client::platform::{Instant, sleep_until};
use crate::client::{BoxError, TransportError};
use crate::{
    codec::{Encode, to_json},
    types::ByteStream,
};

/// A response of a [`Mock`](super::Mock), or a failure of its connection.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::{client::mock::Reply, types::Value};
///
/// let body: Value = serde_json::json!({"message": "slow down"});
/// let reply = Reply::json(429, &body).header("retry-after", "1");
/// ```
#[derive(Debug, Clone)]
#[must_use = "a reply does nothing until it is added to a mock"]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Bytes,
    delay: Duration,
    failure: Option<Failure>,
}

#[derive(Debug, Clone, Copy)]
enum Failure {
    NoConnection,
    NoResponse,
    CutOff,
}

impl Reply {
    /// Creates a response with this status and no body.
    pub const fn new(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Bytes::new(), delay: Duration::ZERO, failure: None }
    }

    /// Creates a response with a JSON body: a value of a generated model, or of `serde_json::json!`.
    pub fn json(status: u16, body: &dyn Encode) -> Self {
        Self::new(status).header(CONTENT_TYPE.as_str(), "application/json").body(to_json(body))
    }

    /// Creates a connection that can't be made. The client may repeat the call.
    pub fn no_connection() -> Self {
        Self { failure: Some(Failure::NoConnection), ..Self::new(0) }
    }

    /// Creates a connection that fails before there is a response. The client repeats the call if it is idempotent.
    pub fn no_response() -> Self {
        Self { failure: Some(Failure::NoResponse), ..Self::new(0) }
    }

    /// Adds a header.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the body.
    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    /// Breaks the connection after the bytes of the body.
    pub const fn cut_off(mut self) -> Self {
        self.failure = Some(Failure::CutOff);
        self
    }

    /// Sets the time until the response. With [`Duration::MAX`] there is no response.
    pub const fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    pub(super) async fn send(self) -> Result<http::Response<ByteStream>, TransportError> {
        match Instant::now().checked_add(self.delay) {
            _ if self.delay.is_zero() => {}
            Some(end) => sleep_until(end).await,
            None => std::future::pending().await,
        }
        let body: ByteStream = match self.failure {
            None => self.body.into(),
            Some(Failure::CutOff) => ByteStream::new(CutOff(Some(self.body))),
            Some(Failure::NoConnection) => return Err(TransportError::Connect(failed())),
            Some(Failure::NoResponse) => return Err(TransportError::Broken(failed())),
        };
        respond(http::Response::builder().status(self.status), &self.headers, body)
    }
}

pub(super) fn respond(
    response: http::response::Builder,
    headers: &[(String, String)],
    body: ByteStream,
) -> Result<http::Response<ByteStream>, TransportError> {
    let response = headers.iter().fold(response, |response, (name, value)| response.header(name, value));
    response.body(body).map_err(|error| TransportError::Refused(error.into()))
}

fn failed() -> BoxError {
    "the mock lets the connection fail".into()
}

/// A body whose connection fails.
struct CutOff(Option<Bytes>);

impl Stream for CutOff {
    type Item = Result<Bytes, BoxError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(Some(self.0.take().ok_or_else(failed)))
    }
}
