//! The framings of items in a body.

use super::{ItemWriter, StreamError, event_text::event_text};
use crate::codec::{Encode, to_json};

/// The data that ends a stream of JSON events, a convention of OpenAI's API.
pub(super) const DONE: &str = "[DONE]";
/// The mark after each line.
pub(super) const LINE_FEED: u8 = b'\n';
/// The mark before each record.
pub(super) const RECORD_SEPARATOR: u8 = 0x1e;

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

impl ItemWriter for Framing {
    fn item(&mut self, item: &dyn Encode) -> Result<Vec<u8>, StreamError> {
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

    fn end(&mut self, says_done: bool) -> Vec<u8> {
        if says_done && *self == Self::Events { format!("data: {DONE}\n\n").into_bytes() } else { Vec::new() }
    }

    fn keep_alive(&self) -> &'static [u8] {
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
