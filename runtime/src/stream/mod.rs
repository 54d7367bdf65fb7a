//! Streamed bodies: raw bytes, and items such as the events of `text/event-stream`.
//!
//! A model holds a [`ByteStream`] or an [`ItemStream`] like any other value. Encoding only borrows the model,
//! so a lock protects the content of a stream: a writer takes it out once and leaves an empty stream. Neither
//! type depends on HTTP. The client fills them with the chunks of a response, and the server sends their
//! chunks.
// - `items`: `ItemStream`; `event`: `Event`;
// - `framing`: the framings; `event_text`, `event_parser`: that of `text/event-stream`; `delimited`: those of JSON texts;
// - `parts`: splits multipart bodies;
// - `read`: splits a body into items, without their type.

#[cfg(feature = "http")]
mod delimited;
mod event;
#[cfg(feature = "http")]
mod event_parser;
mod event_text;
mod framing;
mod items;
#[cfg(feature = "http")]
mod parts;
#[cfg(feature = "http")]
mod read;
#[cfg(test)]
mod tests;

pub use self::{event::Event, framing::Framing, items::ItemStream};
#[cfg(feature = "http")]
pub(crate) use self::{
    parts::{BadMultipart, Part, split},
    read::{Decoded, ItemSchema, RawItems},
};
pub use crate::codec::{ByteStream, ItemError, ItemWriter, Items, StreamCall, StreamError, StreamErrorKind};
