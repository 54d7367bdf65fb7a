//! The reader of a response: status, headers and body as one value.
//!
//! [`table`](crate::table) describes the shape of this value.

use super::{Matched, Row};
use crate::client::RawResponse;
use crate::{
    codec::{
        AdditionalProperties, DecodeError, DecodeErrorKind, Entry, Fill, Item, ItemSource, Kind, Number,
        Reader, ValueReader,
    },
    parameters::{read_header, read_items},
    table::{ContentFormat, Header, Response, Status, is_bodiless},
    text::ReadMode,
    types::{ByteStream, Bytes, Value},
};

/// A reader of a response from the outside in.
///
/// The steps are the row, the status and the headers, the content, and the body. Steps that the row does not
/// require are omitted.
pub(super) struct ReplyReader<'a, 'p> {
    step: Step,
    row: Row,
    matched: Option<Matched>,
    raw: &'a RawResponse,
    body: Body<'a, 'p>,
    /// The part of the envelope that could not be read.
    failed: Option<Part>,
}

/// A part of a response.
#[derive(Debug, Clone, Copy)]
enum Part {
    Header(&'static str),
    Body,
}

/// The next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Row,
    Envelope,
    Content,
    Body,
}

/// The body of a response.
pub(super) enum Body<'a, 'p> {
    /// A value, with a reader of its own.
    Value(&'p mut dyn Reader),
    /// Raw bytes.
    Bytes(&'a Bytes),
    /// A body that is streamed.
    Stream(&'a ByteStream),
}

impl<'a, 'p> ReplyReader<'a, 'p> {
    /// Creates a reader.
    pub(super) fn new(row: Row, matched: Option<Matched>, raw: &'a RawResponse, body: Body<'a, 'p>) -> Self {
        let step = if row.has_choice { Step::Row } else { Step::after_row(row.response) };
        Self { step, row, matched, raw, body, failed: None }
    }

    /// Returns the name of the header that an error of this reader is about.
    pub(super) fn header_of(&self, error: &DecodeError) -> Option<&'static str> {
        match (self.failed, error.kind()) {
            (Some(Part::Header(name)), _) => Some(name),
            // The envelope's type reports a header that is missing.
            (None, DecodeErrorKind::Missing(name)) => {
                self.row.response.headers.iter().map(|header| header.name).find(|header| header == name)
            }
            _ => None,
        }
    }

    /// Returns whether a body without bytes is not a value of its content.
    fn needs_bytes(&self) -> bool {
        let format = self.matched.map(|matched| matched.content.format);
        matches!(format, Some(ContentFormat::Json | ContentFormat::Multipart | ContentFormat::Parts))
    }

    /// Returns the body's reader. Raw bytes have none, because only `bytes` reads them.
    fn inner(&mut self, expected: &'static str) -> Result<&mut dyn Reader, DecodeError> {
        match &mut self.body {
            Body::Value(reader) => Ok(*reader),
            Body::Bytes(_) | Body::Stream(_) => Err(DecodeError::wrong_kind(expected, Kind::String)),
        }
    }

    /// Reads the status and the headers into the first slots, then the body.
    fn envelope(&mut self, slots: &mut [&mut dyn Fill]) -> Result<(), DecodeError> {
        let mut slots = slots.iter_mut();
        let row = self.row.response;
        if !has_one_status(row)
            && let Some(slot) = slots.next()
        {
            let status = Value::from(self.raw.status.as_u16());
            slot.fill(&mut ValueReader::tolerant(&status)).map_err(|error| error.in_field("status"))?;
        }
        for header in row.headers {
            if let Some(slot) = slots.next() {
                fill_header(*slot, header, self.raw)
                    .inspect_err(|_| self.failed = Some(Part::Header(header.name)))?;
            }
        }
        self.step = Step::after_envelope(row);
        match slots.next() {
            // A row of several statuses describes the body of those that have one.
            Some(_) if is_bodiless(self.raw.status.as_u16()) && self.needs_bytes() => Ok(()),
            Some(slot) => slot.fill(self).inspect_err(|_| self.failed = Some(Part::Body)),
            None => self.skip(),
        }
    }
}

/// Reads a header. An optional header that is not as documented counts as absent.
fn fill_header(slot: &mut dyn Fill, header: &'static Header, raw: &RawResponse) -> Result<(), DecodeError> {
    match read_header(header, &raw.headers, raw.assumes_utc, &mut |reader| slot.fill(reader)) {
        Err(error) if header.required => Err(error),
        _ => Ok(()),
    }
}

fn has_one_status(row: &Response) -> bool {
    matches!(row.status, Status::Code(_))
}

impl Step {
    fn after_row(row: &Response) -> Self {
        if has_one_status(row) && row.headers.is_empty() { Self::after_envelope(row) } else { Self::Envelope }
    }

    fn after_envelope(row: &Response) -> Self {
        if row.contents.len() > 1 { Self::Content } else { Self::Body }
    }
}

impl Reader for ReplyReader<'_, '_> {
    fn peek(&mut self) -> Result<Kind, DecodeError> {
        match (&self.body, self.step) {
            (_, Step::Row | Step::Envelope) => Ok(Kind::Object),
            (Body::Bytes(_) | Body::Stream(_), _) => Ok(Kind::String),
            _ => self.inner("a value")?.peek(),
        }
    }

    fn is_tolerant(&self) -> bool {
        true
    }

    fn assumes_utc(&self) -> bool {
        self.raw.assumes_utc
    }

    fn null(&mut self) -> Result<(), DecodeError> {
        self.inner("null")?.null()
    }

    fn boolean(&mut self) -> Result<bool, DecodeError> {
        self.inner("a boolean")?.boolean()
    }

    fn number(&mut self) -> Result<Number, DecodeError> {
        self.inner("a number")?.number()
    }

    fn str(&mut self, visit: &mut dyn FnMut(&str) -> Result<(), DecodeError>) -> Result<(), DecodeError> {
        self.inner("text")?.str(visit)
    }

    fn string(&mut self) -> Result<String, DecodeError> {
        self.inner("text")?.string()
    }

    fn bytes(&mut self) -> Result<Bytes, DecodeError> {
        match &self.body {
            Body::Bytes(bytes) => Ok(Bytes::clone(bytes)),
            _ => self.inner("bytes")?.bytes(),
        }
    }

    fn byte_stream(&mut self) -> Result<ByteStream, DecodeError> {
        match &self.body {
            Body::Bytes(bytes) => Ok(Bytes::clone(bytes).into()),
            Body::Stream(stream) => Ok(stream.take()),
            _ => self.inner("bytes")?.byte_stream(),
        }
    }

    fn items(&mut self) -> Result<Option<Box<dyn ItemSource>>, DecodeError> {
        let content =
            self.matched.map(|matched| matched.content).filter(|content| content.format.has_items());
        let Some(content) = content else { return self.inner("a stream of items")?.items() };
        let (content_type, mode) = (self.raw.content_type(), ReadMode::tolerant(self.raw.assumes_utc));
        read_items(content, content_type, mode, || self.byte_stream())
    }

    fn array(&mut self, item: &mut Item<'_>) -> Result<(), DecodeError> {
        self.inner("an array")?.array(item)
    }

    fn object(
        &mut self,
        names: &[&'static str],
        slots: &mut [&mut dyn Fill],
        rest: AdditionalProperties<'_>,
    ) -> Result<(), DecodeError> {
        if self.step == Step::Envelope {
            return self.envelope(slots);
        }
        self.inner("an object")?.object(names, slots, rest)
    }

    fn entries(&mut self, entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        self.inner("an object")?.entries(entry)
    }

    fn value(&mut self) -> Result<Value, DecodeError> {
        self.inner("a value")?.value()
    }

    fn skip(&mut self) -> Result<(), DecodeError> {
        match &self.body {
            Body::Bytes(_) | Body::Stream(_) => Ok(()),
            _ => self.inner("a value")?.skip(),
        }
    }

    fn read_and_return(
        &mut self,
        read: &mut Item<'_>,
        returns: fn(&Result<(), DecodeError>) -> bool,
    ) -> Result<(), DecodeError> {
        self.inner("a value")?.read_and_return(read, returns)
    }

    fn choice(&mut self) -> usize {
        match self.step {
            Step::Row => {
                self.step = Step::after_row(self.row.response);
                self.row.index
            }
            Step::Content => {
                self.step = Step::Body;
                self.matched.map_or(0, |matched| matched.index)
            }
            Step::Envelope | Step::Body => 0,
        }
    }
}
