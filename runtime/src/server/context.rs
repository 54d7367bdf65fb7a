//! The context of a request: what a handler gets in addition to its input.

use std::fmt;

use http::{Extensions, HeaderMap, Method, Uri};

use crate::table::Operation;

/// The context of a request, which a handler gets in addition to its input.
#[non_exhaustive]
pub struct Context<P> {
    /// The caller.
    pub principal: P,
    /// The operation.
    pub operation: &'static Operation,
    /// The request's headers.
    pub headers: HeaderMap,
    /// The request's extensions, including those of layers in front of the service.
    pub extensions: Extensions,
    method: Method,
    uri: Uri,
}

impl<P> Context<P> {
    /// Creates the context of a request without headers, for tests of handlers.
    #[must_use]
    pub fn new(principal: P, operation: &'static Operation) -> Self {
        Self::of(principal, operation, http::Request::new(()).into_parts().0)
    }

    pub(super) fn of(principal: P, operation: &'static Operation, parts: http::request::Parts) -> Self {
        let http::request::Parts { method, uri, headers, extensions, .. } = parts;
        Self { principal, operation, headers, extensions, method, uri }
    }

    /// Returns the request's method.
    #[must_use]
    pub const fn method(&self) -> &Method {
        &self.method
    }

    /// Returns the request's URI.
    #[must_use]
    pub const fn uri(&self) -> &Uri {
        &self.uri
    }
}

/// Omits the request's headers and query, which may contain secrets.
impl<P: fmt::Debug> fmt::Debug for Context<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut context = formatter.debug_struct("Context");
        context.field("principal", &self.principal).field("operation", &self.operation.id);
        context.finish_non_exhaustive()
    }
}
