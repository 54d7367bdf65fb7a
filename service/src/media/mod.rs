//! Media that clients send: what they are, by their bytes alone, and which are refused.

pub mod format;
pub mod input;
pub mod load;
