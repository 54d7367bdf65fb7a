//! Why a call got no answer, in words for the operator. They name no host: that is the user's business.

use std::error::Error;
use std::io::{self, ErrorKind};

/// Why there was no answer.
#[must_use]
pub fn why(error: &reqwest::Error) -> &'static str {
    let kind = io_kind(error);
    match kind {
        Some(ErrorKind::ConnectionRefused) => "no connection could be made: it was refused",
        Some(ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable) => {
            "no connection could be made: there is no way to the host"
        }
        Some(ErrorKind::TimedOut) if error.is_connect() => "no connection could be made in time",
        _ if error.is_connect() && error.is_timeout() => "no connection could be made in time",
        _ if error.is_connect() => {
            "no connection could be made: the host has no address, or its certificate is not good"
        }
        _ => "the connection broke before there was an answer",
    }
}

/// What the system says of it, at the bottom of what libraries say.
fn io_kind(error: &(dyn Error + 'static)) -> Option<ErrorKind> {
    let mut kind = None;
    let mut cause = Some(error);
    while let Some(error) = cause {
        kind = error.downcast_ref().map(io::Error::kind).or(kind);
        cause = error.source();
    }
    kind
}
