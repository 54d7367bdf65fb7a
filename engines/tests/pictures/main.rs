//! The picture engines on real photographs: what comes out is measured.

// All of this is test code, to clippy as well.
#![cfg(test)]

mod describe;
mod fill;
mod measure;
mod reading;
mod retouch;
mod support;
mod upscale;
