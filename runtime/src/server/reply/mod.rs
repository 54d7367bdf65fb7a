//! Encoding of a handler's result as a response, by the operation's rows.
//!
//! A result is encoded from the outside in (see "The shape of an output" in [`table`](crate::table)). It is a choice of
//! the response, then an object of status, headers and body, then a choice of the content, then the body. The fields of
//! the object are identified by position.
//!
//! A documented media range (`image/*`) can't be sent as a type. Without a documented `content-type` header, the type is
//! then `application/octet-stream` for bytes, `text/plain` for text, `application/json` for JSON and `application/xml`
//! for XML.

#[cfg(test)]
mod tests;

use super::Body;
use crate::codec::view::View;
use crate::codec::{Encode, JsonWriter, check_finite, to_value};
use crate::parameters::{Layer, encode_content, item_frames, raw_bytes, visit, write_header_lines};
use crate::table::{self, Content, ContentFormat, Errors, Framing, Operation, Status, is_bodiless};
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};

/// The reason why a handler's result can't be sent.
///
/// Generated types rule out most of these errors, except for statuses and header values.
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

/// A field of an object, whose value may be absent.
type Field<'v> = (&'v str, Option<&'v dyn Encode>);

/// Calls `then` with the index of the alternative in `value` and with its value.
fn with_choice(
    value: &dyn Encode,
    then: &mut dyn FnMut(usize, &dyn Encode) -> Result<(), ReplyError>,
) -> Result<(), ReplyError> {
    let result = visit(value, &mut |layer| match layer {
        Layer::Other(View::Choice(index, value)) => Some(then(index, value)),
        _ => None,
    });
    let shape = ReplyError::Shape("it is not one of the documented alternatives");
    result.flatten().unwrap_or(Err(shape))
}

/// Calls `then` with the fields of an object.
fn with_fields(
    value: &dyn Encode,
    then: &mut dyn FnMut(&[Field<'_>]) -> Result<(), ReplyError>,
) -> Result<(), ReplyError> {
    let result = visit(value, &mut |layer| match layer {
        Layer::Object(fields) => Some(then(&fields)),
        _ => None,
    });
    let shape = ReplyError::Shape("it is not an object of its headers and body");
    result.flatten().unwrap_or(Err(shape))
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

    fn fields(&mut self, row: &'static table::Response, fields: &[Field<'_>]) -> Result<(), ReplyError> {
        let mut fields = fields.iter().map(|(_, value)| *value);
        let mut next = || fields.next().ok_or(ReplyError::Shape("it has too few fields"));
        if !matches!(row.status, Status::Code(_)) {
            let status = next()?.and_then(|status| to_value(status).as_u64()?.try_into().ok());
            self.set_status(status.ok_or(ReplyError::Shape("its status is not a number"))?, row.status)?;
        }
        for header in row.headers {
            if let Some(value) = next()? {
                self.header(header, value)?;
            }
        }
        match fields.next().flatten() {
            Some(body) => self.contents(row.contents, body),
            None => Ok(()),
        }
    }

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
            ContentFormat::Text | ContentFormat::Bytes => raw_bytes(value).into(),
            ContentFormat::Items(framing) => item_frames(Box::new(framing), value).into(),
            format => {
                let body = encode_content(content, value);
                if let Some(name) = body.unwritable {
                    return Err(match format {
                        ContentFormat::Form => ReplyError::Shape("it is not an object of the form's fields"),
                        #[cfg(feature = "xml")]
                        ContentFormat::Xml(_) => ReplyError::Xml(name),
                        _ => ReplyError::Part(name),
                    });
                }
                if matches!(
                    format,
                    ContentFormat::Multipart | ContentFormat::Parts | ContentFormat::PartStream
                ) {
                    // It has the boundary.
                    let content_type = HeaderValue::from_maybe_shared(Bytes::from(body.content_type));
                    let content_type = content_type.map_err(|_| ReplyError::MediaType(content.media_type))?;
                    self.headers.insert(CONTENT_TYPE, content_type);
                }
                body.bytes.into()
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
