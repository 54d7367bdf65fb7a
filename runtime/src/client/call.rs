//! A call: a value until it is sent.

use std::{
    fmt,
    future::{Future, IntoFuture},
    marker::PhantomData,
    pin::Pin,
    time::Duration,
};

use super::{Error, Pending, RawResponse, Received, Response, RetryPolicy, exchange::exchange, reply};
use crate::{codec::Decode, table::Operation};

/// A call of one operation, with the output `T` and the documented errors `E`.
///
/// A call does nothing until it is sent with [`send`](Self::send) or awaited. Options of the call have
/// precedence over the client's. `R` determines how the response is decoded.
#[must_use = "a call does nothing until it is sent or awaited"]
pub struct Call<T, E, R = Typed> {
    pub(super) pending: Box<Pending>,
    pub(super) reading: R,
    types: PhantomData<fn() -> (T, E)>,
}

/// A way to decode a response into an output or an error.
pub trait Reading<T, E: fmt::Debug>: Send {
    /// Whether successes that the document declares as streams are streamed.
    const STREAMS: bool = true;

    /// Decodes a response.
    ///
    /// # Errors
    /// Returns an error if the response is not a documented success.
    fn read(self, operation: &'static Operation, received: Received) -> Result<Response<T>, Error<E>>;
}

/// Decoding into the types of the operation.
#[derive(Debug, Clone, Copy)]
pub struct Typed;

impl<T: Decode, E: Decode + fmt::Debug> Reading<T, E> for Typed {
    fn read(self, operation: &'static Operation, received: Received) -> Result<Response<T>, Error<E>> {
        reply::decode(operation, received)
    }
}

impl<T, E, R> Call<T, E, R> {
    pub(super) const fn new(pending: Box<Pending>, reading: R) -> Self {
        Self { pending, reading, types: PhantomData }
    }

    /// Returns the operation of the call.
    pub fn operation(&self) -> &'static Operation {
        self.pending.operation
    }

    /// Adds a header to the request.
    ///
    /// It has precedence over headers of the same name from the client, the operation and the credential.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.pending.header(name.into(), value.into());
        self
    }

    /// Sets the maximum duration of one attempt.
    ///
    /// It covers the time from connecting to the last byte of the response. For a streamed response it covers
    /// the time to the head, and then from each piece to the next. The default is the client's timeout.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.pending.limits.timeout = timeout;
        self
    }

    /// Sets the maximum duration of the call.
    ///
    /// It covers all attempts, the waits between them, and a streamed response. The default is the client's
    /// deadline.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.pending.limits.deadline = Some(deadline);
        self
    }

    /// Sets the policy for retries. The default is the client's policy.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.pending.retry = policy;
        self
    }

    /// Marks the call as idempotent, so that it can be sent twice without harm.
    ///
    /// It can then be retried after a timeout or a broken connection, even if its method is not idempotent.
    pub fn idempotent(mut self) -> Self {
        self.pending.is_idempotent = true;
        self
    }
}

impl<T, E: fmt::Debug, R> Call<T, E, R> {
    /// Sends the call, and returns the complete response of any status.
    ///
    /// # Errors
    /// Returns an error if no request was sent or no complete response was received. It is never
    /// [`ErrorKind::Api`](super::ErrorKind::Api), [`ErrorKind::Unexpected`](super::ErrorKind::Unexpected) or
    /// [`ErrorKind::Decode`](super::ErrorKind::Decode).
    pub async fn send_raw(self) -> Result<RawResponse, Error<E>> {
        exchange(self.pending, false).await.map(|received| received.raw).map_err(Error::widen)
    }
}

impl<T, E: fmt::Debug, R: Reading<T, E>> Call<T, E, R> {
    /// Sends the call, and returns the output.
    ///
    /// # Errors
    /// Returns an error unless the response is a documented success.
    pub async fn send(self) -> Result<T, Error<E>> {
        self.send_with_response().await.map(Response::into_value)
    }

    /// Sends the call, and returns the output with the status and the headers.
    ///
    /// # Errors
    /// Returns an error unless the response is a documented success.
    pub async fn send_with_response(self) -> Result<Response<T>, Error<E>> {
        let (operation, reading) = (self.pending.operation, self.reading);
        let received = exchange(self.pending, R::STREAMS).await.map_err(Error::widen)?;
        reading.read(operation, received)
    }
}

impl<T, E, R> IntoFuture for Call<T, E, R>
where
    T: 'static,
    E: fmt::Debug + 'static,
    R: Reading<T, E> + 'static,
{
    type Output = Result<T, Error<E>>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl<T, E, R> fmt::Debug for Call<T, E, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.pending, f)
    }
}
