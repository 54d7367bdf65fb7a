//! Strings and numbers.

use super::{Lowering, flat::Flat, place::Place};
use crate::{
    diagnostics::Code,
    document::Node,
    ir::{IntegerRules, NumberRules, TextFormat, TextRules, TextType, Type, Width},
};

/// Formats that are known but not checked.
const UNCHECKED: &[&str] = &[
    "char",
    "color",
    "commonmark",
    "currency",
    "decimal",
    "decimal128",
    "duration",
    "hostname",
    "html",
    "http-date",
    "idn-email",
    "idn-hostname",
    "ip",
    "iri",
    "iri-reference",
    "json-pointer",
    "markdown",
    "media-range",
    "partial-date-time",
    "password",
    "phone",
    "regex",
    "relative-json-pointer",
    "sf-string",
    "string",
    "time",
    "time-local",
    "timezone",
    "uri-reference",
    "uri-template",
    "bigint",
    "int128",
    "unixtime",
    "timestamp",
];

/// Formats of strings that are checked.
const CHECKED: &[&str] =
    &["date-time", "date", "uuid", "byte", "base64", "binary", "uri", "url", "email", "ipv4", "ipv6"];

/// Formats of numbers.
const NUMERIC: &[&str] = &[
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float",
    "double",
    "decimal",
    "decimal128",
    "number",
    "integer",
    "int",
    "long",
    "bigint",
    "int128",
    "duration",
    "unix-time",
    "unixtime",
    "timestamp",
];

/// Content encodings that leave the text unchanged or have a Rust type.
const TEXTUAL: &[&str] = &["base64", "7bit", "8bit", "binary", "identity"];

