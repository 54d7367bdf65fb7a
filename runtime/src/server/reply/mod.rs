//! Turns what a handler answers with into a response, by the operation's rows.
//!
//! An output is taken apart from the outside in ("The shape of an output" in [`table`](crate::table)): a choice among
//! responses, an object of status, headers and body, a choice among contents, the body. The object goes by position.
//!
//! A documented media range (`image/*`) is no type to send: bytes are then `application/octet-stream`, text is
//! `text/plain`, JSON is `application/json`, unless the response has a documented `content-type` header.

mod step;
#[cfg(test)]
mod tests;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use self::step::{Fields, to_bytes, to_stream, with_choice, with_fields};
use super::Body;
use crate::codec::{Encode, to_json};
use crate::parameters::write_header;
use crate::table::{self, Content, ContentFormat, Errors, Framing, Operation, Status};

/// A handler's answer is not one that the document describes. Generated types hardly allow one, save for statuses and
/// the values of headers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplyError {
    /// The value has not the shape that the rows call for.
    #[error("the answer does not have the documented shape: {0}")]
    Shape(&'static str),
    /// The status is not one that the response documents.
    #[error("the answer's status {0} is not a documented one")]
    Status(u16),
    /// A header's value can't be sent.
    #[error("the answer's header `{0}` holds what a header can't")]
    Header(&'static str),
    /// There is no writer for this media type.
    #[error("an answer of the media type `{0}` can't be written")]
    MediaType(&'static str),
}

/// The response for a success. Without a documented one, it is 204.
pub(super) fn success(operation: &Operation, output: &dyn Encode) -> Result<Response<Body>, ReplyError> {
    let mut reply = Reply::default();
    match operation.responses {
        [] => reply.status = StatusCode::NO_CONTENT,
        [row] => reply.row(row, own_code(row), output)?,
        rows => with_choice(output, &mut |index, value| {
            let row = rows.get(index).ok_or(ReplyError::Shape("there is no such response"))?;
            reply.row(row, own_code(row), value)
        })?,
    }
    Ok(reply.finish())
}

/// The response for a documented error.
pub(super) fn error(errors: &Errors, error: &dyn Encode) -> Result<Response<Body>, ReplyError> {
    let mut reply = Reply::default();
    with_choice(error, &mut |index, value| {
        let row = errors.rows.get(index).ok_or(ReplyError::Shape("there is no such error"))?;
        reply.row(row, own_code(row).map(|own| documented_code(errors, index, own)), value)
    })?;
    Ok(reply.finish())
}

/// The code of a row that has one.
const fn own_code(row: &table::Response) -> Option<u16> {
    match row.status {
        Status::Code(code) => Some(code),
        Status::Class(_) | Status::Default => None,
    }
}

/// The code under which an operation documents a row of its errors. Several operations share the rows, so that one may
/// document it under another code than the row's own; where it does not document the row under any, that counts.
fn documented_code(errors: &Errors, row: usize, own: u16) -> u16 {
    let uses = || errors.documented.iter().filter(|use_| use_.row == row);
    let codes =
        || uses().filter_map(|use_| if let Status::Code(code) = use_.status { Some(code) } else { None });
    if codes().any(|code| code == own) { own } else { codes().next().unwrap_or(own) }
}

/// A response in the making.
#[derive(Default)]
struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Body,
}

impl Reply {
    fn finish(self) -> Response<Body> {
        let mut response = Response::new(self.body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }

    /// Takes a response apart. `code` is its status, if the value does not say that itself.
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
            self.set_status(status.ok_or(ReplyError::Shape("its status is no number"))?, row.status)?;
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
            [(_, body), ..] => self.contents(row.contents, *body),
        }
    }

    /// Sets a status that the value says.
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
        let name = HeaderName::from_bytes(row.name.as_bytes()).map_err(|_| ReplyError::Header(row.name))?;
        let text = write_header(row.explode, value);
        let value = HeaderValue::from_maybe_shared(Bytes::from(text)).map_err(invalid)?;
        self.headers.append(name, value);
        Ok(())
    }

    fn contents(&mut self, contents: &'static [Content], value: &dyn Encode) -> Result<(), ReplyError> {
        match contents {
            [] => Ok(()),
            [content] => self.content(content, value),
            contents => with_choice(value, &mut |index, value| {
                self.content(contents.get(index).ok_or(ReplyError::Shape("there is no such content"))?, value)
            }),
        }
    }

    fn content(&mut self, content: &'static Content, value: &dyn Encode) -> Result<(), ReplyError> {
        self.body = match content.format {
            ContentFormat::Json => to_json(value).into(),
            ContentFormat::Text => to_bytes(value).into(),
            ContentFormat::Bytes => to_stream(value, None).into(),
            ContentFormat::Items(framing) => to_stream(value, Some(framing)).into(),
            ContentFormat::Form => form(value)?.into(),
            ContentFormat::Multipart => return Err(ReplyError::MediaType(content.media_type)),
        };
        let content_type = content_type(content)?;
        self.headers.entry(CONTENT_TYPE).or_insert(content_type);
        if content.format == ContentFormat::Items(Framing::Events) {
            self.headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
        }
        Ok(())
    }
}

/// The type to send for a documented type or range.
fn content_type(content: &'static Content) -> Result<HeaderValue, ReplyError> {
    const PLAIN: &str = "text/plain; charset=utf-8";
    let is_range = content.media_type.contains('*');
    let media_type = match content.format {
        _ if content.media_type == "text/plain" => PLAIN,
        ContentFormat::Json if is_range => "application/json",
        ContentFormat::Text if is_range => PLAIN,
        _ if is_range => "application/octet-stream",
        _ => content.media_type,
    };
    let value = HeaderValue::from_maybe_shared(Bytes::from_static(media_type.as_bytes()));
    value.map_err(|_| ReplyError::MediaType(content.media_type))
}

/// `a=1&b=2`, of an object's fields; what is no scalar is JSON text.
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
