//! The framings of items in a body.

use super::{StreamError, event_text::event_text};
use crate::{
    codec::{Encode, to_json},
    stream::delimited::{LINE_FEED, RECORD_SEPARATOR},
};

/// The framing of items in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Framing {
    /// `text/event-stream`. An item is an event.
    ///
    /// An event is an object of `event`, `data`, `id` and `retry`.
    Events,
    /// `application/x-ndjson`. An item is a line of JSON.
    Lines,
    /// `application/json-seq`. An item is JSON after a record separator.
    Sequence,
}

impl Framing {
    /// Returns the bytes of one item.
    pub(super) fn write(self, item: &dyn Encode) -> Result<Vec<u8>, StreamError> {
        match self {
            Self::Events => event_text(item),
            Self::Lines => Ok(line(to_json(item))),
            Self::Sequence => {
                let mut text = vec![RECORD_SEPARATOR];
                text.append(&mut to_json(item));
                Ok(line(text))
            }
        }
    }

    /// Returns bytes that readers ignore, which are sent to keep a connection alive.
    pub(super) const fn keep_alive(self) -> &'static [u8] {
        match self {
            Self::Events => b":\n\n",
            Self::Lines | Self::Sequence => b"\n",
        }
    }
}

fn line(mut text: Vec<u8>) -> Vec<u8> {
    text.push(LINE_FEED);
    text
}
