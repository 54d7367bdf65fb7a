//! Media from clients: formats are detected from the bytes, and checked.

pub mod format;
pub mod input;
mod length;
pub mod load;
