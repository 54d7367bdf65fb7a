//! The reader of a response: status, headers and body as one value.
//!
//! [`table`](crate::table) describes the shape of this value.

use crate::{
    client::response::RawResponse,
    codec::{
        AdditionalProperties, DecodeError, DecodeErrorKind, Entry, Fill, Item, ItemSource, JsonReader, Kind,
        Number, Reader, ValueReader, from_json,
    },
    parameters::{read_header, read_items},
    table::{Content, ContentFormat, Header, Response, Status, Type, is_bodiless},
    text::ReadMode,
    types::{ByteStream, Bytes, Value},
    validation::resolve::type_of,
};

static NOTHING: Value = Value::Null;

/// The position of a response's row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Position {
    pub index: usize,
    /// Whether the output's type reads the position.
    pub has_choice: bool,
}

/// A reader of a response from the outside in.
///
/// The steps are the row, the status and the headers, the content, and the body. Steps that the row does not
/// require are omitted.
pub(super) struct ReplyReader<'a, 'p> {
    step: Step,
    index: usize,
    row: &'static Response,
    content: usize,
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

enum Body<'a, 'p> {
    /// JSON text.
    Json(JsonReader<'a>),
    /// Plain text as a scalar, or null for no body.
    Scalar(ValueReader<'a>),
    /// Raw bytes.
    Bytes(&'a Bytes),
    /// A body that is streamed.
    Stream(&'a ByteStream),
    /// A body with a reader of its own: multipart or XML.
    Other(&'p mut dyn Reader),
}

/// Returns a plain text body as a value.
///
/// It is a string, unless the schema requires another scalar and the text can be read as such.
pub(super) fn text_value(content: &Content, body: &[u8]) -> Option<Value> {
    if content.format != ContentFormat::Text {
        return None;
    }
    let text = String::from_utf8_lossy(body);
    let scalar = match type_of(content.schema) {
        Type::Boolean | Type::Integer(_) | Type::Number(_) => from_json(text.trim().as_bytes()).ok(),
        _ => None,
    };
    Some(scalar.unwrap_or_else(|| Value::String(text.into_owned())))
}

impl<'a, 'p> ReplyReader<'a, 'p> {
    /// Creates a reader.
    ///
    /// `text` is the [`text_value`] of the body. `stream` is the body if it is streamed, `other` its reader if it
    /// is multipart or XML.
    pub(super) fn new(
        position: Position,
        row: &'static Response,
        content: usize,
        raw: &'a RawResponse,
        text: Option<&'a Value>,
        stream: Option<&'a ByteStream>,
        other: Option<&'p mut dyn Reader>,
    ) -> Self {
        let format = row.contents.get(content).map(|content| content.format);
        let body = match (text, format) {
            _ if other.is_some() => other.map_or(Body::Bytes(&raw.body), Body::Other),
            _ if stream.is_some() => stream.map_or(Body::Bytes(&raw.body), Body::Stream),
            (Some(text), _) => Body::Scalar(ValueReader::tolerant(text).assuming_utc(raw.assumes_utc)),
            (None, None) => Body::Scalar(ValueReader::tolerant(&NOTHING)),
            (None, Some(ContentFormat::Json)) => {
                Body::Json(JsonReader::tolerant(&raw.body).assuming_utc(raw.assumes_utc))
            }
            (None, Some(_)) => Body::Bytes(&raw.body),
        };
        let step = if position.has_choice { Step::Row } else { Step::after_row(row) };
        Self { step, index: position.index, row, content, raw, body, failed: None }
    }

    /// Checks that the body contains nothing after its value.
    pub(super) fn finish(&mut self) -> Result<(), DecodeError> {
        match &mut self.body {
            Body::Json(reader) => reader.finish(),
            Body::Scalar(_) | Body::Bytes(_) | Body::Stream(_) | Body::Other(_) => Ok(()),
        }
    }

    /// Returns the name of the header that an error of this reader is about.
    pub(super) fn header_of(&self, error: &DecodeError) -> Option<&'static str> {
        match (self.failed, error.kind()) {
            (Some(Part::Header(name)), _) => Some(name),
            // The envelope's type reports a header that is missing.
            (None, DecodeErrorKind::Missing(name)) => {
                self.row.headers.iter().map(|header| header.name).find(|header| header == name)
            }
            _ => None,
        }
    }

    /// Returns whether a body without bytes is not a value of its content.
    fn needs_bytes(&self) -> bool {
        let format = self.row.contents.get(self.content).map(|content| content.format);
        matches!(format, Some(ContentFormat::Json | ContentFormat::Multipart | ContentFormat::Parts))
    }

    /// Returns the body's reader. Raw bytes have none, because only `bytes` reads them.
    fn inner(&mut self, expected: &'static str) -> Result<&mut dyn Reader, DecodeError> {
        match &mut self.body {
            Body::Json(reader) => Ok(reader),
            Body::Scalar(reader) => Ok(reader),
            Body::Other(reader) => Ok(*reader),
            Body::Bytes(_) | Body::Stream(_) => Err(DecodeError::wrong_kind(expected, Kind::String)),
        }
    }

    /// Reads the status and the headers into the first slots, then the body.
    fn envelope(&mut self, slots: &mut [&mut dyn Fill]) -> Result<(), DecodeError> {
        let mut slots = slots.iter_mut();
        if !has_one_status(self.row)
            && let Some(slot) = slots.next()
        {
            let status = Value::from(self.raw.status.as_u16());
            slot.fill(&mut ValueReader::tolerant(&status)).map_err(|error| error.in_field("status"))?;
        }
        for header in self.row.headers {
            if let Some(slot) = slots.next() {
                fill_header(*slot, header, self.raw)
                    .inspect_err(|_| self.failed = Some(Part::Header(header.name)))?;
            }
        }
        self.step = Step::after_envelope(self.row);
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
        let content = self.row.contents.get(self.content).filter(|content| content.format.has_items());
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

    fn ahead(&mut self, read: &mut Item<'_>) -> Result<(), DecodeError> {
        self.inner("a value")?.ahead(read)
    }

    fn attempt(&mut self, read: &mut Item<'_>) -> Result<(), DecodeError> {
        self.inner("a value")?.attempt(read)
    }

    fn choice(&mut self) -> usize {
        match self.step {
            Step::Row => {
                self.step = Step::after_row(self.row);
                self.index
            }
            Step::Content => {
                self.step = Step::Body;
                self.content
            }
            Step::Envelope | Step::Body => 0,
        }
    }
}
