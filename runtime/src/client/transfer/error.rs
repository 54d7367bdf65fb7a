//! The reasons why there is no downloaded file.

use std::{fmt, io, path::PathBuf, time::Duration};

use crate::{
    client::error::{Error, line},
    types::{NoError, StreamError},
};

/// The reason why a download returned no file.
///
/// `E` is the type of the operation's documented errors.
#[derive(Debug)]
#[non_exhaustive]
pub enum DownloadError<E: fmt::Debug> {
    /// The call has failed, at first or when the download was resumed.
    Call(Error<E>),

    /// The body was cut off, and the download can't be resumed again.
    CutOff {
        /// The number of bytes that had been received.
        received: u64,
        /// The reason. It is `None` if the body ended early without an error.
        error: Option<StreamError>,
    },

    /// The response has another part of the file than the one that was requested.
    Range {
        /// The first byte that was requested.
        first: u64,
        /// The `Content-Range` of the response.
        found: Option<String>,
    },

    /// The body is longer than the response says.
    TooLong {
        /// The number of bytes that the file should have at most, after this response.
        expected: u64,
    },

    /// The file is larger than the [limit](super::Download::limit).
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
    },

    /// The content does not have the digest that it should have.
    Digest {
        /// The digest that it should have, as in the header: `sha-256=:…:`.
        expected: String,
        /// The digest that it has.
        found: String,
    },

    /// The download did not end in time.
    Deadline {
        /// The maximum duration.
        after: Duration,
    },

    /// The file can't be written.
    File {
        /// The target.
        path: PathBuf,
        /// The reason.
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

impl<E: fmt::Debug> fmt::Display for DownloadError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(error) => error.fmt(f),
            Self::CutOff { received, error: Some(error) } => {
                write!(f, "the download was cut off after {received} bytes: {error}")
            }
            Self::CutOff { received, error: None } => {
                write!(f, "the download was cut off after {received} bytes")
            }
            Self::Range { first, found: Some(found) } => {
                write!(f, "the server sent the range `{}` instead of one from byte {first}", line(found))
            }
            Self::Range { first, found: None } => {
                write!(f, "the server sent a part without `Content-Range` instead of one from byte {first}")
            }
            Self::TooLong { expected } => write!(f, "the file has more than the announced {expected} bytes"),
            Self::TooLarge { limit } => write!(f, "the file is larger than the limit of {limit} bytes"),
            Self::Digest { expected, found } => {
                write!(f, "the content has the digest {found} instead of {expected}")
            }
            Self::Deadline { after } => write!(f, "the download didn't end within {after:?}"),
            Self::File { path, error } => write!(f, "{} can't be written: {error}", path.display()),
        }
    }
}

impl<E: fmt::Debug + 'static> std::error::Error for DownloadError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Call(error) => Some(error),
            Self::CutOff { error: Some(error), .. } => Some(error),
            Self::File { error, .. } => Some(error),
            _ => None,
        }
    }
}
