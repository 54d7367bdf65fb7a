//! Tests of the snapshots, and that the outlines among them show everything.

// Clippy's rules for tests apply to all modules.
#![cfg(test)]

mod accepted;
mod diff;
mod facade;
mod kinds;
mod mutants;
mod oasdiff;
mod steady;
mod texts;
