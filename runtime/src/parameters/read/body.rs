//! Reads a body in any of its formats.

use std::borrow::Cow;

use http::{HeaderMap, header::CONTENT_TYPE};

use super::form::FormFields;
use super::multipart::Parts;
use super::part::read_streamed_part;
use super::parts::{Part, boundary, split};
#[cfg(feature = "xml")]
use crate::codec::DecodeErrorKind;
use crate::codec::{DecodeError, Item, ItemSource, JsonReader, Kind};
use crate::parameters::media::PartEncodings;
use crate::stream::{self, BadMultipart, Decoded, ItemSchema, RawItems, StreamError};
use crate::table::{Content, ContentFormat, Encoding};
use crate::text::{Coding, Raw, ReadMode, Source, source_reader};
use crate::types::{ByteStream, Bytes};
use crate::validation::ItemRow;

/// The reason why a body can't be read.
#[derive(Debug)]
pub(crate) enum BodyError {
    /// The body is malformed: not JSON, for example.
    Malformed(String),
    /// A part is a file of an undocumented media type. The encoding has the documented ones.
    PartType(&'static Encoding),
    /// The value in the body is not valid.
    Value(DecodeError),
}

/// A body before it is decoded.
#[derive(Debug, Clone, Copy)]
pub enum Payload<'a> {
    /// The whole body.
    Bytes(&'a Bytes),
    /// A stream of the body. Reading takes the content out of it.
    Stream(&'a ByteStream),
}

impl<'a> From<&'a Bytes> for Payload<'a> {
    fn from(bytes: &'a Bytes) -> Self {
        Self::Bytes(bytes)
    }
}

/// Raw bytes, or a sequence of items.
struct Blob<'a> {
    payload: Payload<'a>,
    content: &'static Content,
    content_type: &'a str,
}

impl Source for Blob<'_> {
    fn kind(&self) -> Kind {
        Kind::String
    }

    fn text(&self) -> Result<Cow<'_, str>, DecodeError> {
        match self.payload {
            Payload::Bytes(bytes) => Ok(Raw::new(bytes, Coding::Plain).decode()?),
            Payload::Stream(_) => Ok(Cow::default()),
        }
    }

    fn bytes(&self) -> Result<Bytes, DecodeError> {
        match self.payload {
            Payload::Bytes(bytes) => Ok(bytes.clone()),
            Payload::Stream(_) => Err(DecodeError::custom("a streamed body can't be read as bytes")),
        }
    }

    fn byte_stream(&self) -> Result<ByteStream, DecodeError> {
        match self.payload {
            Payload::Bytes(bytes) => Ok(bytes.clone().into()),
            Payload::Stream(stream) => Ok(stream.take()),
        }
    }

    fn raw_items(&self) -> Result<Option<Box<dyn ItemSource>>, DecodeError> {
        let read = || self.byte_stream();
        read_items(self.content, self.content_type, ReadMode::STRICT, read)
    }
}

/// Returns the items of a body, if its content is a stream of items. `bytes` takes the body.
pub(crate) fn read_items(
    content: &'static Content,
    content_type: &str,
    mode: ReadMode,
    bytes: impl FnOnce() -> Result<ByteStream, DecodeError>,
) -> Result<Option<Box<dyn ItemSource>>, DecodeError> {
    let row = || ItemRow::new(content.schema, !mode.is_tolerant);
    let items = match content.format {
        ContentFormat::Items(framing) => RawItems::with_schema(bytes()?, framing, row()),
        ContentFormat::PartStream => {
            let parts = PartRow { content, row: row() };
            let boundary =
                boundary(content_type).map_err(|reason| DecodeError::custom(reason.to_string()))?;
            RawItems::of_parts(bytes()?, &boundary, Box::new(parts))
        }
        _ => return Ok(None),
    };
    Ok(Some(Box::new(items.assuming_utc(mode.assumes_utc))))
}

/// The row of the parts in a streamed body.
struct PartRow {
    content: &'static Content,
    row: Box<ItemRow>,
}

impl ItemSchema for PartRow {
    fn is_strict(&self) -> bool {
        self.row.is_strict()
    }

    fn has_text_data(&self, _event: &str) -> bool {
        false
    }

