//! The body of a response.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;

use crate::types::ByteStream;

/// A boxed error of any type.
pub(super) type BoxError = Box<dyn Error + Send + Sync>;

/// The body of a response: bytes, or a stream of them.
#[derive(Default)]
pub struct Body(Content);

#[derive(Default)]
enum Content {
    #[default]
    Empty,
    Full(Bytes),
    Stream(UnsyncBoxBody<Bytes, BodyError>),
}

impl Body {
    /// Creates an empty body.
    #[must_use]
    pub const fn empty() -> Self {
        Self(Content::Empty)
    }

    /// Creates a body that is sent while it is produced.
    pub fn stream<B>(body: B) -> Self
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        Self(Content::Stream(body.map_err(BodyError::new).boxed_unsync()))
    }
}

impl From<ByteStream> for Body {
    fn from(bytes: ByteStream) -> Self {
        match bytes.held() {
            Some(bytes) => bytes.into(),
            None => Self::stream(bytes),
        }
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        if bytes.is_empty() { Self::empty() } else { Self(Content::Full(bytes)) }
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes::from(bytes).into()
    }
}

impl From<String> for Body {
    fn from(text: String) -> Self {
        Bytes::from(text).into()
    }
}

impl From<&'static str> for Body {
    fn from(text: &'static str) -> Self {
        Bytes::from_static(text.as_bytes()).into()
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let content = &mut self.get_mut().0;
        match content {
            Content::Empty => Poll::Ready(None),
            Content::Full(bytes) => {
                let bytes = std::mem::take(bytes);
                *content = Content::Empty;
                Poll::Ready(Some(Ok(Frame::data(bytes))))
            }
            Content::Stream(stream) => Pin::new(stream).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Content::Empty => true,
            Content::Full(_) => false,
            Content::Stream(stream) => stream.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Empty => SizeHint::with_exact(0),
            Content::Full(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Content::Stream(stream) => stream.size_hint(),
        }
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Content::Empty => formatter.write_str("Body(empty)"),
            Content::Full(bytes) => write!(formatter, "Body({} bytes)", bytes.len()),
            Content::Stream(_) => formatter.write_str("Body(stream)"),
        }
    }
}

/// The transfer of a body was interrupted.
#[derive(Debug, thiserror::Error)]
#[error("the transfer was interrupted: {0}")]
pub struct BodyError(#[source] BoxError);

impl BodyError {
    pub(crate) fn new(error: impl Into<BoxError>) -> Self {
        Self(error.into())
    }
}
