//! Encodes the input of an operation as path, query, headers, cookies and body.

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};

use super::escapes::Escapes;
use super::multipart::{PartWriter, write_multipart};
use super::style::{self, Pairs, Written, joined};
use super::visit::{Layer, present, visit};
use crate::codec::view::View;
use crate::codec::{Encode, to_json};
use crate::parameters::media::is_json;
use crate::stream::ItemWriter;
use crate::table::{Content, ContentFormat, Encoding, Header, Location, Operation, Parameter, Style};
use crate::types::ByteStream;
#[cfg(feature = "client")]
use crate::{codec::to_value, types::Value};

/// The input of an operation in its wire format.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct EncodedRequest {
    /// The percent-encoded path.
    pub path: String,
    /// The query without the `?`; empty if there is none.
    pub query: String,
    /// The header parameters, with their names as the document writes them.
    pub headers: Vec<(&'static str, String)>,
    /// The value of the `Cookie` header, if there are cookie parameters.
    pub cookie: Option<String>,
    /// The parameter or the property of the body whose value can't be written, so that the request must not be sent.
    ///
    /// Cookies in the style `cookie` and the parts of a multipart body are not percent-encoded. A delimiter within
    /// such a value would end it. In the style `deepObject`, a `]` ends a key, even if it is percent-encoded. For a form
    /// whose value is not an object, it is the media type.
    pub unwritable: Option<&'static str>,
    /// The body, if there is one.
    pub body: Option<EncodedBody>,
}

/// A body in its wire format.
#[derive(Debug)]
#[non_exhaustive]
pub struct EncodedBody {
    /// The documented content of the body.
    pub content: &'static Content,
    /// The value of the `Content-Type` header.
    ///
    /// If the document specifies a range (`image/*`), it is `application/octet-stream`, or the type of the format:
    /// `application/json` of `application/*+json`, `text/plain` of `text/*`.
    pub content_type: String,
    /// The bytes.
    pub bytes: ByteStream,
    /// See [`EncodedRequest::unwritable`].
    pub(crate) unwritable: Option<&'static str>,
}

