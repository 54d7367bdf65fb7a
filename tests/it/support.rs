//! Paths of the project, and generation for tests.

pub use openapi_crates_outlines::documents::*;
