//! Decoding of a response by the operation's table.
//!
//! The status determines the row, and the row determines the headers and the body.

mod reader;

#[cfg(test)]
mod tests;

use std::fmt;

use http::StatusCode;

use self::reader::ReplyReader;
use super::{
    error::{ApiFailure, Error, ErrorKind, Undecodable, Unexpected, value_at},
    response::{RawResponse, Received, Response},
};
use crate::{
    codec::{Decode, DecodeError, JsonReader, Kind, Reader},
    parameters::{self, match_content},
    table::{self, Content, ContentFormat, Operation, Status, is_bodiless},
    text::ReadMode,
    types::ByteStream,
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
    let decoded = match Row::find(operation, raw.status) {
        Some(row @ Row::Success { .. }) => match read(row, &raw, stream.as_ref()) {
            Ok(value) => Ok(Response::new(raw, true, value)),
            Err(error) => Err(ErrorKind::Decode(Box::new(Undecodable::new(raw, error)))),
        },
        Some(row @ Row::Error { .. }) => Err(match read(row, &raw, None) {
            Ok(body) => ErrorKind::Api(Box::new(ApiFailure::new(raw, body))),
            Err(error) => ErrorKind::Unexpected(Box::new(Unexpected::new(raw, Some(error)))),
        }),
        None => {
            let row = Row::only_success(operation, raw.status).filter(|_| !is_strict);
            let error = match row.map(|row| read(row, &raw, stream.as_ref())) {
                Some(Ok(value)) => return Ok(Response::new(raw, false, value)),
                Some(Err(error)) => Some(error),
                None => None,
            };
            Err(ErrorKind::Unexpected(Box::new(Unexpected::new(raw, error))))
        }
    };
    decoded.map_err(|kind| Error::new(kind, Some(operation), attempts))
}

/// Returns whether a response with this head is a success with a streamed body.
pub(super) fn is_streamed(operation: &'static Operation, head: &RawResponse, is_strict: bool) -> bool {
    let other = || Row::only_success(operation, head.status).filter(|_| !is_strict);
    let row = Row::find(operation, head.status).or_else(other);
    let Some(Row::Success { rows, index }) = row else { return false };
    let Some(row) = rows.get(index) else { return false };
    let Ok(Some(content)) = match_body(row.contents, head) else { return false };
    content.row(row).is_some_and(|content| content.format.is_streamed())
}

/// Returns whether a response states that it is permanent, in its row's field.
pub(super) fn is_permanent(operation: &'static Operation, raw: &RawResponse) -> bool {
    let Some(Row::Error { rows, index }) = Row::find(operation, raw.status) else { return false };
    let field = rows.get(index).and_then(|row| row.permanent);
    field.is_some_and(|field| {
        let mut is_true = false;
        let read = JsonReader::tolerant(&raw.body).entries(&mut |name, reader| {
            if name == field && reader.peek()? == Kind::Boolean {
                is_true = reader.boolean()?;
                return Ok(());
            }
            reader.skip()
        });
        read.is_ok() && is_true
    })
}

/// The row of a response.
#[derive(Debug, Clone, Copy)]
enum Row {
    /// A row of the operation's responses.
    Success { rows: &'static [table::Response], index: usize },
    /// A row of the operation's error type.
    Error { rows: &'static [&'static table::Response], index: usize },
}

/// The response of an operation that documents no success.
static NO_CONTENT: [table::Response; 1] = [table::Response::code(204)];

impl Row {
    /// Finds the row for a status.
    ///
    /// The order is: the status itself, its class, the default. Successes have precedence over errors in each
    /// step. The default of the successes applies to 2xx, and the default of the errors to 3xx, 4xx and 5xx.
    fn find(operation: &'static Operation, status: StatusCode) -> Option<Self> {
        let code = status.as_u16();
        let class = u8::try_from(code / 100).unwrap_or_default();
        Self::success(operation, Status::Code(code))
            .or_else(|| Self::error(operation, Status::Code(code)))
            .or_else(|| Self::success(operation, Status::Class(class)))
            .or_else(|| Self::error(operation, Status::Class(class)))
            .or_else(|| match class {
                2 if operation.responses.is_empty() => Some(Self::Success { rows: &NO_CONTENT, index: 0 }),
                0..=2 => Self::success(operation, Status::Default),
                _ => Self::error(operation, Status::Default),
            })
    }

    /// Returns the only documented success, for a response with another 2xx status.
    fn only_success(operation: &'static Operation, status: StatusCode) -> Option<Self> {
        let rows = operation.responses;
        let is_success = |row: &table::Response| {
            matches!(row.status, Status::Code(200..=299) | Status::Class(2) | Status::Default)
        };
        let mut successes = rows.iter().enumerate().filter(|(_, row)| is_success(row));
        let (index, _) = successes.next().filter(|_| status.is_success())?;
        successes.next().is_none().then_some(Self::Success { rows, index })
    }

