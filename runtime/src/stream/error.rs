//! Why a stream broke off, or holds what it should not.

use std::time::Duration;

use super::BoxError;
use crate::codec::Fault;

/// What is wrong with a stream. After [`Item`](Self::Item) it goes on with the next one; after all else it is at its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// It broke off before its end: the connection, or what makes it.
    #[error("The stream broke off: {0}")]
    Broken(#[source] BoxError),

    /// It, or one item of it, is larger than is taken.
    #[error("The stream, or one item of it, has more than the {limit} bytes that are taken.")]
    TooLarge {
        /// How many bytes are taken.
        limit: u64,
    },

    /// The next piece did not come in time.
    #[error("Nothing more came of the stream within {after:?}.")]
    Timeout {
        /// How long was waited.
        after: Duration,
    },

    /// The call's deadline passed before the stream was at its end.
    #[error("The stream wasn't at its end by the call's deadline of {after:?}.")]
    Deadline {
        /// The time that the call had.
        after: Duration,
    },

    /// An item is not as documented.
    #[error("An item of the stream isn't as documented: {}", .0.fault)]
    Item(Box<ItemFault>),
}

/// An item that is not as documented.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ItemFault {
    /// The item as it came; of an event, its data.
    pub text: String,
    /// What is wrong with it.
    pub fault: Fault,
}

impl StreamError {
    /// The stream broke off because of this; any error, or a text.
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
