//! The reasons why a transport returns no response.

use crate::client::BoxError;
use crate::types::{StreamError, StreamErrorKind};

/// The reason why a transport returned no response, or only a part of one.
///
/// A client converts it into an [`ErrorKind`](crate::client::ErrorKind). An error of another type, such as that of a tower
/// service, is [`Broken`](Self::Broken).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// No connection could be made, so nothing was sent. The attempt can be repeated.
    #[error("{0}")]
    Connect(#[source] BoxError),

    /// There was no response in time. The attempt can be repeated if the call is idempotent.
    #[error("there was no response in time")]
    Timeout,

    /// The connection failed. The attempt can be repeated if the call is idempotent.
    #[error("{0}")]
    Broken(#[source] BoxError),

    /// The transport sends no such request. The attempt is not repeated.
    #[error("{0}")]
    Refused(#[source] BoxError),
}

/// Keeps a `TransportError`, and the kind of an error of `reqwest`. Removes its URL, which may contain a key.
impl From<BoxError> for TransportError {
    fn from(error: BoxError) -> Self {
        let error = match error.downcast::<Self>() {
            Ok(error) => return *error,
            Err(error) => error,
        };
        match error.downcast::<reqwest::Error>() {
            Ok(error) => (*error).into(),
            Err(error) => Self::Broken(error),
        }
    }
}

impl From<reqwest::Error> for TransportError {
    fn from(error: reqwest::Error) -> Self {
        let error = error.without_url();
        if is_connect(&error) {
            Self::Connect(error.into())
        } else if error.is_timeout() {
            Self::Timeout
        } else {
            Self::Broken(error.into())
        }
    }
}

impl From<StreamError> for TransportError {
    fn from(error: StreamError) -> Self {
        match error.into_kind() {
            StreamErrorKind::Broken(error) => error.into(),
            other => Self::Broken(StreamError::from(other).into()),
        }
    }
}

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
fn is_connect(error: &reqwest::Error) -> bool {
    error.is_connect()
}

/// A browser does not say why a request failed.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
const fn is_connect(_: &reqwest::Error) -> bool {
    false
}
