//! Writes typed values as parameters, headers and bodies.

pub(super) mod encode;
mod escapes;
mod multipart;
mod style;
pub(super) mod visit;
