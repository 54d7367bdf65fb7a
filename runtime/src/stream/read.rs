//! Splits a body into items, without knowledge of their type.
//!
//! This code is compiled once and not once per type.

use std::{
    borrow::Cow,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use futures_core::Stream;

use super::{
    ByteStream, Framing, StreamCall, StreamError, StreamErrorKind,
    delimited::Delimited,
    event_parser::{EventParser, RawEvent},
    framing::{DONE, LINE_FEED, RECORD_SEPARATOR},
    parts::{BadMultipart, Part, PartSplitter},
};
use crate::codec::{Bytes, DecodeError, Encode, Item, ItemSlot, ItemSource, JsonReader};

/// The items of a body before they are decoded.
pub(crate) struct RawItems {
    bytes: ByteStream,
    /// The part of the last chunk that has not been split yet.
    piece: Bytes,
    splitter: Splitter,
    schema: Box<dyn ItemSchema>,
    assumes_utc: bool,
    /// The call that the body is the response to.
    call: Option<StreamCall>,
    /// The number of items so far.
    count: usize,
    has_ended: bool,
}

/// The schema of the items in a body.
pub(crate) trait ItemSchema: Send {
    /// Returns whether items must be exactly as documented, as in requests.
    fn is_strict(&self) -> bool;

    /// Returns whether the data of events with this name is plain text and not JSON.
    fn has_text_data(&self, event: &str) -> bool;

    /// Passes a reader of the item at `index` of a multipart body to `read`.
    fn read_part(
        &self,
        index: usize,
        part: &Part,
        assumes_utc: bool,
        read: &mut Item<'_>,
    ) -> Result<(), DecodeError> {
        let _ = (index, part, assumes_utc, read);
        Err(DecodeError::custom("a part without a schema can't be read"))
    }

    /// Validates the item at `index`, which `read` reads again.
    ///
    /// `decoded` is `None` if it could not be decoded.
    fn validate(
        &self,
        index: usize,
        decoded: Option<Decoded<'_>>,
        read: &mut dyn FnMut(&mut Item<'_>) -> Result<(), DecodeError>,
    ) -> Result<(), StreamError>;
}

/// An item that was decoded.
pub(crate) struct Decoded<'a> {
    pub value: &'a dyn Encode,
    /// Whether the reader [skipped](Reader::has_skipped) a field.
    pub has_skipped: bool,
}

enum Splitter {
    Events(EventParser),
    Delimited(Delimited),
    Parts(Box<PartSplitter>),
}

/// One item before it is decoded.
enum Split {
    Event(RawEvent),
    Json(Vec<u8>),
    Part(Part),
}

impl RawItems {
    /// Creates a reader of items with this schema.
    pub(crate) fn with_schema(bytes: ByteStream, framing: Framing, schema: Box<dyn ItemSchema>) -> Self {
        let limit = bytes.limit();
        let splitter = match framing {
            Framing::Events => Splitter::Events(EventParser::new(limit)),
            Framing::Lines => Splitter::Delimited(Delimited::new(LINE_FEED, limit)),
            Framing::Sequence => Splitter::Delimited(Delimited::new(RECORD_SEPARATOR, limit)),
        };
        Self::split_by(splitter, bytes, schema)
    }

    /// Creates a reader of the parts in a multipart body.
    pub(crate) fn of_parts(bytes: ByteStream, boundary: &str, schema: Box<dyn ItemSchema>) -> Self {
        let splitter = PartSplitter::new(boundary, bytes.limit());
        Self::split_by(Splitter::Parts(Box::new(splitter)), bytes, schema)
    }

    fn split_by(splitter: Splitter, bytes: ByteStream, schema: Box<dyn ItemSchema>) -> Self {
        let (piece, call) = (Bytes::new(), bytes.call());
        Self { bytes, piece, splitter, schema, assumes_utc: false, call, count: 0, has_ended: false }
    }

    /// Sets whether a date-time without an offset is one in UTC. The default is `false`.
    pub(crate) const fn assuming_utc(mut self, assumes_utc: bool) -> Self {
        self.assumes_utc = assumes_utc;
        self
    }

    /// Returns whether an event says that it is the last one.
    fn is_last(&self, split: &Split) -> bool {
        match split {
            Split::Event(event) => event.data.trim() == DONE && !self.schema.has_text_data(&event.event),
            Split::Json(_) | Split::Part(_) => false,
        }
    }

    /// Decodes an item exactly as documented, and validates it.
    fn read_strictly(&self, split: &Split, index: usize, slot: &mut dyn ItemSlot) -> Result<(), StreamError> {
        let text = match split {
            Split::Event(event) => Cow::Owned(event.to_json(self.schema.has_text_data(&event.event))),
            Split::Json(text) => Cow::Borrowed(text.as_slice()),
            Split::Part(_) => Cow::default(),
        };
        let read_item = |item: &mut Item<'_>| match split {
            Split::Part(part) => self.schema.read_part(index, part, false, item),
            Split::Event(_) | Split::Json(_) => JsonReader::strict(&text).read_by(item),
        };
        let mut has_skipped = false;
        let read = read_item(&mut |reader| {
            slot.fill(reader)?;
            has_skipped = reader.has_skipped();
            Ok(())
        });
        let received = split.received();
        match read {
            Err(error) if error.is_syntax() => return Err(StreamError::item(received, error)),
            _ => {}
        }
        let value = slot.value().filter(|_| read.is_ok());
        let decoded = value.map(|value| Decoded { value, has_skipped });
        self.schema.validate(index, decoded, &mut |item| read_item(item))?;
        read.map_err(|error| StreamError::item(received, error))
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
                Ok(None) if self.splitter.has_ended() => {
                    self.end();
                    return Poll::Ready(None);
                }
                Ok(None) => {}
                found => return Poll::Ready(found.transpose()),
            }
            match ready!(Pin::new(&mut self.bytes).poll_next(context)) {
                Some(Ok(piece)) => self.piece = piece,
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => {
                    self.has_ended = true;
                    return Poll::Ready(self.splitter.end().transpose());
                }
            }
        }
    }
}