    fn read_part(
        &self,
        index: usize,
        part: &stream::Part,
        assumes_utc: bool,
        read: &mut Item<'_>,
    ) -> Result<(), DecodeError> {
        let mode = ReadMode { is_tolerant: !self.is_strict(), assumes_utc };
        read_streamed_part(self.content, index, &Part::positional(part.clone()), mode, read)
    }

    fn validate(
        &self,
        index: usize,
        decoded: Option<Decoded<'_>>,
        read: &mut dyn FnMut(&mut Item<'_>) -> Result<(), DecodeError>,
    ) -> Result<(), StreamError> {
        self.row.validate(index, decoded, read)
    }
}

/// Passes a reader of a whole multipart body to `read`.
pub(crate) fn read_multipart(
    content: &'static Content,
    content_type: &str,
    body: &Bytes,
    mode: ReadMode,
    index: usize,
    read: &mut Item<'_>,
) -> Result<(), BodyError> {
    let encodings = PartEncodings::of(content);
    let parts = split(content_type, body, encodings)?;
    let parts = Parts { parts: &parts, schema: content.schema, encodings, mode };
    let mut each = parts.parts.iter().enumerate();
    // A tolerant reader takes files of all media types.
    match each.find_map(|(index, part)| parts.rules(index, part).refusing(part)) {
        Some(encoding) if !mode.is_tolerant => Err(BodyError::PartType(encoding)),
        _ => parts.read(index, read).map_err(BodyError::Value),
    }
}

/// Passes a reader of a whole body in XML to `read`.
#[cfg(feature = "xml")]
pub(crate) fn read_xml(
    root: &'static crate::table::Xml,
    content: &'static Content,
    body: &Bytes,
    mode: ReadMode,
    index: usize,
    read: &mut Item<'_>,
) -> Result<(), BodyError> {
    let document = crate::xml::Document::parse(body, root, content.schema, mode);
    let document = document.map_err(|error| match error.kind() {
        DecodeErrorKind::TooDeep => BodyError::Value(error),
        _ => BodyError::Malformed(error.to_string()),
    })?;
    document.read(index, read).map_err(BodyError::Value)
}

/// Passes a reader of a whole body to `read`.
///
/// `index` is the index of `content` in the documented contents. The reader returns it from
/// [`choice`](crate::codec::Reader::choice).
pub(crate) fn read_body(
    content: &'static Content,
    index: usize,
    headers: &HeaderMap,
    body: Payload<'_>,
    read: &mut Item<'_>,
) -> Result<(), BodyError> {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if content.format == ContentFormat::PartStream {
        boundary(content_type)?;
    }
    let body = match body {
        Payload::Bytes(bytes) if !content.format.is_streamed() => bytes,
        payload => {
            let blob = Blob { payload, content, content_type };
            return read(&mut source_reader(blob).with_choice(index)).map_err(BodyError::Value);
        }
    };
    match content.format {
        ContentFormat::Json => {
            JsonReader::strict(body).with_choice(index).read_by(read).map_err(BodyError::of_json)
        }
        ContentFormat::Form => {
            let fields = FormFields::new(body, content.schema, content.encodings);
            read(&mut source_reader(fields).with_choice(index)).map_err(BodyError::Value)
        }
        ContentFormat::Multipart | ContentFormat::Parts => {
            read_multipart(content, content_type, body, ReadMode::STRICT, index, read)
        }
        #[cfg(feature = "xml")]
        ContentFormat::Xml(root) => read_xml(root, content, body, ReadMode::STRICT, index, read),
        ContentFormat::Text | ContentFormat::Bytes | ContentFormat::Items(_) | ContentFormat::PartStream => {
            read(&mut source_reader(Raw::new(body, Coding::Plain)).with_choice(index))
                .map_err(BodyError::Value)
        }
    }
}

impl BodyError {
    fn of_json(error: DecodeError) -> Self {
        if error.is_syntax() { Self::Malformed(error.to_string()) } else { Self::Value(error) }
    }
}

#[cfg(feature = "client")]
impl From<BodyError> for DecodeError {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::Malformed(detail) => Self::custom(detail),
            BodyError::PartType(_) => Self::malformed("a part of a documented media type"),
            BodyError::Value(error) => error,
        }
    }
}

impl From<BadMultipart> for BodyError {
    fn from(reason: BadMultipart) -> Self {
        Self::Malformed(reason.to_string())
    }
}
