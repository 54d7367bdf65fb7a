//! Bodies of several items, without the items' type.

use std::{
    task::{Context, Poll},
    time::Duration,
};

use super::{ByteStream, Decode, DecodeError, Encode, Reader, StreamError, Value};

/// A source of the items in a body, which a [`Reader`] returns.
pub trait ItemSource: Send {
    /// Decodes the next item into `slot`. Returns `None` at the end.
    fn poll_item(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut dyn ItemSlot,
    ) -> Poll<Option<Result<(), StreamError>>>;

    /// Returns the id of the last event that had one.
    fn last_event_id(&self) -> Option<&str>;

    /// Returns the time that the server asks to wait before a new request.
    fn retry(&self) -> Option<Duration>;
}

/// A slot for an item, whose type the source does not know. [`Option`] implements it.
pub trait ItemSlot {
    /// Reads the item into this slot.
    ///
    /// # Errors
    /// Fails if the slot's type can't hold the item.
    fn fill(&mut self, reader: &mut dyn Reader) -> Result<(), DecodeError>;

    /// Returns the item, if the slot holds one.
    fn value(&self) -> Option<&dyn Encode>;
}

impl<T: Decode + Encode> ItemSlot for Option<T> {
    fn fill(&mut self, reader: &mut dyn Reader) -> Result<(), DecodeError> {
        *self = Some(T::decode(reader)?);
        Ok(())
    }

    fn value(&self) -> Option<&dyn Encode> {
        self.as_ref().map(|value| value as &dyn Encode)
    }
}

/// Items in the form that a [`Writer`](super::Writer) takes.
///
/// Either method takes the items out, so only the first call finds them.
pub trait Items {
    /// Takes the items and returns them as the bytes of a body.
    fn frames(&self, writer: Box<dyn ItemWriter>) -> ByteStream;

    /// Removes the items from the value, and returns those that are available without waiting.
    fn ready(&self) -> Vec<Value>;
}

/// Writes the items of a body one after the other.
pub trait ItemWriter: Send {
    /// Returns the bytes of one item.
    ///
    /// # Errors
    /// Fails if the item can't be written in this format.
    fn item(&mut self, item: &dyn Encode) -> Result<Vec<u8>, StreamError>;

    /// Returns the bytes after the last item. `says_done` asks for an event that ends the stream.
    fn end(&mut self, says_done: bool) -> Vec<u8>;

    /// Returns bytes that readers ignore, which are sent to keep a connection alive. Some formats have none.
    fn keep_alive(&self) -> &'static [u8];
}
