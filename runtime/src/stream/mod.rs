//! Bodies that come or go piece by piece: raw bytes, and items such as the events of `text/event-stream`.
//!
//! A model holds a [`ByteStream`] or an [`ItemStream`] like any other value. Encoding can only borrow it, so what is in
//! it is taken out from behind a lock, once; what is left is an empty stream. Neither type knows of HTTP: the client
//! puts pieces of an answer in, the server takes pieces out.
//!
//! - `bytes`: [`ByteStream`]; `items`: [`ItemStream`]; `event`: [`Event`];
//! - `framing`: where an item ends, and how one is written; `event_text`: that of `text/event-stream`, by the rules of
//!   WHATWG's HTML; `delimited`: that of JSON texts behind or before a mark;
//! - `read`: items in the making, without their type.

mod bytes;
mod delimited;
mod error;
mod event;
mod event_text;
mod framing;
mod items;
mod read;
#[cfg(test)]
mod tests;

pub use self::{
    bytes::ByteStream,
    error::{ItemFault, StreamError},
    event::Event,
    framing::Framing,
    items::{ItemStream, Items},
    read::RawItems,
};

/// Any error.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;
