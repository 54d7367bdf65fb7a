//! How items stand one after the other in a body.

use super::{StreamError, event_text::event_text};
use crate::{
    codec::{Encode, to_json},
    stream::delimited::{LINE_FEED, RECORD_SEPARATOR},
};

/// How items stand one after the other in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// `text/event-stream`: an item is an event, an object of `event`, `data`, `id` and `retry`.
    Events,
    /// `application/x-ndjson`: an item is a line of JSON.
    Lines,
    /// `application/json-seq`: an item is JSON behind a record separator.
    Sequence,
}

impl Framing {
    /// An item as it is sent.
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

    /// What is sent so that a connection is not taken for dead; it means nothing.
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
