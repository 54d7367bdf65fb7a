//! Webhooks and callbacks: requests that an API sends to programs that use its client.
//!
//! ```text
//! request ── headers ── body ── signature ── event ── duplicate? ── server::Service ── handler
//!              401    400, 413     401                 2xx, 409
//! ```
//!
//! - `secret`: [`Secret`], the signature of [Standard Webhooks](https://www.standardwebhooks.com) 1.0.0, and [`sign`] for
//!   senders and tests;
//! - `verify`: [`Verifier`], which verifies headers and bytes;
//! - `seen`: [`Seen`], the ids of events that were received before;
//! - `receiver`: [`Receiver`], a `tower_service::Service` that verifies requests and passes events to handlers.
//!
//! A generated client with the feature `receiver` has a trait with a method for each event, and a function that makes a
//! [`Receiver`] of its implementation. An event is an operation that this program serves, so the receiver is a
//! [`server::Service`](crate::server::Service) behind the verification.

mod delivery;
mod receiver;
mod secret;
mod seen;
mod verify;

#[cfg(test)]
mod tests;

pub use delivery::{Delivery, Handled, builder, event, message, typed, untyped};
pub use receiver::Receiver;
pub use secret::{InvalidSecret, Secret, sign, signed_request};
pub use seen::{Claim, Receipt, Seen};
pub use verify::{Verified, Verifier, Verify, VerifyError};

pub use crate::server::{BuildError, Builder, Failure, NoSecurity};
pub use crate::table::Operation;
