//! Tests that measure the results of the picture engines on real photographs.

// Clippy must treat the whole crate as test code.
#![cfg(test)]

mod compose;
mod describe;
mod fill;
mod film;
mod measure;
mod reading;
mod retouch;
mod support;
mod upscale;