/// Returns the bounds of a format that is narrower than its Rust type.
fn narrow(format: &str) -> Option<(i128, i128)> {
    Some(match format {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "uint8" => (0, u8::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        _ => return None,
    })
}

impl<'d> Lowering<'d, '_> {
    /// Returns the type of an integer.
    pub fn integer(&mut self, flat: &Flat<'d>) -> Type {
        let format = flat.format.and_then(Node::as_str).unwrap_or_default();
        let maximum = floor(flat.maximum);
        let beyond_i64 = maximum.is_some_and(|maximum| maximum > i128::from(i64::MAX))
            && floor(flat.minimum).is_some_and(|minimum| minimum >= 0);
        self.note_format(flat.format, NUMERIC, "number");
        let width = match format {
            "int8" | "int16" | "int32" => Width::I32,
            "uint8" | "uint16" | "uint32" => Width::U32,
            "uint64" => Width::U64,
            _ if beyond_i64 => Width::U64,
            _ => Width::I64,
        };
        let mut rules = IntegerRules {
            width,
            minimum: ceil(flat.minimum),
            exclusive_minimum: floor(flat.exclusive_minimum),
            maximum,
            exclusive_maximum: ceil(flat.exclusive_maximum),
            multiple_of: None,
        };
        if let Some((least, most)) = narrow(format) {
            rules.minimum = Some(rules.minimum.map_or(least, |minimum| minimum.max(least)));
            rules.maximum = Some(rules.maximum.map_or(most, |maximum| maximum.min(most)));
        }
        if let Some(node) = flat.multiple_of {
            rules.multiple_of = node.as_i128().filter(|step| *step > 0);
            if rules.multiple_of.is_none() {
                let message = "`multipleOf` of an integer must be a positive integer, so it is not checked";
                self.warn(Code::Unsupported, node, message);
            }
        }
        Type::Integer(rules)
    }

    /// Returns the constraints of a number.
    pub fn number(&mut self, flat: &Flat<'d>) -> NumberRules {
        self.note_format(flat.format, NUMERIC, "number");
        let value = |node: Option<&Node>| node.and_then(Node::as_f64);
        NumberRules {
            minimum: value(flat.minimum),
            exclusive_minimum: value(flat.exclusive_minimum),
            maximum: value(flat.maximum),
            exclusive_maximum: value(flat.exclusive_maximum),
            multiple_of: value(flat.multiple_of).filter(|step| *step > 0.0),
        }
    }

    /// Returns the type of a string.
    pub fn string(&mut self, flat: &Flat<'d>, place: &Place<'d>) -> Type {
        let format = flat.format.and_then(Node::as_str).unwrap_or_default();
        let binary = format == "binary"
            || (format.is_empty()
                && flat.content_encoding.is_none()
                && flat.content_media_type.is_some_and(|media_type| {
                    !media_type.starts_with("text/") && !media_type.contains("json")
                }));
        if binary {
            return if place.is_multipart() { Type::File } else { Type::Bytes };
        }
        let (ty, checked) = match format {
            "date-time" => (TextType::Timestamp, Some(TextFormat::DateTime)),
            "date" => (TextType::Date, Some(TextFormat::Date)),
            "uuid" => (TextType::Uuid, Some(TextFormat::Uuid)),
            "byte" | "base64" => (TextType::Base64, Some(TextFormat::Base64)),
            "uri" | "url" => (TextType::String, Some(TextFormat::Uri)),
            "email" => (TextType::String, Some(TextFormat::Email)),
            "ipv4" => (TextType::String, Some(TextFormat::Ipv4)),
            "ipv6" => (TextType::String, Some(TextFormat::Ipv6)),
            "" if flat.content_encoding == Some("base64") => (TextType::Base64, Some(TextFormat::Base64)),
            _ => (TextType::String, None),
        };
        let foreign = self.options.types.keys().position(|name| name == format);
        self.foreign.extend(foreign);
        let ty = foreign.map_or(ty, TextType::Foreign);
        if checked.is_none() && foreign.is_none() {
            self.note_format(flat.format, UNCHECKED, "string");
        }
        if let Some(encoding) = flat.content_encoding.filter(|encoding| !TEXTUAL.contains(encoding)) {
            let node = flat.node.and_then(|node| node.get("contentEncoding")).or(flat.node);
            let message = format!("unsupported `contentEncoding: {encoding}`; the text is not decoded");
            node.and_then(|node| self.warn(Code::Unsupported, node, message));
        }
        let stated = self.stated(flat);
        let pattern = match flat.patterns.as_slice() {
            [] => None,
            _ if stated.as_ref().is_some_and(|stated| stated.pattern.is_some()) => None,
            [first, rest @ ..] => {
                for node in rest.iter().filter(|node| node.as_str() != first.as_str()) {
                    self.warn(
                        Code::Unsupported,
                        node,
                        "unsupported second pattern of a string, which is not checked",
                    );
                }
                self.pattern(first, place)
            }
        };
        let lengths = pattern.map(|(_, lengths)| lengths).unwrap_or_default();
        Type::Text(TextRules {
            ty,
            min_length: flat.min_length.filter(|length| *length > 0).max(lengths.least),
            max_length: [flat.max_length, lengths.most].into_iter().flatten().min(),
            pattern: pattern.map(|(id, _)| id),
            format: checked,
            stated,
        })
    }

    /// Reports a format that is unknown or does not apply to values of this kind.
    fn note_format(&mut self, format: Option<&'d Node>, known: &[&str], kind: &str) {
        let Some(node) = format else { return };
        let name = node.as_str().unwrap_or_default();
        if name.is_empty() || known.contains(&name) || !self.formats.insert((name, kind == "number")) {
            return;
        }
        let other = if kind == "number" { [UNCHECKED, CHECKED].concat() } else { NUMERIC.to_vec() };
        let message = if other.contains(&name) {
            format!("format `{name}` does not apply to a {kind}, so it is not checked")
        } else {
            format!("unknown format `{name}`, which is not checked")
        };
        self.warn(Code::UnknownFormat, node, message);
    }
}

/// Returns the smallest integer that is not less than a bound.
fn ceil(bound: Option<&Node>) -> Option<i128> {
    let bound = bound?;
    bound.as_i128().or_else(|| integral(bound.as_f64()?.ceil()))
}

/// Returns the greatest integer that is not greater than a bound.
fn floor(bound: Option<&Node>) -> Option<i128> {
    let bound = bound?;
    bound.as_i128().or_else(|| integral(bound.as_f64()?.floor()))
}

fn integral(value: f64) -> Option<i128> {
    #[expect(clippy::cast_possible_truncation, reason = "it is integral and within i128's range")]
    (value.abs() < 1e38).then_some(value as i128)
}
