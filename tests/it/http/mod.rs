//! End-to-end tests over real HTTP.
//!
//! The generated client calls the generated server, and raw requests do what no client would do.
//!
//! The tables and the spec's own examples drive the tests, so that no operation and no constraint is left
//! out.

mod agreement;
mod allocation;
mod draft;
mod errors;
mod every_operation;
mod json;
mod refusals;
mod service;
mod spec;
mod tables;
mod violations;
mod wire;
