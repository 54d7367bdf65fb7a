//! The service's integration tests: one binary.

// All of this is test code, to clippy as well.
#![cfg(test)]

mod net;
mod pages;
mod service;
mod store;
