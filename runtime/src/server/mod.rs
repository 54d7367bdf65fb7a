//! The server core: it turns HTTP requests into calls of handlers, and back.
//!
//! A generated crate passes its operations (table rows) and its handlers (typed closures) to a [`Builder`].
//! The resulting [`Service`] routes requests, authenticates callers, decodes and validates inputs, and
//! encodes outputs. The rows determine all of this.
//!
//! **Order of checks.** A request is rejected for the first of these reasons: no route (404), method not
//! allowed (405), operation not mounted (501), credentials (401), permission (403), rate limit (429), media
//! type of the body (415), size of the body (413), content of the body and parameters (400). The service
//! reads a body only after the caller passed authentication. Every rejection is a [`Rejection`] and goes
//! through one hook.
//!
//! **Bodies.** The service ignores a body that the operation does not document, and does not read it. A
//! documented body must have a documented media type, unless it is empty. Its size is limited: the service
//! checks `Content-Length` first, and otherwise counts while it reads. Bodies are read as UTF-8 and without
//! decompression. A body with a content encoding or another charset is rejected with 415.

mod authenticate;
mod body;
mod builder;
mod context;
mod credentials;
pub mod decode;
mod failure;
mod handler;
mod log;
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

#[cfg(feature = "webhooks")]
pub(crate) use receive::{Unread, read as read_body};

/// The `http` crate, whose types of requests and responses hooks need.
pub use http;

/// The types of violations, for constraints that the document can't express.
pub use crate::validation::{In, Violation, ViolationKind, Violations};
