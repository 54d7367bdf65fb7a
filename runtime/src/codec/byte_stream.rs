//! Raw bytes, in memory or streamed.

use std::{
    fmt,
    future::poll_fn,
    mem::take,
    pin::Pin,
    sync::{Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use futures_core::Stream;

use super::{BoxError, Bytes, StreamCall, StreamError, StreamErrorKind, joined::Joined};

/// The bytes of a body, in memory or streamed: a [`Stream`] of chunks.
///
/// A `ByteStream` is created from bytes or text (`From`) or from a stream ([`new`](Self::new)). It is read
/// chunk by chunk ([`next`](Self::next)) or as a whole ([`collect`](Self::collect)).
///
/// A body that is not in memory can be sent once. It is empty afterwards, so a client never retries such a
/// call.
///
/// ```
/// use openapi_crates_runtime::types::ByteStream;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), openapi_crates_runtime::types::StreamError> {
/// let body = ByteStream::from("hello").with_limit(1024);
/// assert_eq!(body.length(), Some(5));
/// assert_eq!(body.collect().await?, "hello");
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct ByteStream {
    content: Mutex<Content>,
    length: Option<u64>,
    limit: Option<u64>,
    /// The call that this is the response to.
    call: Option<StreamCall>,
}

type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, StreamError>> + Send>>;

enum Content {
    Held(Bytes),
    Coming(Pieces),
}

impl Default for Content {
    fn default() -> Self {
        Self::Held(Bytes::new())
    }
}

impl ByteStream {
    /// Creates a body from a stream of chunks.
    ///
    /// An error of `pieces` ends the body. It becomes a [`Broken`](StreamErrorKind::Broken) unless it is a
    /// [`StreamError`] itself.
    pub fn new<S, B, E>(pieces: S) -> Self
    where
        S: Stream<Item = Result<B, E>> + Send + 'static,
        B: Into<Bytes>,
        E: Into<BoxError>,
    {
        Self::of(Mapped(Box::pin(pieces)))
    }

    pub(crate) fn of(pieces: impl Stream<Item = Result<Bytes, StreamError>> + Send + 'static) -> Self {
        Self { content: Mutex::new(Content::Coming(Box::pin(pieces))), ..Self::default() }
    }

    /// Sets the total number of bytes, which is sent as `Content-Length`.
    ///
    /// Sending fails if the stream has another length.
    #[must_use]
    pub fn with_length(self, bytes: u64) -> Self {
        Self { length: Some(bytes), ..self }
    }

    /// Sets the total number of bytes, if it is known.
    #[cfg(any(feature = "client", feature = "server"))]
    pub(crate) fn of_length(self, length: Option<u64>) -> Self {
        Self { length, ..self }
    }

    /// Limits the number of bytes that are held in memory at once.
    ///
    /// The limit applies to [`collect`](Self::collect) and to each item that is read from the body. The
    /// default is no limit.
    #[must_use]
    pub fn with_limit(self, bytes: u64) -> Self {
        Self { limit: Some(bytes), ..self }
    }

    /// Sets the call that this is the response to. Errors name it.
    #[cfg(feature = "client")]
    pub(crate) fn of_call(self, call: StreamCall) -> Self {
        Self { call: Some(call), ..self }
    }

    /// Returns the total number of bytes, if it is known in advance.
    #[must_use]
    pub fn length(&self) -> Option<u64> {
        self.held().map(|bytes| bytes.len() as u64).or(self.length)
    }

    /// Returns the next chunk, or `None` at the end.
    pub async fn next(&mut self) -> Option<Result<Bytes, StreamError>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Reads the whole body into memory.
    ///
    /// The body of a client's response is limited to the client's `response_limit`.
    ///
    /// # Errors
    /// Fails if the stream fails, or with [`TooLarge`](StreamErrorKind::TooLarge) if the body is larger than its
    /// [limit](Self::with_limit).
    pub async fn collect(mut self) -> Result<Bytes, StreamError> {
        let (limit, call) = (self.limit(), self.call);
        let too_large = || StreamError::from(StreamErrorKind::TooLarge { limit }).of_call(call);
        if self.length().is_some_and(|length| length > limit) {
            return Err(too_large());
        }
        let mut joined = Joined::default();
        let mut left = limit;
        while let Some(piece) = self.next().await {
            let piece = piece?;
            left = left.checked_sub(piece.len() as u64).ok_or_else(too_large)?;
            joined.push(piece);
        }
        Ok(joined.into_bytes())
    }

    /// Takes the content and leaves an empty body.
    #[cfg(feature = "http")]
    pub(crate) fn take(&self) -> Self {
        let content = take(&mut *self.content.lock().unwrap_or_else(PoisonError::into_inner));
        Self { content: Mutex::new(content), length: self.length, limit: self.limit, call: self.call }
    }

    /// Returns the bytes if they are all in memory.
    pub(crate) fn held(&self) -> Option<Bytes> {
        match &*self.content.lock().unwrap_or_else(PoisonError::into_inner) {
            Content::Held(bytes) => Some(bytes.clone()),
            Content::Coming(_) => None,
        }
    }

    #[cfg(feature = "http")]
    pub(crate) const fn call(&self) -> Option<StreamCall> {
        self.call
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit.unwrap_or(u64::MAX)
    }
}

impl Stream for ByteStream {
    type Item = Result<Bytes, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let call = self.call;
        let content = self.content.get_mut().unwrap_or_else(PoisonError::into_inner);
        let pieces = match content {
            Content::Held(bytes) if bytes.is_empty() => return Poll::Ready(None),
            Content::Held(bytes) => return Poll::Ready(Some(Ok(take(bytes)))),
            Content::Coming(pieces) => pieces,
        };
        let piece = ready!(pieces.as_mut().poll_next(context));
        if !matches!(piece, Some(Ok(_))) {
            // The stream has ended, so its source is dropped.
            *content = Content::default();
        }
        Poll::Ready(piece.map(|piece| piece.map_err(|error| error.of_call(call))))
    }
}

/// An adapter that converts the items and errors of a stream.
struct Mapped<S>(Pin<Box<S>>);

impl<S, B, E> Stream for Mapped<S>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    E: Into<BoxError>,
{
    type Item = Result<Bytes, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let piece = ready!(self.0.as_mut().poll_next(context));
        Poll::Ready(piece.map(|piece| piece.map(Into::into).map_err(StreamError::broken)))
    }
}

impl From<Bytes> for ByteStream {
    fn from(bytes: Bytes) -> Self {
        Self { content: Mutex::new(Content::Held(bytes)), ..Self::default() }
    }
}

macro_rules! from_bytes {
    ($($from:ty),+) => {$(
        impl From<$from> for ByteStream {
            fn from(bytes: $from) -> Self {
                Bytes::from(bytes).into()
            }
        }
    )+};
}

from_bytes!(Vec<u8>, String, &'static [u8], &'static str);

/// Shows the number of bytes instead of the bytes.
impl fmt::Debug for ByteStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.length() {
            Some(length) => write!(f, "ByteStream({length} bytes)"),
            None => f.write_str("ByteStream(…)"),
        }
    }
}

#[cfg(any(feature = "client", feature = "server"))]
impl http_body::Body for ByteStream {
    type Data = Bytes;
    type Error = StreamError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, StreamError>>> {
        self.poll_next(context).map(|piece| piece.map(|piece| piece.map(http_body::Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.held().is_some_and(|bytes| bytes.is_empty())
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.length().map_or_else(http_body::SizeHint::default, http_body::SizeHint::with_exact)
    }
}
