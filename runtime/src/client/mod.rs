//! The client core: calls, retries, credentials and typed errors.
//!
//! A generated client is thin. For each operation it has one function, which encodes the input into a
//! [`Call`]. A call is a value until it is sent. All further steps are here, and all but the last are
//! independent of the operation's types, so they are compiled only once:
//!
//! ```text
//! input ── Pending ── exchange: attempt, wait, attempt … ── RawResponse ── reply: Response<T> or Error<E>
//! ```
//!
//! - `builder`, `connection`: [`ClientBuilder`] and [`Client`]; `wrap`: the macro for a generated client's
//!   own types;
//! - `credential`: credentials by security scheme; `token`: tokens that expire, and their provider; `oauth2`: tokens
//!   from the token endpoint of an OAuth 2.0 flow;
//! - `call`, `pending`: a call with its options; the request that it sends; `url`: its URL;
//! - `transport`: sends requests by an HTTP client or a tower service; `platform`: time and tasks;
//! - `retry`, `exchange`: the retry policy; the loop that applies it; `budget`: the retries that clones share;
//!   `idempotency`: which operations can be repeated; `redirect`: which redirects are followed;
//! - `incoming`: responses that are streamed;
//! - `wait`, `pages`: tasks until their end, lists until their last page; `follow`: the requests that follow from a
//!   call's; `query`: single parameters of a query; `probe`: single values of a response;
//! - `transfer`: downloads to files and uploads from them (feature `file-transfer`);
//! - `reply`, `response`: decoding of a response by the operation's table; the result;
//! - `blocking`: blocking calls; `mock`: transports for tests;
//! - `hooks`: functions of the caller before and after each attempt; `trace`: spans of attempts; `secrets`: redacts
//!   secrets in spans and recordings;
//! - `error`: [`Error`], and [`ErrorKind`] with one variant per cause; the content of error responses;
//! - `dynamic`: calls by operation id, with JSON as input and output.

#[cfg(all(feature = "blocking", not(all(target_arch = "wasm32", target_os = "unknown"))))]
mod blocking;
mod budget;
mod builder;
mod call;
mod connection;
mod credential;
mod dynamic;
mod error;
mod exchange;
mod follow;
mod hooks;
mod idempotency;
mod incoming;
#[cfg(feature = "mock")]
pub mod mock;
mod oauth2;
mod pages;
mod pending;
mod platform;
mod probe;
mod query;
mod redirect;
mod reply;
mod response;
mod retry;
#[cfg(any(feature = "mock", feature = "tracing"))]
mod secrets;
mod token;
#[cfg(feature = "tracing")]
mod trace;
#[cfg(feature = "file-transfer")]
mod transfer;
mod transport;
mod url;
mod wait;
mod wrap;

#[cfg(test)]
mod tests;

#[cfg(all(feature = "blocking", not(all(target_arch = "wasm32", target_os = "unknown"))))]
pub use blocking::{Blocked, Blocking};
pub use budget::RetryBudget;
pub use builder::{ClientBuilder, DEFAULT_RESPONSE_LIMIT, http_builder};
pub use call::{Call, Reading, Typed};
pub use connection::Client;
pub use credential::Credential;
pub use dynamic::{Dynamic, DynamicCall};
pub use error::{
    ApiFailure, BuildError, EncodeError, Error, ErrorKind, InvalidInput, MissingCredential, PagingError,
    Problem, Undecodable, Unexpected,
};
pub use hooks::{Attempt, Finished};
pub use idempotency::Retries;
pub use oauth2::OAuth2;
pub use pages::{Items, PageSlot, PageStep, Paged, PagedCall, Pages, Paging};
pub use response::{RawResponse, Response};
pub use retry::RetryPolicy;
pub use token::{Token, TokenProvider};
#[cfg(feature = "file-transfer")]
pub use transfer::{Download, DownloadError, Downloaded, Progress};
pub use transport::{Http, Outgoing, Sending, Transport, TransportError};
pub use wait::{
    FinalState, MonitoredCall, OfTask, PollLimit, Running, Task, TaskCall, TaskEvents, TaskStep, Update,
    Updates, Wait, WaitError,
};

// The items that most modules need.
use exchange::{Limits, Outcome};
use pending::Pending;
use response::Received;

/// The `reqwest` crate, whose client [`ClientBuilder::http`] takes.
pub use reqwest;

/// The location of a violation in a request.
pub use crate::validation::In;

/// A boxed error of any type, such as a connection's or a credential provider's.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
