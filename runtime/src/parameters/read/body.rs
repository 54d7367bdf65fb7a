//! Reads a body in any of its formats.

use std::borrow::Cow;

use http::{HeaderMap, header::CONTENT_TYPE};

use super::form::FormFields;
use super::multipart::Fields;
use super::parts::{BadMultipart, parse};
use super::raw::{Coding, Raw};
use super::source::{Chosen, Of, Source};
use crate::codec::{DecodeError, Item, JsonReader, Kind, Reader};
use crate::stream::RawItems;
use crate::table::{Content, ContentFormat};
use crate::types::{ByteStream, Bytes};
use crate::validation::ItemRow;

/// The reason why a body can't be read.
#[derive(Debug)]
pub(crate) enum BodyError {
    /// The body is malformed: not JSON, for example.
    Malformed(String),
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

    fn raw_items(&self) -> Result<Option<RawItems>, DecodeError> {
        let ContentFormat::Items(framing) = self.content.format else { return Ok(None) };
        Ok(Some(RawItems::with_schema(self.byte_stream()?, framing, ItemRow::new(self.content.schema, true))))
    }
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
    let mut choose = |reader: &mut dyn Reader| read(&mut Chosen { index, reader });
    let body = match (content.format, body) {
        (ContentFormat::Bytes | ContentFormat::Items(_), payload) | (_, payload @ Payload::Stream(_)) => {
            return choose(&mut Of(Blob { payload, content })).map_err(BodyError::Value);
        }
        (_, Payload::Bytes(bytes)) => bytes,
    };
    match content.format {
        ContentFormat::Json => {
            let mut reader = JsonReader::strict(body);
            choose(&mut reader).map_err(BodyError::of_json)?;
            reader.finish().map_err(BodyError::of_json)
        }
        ContentFormat::Form => {
            let fields = FormFields::new(body, content.schema, content.encodings);
            choose(&mut Of(fields)).map_err(BodyError::Value)
        }
        ContentFormat::Multipart => {
            let content_type =
                headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
            let parts = parse(content_type, body).map_err(BodyError::from)?;
            choose(&mut Of(Fields::new(&parts, content))).map_err(BodyError::Value)
        }
        ContentFormat::Text | ContentFormat::Bytes | ContentFormat::Items(_) => {
            choose(&mut Of(Raw::new(body, Coding::Plain))).map_err(BodyError::Value)
        }
    }
}

impl BodyError {
    fn of_json(error: DecodeError) -> Self {
        if error.is_syntax() { Self::Malformed(error.to_string()) } else { Self::Value(error) }
    }
}

impl From<BadMultipart> for BodyError {
    fn from(reason: BadMultipart) -> Self {
        Self::Malformed(reason.to_string())
    }
}
