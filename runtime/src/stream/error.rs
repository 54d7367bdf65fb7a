//! The errors of streams.

use std::time::Duration;

use super::BoxError;
use crate::codec::Fault;

/// An error of a stream.
///
/// After an [`Item`](Self::Item) error the stream continues with the next item. Any other error ends it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The connection or the source of the stream failed before the end.
    #[error("The stream failed: {0}")]
    Broken(#[source] BoxError),

    /// The stream, or one of its items, is larger than its limit.
    #[error("The stream, or one of its items, is larger than the limit of {limit} bytes.")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },

    /// The next chunk did not arrive in time.
    #[error("The stream sent nothing within {after:?}.")]
    Timeout {
        /// The time that the client waited.
        after: Duration,
    },

    /// The call's deadline passed before the stream ended.
    #[error("The stream did not end by the call's deadline of {after:?}.")]
    Deadline {
        /// The time from the start of the call to its deadline.
        after: Duration,
    },

    /// An item does not match its documented schema.
    #[error("An item of the stream does not match its documented schema: {}", .0.fault)]
    Item(Box<ItemFault>),
}

/// A stream item that does not match its documented schema.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ItemFault {
    /// The item as received. For an event, this is its data.
    pub text: String,
    /// The decode error.
    pub fault: Fault,
}

impl StreamError {
    /// Creates an error for a stream that failed, from any error or a message.
    ///
    /// If `error` is a `StreamError` already, this returns it unchanged. Otherwise it returns a
    /// [`Broken`](Self::Broken).
    pub fn broken(error: impl Into<BoxError>) -> Self {
        match error.into().downcast::<Self>() {
            Ok(error) => *error,
            Err(error) => Self::Broken(error),
        }
    }

    pub(super) fn item(text: &[u8], fault: Fault) -> Self {
        let text = String::from_utf8_lossy(text).into_owned();
        Self::Item(Box::new(ItemFault { text, fault }))
    }
}
