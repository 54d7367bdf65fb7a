//! Tasks: one domain for all families.
//!
//! A family is a row of [`family`]; what is to be done is a [`Work`](work::Work); [`submit`] accepts it, [`worker`] has it
//! done by an engine of the [`registry`], [`view`] shows it, and [`sweep`] tidies up.

pub mod family;
pub mod registry;
pub mod render;
pub mod submit;
pub mod sweep;
pub mod view;
pub mod work;
pub mod worker;
