//! The petstore's server: the generated routes over a shop in memory.

use std::sync::Arc;

use axum::{Router, routing::get};
use petstore_server::{Attempt, Authenticate, Denied, Server, runtime::BuildError};

mod shop;

pub use shop::Shop;

/// Builds the API of an empty shop, with an additional health check.
///
/// # Errors
/// Returns an error if the operations can't be routed.
pub fn app(key: impl Into<String>) -> Result<Router, BuildError> {
    let api = Server::builder(ShopKey(key.into())).pets(Arc::new(Shop::default())).build()?;
    Ok(Router::new().route("/healthz", get(async || "ok")).fallback_service(api))
}

/// The one key of the shop. A real service stores hashes of its keys and compares those.
struct ShopKey(String);

impl Authenticate for ShopKey {
    type Principal = ();

    async fn authenticate(&self, attempt: Attempt<'_>) -> Result<(), Denied> {
        match attempt.credentials {
            [key] if key.secret() == self.0 => Ok(()),
            _ => Err(Denied::Invalid),
        }
    }
}
