//! Tests of the snapshots, and of the outlines among them.

// Clippy's rules for tests apply to all modules.
#![cfg(test)]

mod accepted;
mod facade;
mod kinds;
mod mutants;
mod steady;
mod texts;
