//! Media from clients: formats are detected from the bytes, and checked.

pub mod format;
pub mod input;
pub(crate) mod length;
pub mod load;
