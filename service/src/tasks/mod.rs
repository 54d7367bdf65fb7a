//! Tasks: one domain for all API families.
//!
//! [`submit`] accepts a task of a [family](crate::engine::family), [`worker`] runs it with an
//! [engine](crate::engine), [`view`] shows it, and [`sweep`] removes it after its retention time. [`effort`]
//! estimates it, and [`cancel`] ends it early.

pub mod allowance;
pub mod cancel;
pub mod effort;
pub mod render;
mod results;
pub mod settings;
pub mod submit;
pub mod sweep;
pub mod view;
pub mod worker;
