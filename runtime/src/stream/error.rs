//! The errors of streams.

use std::time::Duration;

use super::BoxError;
use crate::codec::DecodeError;
#[cfg(feature = "validation")]
use crate::validation::Violations;

/// An error of a stream.
///
/// After an error of one item (`Item` or `Invalid`) the stream continues with the next item. Any other error
/// ends it.
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
    #[error("An item of the stream does not match its documented schema: {}", .0.error)]
    Item(Box<ItemError>),

    /// An item of a request violates constraints.
    #[cfg(feature = "validation")]
    #[error("Item {} of the stream is invalid; number of violations: {}", .0.index, .0.violations.len())]
    Invalid(Box<InvalidItem>),
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

/// An item of a request that violates constraints.
#[cfg(feature = "validation")]
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InvalidItem {
    /// The position of the item in the stream, from 0.
    pub index: usize,
    /// The violations, with names that begin with the position: `[0].name`. There is at least one.
    pub violations: Violations,
}

impl StreamError {
    /// Returns whether the error concerns one item, so that the stream continues.
    pub(super) const fn is_of_one_item(&self) -> bool {
        match self {
            Self::Item(_) => true,
            #[cfg(feature = "validation")]
            Self::Invalid(_) => true,
            Self::Broken(_) | Self::TooLarge { .. } | Self::Timeout { .. } | Self::Deadline { .. } => false,
        }
    }

    /// Creates the error of an invalid item.
    #[cfg(feature = "http")]
    pub(crate) fn invalid(index: usize, violations: Violations) -> Self {
        Self::Invalid(Box::new(InvalidItem { index, violations }))
    }

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

    pub(super) fn item(text: &[u8], error: DecodeError) -> Self {
        let text = String::from_utf8_lossy(text).into_owned();
        Self::Item(Box::new(ItemError { text, error }))
    }
}
