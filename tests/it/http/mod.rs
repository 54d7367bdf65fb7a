//! End to end over real HTTP: the generated client calls the generated server, and raw requests do what no client would.
//!
//! Everything is driven by the tables and by the spec's own examples, so that no operation and no rule can be
//! forgotten.

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