/// Encodes the input of an operation.
///
/// The fields of `input` are the operation's parameters in order, then the body.
///
/// The caller must reject a path with a segment that is empty, `.` or `..`. URL parsers remove such segments,
/// even if they are encoded, so the request would go to another path.
#[must_use]
pub fn encode_input(operation: &'static Operation, input: &dyn Encode) -> EncodedRequest {
    let mut request = EncodedRequest::default();
    let mut path: Vec<(&'static str, String)> = Vec::new();
    let (mut query, mut cookies) = (Written::new(), Written::new());
    visit(input, &mut |layer| {
        let Layer::Object(fields) = layer else { return };
        for (index, (_, value)) in fields.into_iter().enumerate() {
            let Some(value) = value else { continue };
            let Some(parameter) = operation.parameters.get(index) else {
                request.body = operation.body.as_ref().and_then(|body| encode_body(body.contents, value));
                let in_body = request.body.as_ref().and_then(|body| body.unwritable);
                request.unwritable = request.unwritable.or(in_body);
                continue;
            };
            match parameter.location {
                Location::Path => path.push((parameter.name, style::path_value(parameter, value))),
                Location::Query => {
                    if !write_pairs(parameter, value, &mut query) {
                        request.unwritable = request.unwritable.or(Some(parameter.name));
                    }
                }
                Location::QueryString => request.query = query_string(parameter, value),
                Location::Header => {
                    let text = header_of(parameter.content, parameter.explode, value);
                    request.headers.push((parameter.name, text));
                }
                Location::Cookie => {
                    let mut own = Written::new();
                    let is_written = write_pairs(parameter, value, &mut own);
                    if !is_written || !own.iter().all(|(name, value)| is_cookie(name, value)) {
                        request.unwritable = request.unwritable.or(Some(parameter.name));
                    }
                    cookies.append(&mut own);
                }
            }
        }
    });
    request.path = fill_template(operation.path, &path);
    if !query.is_empty() {
        request.query = joined(&query, "&");
    }
    request.cookie = (!cookies.is_empty()).then(|| joined(&cookies, "; "));
    request
}

/// Returns the values of the path parameters, by name.
#[cfg(feature = "client")]
pub(crate) fn path_values(operation: &Operation, input: &dyn Encode) -> Vec<(&'static str, Value)> {
    let mut values = Vec::new();
    visit(input, &mut |layer| {
        let Layer::Object(fields) = layer else { return };
        for (parameter, (_, value)) in operation.parameters.iter().zip(fields) {
            if parameter.location == Location::Path {
                values.extend(value.map(|value| (parameter.name, to_value(value))));
            }
        }
    });
    values
}

/// Returns whether a server reads a cookie as it is written.
fn is_cookie(name: &str, value: &str) -> bool {
    let ends = |text: &str| text.contains(|it: char| it == ';' || it.is_control()) || text.trim() != text;
    !(ends(name) || ends(value) || name.contains('='))
}

/// Returns the value of a header in the style `simple`.
///
/// With `explode`, the properties of an object are written as `k=v`.
///
/// ```
/// use openapi_crates_runtime::parameters::write_header;
///
/// assert_eq!(write_header(false, &vec![1, 2, 3]), "1,2,3");
/// ```
#[must_use]
pub fn write_header(explode: bool, value: &dyn Encode) -> String {
    style::flat(value, ",", explode, Escapes::NONE)
}

/// Returns the lines of a response header. Only `Set-Cookie` has several: one for each value.
///
/// Its values may contain commas. A text whose format is text has them in lines.
#[must_use]
pub fn write_header_lines(header: &Header, value: &dyn Encode) -> Vec<String> {
    if header.content == Some(ContentFormat::Json) || !header.has_value_per_line() {
        return vec![header_text(header, value)];
    }
    let lines = visit(value, &mut |layer| match layer {
        Layer::Array(items) => items.into_iter().map(style::text).collect(),
        Layer::Object(fields) => {
            present(fields).map(|(name, value)| format!("{name}={}", style::text(value))).collect()
        }
        // A line break in any other text is an error and no second cookie.
        _ if header.content.is_none() => vec![style::text(value)],
        _ => style::text(value).lines().map(str::to_owned).collect(),
    });
    lines.unwrap_or_default()
}

/// Returns the value of a header of a response or part.
pub(crate) fn header_text(header: &Header, value: &dyn Encode) -> String {
    header_of(header.content, header.explode, value)
}

fn header_of(content: Option<ContentFormat>, explode: bool, value: &dyn Encode) -> String {
    match content {
        Some(ContentFormat::Json) => style::json(value),
        _ => write_header(explode, value),
    }
}

/// Writes a query or cookie parameter. Returns whether a reader gets the same value.
fn write_pairs(parameter: &Parameter, value: &dyn Encode, out: &mut Written) -> bool {
    let escapes = Escapes::of(parameter);
    if parameter.content == Some(ContentFormat::Json) {
        write_json(parameter.name, value, escapes, out);
        return true;
    }
    let pairs = Pairs { style: parameter.style, explode: parameter.explode, escapes };
    pairs.write(parameter.name, value, out);
    pairs.is_readable(value)
}

fn write_json(name: &str, value: &dyn Encode, escapes: Escapes, out: &mut Written) {
    out.push((escapes.name(name), escapes.text(&style::json(value))));
}

/// Returns the value of a parameter that is the whole query string.
fn query_string(parameter: &Parameter, value: &dyn Encode) -> String {
    match parameter.content {
        Some(ContentFormat::Form) => encode_form(parameter.encodings, value).unwrap_or_default(),
        Some(ContentFormat::Json) => Escapes::ALL.text(&style::json(value)),
        _ => Escapes::ALL.text(&style::text(value)),
    }
}

/// Fills a path template such as `/{id}.{extension}`.
///
/// A parameter without a value is replaced by nothing. A value with a pattern, such as `{name=projects/*}`, keeps its
/// slashes.
fn fill_template(template: &str, values: &[(&'static str, String)]) -> String {
    let mut path = String::with_capacity(template.len() + 16);
    let mut rest = template;
    while let Some((literal, behind)) = rest.split_once('{') {
        path.push_str(literal);
        let (name, behind) = behind.split_once('}').unwrap_or((behind, ""));
        let (name, has_pattern) = name.split_once('=').map_or((name, false), |(name, _)| (name, true));
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
            match has_pattern {
                true => path.push_str(&value.replace("%2F", "/")),
                false => path.push_str(value),
            }
        }
        rest = behind;
    }
    path.push_str(rest);
    path
}

fn encode_body(contents: &'static [Content], value: &dyn Encode) -> Option<EncodedBody> {
    let body = visit(value, &mut |layer| match layer {
        Layer::Other(View::Choice(index, value)) => Some(encode_content(contents.get(index)?, value)),
        _ => Some(encode_content(contents.first()?, value)),
    });
    body.flatten()
}

pub(crate) fn encode_content(content: &'static Content, value: &dyn Encode) -> EncodedBody {
    let media_type = content.sent_type();
    let mut content_type = media_type.to_owned();
    let mut unwritable = None;
    let bytes: ByteStream = match content.format {
        ContentFormat::Json => to_json(value).into(),
        ContentFormat::Form => {
            let form = encode_form(content.encodings, value);
            unwritable = form.is_none().then_some(media_type);
            form.unwrap_or_default().into()
        }
        ContentFormat::Multipart | ContentFormat::Parts => {
            let body = write_multipart(content, value);
            content_type = format!("{media_type}; boundary={}", body.boundary);
            unwritable = body.unwritable;
            body.bytes.into()
        }
        ContentFormat::Text => style::text(value).into(),
        #[cfg(feature = "xml")]
        ContentFormat::Xml(root) => {
            let body = crate::xml::write_xml(root, content.schema, value);
            unwritable = body.unwritable;
            body.bytes.into()
        }
        ContentFormat::Bytes => raw_bytes(value),
        ContentFormat::Items(framing) => item_frames(Box::new(framing), value),
        ContentFormat::PartStream => {
            let writer = PartWriter::new(content);
            content_type = format!("{media_type}; boundary={}", writer.boundary);
            item_frames(Box::new(writer), value)
        }
    };
    EncodedBody { content, content_type, bytes, unwritable }
}

/// Returns raw bytes as a body. Another value is returned as its text.
pub(crate) fn raw_bytes(value: &dyn Encode) -> ByteStream {
    let bytes = visit(value, &mut |layer| match layer {
        Layer::Other(View::Stream(value)) => value.take(),
        Layer::Other(View::Bytes(value)) => value.clone().into(),
        Layer::Other(View::File(value)) => value.data.clone().into(),
        _ => style::text(value).into(),
    });
    bytes.unwrap_or_default()
}

/// Returns the items of a stream as the bytes of a body.
///
/// A value that is not a stream of items is returned as its bytes.
pub(crate) fn item_frames(writer: Box<dyn ItemWriter>, value: &dyn Encode) -> ByteStream {
    let mut writer = Some(writer);
    let bytes = visit(value, &mut |layer| match layer {
        Layer::Other(View::Items(items)) => Some(items.frames(writer.take()?)),
        _ => None,
    });
    bytes.flatten().unwrap_or_else(|| raw_bytes(value))
}

/// Returns the text of a form, or nothing for a value that is not an object.
///
/// By default, arrays are exploded, and objects are JSON, also those in arrays.
fn encode_form(encodings: &[Encoding], value: &dyn Encode) -> Option<String> {
    let form = visit(value, &mut |layer| {
        let Layer::Object(fields) = layer else { return None };
        let mut out = Written::new();
        for (name, value) in present(fields) {
            match encodings.iter().find(|encoding| encoding.property == name) {
                Some(encoding) if is_json(encoding.content_type) => {
                    write_json(name, value, Escapes::ALL, &mut out);
                }
                Some(&Encoding { style: Some(style), explode, allow_reserved, .. }) => {
                    let escapes = if allow_reserved { Escapes::IN_QUERY } else { Escapes::ALL };
                    Pairs { style, explode, escapes }.write(name, value, &mut out);
                }
                _ => write_field(name, value, &mut out),
            }
        }
        Some(joined(&out, "&"))
    });
    form.flatten()
}

/// Returns bytes as they are, percent-encoded: the text of a form need not be UTF-8.
fn raw_pair(name: &str, bytes: &[u8]) -> (String, String) {
    (Escapes::ALL.name(name), percent_encode(bytes, NON_ALPHANUMERIC).to_string())
}

fn write_field(name: &str, value: &dyn Encode, out: &mut Written) {
    visit(value, &mut |layer| match layer {
        Layer::Object(_) => write_json(name, value, Escapes::ALL, out),
        Layer::Other(View::Bytes(bytes)) => out.push(raw_pair(name, bytes)),
        Layer::Other(View::File(file)) => out.push(raw_pair(name, &file.data)),
        _ => Pairs { style: Style::Form, explode: true, escapes: Escapes::ALL }.write(name, value, out),
    });
}
