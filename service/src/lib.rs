//! The server of the Asset Catalogue and AI Task Service API, `spec/openapi.yaml`.
//!
//! The modules are in layers. `domain` and `catalogue` are plain data and rules, `store` keeps them in a database, `engine` does the
//! work, and `tasks` decides what is done next. `api` turns requests into calls of these, `http` is everything around it, and
//! `cli` wires it together. A test holds the order of all modules.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod admin;
pub mod api;
pub mod apps;
pub mod backup;
pub mod blocking;
mod capabilities;
pub mod catalogue;
pub mod cli;
pub mod config;
pub mod crash;
pub mod demo;
mod document;
pub mod domain;
pub mod engine;
mod families;
pub mod files;
pub mod http;
pub mod import;
pub mod keys;
pub mod log;
pub mod machine;
pub mod media;
pub mod net;
pub mod private;
pub mod process_limits;
pub mod quiesce;
pub mod settings;
pub mod store;
pub mod tasks;
pub mod telemetry;
pub mod time;
pub mod trace;
pub mod webhooks;
