//! Decoding of a response by the operation's table.
//!
//! The status determines the row, and the row determines the headers and the body.

mod reader;

#[cfg(test)]
mod tests;

use std::fmt;

use http::StatusCode;

use self::reader::{Body, ReplyReader};
use super::{
    error::{ApiFailure, Error, ErrorKind, Undecodable, Unexpected, value_at},
    probe::{self, Found},
    response::{RawResponse, Received, Response},
};
use crate::{
    codec::{Decode, DecodeError, JsonReader, Reader, ValueReader, from_json},
    parameters::{self, match_content},
    table::{self, Content, ContentFormat, Operation, Status, Type, is_bodiless},
    text::ReadMode,
    types::{ByteStream, Value},
    validation::resolve::type_of,
};

/// Decodes a response into the operation's output or into an error.
pub(super) fn decode<T, E>(
    operation: &'static Operation,
    received: impl Into<Received>,
) -> Result<Response<T>, Error<E>>
where
    T: Decode,
    E: Decode + fmt::Debug,
{
    let Received { raw, stream, is_strict } = received.into();
    let attempts = raw.attempts;
    let kind = match Row::find(operation, raw.status) {
        Some(row) if row.is_success => match read(row, &raw, stream.as_ref()) {
            Ok(value) => return Ok(Response::new(raw, true, value)),
            Err(error) => ErrorKind::Decode(Box::new(Undecodable::new(raw, error))),
        },
        Some(row) => match read(row, &raw, None) {
            Ok(body) => ErrorKind::Api(Box::new(ApiFailure::new(raw, body))),
            Err(error) => ErrorKind::Unexpected(Box::new(Unexpected::new(raw, Some(error)))),
        },
        None => {
            let row = Row::only_success(operation, raw.status).filter(|_| !is_strict);
            let error = match row.map(|row| read(row, &raw, stream.as_ref())) {
                Some(Ok(value)) => return Ok(Response::new(raw, false, value)),
                Some(Err(error)) => Some(error),
                None => None,
            };
            ErrorKind::Unexpected(Box::new(Unexpected::new(raw, error)))
        }
    };
    Err(Error::new(kind, Some(operation), attempts))
}

/// Returns whether a response with this head is a success with a streamed body.
pub(super) fn is_streamed(operation: &'static Operation, head: &RawResponse, is_strict: bool) -> bool {
    let other = || Row::only_success(operation, head.status).filter(|_| !is_strict);
    let Some(row) = Row::find(operation, head.status).or_else(other) else { return false };
    row.is_success && matches!(row.content(head), Ok(Some(matched)) if matched.content.format.is_streamed())
}

/// Returns whether a response states that it is permanent, in its row's field.
pub(super) fn is_permanent(operation: &'static Operation, raw: &RawResponse) -> bool {
    let row = Row::find(operation, raw.status).filter(|row| !row.is_success);
    let field = row.and_then(|row| row.response.permanent);
    field.is_some_and(|field| probe::find(&raw.body, &[field]) == Some(Found::Flag(true)))
}

/// The row of a response.
#[derive(Debug, Clone, Copy)]
struct Row {
    response: &'static table::Response,
    /// The position among the rows of the output or the error.
    index: usize,
    /// Whether the type of the output or the error reads the position.
    has_choice: bool,
    is_success: bool,
}

/// The response of an operation that documents no success.
static NO_CONTENT: table::Response = table::Response::code(204);

impl Row {
    /// Finds the row for a status.
    ///
    /// The order is: the status itself, its class, the default. Successes have precedence over errors in each
    /// step. The default of the successes applies to 2xx, and the default of the errors to 3xx, 4xx and 5xx.
    fn find(operation: &'static Operation, status: StatusCode) -> Option<Self> {
        let code = status.as_u16();
        let class = u8::try_from(code / 100).unwrap_or_default();
        let success = |status| Self::success(operation, |row| row.status == status);
        let error = |status| Self::error(operation, status);
        success(Status::Code(code))
            .or_else(|| error(Status::Code(code)))
            .or_else(|| success(Status::Class(class)))
            .or_else(|| error(Status::Class(class)))
            .or_else(|| match class {
                2 if operation.responses.is_empty() => {
                    Some(Self { response: &NO_CONTENT, index: 0, has_choice: false, is_success: true })
                }
                0..=2 => success(Status::Default),
                _ => error(Status::Default),
            })
    }

