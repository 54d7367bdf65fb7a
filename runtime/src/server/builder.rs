//! The builder of a service.

use std::fmt;
use std::sync::Arc;

use http::Response;

use super::handler::{Core, DecodeBody, Handler, Mount, Reject};
use super::routing::{RouteError, Router};
use super::service::Entry;
use super::{Authenticate, Body, Rejection, RejectionStyle, Service, TemplateError, log};
use crate::table::Operation;

/// The default limit of request bodies, in bytes: 2 MiB.
///
/// It applies if neither the document nor the service sets another limit.
pub const DEFAULT_BODY_LIMIT: u64 = 2 * 1024 * 1024;

/// A builder of a [`Service`].
///
/// It takes all operations of the document, and the handlers of those that are implemented. The service
/// responds to the others with 501.
pub struct Builder<A: Authenticate> {
    operations: Vec<&'static Operation>,
    handlers: Vec<(&'static Operation, Handler<A>)>,
    authenticator: A,
    reject: Arc<Reject>,
    default_body_limit: u64,
    decode_body: Box<DecodeBody>,
}

impl<A: Authenticate> Builder<A> {
    /// Creates a builder for these operations, without handlers.
    ///
    /// `style` renders rejections unless [`reject`](Self::reject) sets a hook.
    #[must_use]
    pub fn new(
        operations: &[&[&'static Operation]],
        authenticator: A,
        style: &'static RejectionStyle,
    ) -> Self {
        Self {
            operations: operations.concat(),
            handlers: Vec::new(),
            authenticator,
            reject: Arc::new(|rejection, operation| {
                if let Rejection::Internal { error } = &rejection {
                    log::internal(operation, &**error);
                }
                style.respond(&rejection)
            }),
            default_body_limit: DEFAULT_BODY_LIMIT,
            decode_body: Box::new(|_, decode| decode()),
        }
    }

    /// Mounts the handler of an operation.
    pub fn mount(&mut self, operation: &'static Operation, handler: Handler<A>) {
        self.handlers.push((operation, handler));
    }

    /// Sets the hook that turns every rejection into a response, in place of the style.
    ///
    /// The hook can call [`RejectionStyle::respond`]. Without a hook, internal errors are logged: with the feature
    /// `tracing` as events, otherwise on stderr. With a hook, logging them is up to the hook.
    pub fn reject(&mut self, hook: impl Fn(Rejection) -> Response<Body> + Send + Sync + 'static) {
        self.reject = Arc::new(move |rejection, _| hook(rejection));
    }

    /// Sets the maximum size of request bodies, in bytes.
    ///
    /// It applies to operations for which the document sets no limit (`x-body-limit`). The default is
    /// [`DEFAULT_BODY_LIMIT`].
    pub fn default_body_limit(&mut self, bytes: u64) {
        self.default_body_limit = bytes;
    }

    /// Sets the hook that runs the decoding and validation of request bodies.
    ///
    /// For example, a hook can move the work on large bodies to a thread where it delays no other request.
    ///
    /// The hook gets the size of the body in bytes and a function, which it must call before it returns. Otherwise the
    /// response is that of an internal error. Without a hook, every body is decoded where the request is received.
    /// Requests without a body, and bodies that the handler reads as a stream, don't use the hook.
    pub fn decode_body(&mut self, hook: impl Fn(usize, &mut dyn FnMut()) + Send + Sync + 'static) {
        self.decode_body = Box::new(hook);
    }

    /// Builds the service.
    ///
    /// # Errors
    /// Returns an error if a path can't be routed, if two operations have the same route, or if a handler is
    /// mounted twice or for an operation that the service does not have.
    pub fn build(self) -> Result<Service, BuildError> {
        let mut router = Router::new();
        let mut entries = Vec::with_capacity(self.operations.len());
        for operation in self.operations.iter().copied() {
            router.add(operation.method, operation.path).map_err(|error| match error {
                RouteError::Template(source) => BuildError::Template { operation, source },
                RouteError::Conflict(earlier) => {
                    let earlier = self.operations.get(earlier).copied().unwrap_or(operation);
                    BuildError::Conflict { operation, earlier }
                }
            })?;
            entries.push(Entry { operation, endpoint: None });
        }

        let core = Arc::new(Core {
            authenticator: self.authenticator,
            reject: Arc::clone(&self.reject),
            default_body_limit: self.default_body_limit,
            decode_body: self.decode_body,
        });
        for (operation, handler) in self.handlers {
            // Rows are static, so an address identifies an operation.
            let mut all = entries.iter_mut().enumerate();
            let entry = all.find(|(_, entry)| std::ptr::eq(entry.operation, operation));
            let (index, entry) = entry.ok_or(BuildError::Unknown { operation })?;
            let names = router.names(index).to_vec();
            let endpoint = (handler.0)(Mount { core: Arc::clone(&core), operation, names });
            if entry.endpoint.replace(endpoint).is_some() {
                return Err(BuildError::MountedTwice { operation });
            }
        }
        Ok(Service::new(router, entries, self.reject))
    }
}

impl<A: Authenticate> fmt::Debug for Builder<A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut builder = formatter.debug_struct("Builder");
        builder.field("operations", &self.operations.len()).field("mounted", &self.handlers.len());
        builder.finish_non_exhaustive()
    }
}

/// The reason why a service can't be built.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A path template can't be routed.
    #[error("the path `{}` of the operation `{}` can't be routed: {source}", operation.path, operation.id)]
    Template {
        /// The operation.
        operation: &'static Operation,
        /// The problem with its path template.
        source: TemplateError,
    },
    /// Two operations have the same method and path, apart from parameter names.
    #[error(
        "the operations `{}` and `{}` have the same route `{} {}`",
        earlier.id, operation.id, operation.method, operation.path
    )]
    Conflict {
        /// The later operation.
        operation: &'static Operation,
        /// The earlier operation.
        earlier: &'static Operation,
    },
    /// A handler was mounted for an operation that the service does not have.
    #[error("the operation `{}` was mounted, but the service does not have it", operation.id)]
    Unknown {
        /// The operation.
        operation: &'static Operation,
    },
    /// Two handlers were mounted for one operation.
    #[error("the operation `{}` was mounted twice", operation.id)]
    MountedTwice {
        /// The operation.
        operation: &'static Operation,
    },
}
