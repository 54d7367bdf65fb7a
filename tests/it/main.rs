//! Tests across packages: the generated crates of the fixtures and of this project's spec.

// All of this is test code, to clippy as well.
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
