//! Raw bytes, all at once or piece by piece.

use std::{
    fmt,
    future::poll_fn,
    mem::take,
    pin::Pin,
    sync::{Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use futures_core::Stream;

use super::{BoxError, StreamError};
use crate::{
    codec::{Decode, Encode, Fault, Reader, Writer},
    types::Bytes,
};

/// The bytes of a body, all at once or as they come: a [`Stream`] of their pieces.
///
/// It is made of bytes (`vec.into()`) or of a stream ([`new`](Self::new)), and read piece by piece
/// ([`next`](Self::next)) or as a whole ([`collect`](Self::collect)). It is sent once: a call whose body is a stream is
/// not tried again, and a stream that was sent is empty.
#[derive(Default)]
pub struct ByteStream {
    content: Mutex<Content>,
    length: Option<u64>,
    limit: Option<u64>,
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
    /// What comes piece by piece.
    pub fn new<S, B, E>(pieces: S) -> Self
    where
        S: Stream<Item = Result<B, E>> + Send + 'static,
        B: Into<Bytes>,
        E: Into<BoxError>,
    {
        Self::of(Mapped(Box::pin(pieces)))
    }

    pub(crate) fn of(pieces: impl Stream<Item = Result<Bytes, StreamError>> + Send + 'static) -> Self {
        Self { content: Mutex::new(Content::Coming(Box::pin(pieces))), length: None, limit: None }
    }

    /// The same, with so many bytes in all, which the message then says in its head. Sending fails if it is not so.
    #[must_use]
    pub fn with_length(self, bytes: u64) -> Self {
        Self { length: Some(bytes), ..self }
    }

    /// The same, of which no more than so many bytes are held at once: by [`collect`](Self::collect), or as one item.
    #[must_use]
    pub fn with_limit(self, bytes: u64) -> Self {
        Self { limit: Some(bytes), ..self }
    }

    /// How many bytes there are, if that is known beforehand.
    #[must_use]
    pub fn length(&self) -> Option<u64> {
        self.held().map(|bytes| bytes.len() as u64).or(self.length)
    }

    /// The next piece.
    pub async fn next(&mut self) -> Option<Result<Bytes, StreamError>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// All of it. Of an answer, a client takes no more than its `response_limit`.
    ///
    /// # Errors
    /// The stream breaks off, or is larger than is taken.
    pub async fn collect(mut self) -> Result<Bytes, StreamError> {
        let limit = self.limit();
        if self.length().is_some_and(|length| length > limit) {
            return Err(StreamError::TooLarge { limit });
        }
        let mut pieces = Vec::new();
        let mut left = limit;
        while let Some(piece) = self.next().await {
            let piece = piece?;
            left = left.checked_sub(piece.len() as u64).ok_or(StreamError::TooLarge { limit })?;
            pieces.push(piece);
        }
        Ok(match pieces.as_slice() {
            // Mostly there is one, and nothing to copy.
            [piece] => piece.clone(),
            pieces => pieces.concat().into(),
        })
    }

    /// Takes what is in it, and leaves an empty one.
    #[cfg(feature = "http")]
    pub(crate) fn take(&self) -> Self {
        let content = take(&mut *self.content.lock().unwrap_or_else(PoisonError::into_inner));
        Self { content: Mutex::new(content), length: self.length, limit: self.limit }
    }

    /// Its bytes, if they are all here.
    pub(crate) fn held(&self) -> Option<Bytes> {
        match &*self.content.lock().unwrap_or_else(PoisonError::into_inner) {
            Content::Held(bytes) => Some(bytes.clone()),
            Content::Coming(_) => None,
        }
    }

    pub(super) fn limit(&self) -> u64 {
        self.limit.unwrap_or(u64::MAX)
    }
}

impl Stream for ByteStream {
    type Item = Result<Bytes, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let content = self.content.get_mut().unwrap_or_else(PoisonError::into_inner);
        let pieces = match content {
            Content::Held(bytes) if bytes.is_empty() => return Poll::Ready(None),
            Content::Held(bytes) => return Poll::Ready(Some(Ok(take(bytes)))),
            Content::Coming(pieces) => pieces,
        };
        let piece = ready!(pieces.as_mut().poll_next(context));
        if !matches!(piece, Some(Ok(_))) {
            // Nothing comes behind an error; and what made the pieces is of no use any more.
            *content = Content::default();
        }
        Poll::Ready(piece)
    }
}

/// A stream whose items and errors are not ours yet.
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
        Self { content: Mutex::new(Content::Held(bytes)), length: None, limit: None }
    }
}

impl From<Vec<u8>> for ByteStream {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes::from(bytes).into()
    }
}

impl From<String> for ByteStream {
    fn from(text: String) -> Self {
        Bytes::from(text).into()
    }
}

impl From<&'static [u8]> for ByteStream {
    fn from(bytes: &'static [u8]) -> Self {
        Bytes::from_static(bytes).into()
    }
}

impl From<&'static str> for ByteStream {
    fn from(text: &'static str) -> Self {
        text.as_bytes().into()
    }
}

impl Decode for ByteStream {
    fn decode(reader: &mut dyn Reader) -> Result<Self, Fault> {
        reader.byte_stream()
    }
}

impl Encode for ByteStream {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.byte_stream(self);
    }
}

/// How many bytes there are, rather than them all.
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
