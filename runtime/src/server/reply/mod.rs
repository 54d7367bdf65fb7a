//! Encoding of a handler's result as a response, by the operation's rows.
//!
//! A result is encoded from the outside in (see "The shape of an output" in [`table`](crate::table)): a
//! choice of the response, an object of status, headers and body, a choice of the content, the body. The
//! fields of the object are identified by position.
//!
//! A documented media range (`image/*`) can't be sent as a type. The type is then `application/octet-stream`
//! for bytes, `text/plain` for text, `application/json` for JSON and `application/xml` for XML, unless the response has a documented
//! `content-type` header.

mod step;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use self::step::{Fields, to_bytes, with_choice, with_fields};
use super::Body;
use crate::codec::{Encode, JsonWriter, check_finite};
use crate::parameters::{encode_content, item_frames, raw_bytes, write_header_lines};
use crate::table::{self, Content, ContentFormat, Errors, Framing, Operation, Status, is_bodiless};

/// The reason why a handler's result can't be sent.
///
/// Generated types rule out most of these errors, except for statuses and values of headers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplyError {
    /// The value does not have the structure that the rows require.
    #[error("the response does not have the documented shape: {0}")]
    Shape(&'static str),
    /// The response does not document this status.
    #[error("the response status {0} is not documented")]
    Status(u16),
    /// The value of a header can't be sent.
    #[error("the response header `{0}` has a value that can't be sent")]
    Header(&'static str),
    /// The value of a part, or of a header in it, can't be sent.
    #[error("the part of the response has a value of `{0}` that can't be sent")]
    Part(&'static str),
    /// A number is NaN or infinite, which no format of responses has.
    #[error("the response can't be sent: the number at `{0}` is not finite")]
    NotFinite(String),
    /// XML can't represent the value of a property.
    #[cfg(feature = "xml")]
    #[error("the response has a value of `{0}` that XML can't represent")]
    Xml(&'static str),
    /// There is no writer for this media type.
    #[error("a response of the media type `{0}` can't be written")]
    MediaType(&'static str),
}

/// Returns the response to a success.
///
/// It is 204 if the operation documents no success.
pub(super) fn success(operation: &Operation, output: &dyn Encode) -> Result<Response<Body>, ReplyError> {
    let mut reply = Reply::default();
    match operation.responses {
        [] => reply.status = StatusCode::NO_CONTENT,
        [row] => reply.row(row, own_code(row), output)?,
        rows => with_choice(output, &mut |index, value| {
            let row = rows.get(index).ok_or(ReplyError::Shape("it is not a documented response"))?;
            reply.row(row, own_code(row), value)
        })?,
    }
    Ok(reply.finish())
}

/// Returns the response to a documented error.
pub(super) fn error(errors: &Errors, error: &dyn Encode) -> Result<Response<Body>, ReplyError> {
    let mut reply = Reply::default();
    with_choice(error, &mut |index, value| {
        let row = errors.rows.get(index).ok_or(ReplyError::Shape("it is not a documented error"))?;
        reply.row(row, own_code(row).map(|own| documented_code(errors, index, own)), value)
    })?;
    Ok(reply.finish())
}

/// Returns the status of a row that has a fixed one.
const fn own_code(row: &table::Response) -> Option<u16> {
    match row.status {
        Status::Code(code) => Some(code),
        Status::Class(_) | Status::Default => None,
    }
}

/// Returns the status under which an operation documents a row of its errors.
///
/// Operations share these rows, so an operation may document a row under another status than the row's own.
/// If it documents the row under no fixed status, the row's own status is used.
fn documented_code(errors: &Errors, row: usize, own: u16) -> u16 {
    let uses = || errors.uses().filter(|(_, index)| *index == row);
    let codes =
        || uses().filter_map(|(status, _)| if let Status::Code(code) = status { Some(code) } else { None });
    if codes().any(|code| code == own) { own } else { codes().next().unwrap_or(own) }
}

/// A response that is being built.
#[derive(Default)]
struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Body,
}

impl Reply {
    /// Returns the response, without a body if its status has none.
    fn finish(mut self) -> Response<Body> {
        if is_bodiless(self.status.as_u16()) {
            self.body = Body::default();
            self.headers.remove(CONTENT_TYPE);
        }
        let mut response = Response::new(self.body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }

    /// Encodes a response. `code` is its status, unless the value holds the status.
    fn row(
        &mut self,
        row: &'static table::Response,
        code: Option<u16>,
        value: &dyn Encode,
    ) -> Result<(), ReplyError> {
        if let Some(code) = code {
            self.status = StatusCode::from_u16(code).map_err(|_| ReplyError::Status(code))?;
            if row.headers.is_empty() {
                return self.contents(row.contents, value);
            }
        }
        with_fields(value, &mut |fields| self.fields(row, fields))
    }

    fn fields(&mut self, row: &'static table::Response, mut fields: &Fields<'_>) -> Result<(), ReplyError> {
        const SHORT: ReplyError = ReplyError::Shape("it has too few fields");
        if !matches!(row.status, Status::Code(_)) {
            let ((_, status), rest) = fields.split_first().ok_or(SHORT)?;
            let text = to_bytes(*status);
            let status = std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok());
            self.set_status(status.ok_or(ReplyError::Shape("its status is not a number"))?, row.status)?;
            fields = rest;
        }
        for header in row.headers {
            let ((_, value), rest) = fields.split_first().ok_or(SHORT)?;
            if !value.is_absent() {
                self.header(header, *value)?;
            }
            fields = rest;
        }
        match fields {
            [] => Ok(()),
            [(_, body), ..] if body.is_absent() => Ok(()),
            [(_, body), ..] => self.contents(row.contents, *body),
        }
    }

    /// Sets a status from the value.
    fn set_status(&mut self, code: u16, documented: Status) -> Result<(), ReplyError> {
        let fits = match documented {
            Status::Code(one) => code == one,
            Status::Class(class) => code / 100 == u16::from(class),
            Status::Default => (200..=599).contains(&code),
        };
        let status = StatusCode::from_u16(code).ok().filter(|_| fits);
        self.status = status.ok_or(ReplyError::Status(code))?;
        Ok(())
    }

    fn header(&mut self, row: &'static table::Header, value: &dyn Encode) -> Result<(), ReplyError> {
        let invalid = |_| ReplyError::Header(row.name);
        check_numbers(value)?;
        let name = HeaderName::from_bytes(row.name.as_bytes()).map_err(|_| ReplyError::Header(row.name))?;
        for line in write_header_lines(row, value) {
            let value = HeaderValue::from_maybe_shared(Bytes::from(line)).map_err(invalid)?;
            self.headers.append(&name, value);
        }
        Ok(())
    }

    fn contents(&mut self, contents: &'static [Content], value: &dyn Encode) -> Result<(), ReplyError> {
        match contents {
            [] => Ok(()),
            [content] => self.content(content, value),
            contents => with_choice(value, &mut |index, value| {
                let content =
                    contents.get(index).ok_or(ReplyError::Shape("it is not a documented content"))?;
                self.content(content, value)
            }),
        }
    }

    fn content(&mut self, content: &'static Content, value: &dyn Encode) -> Result<(), ReplyError> {
        if !content.format.is_streamed() && content.format != ContentFormat::Json {
            check_numbers(value)?;
        }
        self.body = match content.format {
            ContentFormat::Json => json(value)?.into(),
            ContentFormat::Text => to_bytes(value).into(),
            ContentFormat::Bytes => raw_bytes(value).into(),
            ContentFormat::Items(framing) => item_frames(Box::new(framing), value).into(),
            ContentFormat::Form => form(value)?.into(),
            ContentFormat::Multipart | ContentFormat::Parts | ContentFormat::PartStream => {
                return self.parts(content, value);
            }
            #[cfg(feature = "xml")]
            ContentFormat::Xml(_) => {
                let body = encode_content(content, value);
                match body.unwritable {
                    Some(name) => return Err(ReplyError::Xml(name)),
                    None => body.bytes.into(),
                }
            }
        };
        let content_type = content_type(content)?;
        self.headers.entry(CONTENT_TYPE).or_insert(content_type);
        if content.format == ContentFormat::Items(Framing::Events) {
            self.headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
        }
        Ok(())
    }
}

impl Reply {
    /// Sets a multipart body, with the boundary in its media type.
    fn parts(&mut self, content: &'static Content, value: &dyn Encode) -> Result<(), ReplyError> {
        let body = encode_content(content, value);
        if let Some(name) = body.unwritable {
            return Err(ReplyError::Part(name));
        }
        self.body = body.bytes.into();
        let content_type = HeaderValue::from_maybe_shared(Bytes::from(body.content_type));
        self.headers
            .insert(CONTENT_TYPE, content_type.map_err(|_| ReplyError::MediaType(content.media_type))?);
        Ok(())
    }
}

/// Returns a value as JSON. The path of a number that JSON can't hold is only searched if there is one.
fn json(value: &dyn Encode) -> Result<Vec<u8>, ReplyError> {
    let mut writer = JsonWriter::new();
    value.encode(&mut writer);
    if writer.has_lost_number() {
        check_numbers(value)?;
    }
    Ok(writer.into_bytes())
}

/// Checks that all numbers of a value are finite.
fn check_numbers(value: &dyn Encode) -> Result<(), ReplyError> {
    check_finite(value).map_err(|number| ReplyError::NotFinite(number.into_path()))
}

/// Returns the media type to send for a documented type or range.
fn content_type(content: &'static Content) -> Result<HeaderValue, ReplyError> {
    let media_type = match content.sent_type() {
        "text/plain" => "text/plain; charset=utf-8",
        media_type => media_type,
    };
    let value = HeaderValue::from_maybe_shared(Bytes::from_static(media_type.as_bytes()));
    value.map_err(|_| ReplyError::MediaType(content.media_type))
}

/// Encodes an object's fields as `a=1&b=2`.
///
/// Values that are not scalars become JSON text.
fn form(value: &dyn Encode) -> Result<String, ReplyError> {
    let mut text = String::new();
    with_fields(value, &mut |fields| {
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_absent()) {
            let value = to_bytes(*value);
            let value = percent_encoding::percent_encode(&value, NON_ALPHANUMERIC);
            let separator = if text.is_empty() { "" } else { "&" };
            text.push_str(&format!("{separator}{}={value}", utf8_percent_encode(name, NON_ALPHANUMERIC)));
        }
        Ok(())
    })?;
    Ok(text)
}
