//! The snapshots that reviewers read: outlines, reports, full texts and digests of generated crates.
//!
//! The generator writes an outline from its intermediate representation (`openapi_crates::outline`). A test changes every
//! node of each fixture, one at a time: a change of the generated code must change the outline.
//!
//! The tests compare the snapshots by insta. `cargo xtask outlines` runs these tests, and accepts what differs.

mod digests;
pub mod documents;
pub mod mutants;
pub mod pairs;
pub mod snapshots;
mod texts;

pub use digests::{ACCEPTED, CURRENT, keep};
pub use texts::TEXTS;
