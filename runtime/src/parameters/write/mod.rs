//! Writes typed values as text.

mod encode;
mod escapes;
mod multipart;
mod style;
mod visit;

#[cfg(feature = "server")]
pub(crate) use self::visit::{Layer, visit};
#[cfg(any(feature = "server", feature = "client"))]
pub(crate) use encode::encode_content;
pub(crate) use encode::header_text;
#[cfg(feature = "client")]
pub(crate) use encode::path_values;
pub use encode::{EncodedBody, EncodedRequest, encode_input, write_header, write_header_lines};
#[cfg(feature = "server")]
pub(crate) use encode::{item_frames, raw_bytes};
