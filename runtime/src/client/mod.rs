//! The client: calls, retries, credentials, typed errors.
//!
//! A generated client is thin: for every operation one function that encodes its input into a [`Call`], which is a
//! value. Everything that happens then is here, once, and (but for the last step) not generic, so that a thousand
//! operations cost the compiler little:
//!
//! ```text
//! input ── Pending ── exchange: attempt, wait, attempt … ── RawResponse ── reply: Response<T> or Error<E>
//! ```
//!
//! - `builder`, `connection`: [`ClientBuilder`] and [`Client`]; `wrap`: the macro that declares a generated client's own;
//! - `credential`: what proves the caller, by security scheme;
//! - `call`, `pending`: one call and its options; what it sends;
//! - `retry`, `exchange`: which outcomes are tried again and when; the loop that does it; `redirect`: where one leads;
//! - `incoming`: an answer that is read while it comes;
//! - `reply`, `response`: how an answer is read by the operation's table, and what comes out;
//! - `error`: [`Error`], one variant per cause; what an answer that is one says;
//! - `dynamic`: calls by operation id, JSON in and JSON out.

mod builder;
mod call;
mod connection;
mod credential;
mod dynamic;
mod error;
mod exchange;
mod incoming;
mod pending;
mod redirect;
mod reply;
mod response;
mod retry;
mod wrap;

#[cfg(test)]
mod tests;

pub use builder::{BuildError, ClientBuilder, DEFAULT_RESPONSE_LIMIT};
pub use call::{Call, Reading, Typed};
pub use connection::Client;
pub use credential::Credential;
pub use dynamic::{Dynamic, DynamicCall};
pub use error::{ApiFailure, EncodeError, Error, InvalidInput, Problem, Undecodable, Unexpected};
pub use response::{RawResponse, Response};
pub use retry::RetryPolicy;

/// The HTTP client that [`ClientBuilder::http`] takes.
pub use reqwest;

/// Where in a request a fault is.
pub use crate::validation::In;

/// An error of somebody else's making: of the connection, of a credential's provider.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
