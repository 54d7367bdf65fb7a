//! Writes values in the styles of OpenAPI.

use super::escapes::Escapes;
use super::visit::{Layer, present, visit};
use crate::codec::view::{View, outermost};
use crate::codec::{Encode, to_json};
use crate::table::{ContentFormat, Location, Parameter, Style};

/// Escaped names with escaped values.
pub(crate) type Written = Vec<(String, String)>;

/// Returns a value as one text; arrays and objects are JSON.
pub(crate) fn text(value: &dyn Encode) -> String {
    let text = outermost(value, |view| match (view.untyped_text(), view) {
        (Some(text), _) => text.into_owned(),
        (None, View::Null | View::Float(_)) => String::new(),
        (None, View::Variant(_, value) | View::Choice(_, value)) => text(value),
        (None, _) => json(value),
    });
    text.unwrap_or_default()
}

/// Returns a value as JSON text.
pub(crate) fn json(value: &dyn Encode) -> String {
    String::from_utf8_lossy(&to_json(value)).into_owned()
}

/// Returns a value as one escaped text with a delimiter between its parts.
///
/// An array is `1,2`. An object is `a,1,b,2`, or `a=1,b=2` if `assigned` is set.
pub(crate) fn flat(value: &dyn Encode, delimiter: &str, assigned: bool, escapes: Escapes) -> String {
    let parts: Option<Vec<String>> = visit(value, &mut |layer| match layer {
        Layer::Array(items) => items.into_iter().map(|item| escapes.item(&text(item))).collect(),
        Layer::Object(fields) => {
            let between = if assigned { "=" } else { delimiter };
            present(fields)
                .map(|(name, value)| escapes.name(name) + between + &escapes.item(&text(value)))
                .collect()
        }
        _ => vec![escapes.text(&text(value))],
    });
    parts.unwrap_or_default().join(delimiter)
}

/// The serialization of a value as pairs: query parameters, cookies, matrix segments or form fields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pairs {
    pub(crate) style: Style,
    pub(crate) explode: bool,
    pub(crate) escapes: Escapes,
}

impl Pairs {
    /// Writes a value.
    pub(crate) fn write(self, name: &str, value: &dyn Encode, out: &mut Written) {
        match self.delimiter() {
            Some(delimiter) => {
                out.push((self.escapes.name(name), flat(value, delimiter, false, self.escapes)))
            }
            None if self.style == Style::DeepObject => self.deep(name.to_owned(), value, out),
            None => self.exploded(name, value, out),
        }
    }

    /// Returns the delimiter of the items, if they are in one pair.
    fn delimiter(self) -> Option<&'static str> {
        match self.style {
            Style::DeepObject => None,
            _ if self.explode => None,
            Style::SpaceDelimited => Some(self.escapes.delimiter(" ", "%20")),
            Style::PipeDelimited => Some(self.escapes.delimiter("|", "%7C")),
            _ => Some(","),
        }
    }

    /// Returns whether a reader splits a written value into the same items.
    ///
    /// Without percent-encoding, an item must not contain the delimiter. In style `deepObject`, a key ends at the first
    /// `]`, which is the same with percent-encoding.
    pub(crate) fn is_readable(self, value: &dyn Encode) -> bool {
        if self.style == Style::DeepObject {
            return has_readable_keys(value);
        }
        let Some(delimiter) = self.delimiter().filter(|_| self.escapes.is_none()) else { return true };
        let splits = |item: &dyn Encode| text(item).contains(delimiter);
        let is_split = visit(value, &mut |layer| match layer {
            Layer::Array(items) => items.into_iter().any(splits),
            Layer::Object(fields) => {
                present(fields).any(|(name, value)| name.contains(delimiter) || splits(value))
            }
            _ => false,
        });
        is_split != Some(true)
    }

    fn pair(self, name: &str, value: &dyn Encode) -> (String, String) {
        (self.escapes.name(name), self.escapes.text(&text(value)))
    }

    fn exploded(self, name: &str, value: &dyn Encode, out: &mut Written) {
        visit(value, &mut |layer| match layer {
            Layer::Array(items) => out.extend(items.into_iter().map(|item| self.pair(name, item))),
            Layer::Object(fields) => {
                for (name, value) in present(fields) {
                    self.exploded_field(name, value, out);
                }
            }
            _ => out.push(self.pair(name, value)),
        });
    }

    /// Writes a field of an exploded object.
    ///
    /// A field that is an array is exploded too. A field that is an object is JSON.
    fn exploded_field(self, name: &str, value: &dyn Encode, out: &mut Written) {
        let is_object = visit(value, &mut |layer| matches!(layer, Layer::Object(_)));
        if is_object == Some(true) {
            out.push(self.pair(name, value));
        } else {
            self.exploded(name, value, out);
        }
    }

    fn deep(self, name: String, value: &dyn Encode, out: &mut Written) {
        visit(value, &mut |layer| match layer {
            Layer::Array(items) => {
                for (index, item) in items.into_iter().enumerate() {
                    self.deep(format!("{name}[{index}]"), item, out);
                }
            }
            Layer::Object(fields) => {
                for (field, value) in present(fields) {
                    self.deep(format!("{name}[{field}]"), value, out);
                }
            }
            _ => out.push(self.pair(&name, value)),
        });
    }
}

/// Returns whether no key of an object, at any depth, contains the bracket that ends a key.
fn has_readable_keys(value: &dyn Encode) -> bool {
    let is_readable = visit(value, &mut |layer| match layer {
        Layer::Array(items) => items.into_iter().all(has_readable_keys),
        Layer::Object(fields) => {
            present(fields).all(|(name, value)| !name.contains(']') && has_readable_keys(value))
        }
        _ => true,
    });
    is_readable != Some(false)
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
    let (explode, escapes) = (parameter.explode, Escapes::of(parameter));
    if parameter.content == Some(ContentFormat::Json) {
        return escapes.text(&json(value));
    }
    match parameter.style {
        Style::Label => {
            let delimiter = if explode { "." } else { "," };
            format!(".{}", flat(value, delimiter, explode, escapes))
        }
        Style::Matrix => {
            let mut written = Written::new();
            Pairs { style: Style::Form, explode, escapes }.write(parameter.name, value, &mut written);
            // An empty value has no `=`.
            let pairs = written.into_iter();
            pairs
                .map(|(name, value)| match value.is_empty() {
                    true => format!(";{name}"),
                    false => format!(";{name}={value}"),
                })
                .collect()
        }
        _ => flat(value, ",", explode, escapes),
    }
}
