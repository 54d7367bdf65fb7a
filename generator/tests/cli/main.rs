//! The command line, as people and scripts use it.

// All of this is test code, to clippy as well.
#![cfg(test)]

mod compile;
mod config;
mod examples;
mod files;
mod generate;
mod others;
mod support;
