//! Scalars and constants: strings, numbers, enums and defaults.

pub(super) mod enums;
mod fit;
pub(super) mod literal;
mod numbers;
mod patterns;
mod stated;
mod text;
