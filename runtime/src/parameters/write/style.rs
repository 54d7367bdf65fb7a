//! Writes values in the styles of OpenAPI.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::visit::{Layer, visit};
use crate::codec::{Encode, to_json};
use crate::table::{Location, Parameter, Style};
use crate::types::{Base64, Bytes};

/// All characters except those that RFC 3986 calls unreserved.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The characters to escape in style `label`, whose delimiter may be a dot.
const RESERVED_AND_DOT: &AsciiSet = &RESERVED.add(b'.');

/// The characters to escape; `None` in a header, which has no escapes.
pub(crate) type Escapes = Option<&'static AsciiSet>;

/// The characters to escape in queries, forms, cookies and most paths.
pub(crate) const ESCAPES: Escapes = Some(RESERVED);

/// Escaped names with escaped values.
pub(crate) type Written = Vec<(String, String)>;

pub(crate) fn escape(text: &str, escapes: Escapes) -> String {
    match escapes {
        Some(set) => utf8_percent_encode(text, set).to_string(),
        None => text.to_owned(),
    }
}

/// Returns a value as one text; arrays and objects are JSON.
pub(crate) fn text(value: &dyn Encode) -> String {
    let mut text = String::new();
    visit(value, &mut |layer| {
        text = match layer {
            Layer::Null => String::new(),
            Layer::Word(word) => word,
            Layer::Text(value) => value.to_owned(),
            Layer::Bytes(value) => bytes_text(value),
            Layer::File(value) => bytes_text(&value.data),
            Layer::Stream(value) => bytes_text(&value.held().unwrap_or_default()),
            Layer::Items(_) | Layer::Array(_) | Layer::Object(_) => json(value),
            Layer::Choice(_, value) => self::text(value),
        };
    });
    text
}

fn bytes_text(value: &Bytes) -> String {
    match std::str::from_utf8(value) {
        Ok(value) => value.to_owned(),
        Err(_) => Base64(value.to_vec()).to_string(),
    }
}

/// Returns a value as JSON text.
pub(crate) fn json(value: &dyn Encode) -> String {
    String::from_utf8_lossy(&to_json(value)).into_owned()
}

/// Returns a value as one escaped text with a delimiter between its parts.
///
/// An array is `1,2`. An object is `a,1,b,2`, or `a=1,b=2` if `assigned` is set.
pub(crate) fn flat(value: &dyn Encode, delimiter: &str, assigned: bool, escapes: Escapes) -> String {
    let mut out = String::new();
    visit(value, &mut |layer| match layer {
        Layer::Array(items) => {
            let items: Vec<String> = items.into_iter().map(|item| escape(&text(item), escapes)).collect();
            out = items.join(delimiter);
        }
        Layer::Object(fields) => {
            let between = if assigned { "=" } else { delimiter };
            let fields: Vec<String> = fields
                .into_iter()
                .filter(|(_, value)| !value.is_absent())
                .map(|(name, value)| escape(name, escapes) + between + &escape(&text(value), escapes))
                .collect();
            out = fields.join(delimiter);
        }
        _ => out = escape(&text(value), escapes),
    });
    out
}

/// Writes a query parameter, cookie, matrix segment or form field as pairs.
pub(crate) fn pairs(name: &str, style: Style, explode: bool, value: &dyn Encode, out: &mut Written) {
    match style {
        Style::DeepObject => deep(name.to_owned(), value, out),
        _ if explode => exploded(name, value, out),
        Style::SpaceDelimited => out.push((escape(name, ESCAPES), flat(value, "%20", false, ESCAPES))),
        Style::PipeDelimited => out.push((escape(name, ESCAPES), flat(value, "%7C", false, ESCAPES))),
        _ => out.push((escape(name, ESCAPES), flat(value, ",", false, ESCAPES))),
    }
}

fn exploded(name: &str, value: &dyn Encode, out: &mut Written) {
    let pair = |name: &str, value: &dyn Encode| (escape(name, ESCAPES), escape(&text(value), ESCAPES));
    visit(value, &mut |layer| match layer {
        Layer::Array(items) => out.extend(items.into_iter().map(|item| pair(name, item))),
        Layer::Object(fields) => {
            for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_absent()) {
                exploded_field(name, value, out);
            }
        }
        _ => out.push(pair(name, value)),
    });
}

/// Writes a field of an exploded object.
///
/// A field that is an array is exploded too. A field that is an object is JSON.
fn exploded_field(name: &str, value: &dyn Encode, out: &mut Written) {
    let mut is_object = false;
    visit(value, &mut |layer| is_object = matches!(layer, Layer::Object(_)));
    if is_object {
        out.push((escape(name, ESCAPES), escape(&json(value), ESCAPES)));
    } else {
        exploded(name, value, out);
    }
}

fn deep(name: String, value: &dyn Encode, out: &mut Written) {
    visit(value, &mut |layer| match layer {
        Layer::Array(items) => {
            for (index, item) in items.into_iter().enumerate() {
                deep(format!("{name}[{index}]"), item, out);
            }
        }
        Layer::Object(fields) => {
            for (field, value) in fields.into_iter().filter(|(_, value)| !value.is_absent()) {
                deep(format!("{name}[{field}]"), value, out);
            }
        }
        _ => out.push((escape(&name, ESCAPES), escape(&text(value), ESCAPES))),
    });
}

/// Joins pairs into one text: `a=1&b=2`.
pub(crate) fn joined(pairs: &Written, delimiter: &str) -> String {
    let mut out = String::new();
    for (name, value) in pairs {
        if !out.is_empty() {
            out.push_str(delimiter);
        }
        out.push_str(name);
        out.push('=');
        out.push_str(value);
    }
    out
}

/// Returns the text of a path parameter.
pub(crate) fn path_value(parameter: &Parameter, value: &dyn Encode) -> String {
    debug_assert_eq!(parameter.location, Location::Path);
    if parameter.content.is_some() {
        return escape(&json(value), ESCAPES);
    }
    match parameter.style {
        Style::Label => {
            let delimiter = if parameter.explode { "." } else { "," };
            format!(".{}", flat(value, delimiter, parameter.explode, Some(RESERVED_AND_DOT)))
        }
        Style::Matrix => {
            let mut written = Written::new();
            pairs(parameter.name, Style::Form, parameter.explode, value, &mut written);
            matrix(&written)
        }
        _ => flat(value, ",", parameter.explode, ESCAPES),
    }
}

/// Joins the pairs of style `matrix`: `;a=1;b`. An empty value has no `=`.
fn matrix(pairs: &Written) -> String {
    let mut out = String::new();
    for (name, value) in pairs {
        out.push(';');
        out.push_str(name);
        if !value.is_empty() {
            out.push('=');
            out.push_str(value);
        }
    }
    out
}
