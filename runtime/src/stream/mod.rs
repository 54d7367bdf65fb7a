//! Streamed bodies: raw bytes, and items such as the events of `text/event-stream`.
//!
//! A model holds a [`ByteStream`] or an [`ItemStream`] like any other value. Encoding only borrows the model,
//! so a lock protects the content of a stream: a writer takes it out once and leaves an empty stream. Neither
//! type depends on HTTP. The client fills them with the chunks of a response, and the server sends their
//! chunks.
// - `bytes`: `ByteStream`; `items`: `ItemStream`; `event`: `Event`;
// - `framing`: the framings; `event_text`: that of `text/event-stream`; `delimited`: those of JSON texts;
// - `parts`: splits multipart bodies;
// - `read`: splits a body into items, without their type.

mod bytes;
mod delimited;
mod error;
mod event;
mod event_text;
mod framing;
mod items;
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP has multipart bodies"))]
mod parts;
mod read;
#[cfg(test)]
mod tests;

#[cfg(feature = "validation")]
pub use self::error::InvalidItem;
pub use self::{
    bytes::ByteStream,
    error::{ItemError, StreamCall, StreamError, StreamErrorKind},
    event::Event,
    framing::{Framing, ItemWriter},
    items::{ItemStream, Items},
    read::RawItems,
};
#[cfg(feature = "http")]
pub(crate) use self::{
    parts::{BadMultipart, Part, split},
    read::{Decoded, ItemSchema},
};

/// An error of any type.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;
