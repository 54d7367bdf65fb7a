//! Media that clients send: what they are, by their bytes alone, and which are refused.

pub mod format;
pub mod input;
mod length;
pub mod load;
