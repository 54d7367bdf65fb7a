//! One call: a value until it is sent.

use std::{
    fmt,
    future::{Future, IntoFuture},
    marker::PhantomData,
    pin::Pin,
    time::Duration,
};

use super::{
    error::Error,
    exchange::exchange,
    pending::Pending,
    reply,
    response::{Answer, RawResponse, Response},
    retry::RetryPolicy,
};
use crate::{codec::Decode, table::Operation};

/// A call of one operation: its answer is a `T`, its documented errors are an `E`.
///
/// Nothing happens until it is sent, by [`send`](Self::send) or by `.await`ing it. Options set here win over the
/// client's. `R` is how the answer is read.
#[must_use = "a call does nothing until it is sent or awaited"]
pub struct Call<T, E, R = Typed> {
    pending: Box<Pending>,
    reading: R,
    types: PhantomData<fn() -> (T, E)>,
}

/// How an answer becomes a success or an error.
pub trait Reading<T, E: fmt::Debug>: Copy + Send {
    /// Whether successes that the document says to be streams are read while they come.
    const STREAMS: bool;

    /// Reads it.
    ///
    /// # Errors
    /// It is no documented success.
    fn read(self, operation: &'static Operation, answer: Answer) -> Result<Response<T>, Error<E>>;
}

/// Answers are read into the operation's own types.
#[derive(Debug, Clone, Copy)]
pub struct Typed;

impl<T: Decode, E: Decode + fmt::Debug> Reading<T, E> for Typed {
    const STREAMS: bool = true;

    fn read(self, operation: &'static Operation, answer: Answer) -> Result<Response<T>, Error<E>> {
        reply::decode(operation, answer)
    }
}

impl<T, E, R> Call<T, E, R> {
    pub(super) const fn new(pending: Box<Pending>, reading: R) -> Self {
        Self { pending, reading, types: PhantomData }
    }

    /// The operation called.
    #[must_use]
    pub fn operation(&self) -> &'static Operation {
        self.pending.operation
    }

    /// A header; it wins over the client's, the operation's and the credential's of the same name.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.pending.header(name.into(), value.into());
        self
    }

    /// How long one attempt may take, from connecting to the last byte of the answer; of an answer that is a stream, to
    /// its head, and then from each piece to the next.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.pending.timeout = timeout;
        self
    }

    /// How long the call may take with all its attempts and the waits between them, and with an answer that is a stream.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.pending.deadline = Some(deadline);
        self
    }

    /// When and how often it is tried again.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.pending.retry = Some(policy);
        self
    }

    /// Processing this call twice is the same as once, although its method does not say so: it may be tried again
    /// after a timeout or a broken connection.
    pub fn idempotent(mut self) -> Self {
        self.pending.is_idempotent = true;
        self
    }
}

impl<T, E: fmt::Debug, R> Call<T, E, R> {
    /// Sends it, and gives the answer as it came, whatever its status, when all of it is here.
    ///
    /// # Errors
    /// There was no answer, or nothing was sent; never [`Error::Api`], [`Error::Unexpected`] or [`Error::Decode`].
    pub async fn send_raw(self) -> Result<RawResponse, Error<E>> {
        exchange(self.pending, false).await.map(|answer| answer.raw).map_err(Error::widen)
    }
}

impl<T, E: fmt::Debug, R: Reading<T, E>> Call<T, E, R> {
    /// Sends it.
    ///
    /// # Errors
    /// Anything but a documented success.
    pub async fn send(self) -> Result<T, Error<E>> {
        self.send_with_response().await.map(Response::into_value)
    }

    /// Sends it, and gives the status and headers along with the answer.
    ///
    /// # Errors
    /// Anything but a documented success.
    pub async fn send_with_response(self) -> Result<Response<T>, Error<E>> {
        let (operation, reading) = (self.pending.operation, self.reading);
        let answer = exchange(self.pending, R::STREAMS).await.map_err(Error::widen)?;
        reading.read(operation, answer)
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
