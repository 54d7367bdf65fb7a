//! Parameters and forms on the wire, in both directions.
//!
//! Paths, queries, headers, cookies, forms and multipart bodies carry text without types, in the styles of OpenAPI.
//! Reading is driven by the rows of [`table`](crate::table): what has a style becomes a
//! [`Reader`](crate::codec::Reader), and the type that reads from it decides what the text is. A query is split once,
//! and nothing is decoded or copied before a type asks for it. Writing is the inverse.

mod media;
#[cfg_attr(
    not(feature = "server"),
    allow(dead_code, reason = "of all that a server reads, a client reads nothing but headers")
)]
mod read;
mod write;

pub use media::match_content;
#[cfg(feature = "server")]
pub(crate) use media::media_parameter;
#[cfg(any(feature = "server", test))]
pub use read::Payload;
pub use read::header_reader;
#[cfg(any(feature = "server", test))]
pub(crate) use read::{BodyFault, Located, Of, Source, read_body};
pub use write::{EncodedBody, EncodedRequest, encode_input, write_header};

#[cfg(test)]
mod tests;
