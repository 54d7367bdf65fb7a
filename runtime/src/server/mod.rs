//! The server's core: everything between an HTTP request and an operation's code, and back.
//!
//! A generated crate hands its operations (rows) and handlers (typed closures) to a [`Builder`]; the [`Service`] that
//! comes out routes requests, authenticates callers, decodes and checks inputs, and encodes outputs, all by the rows.
//!
//! **What is refused, and in which order.** No route (404), no such method (405), not mounted (501), credentials (401),
//! permission (403), rate (429), media type of the body (415), its size (413), its content and the parameters (400).
//! So nobody unknown can make the service read a body. Every refusal is a [`Rejection`] and goes through one hook.
//!
//! **Bodies.** A body that an operation does not document is ignored, unread. One that is documented must have a
//! documented media type unless it is empty; its size is limited, by the announced length at once, else while reading.
//! It is read as UTF-8, and as it came: one that is compressed, or in another charset, is refused as of another type.

mod authenticate;
mod body;
mod builder;
mod context;
mod credentials;
pub mod decode;
mod failure;
mod handler;
mod receive;
mod rejection;
mod reply;
mod respond;
mod routing;
mod service;
mod style;
mod template;
#[cfg(test)]
mod tests;

pub use authenticate::{Attempt, Authenticate, Denied, NoSecurity};
pub use body::{Body, BodyError};
pub use builder::{BuildError, Builder, DEFAULT_BODY_LIMIT};
pub use context::Context;
pub use credentials::{ClientCertificate, Credential};
pub use failure::Failure;
pub use handler::{Handler, open, optional, secured};
pub use rejection::{Rejection, Unsupported};
pub use reply::ReplyError;
pub use service::{ResponseFuture, Service};
pub use style::{KindStyle, RejectionStyle, ViolationStyle};
pub use template::TemplateError;

/// The types of requests and responses, for hooks.
pub use http;

/// What a service needs to refuse values by rules of its own, with [`Rejection::Invalid`].
pub use crate::validation::{In, Problem, Violation, Violations};
