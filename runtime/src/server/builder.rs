//! Puts a service together.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use http::Response;

use super::handler::{Core, Handler, Mount, Reject};
use super::routing::{RouteError, Router};
use super::service::Entry;
use super::{Authenticate, Body, Rejection, RejectionStyle, Service, TemplateError};
use crate::table::Operation;

/// The largest body accepted where neither the document nor the service says otherwise: 2 MiB.
pub const DEFAULT_BODY_LIMIT: u64 = 2 * 1024 * 1024;

/// Puts a service together: all operations of the document, with handlers for those that are implemented. The others
/// are answered 501.
pub struct Builder<A: Authenticate> {
    operations: Vec<&'static Operation>,
    handlers: Vec<(&'static Operation, Handler<A>)>,
    authenticator: A,
    reject: Arc<Reject>,
    default_body_limit: u64,
}

impl<A: Authenticate> Builder<A> {
    /// A service of these operations, each refused by `style` so far.
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
            reject: Arc::new(|rejection| style.respond(&rejection)),
            default_body_limit: DEFAULT_BODY_LIMIT,
        }
    }

    /// Gives an operation its code.
    pub fn mount(&mut self, operation: &'static Operation, handler: Handler<A>) {
        self.handlers.push((operation, handler));
    }

    /// Sets the hook that turns every refusal into a response, instead of the style; it may call
    /// [`RejectionStyle::respond`], and is the place to log what broke.
    pub fn reject(&mut self, hook: impl Fn(Rejection) -> Response<Body> + Send + Sync + 'static) {
        self.reject = Arc::new(hook);
    }

    /// Sets the largest body accepted, in bytes, where the document does not say (`x-body-limit`); 2 MiB by default.
    pub fn default_body_limit(&mut self, bytes: u64) {
        self.default_body_limit = bytes;
    }

    /// The service.
    ///
    /// # Errors
    /// The operations can't be routed, or were not mounted as they should be.
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
        });
        let places = entries.iter().enumerate().map(|(place, entry)| (address(entry.operation), place));
        let places: HashMap<usize, usize> = places.collect();
        for (operation, handler) in self.handlers {
            let place = places.get(&address(operation)).copied();
            let place = place.ok_or(BuildError::Unknown { operation })?;
            let entry = entries.get_mut(place).ok_or(BuildError::Unknown { operation })?;
            let names = router.names(place).to_vec();
            let endpoint = handler.mount(Mount { core: Arc::clone(&core), operation, names });
            if entry.endpoint.replace(endpoint).is_some() {
                return Err(BuildError::MountedTwice { operation });
            }
        }
        Ok(Service::new(router, entries, self.reject))
    }
}

/// Operations are rows of static tables: one is known by where it stands.
fn address(operation: &'static Operation) -> usize {
    std::ptr::from_ref(operation).addr()
}

impl<A: Authenticate> fmt::Debug for Builder<A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut builder = formatter.debug_struct("Builder");
        builder.field("operations", &self.operations.len()).field("mounted", &self.handlers.len());
        builder.finish_non_exhaustive()
    }
}

/// A service can't be put together.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A path template can't be routed.
    #[error("the path `{}` of the operation `{}` can't be routed: {source}", operation.path, operation.id)]
    Template {
        /// The operation.
        operation: &'static Operation,
        /// What is wrong with its template.
        source: TemplateError,
    },
    /// Two operations have the same method and the same path, but for names of parameters.
    #[error(
        "the operations `{}` and `{}` are both `{} {}`",
        earlier.id, operation.id, operation.method, operation.path
    )]
    Conflict {
        /// The operation.
        operation: &'static Operation,
        /// The one that has its place.
        earlier: &'static Operation,
    },
    /// A handler was mounted for an operation that is not one of the service's.
    #[error("the operation `{}` was mounted, but is not one of the service's", operation.id)]
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
