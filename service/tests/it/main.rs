//! The service's integration tests, as one binary.

// Clippy's rules for test code apply to all of this.
#![cfg(test)]

mod files;
mod layers;
mod net;
mod pages;
mod service;
mod store;
