//! The reasons why there is no downloaded file.

use std::{fmt, io, path::PathBuf, time::Duration};

use crate::client::{Error, error::line};
use crate::types::{NoError, StreamError};

/// The reason why a download returned no file.
///
/// `E` is the type of the operation's documented errors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DownloadError<E: fmt::Debug> {
    /// The call has failed, at first or when the download was resumed.
    #[error("{0}")]
    Call(#[source] Error<E>),

    /// The body was cut off, and the download can't be resumed again.
    #[error("the download was cut off after {received} bytes{}", .error.iter().map(|error| format!(": {error}")).collect::<String>())]
    CutOff {
        /// The number of bytes that had been received.
        received: u64,
        /// The reason. It is `None` if the body ended early without an error.
        #[source]
        error: Option<StreamError>,
    },

    /// The response has another part of the file than the one that was requested.
    #[error("the server sent {} instead of one from byte {first}", range(.found.as_deref()))]
    Range {
        /// The first byte that was requested.
        first: u64,
        /// The `Content-Range` of the response.
        found: Option<String>,
    },

    /// The body is longer than the response says.
    #[error("the file has more than the announced {expected} bytes")]
    TooLong {
        /// The number of bytes that the file should have at most, after this response.
        expected: u64,
    },

    /// The file is larger than the [limit](super::Download::limit).
    #[error("the file is larger than the limit of {limit} bytes")]
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
    },

    /// The content does not have the digest that it should have.
    #[error("the content has the digest {found} instead of {expected}")]
    Digest {
        /// The digest that it should have, as in the header: `sha-256=:…:`.
        expected: String,
        /// The digest that it has.
        found: String,
    },

    /// The download did not end in time.
    #[error("the download didn't end within {after:?}")]
    Deadline {
        /// The maximum duration.
        after: Duration,
    },

    /// The file can't be written.
    #[error("{} can't be written: {error}", .path.display())]
    File {
        /// The target.
        path: PathBuf,
        /// The reason.
        #[source]
        error: io::Error,
    },
}

impl DownloadError<NoError> {
    /// Converts an error to the error type of any operation.
    pub(super) fn widen<E: fmt::Debug>(self) -> DownloadError<E> {
        match self {
            Self::Call(error) => DownloadError::Call(error.map_api(|none| match none {})),
            Self::CutOff { received, error } => DownloadError::CutOff { received, error },
            Self::Range { first, found } => DownloadError::Range { first, found },
            Self::TooLong { expected } => DownloadError::TooLong { expected },
            Self::TooLarge { limit } => DownloadError::TooLarge { limit },
            Self::Digest { expected, found } => DownloadError::Digest { expected, found },
            Self::Deadline { after } => DownloadError::Deadline { after },
            Self::File { path, error } => DownloadError::File { path, error },
        }
    }
}

fn range(found: Option<&str>) -> String {
    found.map_or_else(
        || "a part without `Content-Range`".to_owned(),
        |found| format!("the range `{}`", line(found)),
    )
}