    /// Returns the only documented success, for a response with another 2xx status.
    fn only_success(operation: &'static Operation, status: StatusCode) -> Option<Self> {
        let is_success = |row: &table::Response| {
            matches!(row.status, Status::Code(200..=299) | Status::Class(2) | Status::Default)
        };
        let is_only = operation.responses.iter().filter(|row| is_success(row)).count() == 1;
        if is_only && status.is_success() { Self::success(operation, is_success) } else { None }
    }

    fn success(operation: &'static Operation, is_it: impl Fn(&table::Response) -> bool) -> Option<Self> {
        let rows = operation.responses;
        let (index, response) = rows.iter().enumerate().find(|(_, row)| is_it(row))?;
        Some(Self { response, index, has_choice: rows.len() > 1, is_success: true })
    }

    fn error(operation: &'static Operation, status: Status) -> Option<Self> {
        let (_, index) = operation.errors.uses().find(|(documented, _)| *documented == status)?;
        let response = operation.errors.rows.get(index)?;
        Some(Self { response, index, has_choice: true, is_success: false })
    }

    /// Finds the content by the `Content-Type`.
    ///
    /// Without a `Content-Type`, this is the first documented content. A JSON type matches any documented JSON
    /// content, and an XML type any documented XML content. If only one content is documented, every type matches. If
    /// raw bytes are documented, the first of these contents matches every other type that is not one of text: JSON,
    /// XML or a form.
    fn content(self, raw: &RawResponse) -> Result<Option<Matched>, DecodeError> {
        let contents = self.response.contents;
        if contents.is_empty() {
            return Ok(None);
        }
        let media_type = raw.content_type();
        let is_alike = |content: &Content| {
            content.format == ContentFormat::Json && is_json(media_type)
                || content.format.is_xml() && is_xml(media_type)
        };
        let exact = match media_type {
            "" => Some(0),
            _ => match_content(contents, media_type).or_else(|| contents.iter().position(is_alike)),
        };
        // Servers send audio, images and files under types that the document does not list. Text is an error page.
        let is_loosely = |content: &Content| {
            contents.len() == 1 || content.format == ContentFormat::Bytes && !is_text(media_type)
        };
        let index = exact.or_else(|| contents.iter().position(is_loosely));
        let Some((index, content)) = index.and_then(|index| Some((index, contents.get(index)?))) else {
            let expected: Vec<_> = contents.iter().map(|content| content.media_type).collect();
            let text = format!("expected one of {}, found {media_type}", expected.join(", "));
            return Err(DecodeError::custom(text));
        };
        Ok(Some(Matched { index, content, is_loose: exact.is_none() }))
    }
}

/// The content of a row that a body is matched with.
#[derive(Debug, Clone, Copy)]
struct Matched {
    index: usize,
    content: &'static Content,
    /// Whether the body is decoded as this content despite another `Content-Type`.
    is_loose: bool,
}

/// The reason why a response could not be decoded.
#[derive(Debug)]
pub(super) struct Misread {
    /// The decode error. Its path is the location in the body or in the header.
    pub error: DecodeError,
    /// The name of the header that the error is about, if it is not about the body.
    pub header: Option<&'static str>,
}

impl From<DecodeError> for Misread {
    fn from(error: DecodeError) -> Self {
        Self { error, header: None }
    }
}

fn read<V: Decode>(row: Row, raw: &RawResponse, stream: Option<&ByteStream>) -> Result<V, Misread> {
    let mut value = None;
    read_with(row, raw, stream, &mut |reader| {
        value = Some(V::decode(reader)?);
        Ok(())
    })?;
    value.ok_or_else(|| DecodeError::custom("nothing was read").into())
}