impl ItemSource for RawItems {
    fn poll_item(
        &mut self,
        context: &mut Context<'_>,
        slot: &mut dyn ItemSlot,
    ) -> Poll<Option<Result<(), StreamError>>> {
        let split = match ready!(self.poll_split(context)) {
            Some(Ok(split)) => split,
            Some(Err(error)) => {
                self.end();
                return Poll::Ready(Some(Err(error.of_call(self.call))));
            }
            None => return Poll::Ready(None),
        };
        if self.is_last(&split) {
            self.end();
            return Poll::Ready(None);
        }
        let index = self.count;
        self.count += 1;
        let read = if self.schema.is_strict() {
            self.read_strictly(&split, index, slot)
        } else {
            split.read_tolerantly(index, &*self.schema, self.assumes_utc, &mut |reader| slot.fill(reader))
        };
        Poll::Ready(Some(read.map_err(|error| error.of_call(self.call))))
    }

    fn last_event_id(&self) -> Option<&str> {
        match &self.splitter {
            Splitter::Events(parser) => parser.last_id(),
            Splitter::Delimited(_) | Splitter::Parts(_) => None,
        }
    }

    fn retry(&self) -> Option<Duration> {
        match &self.splitter {
            Splitter::Events(parser) => parser.retry().map(Duration::from_millis),
            Splitter::Delimited(_) | Splitter::Parts(_) => None,
        }
    }
}

impl Splitter {
    fn next(&mut self, input: &mut Bytes) -> Result<Option<Split>, StreamError> {
        match self {
            Self::Events(parser) => Ok(parser.next(input)?.map(Split::Event)),
            Self::Delimited(texts) => Ok(texts.next(input)?.map(Split::Json)),
            Self::Parts(parts) => Ok(parts.next(input)?.map(Split::Part)),
        }
    }

    /// Returns whether the items have ended, even if more bytes follow.
    fn has_ended(&self) -> bool {
        matches!(self, Self::Parts(parts) if parts.has_ended())
    }

    /// Returns the item that the end of the body completes.
    ///
    /// An event that no empty line ends is dropped.
    fn end(&mut self) -> Result<Option<Split>, StreamError> {
        match self {
            Self::Events(_) => Ok(None),
            Self::Delimited(texts) => Ok(texts.end().map(Split::Json)),
            Self::Parts(parts) => Ok(parts.end().map(|()| None)?),
        }
    }
}

impl From<BadMultipart> for StreamError {
    fn from(reason: BadMultipart) -> Self {
        match reason {
            BadMultipart::TooLarge(limit) => StreamErrorKind::TooLarge { limit }.into(),
            reason => Self::broken(reason),
        }
    }
}

impl Split {
    /// Returns the bytes of an item as they were received. For an event, this is its data.
    fn received(&self) -> &[u8] {
        match self {
            Self::Event(event) => event.data.as_bytes(),
            Self::Json(text) => text,
            Self::Part(part) => &part.data,
        }
    }

    /// Passes a reader of an item to `decode`, as a client reads it.
    fn read_tolerantly(
        &self,
        index: usize,
        schema: &dyn ItemSchema,
        assumes_utc: bool,
        decode: &mut Item<'_>,
    ) -> Result<(), StreamError> {
        let mut read = |text: &[u8]| JsonReader::tolerant(text).assuming_utc(assumes_utc).read_by(decode);
        let read = match self {
            Self::Event(event) => event.read(schema.has_text_data(&event.event), &mut read),
            Self::Json(text) => read(text),
            Self::Part(part) => schema.read_part(index, part, assumes_utc, decode),
        };
        read.map_err(|error| StreamError::item(self.received(), error))
    }
}
