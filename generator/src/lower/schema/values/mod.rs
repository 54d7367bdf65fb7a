//! Scalars and constants: strings, numbers, enums and defaults.

pub(super) mod enums;
mod fit;
mod numbers;
mod stated;
mod text;