    fn success(operation: &'static Operation, status: Status) -> Option<Self> {
        let rows = operation.responses;
        let index = rows.iter().position(|row| row.status == status)?;
        Some(Self::Success { rows, index })
    }

    fn error(operation: &'static Operation, status: Status) -> Option<Self> {
        let (_, index) = operation.errors.uses().find(|(documented, _)| *documented == status)?;
        Some(Self::Error { rows: operation.errors.rows, index })
    }
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
    let (response, row_index, has_choice) = match row {
        Row::Success { rows, index } => (rows.get(index), index, rows.len() > 1),
        Row::Error { rows, index } => (rows.get(index).copied(), index, true),
    };
    let response = response.ok_or_else(|| DecodeError::unknown_choice(row_index))?;
    let content = match_body(response.contents, raw)?;
    let text =
        content.and_then(|content| content.row(response)).and_then(|row| reader::text_value(row, &raw.body));
    let index = content.map_or(0, |content| content.index);
    let position = reader::Position { index: row_index, has_choice };
    let mut header = None;
    let mut read = |body: Option<&mut dyn Reader>| {
        let mut reader = ReplyReader::new(position, response, index, raw, text.as_ref(), stream, body);
        let result = decode(&mut reader).and_then(|()| reader.finish());
        header = result.as_ref().err().and_then(|error| reader.header_of(error));
        result
    };
    let whole = content
        .and_then(|content| content.row(response))
        .filter(|_| stream.is_none() && !is_bodiless(raw.status.as_u16()));
    let result = match whole.map(|row| (row, row.format)) {
        Some((row, ContentFormat::Multipart | ContentFormat::Parts)) => parameters::read_multipart(
            row,
            raw.content_type(),
            &raw.body,
            ReadMode::tolerant(raw.assumes_utc),
            0,
            &mut |parts| read(Some(parts)),
        )
        .map_err(DecodeError::from),
        #[cfg(feature = "xml")]
        Some((row, ContentFormat::Xml(root))) => {
            let mode = ReadMode::tolerant(raw.assumes_utc);
            parameters::read_xml(root, row, &raw.body, mode, 0, &mut |body| read(Some(body)))
                .map_err(DecodeError::from)
        }
        _ => read(None),
    };
    let Err(error) = result else { return Ok(()) };
    let read_as = content.filter(|matched| matched.is_loose && header.is_none());
    let Some(read_as) = read_as.and_then(|matched| matched.row(response)) else {
        return Err(Misread { error, header });
    };
    // The body is probably a proxy's error page, so the content type is reported before the decode error.
    let (expected, found) = (read_as.media_type, raw.content_type());
    let value = value_at(&error, &raw.body).map(|value| format!(", `{value}`")).unwrap_or_default();
    let text = format!("expected {expected}, found {found}; read as {expected}: {error}{value}");
    Err(DecodeError::custom(text).into())
}

/// The content of a row that a body is matched with.
#[derive(Debug, Clone, Copy)]
struct Matched {
    index: usize,
    /// Whether the body is decoded as this content despite another `Content-Type`.
    is_loose: bool,
}

impl Matched {
    fn row(self, response: &'static table::Response) -> Option<&'static Content> {
        response.contents.get(self.index)
    }
}

/// Finds the content by the `Content-Type`.
///
/// Without a `Content-Type`, this is the first documented content. A JSON type matches any documented JSON
/// content, and an XML type any documented XML content. If only one content is documented, every type matches. If raw bytes are documented, the first of
/// these contents matches every other type that is not one of text: JSON, XML or a form.
fn match_body(contents: &[Content], raw: &RawResponse) -> Result<Option<Matched>, DecodeError> {
    if contents.is_empty() {
        return Ok(None);
    }
    let exact = |index| Some(Matched { index, is_loose: false });
    let loose = |index| Some(Matched { index, is_loose: true });
    let media_type = raw.content_type();
    if media_type.is_empty() {
        return Ok(exact(0));
    }
    if let Some(index) = match_content(contents, media_type) {
        return Ok(exact(index));
    }
    let is_alike = |content: &Content| {
        content.format == ContentFormat::Json && is_json(media_type)
            || content.format.is_xml() && is_xml(media_type)
    };
    if let Some(index) = contents.iter().position(is_alike) {
        return Ok(exact(index));
    }
    if contents.len() == 1 {
        return Ok(loose(0));
    }
    // Servers send audio, images and files under types that the document does not list. Text is an error page.
    let bytes = || contents.iter().position(|content| content.format == ContentFormat::Bytes);
    if let Some(index) = (!is_text(media_type)).then(bytes).flatten() {
        return Ok(loose(index));
    }
    let expected: Vec<_> = contents.iter().map(|content| content.media_type).collect();
    Err(DecodeError::custom(format!("expected one of {}, found {media_type}", expected.join(", "))))
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
