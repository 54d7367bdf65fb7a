//! The picture engines on real photographs: what comes out is measured.

// All of this is test code, to clippy as well.
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
