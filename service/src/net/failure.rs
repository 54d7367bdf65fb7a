//! Describes failed requests for the log.
//!
//! The texts name no host: the log must not show users' URLs.

use std::error::Error;
use std::io::{self, ErrorKind};

/// Returns the cause of a missing response.
#[must_use]
pub fn cause(error: &reqwest::Error) -> &'static str {
    let kind = io_kind(error);
    match kind {
        Some(ErrorKind::ConnectionRefused) => "connection refused",
        Some(ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable) => {
            "can't connect: no route to the host"
        }
        Some(ErrorKind::TimedOut) if error.is_connect() => "connection timed out",
        _ if error.is_connect() && error.is_timeout() => "connection timed out",
        _ if error.is_connect() => "can't connect: the host has no address, or its certificate is invalid",
        _ => "the connection closed before a response",
    }
}

/// Returns the I/O error kind at the root of the error chain.
fn io_kind(error: &(dyn Error + 'static)) -> Option<ErrorKind> {
    let mut kind = None;
    let mut cause = Some(error);
    while let Some(error) = cause {
        kind = error.downcast_ref().map(io::Error::kind).or(kind);
        cause = error.source();
    }
    kind
}
