//! Outlines of generated crates, and the snapshots that reviewers read.
//!
//! An outline shows what generated crates declare, and every rule of their tables, without the bodies of functions. It
//! is made from the text of the generated files. A test changes each rule of each fixture, one at a time, and expects a
//! different outline.
//!
//! The tests compare the snapshots by insta. `cargo xtask outlines` runs these tests, and accepts what differs.

mod digests;
pub mod documents;
mod outline;
mod skeleton;
pub mod snapshots;
mod texts;

pub use digests::{ACCEPTED, CURRENT, keep};
pub use outline::{Outline, Section, Union, expanded, index::Index, outline, outline_of, row, shape};
pub use texts::TEXTS;
