//! End-to-end tests of the command line.

// Lets clippy treat the whole crate as test code.
#![cfg(test)]

mod compile;
mod config;
mod diff;
mod examples;
mod files;
mod generate;
mod git;
mod others;
mod outline;
mod overlays;
mod pages;
mod review;
mod support;
mod terminal;
mod upgrade;