/// Reads a response as [`read`] does. It does not depend on types.
fn read_with(
    row: Row,
    raw: &RawResponse,
    stream: Option<&ByteStream>,
    decode: &mut dyn FnMut(&mut dyn Reader) -> Result<(), DecodeError>,
) -> Result<(), Misread> {
    let matched = row.content(raw)?;
    let mode = ReadMode::tolerant(raw.assumes_utc);
    let mut header = None;
    let mut read = |body: Body<'_, '_>| {
        let mut reader = ReplyReader::new(row, matched, raw, body);
        let result = decode(&mut reader);
        header = result.as_ref().err().and_then(|error| reader.header_of(error));
        result
    };
    let has_parts = !is_bodiless(raw.status.as_u16());
    let result = match (matched.map(|matched| (matched.content, matched.content.format)), stream) {
        (_, Some(stream)) => read(Body::Stream(stream)),
        (None, None) => read(Body::Value(&mut ValueReader::tolerant(&Value::Null))),
        (Some((_, ContentFormat::Json)), None) => {
            let mut json = JsonReader::tolerant(&raw.body).assuming_utc(raw.assumes_utc);
            read(Body::Value(&mut json)).and_then(|()| json.finish())
        }
        (Some((content, ContentFormat::Text)), None) => {
            let text = text_value(content, &raw.body);
            read(Body::Value(&mut ValueReader::tolerant(&text).assuming_utc(raw.assumes_utc)))
        }
        (Some((content, ContentFormat::Multipart | ContentFormat::Parts)), None) if has_parts => {
            let mut read = |parts: &mut dyn Reader| read(Body::Value(parts));
            parameters::read_multipart(content, raw.content_type(), &raw.body, mode, 0, &mut read)
                .map_err(DecodeError::from)
        }
        #[cfg(feature = "xml")]
        (Some((content, ContentFormat::Xml(root))), None) if has_parts => {
            let mut read = |body: &mut dyn Reader| read(Body::Value(body));
            parameters::read_xml(root, content, &raw.body, mode, 0, &mut read).map_err(DecodeError::from)
        }
        (Some(_), None) => read(Body::Bytes(&raw.body)),
    };
    let Err(error) = result else { return Ok(()) };
    let Some(read_as) = matched.filter(|matched| matched.is_loose && header.is_none()) else {
        return Err(Misread { error, header });
    };
    // The body is probably a proxy's error page, so the content type is reported before the decode error.
    let (expected, found) = (read_as.content.media_type, raw.content_type());
    let value = value_at(&error, &raw.body).map(|value| format!(", `{value}`")).unwrap_or_default();
    let text = format!("expected {expected}, found {found}; read as {expected}: {error}{value}");
    Err(DecodeError::custom(text).into())
}

/// Returns a plain text body as a value.
///
/// It is a string, unless the schema requires another scalar and the text can be read as such.
fn text_value(content: &Content, body: &[u8]) -> Value {
    let text = String::from_utf8_lossy(body);
    let scalar = match type_of(content.schema) {
        Type::Boolean | Type::Integer(_) | Type::Number(_) => from_json(text.trim().as_bytes()).ok(),
        _ => None,
    };
    scalar.unwrap_or_else(|| Value::String(text.into_owned()))
}

pub(super) fn is_json(media_type: &str) -> bool {
    let essence = essence(media_type);
    essence.ends_with("/json") || essence.ends_with("+json")
}

fn is_xml(media_type: &str) -> bool {
    let essence = essence(media_type);
    essence.ends_with("/xml") || essence.ends_with("+xml")
}

/// Returns whether content of a media type is text, also text in a structured format.
fn is_text(media_type: &str) -> bool {
    let name = essence(media_type);
    is_xml(&name)
        || is_json(&name)
        || name.starts_with("text/")
        || name == "application/x-www-form-urlencoded"
}

/// Returns a media type without parameters, in lower case.
fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
