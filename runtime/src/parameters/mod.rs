//! Reads and writes the wire formats of parameters, forms and multipart bodies.
//!
//! Paths, queries, headers, cookies, forms and multipart bodies carry untyped text in the styles of OpenAPI.
//! The rows of [`table`](crate::table) control how the text is read. Each parameter becomes a
//! [`Reader`](crate::codec::Reader), and the type that reads from it determines the meaning of the text. A
//! query is split once, and a value is decoded when a type reads it. Writing is the inverse.

mod media;
#[cfg_attr(
    not(feature = "server"),
    allow(dead_code, reason = "a client reads headers only, a server reads everything")
)]
mod read;
mod write;

pub use media::match_content;
#[cfg(feature = "server")]
pub(crate) use media::media_parameter;
#[cfg(any(feature = "server", test))]
pub use read::body::Payload;
#[cfg(all(feature = "client", feature = "xml"))]
pub(crate) use read::body::read_xml;
#[cfg(any(feature = "server", test))]
pub(crate) use read::body::{BodyError, read_body};
#[cfg(feature = "client")]
pub(crate) use read::body::{read_items, read_multipart};
#[cfg(any(feature = "server", test))]
pub(crate) use read::located::Located;
pub use read::located::read_header;
#[cfg(any(feature = "server", feature = "client"))]
pub(crate) use write::encode::encode_content;
#[cfg(feature = "client")]
pub(crate) use write::encode::path_values;
pub use write::encode::{EncodedBody, EncodedRequest, encode_input, write_header, write_header_lines};
#[cfg(feature = "server")]
pub(crate) use write::encode::{item_frames, raw_bytes};
#[cfg(feature = "server")]
pub(crate) use write::visit::{Layer, visit};

#[cfg(test)]
mod tests;
