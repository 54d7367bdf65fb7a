//! Where things are, and how documents become files.

pub use openapi_crates_outlines::documents::*;
