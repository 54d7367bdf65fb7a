//! The Asset Catalogue and AI Task Service: the API of `spec/openapi.yaml`, running.
//!
//! The domain (`tasks`, `webhooks`, `catalogue`, `keys`, `files`) knows no HTTP; `api` turns requests of each family
//! into calls of the domain, and `http` is everything around it.

pub mod keys;
pub mod media;
pub mod net;
pub mod store;
pub mod time;
pub mod webhooks;
