//! Writes typed values as text.

pub(super) mod encode;
mod escapes;
mod multipart;
mod style;
pub(super) mod visit;
