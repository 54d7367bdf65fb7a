//! Tasks: one domain for all API families.
//!
//! Each family is a row of [`family`]. A [`Work`](work::Work) holds a task's parameters. [`submit`] accepts
//! the task, [`worker`] runs it with an engine of the [`registry`], [`view`] shows it, and [`sweep`] removes
//! it after its retention time. [`effort`] estimates it, and [`cancel`] ends it early.

pub mod cancel;
pub mod effort;
pub mod family;
pub mod registry;
pub mod render;
pub mod submit;
pub mod sweep;
pub mod view;
pub mod work;
pub mod worker;
