//! Writes typed values as text.

mod encode;
mod escapes;
mod multipart;
mod style;
mod visit;

#[cfg(test)]
pub(super) use encode::encode_content;
pub use encode::{EncodedBody, EncodedRequest, encode_input, write_header, write_header_lines};
#[cfg(feature = "server")]
pub(crate) use encode::{item_frames, raw_bytes};
