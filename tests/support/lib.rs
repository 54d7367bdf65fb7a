//! For tests and xtask: cargo within cargo, and which source file of a crate imports which.

pub mod imports;
pub mod nested_cargo;
