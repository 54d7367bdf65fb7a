//! Splits a body into items, without knowledge of their type.
//!
//! This code is compiled once and not once per type.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures_core::Stream;

use super::{
    ByteStream, Framing, StreamError,
    delimited::{Delimited, LINE_FEED, RECORD_SEPARATOR},
    event_text::{EventParser, RawEvent},
};
use crate::{
    codec::{Fault, Item, JsonReader, Kind, Reader, to_json},
    types::Bytes,
};

/// The data that ends a stream of JSON events, a convention of OpenAI's API.
pub(super) const DONE: &str = "[DONE]";

/// The items of a body before they are decoded.
pub struct RawItems {
    bytes: ByteStream,
    /// The part of the last chunk that has not been split yet.
    piece: Bytes,
    splitter: Splitter,
    /// Whether the data of events is plain text and not JSON.
    is_text: bool,
    has_ended: bool,
}

enum Splitter {
    Events(EventParser),
    Delimited(Delimited),
}

/// One item before it is decoded.
enum Split {
    Event(RawEvent),
    Json(Vec<u8>),
}

impl RawItems {
    /// Creates a reader of the items in a body.
    ///
    /// `is_text` means that the data of events is plain text and not JSON. Other framings ignore it.
    #[must_use]
    pub fn new(bytes: ByteStream, framing: Framing, is_text: bool) -> Self {
        let limit = bytes.limit();
        let splitter = match framing {
            Framing::Events => Splitter::Events(EventParser::new(limit)),
            Framing::Lines => Splitter::Delimited(Delimited::new(LINE_FEED, limit)),
            Framing::Sequence => Splitter::Delimited(Delimited::new(RECORD_SEPARATOR, limit)),
        };
        Self { bytes, piece: Bytes::new(), splitter, is_text, has_ended: false }
    }

    pub(super) fn last_event_id(&self) -> Option<&str> {
        match &self.splitter {
            Splitter::Events(parser) => parser.last_id(),
            Splitter::Delimited(_) => None,
        }
    }

    pub(super) fn retry(&self) -> Option<Duration> {
        match &self.splitter {
            Splitter::Events(parser) => parser.retry().map(Duration::from_millis),
            Splitter::Delimited(_) => None,
        }
    }

    /// Passes a reader of the next item to `decode`.
    pub(super) fn poll_item(
        &mut self,
        context: &mut Context<'_>,
        decode: &mut Item<'_>,
    ) -> Poll<Option<Result<(), StreamError>>> {
        let split = match ready!(self.poll_split(context)) {
            Some(Ok(split)) => split,
            Some(Err(error)) => {
                self.end();
                return Poll::Ready(Some(Err(error)));
            }
            None => return Poll::Ready(None),
        };
        let read = match split {
            Split::Event(event) if !self.is_text && event.data.trim() == DONE => {
                self.end();
                return Poll::Ready(None);
            }
            Split::Event(event) => {
                let read = read_event(&event, self.is_text, decode);
                read.map_err(|fault| StreamError::item(event.data.as_bytes(), fault))
            }
            Split::Json(text) => read_json(&text, decode).map_err(|fault| StreamError::item(&text, fault)),
        };
        Poll::Ready(Some(read))
    }

    /// Ends the stream and drops the source of its bytes.
    fn end(&mut self) {
        self.has_ended = true;
        self.piece = Bytes::new();
        self.bytes = ByteStream::default();
    }

    fn poll_split(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Split, StreamError>>> {
        loop {
            match self.splitter.next(&mut self.piece) {
                Ok(None) if self.has_ended => return Poll::Ready(None),
                Ok(None) => {}
                found => return Poll::Ready(found.transpose()),
            }
            match ready!(Pin::new(&mut self.bytes).poll_next(context)) {
                Some(Ok(piece)) => self.piece = piece,
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => {
                    self.has_ended = true;
                    return Poll::Ready(self.splitter.end().map(Ok));
                }
            }
        }
    }
}

impl Splitter {
    fn next(&mut self, input: &mut Bytes) -> Result<Option<Split>, StreamError> {
        match self {
            Self::Events(parser) => Ok(parser.next(input)?.map(Split::Event)),
            Self::Delimited(texts) => Ok(texts.next(input)?.map(Split::Json)),
        }
    }

    /// Returns the item that the end of the body completes.
    ///
    /// An event that no empty line ends is dropped.
    fn end(&mut self) -> Option<Split> {
        match self {
            Self::Events(_) => None,
            Self::Delimited(texts) => texts.end().map(Split::Json),
        }
    }
}

fn read_json(text: &[u8], decode: &mut Item<'_>) -> Result<(), Fault> {
    let mut reader = JsonReader::tolerant(text);
    decode(&mut reader)?;
    reader.finish()
}

/// Reads an event as an object of its fields.
///
/// Data that is not valid JSON is read as text. Valid JSON is read as text if `is_text` is set and as JSON
/// otherwise. If it can't be decoded as that, it is read as the other. If this fails too and the data is an
/// object with a field `data`, this object is read as the whole event.
fn read_event(event: &RawEvent, is_text: bool, decode: &mut Item<'_>) -> Result<(), Fault> {
    let looks_like_json = is_json(&event.data);
    let first = read_json(&fields(event, !is_text && looks_like_json), decode);
    let Err(fault) = first else { return Ok(()) };
    let again = looks_like_json
        && (read_json(&fields(event, is_text), decode).is_ok()
            || (has_data(&event.data) && read_json(event.data.as_bytes(), decode).is_ok()));
    if again { Ok(()) } else { Err(fault) }
}

/// Returns the event as a JSON object.
fn fields(event: &RawEvent, is_json: bool) -> Vec<u8> {
    let mut out = b"{\"data\":".to_vec();
    if is_json {
        out.extend_from_slice(event.data.as_bytes());
    } else {
        out.append(&mut to_json(&event.data));
    }
    let name = (!event.event.is_empty()).then_some(&event.event);
    for (key, value) in [("event", name), ("id", event.id.as_ref())] {
        if let Some(value) = value {
            out.extend_from_slice(format!(",\"{key}\":").as_bytes());
            out.append(&mut to_json(value));
        }
    }
    if let Some(retry) = event.retry {
        out.extend_from_slice(format!(",\"retry\":{retry}").as_bytes());
    }
    out.push(b'}');
    out
}

fn is_json(text: &str) -> bool {
    let mut reader = JsonReader::tolerant(text.as_bytes());
    reader.skip().and_then(|()| reader.finish()).is_ok()
}

/// Returns whether a text is a JSON object with a field `data`.
fn has_data(text: &str) -> bool {
    let mut reader = JsonReader::tolerant(text.as_bytes());
    let mut has_data = false;
    let mut look = |name: &str, reader: &mut dyn Reader| {
        has_data |= name == "data";
        reader.skip()
    };
    let is_read = matches!(reader.peek(), Ok(Kind::Object))
        && reader.entries(&mut look).and_then(|()| reader.finish()).is_ok();
    is_read && has_data
}

impl fmt::Debug for RawItems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawItems").field("has_ended", &self.has_ended).finish_non_exhaustive()
    }
}
