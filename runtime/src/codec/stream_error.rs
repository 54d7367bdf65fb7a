//! The errors of streams.

use std::{fmt, time::Duration};

use super::{DecodeError, EXCERPT, start_of};

/// An error of any type.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// An error of a stream.
///
/// After an error of one item (`Item` or `Invalid`) the stream continues with the next item. Any other error
/// ends it. The displayed text is one human-readable line, which names the call if the stream is its response:
///
/// ```text
/// GET /v1/events: the stream sent nothing within 10s
/// ```
// It is one pointer wide, so that a `Result` with it stays small.
pub struct StreamError(Box<Inner>);

struct Inner {
    kind: StreamErrorKind,
    call: Option<StreamCall>,
}

/// The call whose response is a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamCall {
    /// The operation id.
    pub operation: &'static str,
    /// The method.
    pub method: &'static str,
    /// The path template.
    pub path: &'static str,
    /// The number of attempts, at least 1.
    pub attempts: u32,
}

/// The cause of a [`StreamError`].
///
/// The displayed text has no full stop, because the error puts the call before it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamErrorKind {
    /// The connection or the source of the stream failed before the end.
    #[error("the stream failed: {0}")]
    Broken(#[source] BoxError),

    /// The stream, or one of its items, is larger than its limit.
    #[error("the stream, or one of its items, is larger than the limit of {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },

    /// The next chunk did not arrive in time.
    #[error("the stream sent nothing within {after:?}")]
    Timeout {
        /// The time that the client waited.
        after: Duration,
    },

    /// The call's deadline passed before the stream ended.
    #[error("the stream didn't end within the call's deadline of {after:?}")]
    Deadline {
        /// The time from the start of the call to its deadline.
        after: Duration,
    },

    /// An item does not match its documented schema.
    #[error("an item of the stream isn't as documented: {0}")]
    Item(Box<ItemError>),

    /// An item of a request violates constraints. The error is an `InvalidItem` of the module `validation`.
    #[error("an item of the stream violates the API's constraints: {0}")]
    Invalid(BoxError),
}

/// A stream item that does not match its documented schema.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ItemError {
    /// The item as received. For an event, this is its data.
    pub text: String,
    /// The decode error.
    pub error: DecodeError,
}

impl StreamError {
    /// Returns the cause.
    #[must_use]
    pub fn kind(&self) -> &StreamErrorKind {
        &self.0.kind
    }

    /// Returns the cause.
    #[must_use]
    pub fn into_kind(self) -> StreamErrorKind {
        self.0.kind
    }

    /// Returns the call, if the stream is the response to one.
    #[must_use]
    pub fn call(&self) -> Option<StreamCall> {
        self.0.call
    }

    /// Sets the call, unless it is already set.
    pub(crate) fn of_call(mut self, call: Option<StreamCall>) -> Self {
        self.0.call = self.0.call.or(call);
        self
    }

    /// Creates an error for a stream that failed, from any error or a message.
    ///
    /// If `error` is a `StreamError` already, this returns it unchanged. Otherwise it returns a
    /// [`Broken`](StreamErrorKind::Broken).
    pub fn broken(error: impl Into<BoxError>) -> Self {
        match error.into().downcast::<Self>() {
            Ok(error) => *error,
            Err(error) => StreamErrorKind::Broken(error).into(),
        }
    }

    #[cfg(feature = "http")]
    pub(crate) fn item(text: &[u8], error: DecodeError) -> Self {
        let text = String::from_utf8_lossy(text).into_owned();
        StreamErrorKind::Item(Box::new(ItemError { text, error })).into()
    }
}

impl From<StreamErrorKind> for StreamError {
    fn from(kind: StreamErrorKind) -> Self {
        Self(Box::new(Inner { kind, call: None }))
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, call } = &*self.0;
        match call {
            Some(StreamCall { method, path, attempts: attempts @ 2.., .. }) => {
                write!(f, "{method} {path}: {kind} ({attempts} attempts)")
            }
            Some(StreamCall { method, path, .. }) => write!(f, "{method} {path}: {kind}"),
            None => kind.fmt(f),
        }
    }
}

impl fmt::Debug for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamError").field("call", &self.0.call).field("kind", &self.0.kind).finish()
    }
}

impl std::error::Error for StreamError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.0.kind)
    }
}

impl StreamErrorKind {
    /// Returns whether the error concerns one item, so that the stream continues.
    pub(crate) const fn is_of_one_item(&self) -> bool {
        matches!(self, Self::Item(_) | Self::Invalid(_))
    }
}

impl fmt::Display for ItemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, in `{}`", self.error, start_of(self.text.as_bytes(), EXCERPT))
    }
}
