//! Media from clients: formats are detected from the bytes, and checked.

pub mod format;
pub mod input;
pub mod load;
pub(crate) mod measure;
