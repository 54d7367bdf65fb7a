//! Tests across packages: the generated crates of the fixtures and of this project's spec.

// Clippy's rules for test code apply to all of this.
#![cfg(test)]

mod compile;
mod consumer;
mod freshness;
mod fuzz;
mod http;
mod mistakes;
mod pages;
mod reference;
mod support;
mod support_table;
