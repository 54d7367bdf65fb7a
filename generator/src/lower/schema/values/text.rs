//! Strings and their formats.

use crate::{
    diagnostics::Code,
    ir::{TextFormat, TextRules, TextType, Type},
    lower::{
        position::{Role, SchemaPosition},
        resolver::{flat::Flat, literal::least},
        schema::{state::Schemas, values::numbers::NUMERIC},
    },
    tree::{Node, NodeRef},
};

/// Formats that are known but not checked by default.
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

/// Formats of strings that are checked by default.
const CHECKED: &[&str] =
    &["date-time", "date", "uuid", "byte", "base64", "binary", "uri", "url", "email", "ipv4", "ipv6"];

/// Content encodings that leave the text unchanged or have a Rust type.
const TEXTUAL: &[&str] = &["base64", "7bit", "8bit", "binary", "identity"];

impl<'d> Schemas<'d, '_> {
    /// Returns the type of a string.
    pub fn string(&mut self, flat: &Flat<'d>, position: &SchemaPosition<'d>) -> Type {
        let format = flat.merged.format.and_then(Node::as_str).unwrap_or_default();
        let binary = format == "binary"
            || (format.is_empty()
                && flat.merged.content_encoding.is_none()
                && flat.merged.content_media_type.is_some_and(|media_type| {
                    !media_type.starts_with("text/") && !media_type.contains("json")
                }));
        if binary {
            return if position.role == Role::Multipart { Type::File } else { Type::Bytes };
        }
        let is_base64 = format.is_empty() && flat.merged.content_encoding == Some("base64");
        let name = if is_base64 { "base64" } else { format };
        let checked = TextFormat::from_name(name, self.options.formats);
        let foreign = self.options.types.keys().position(|name| name == format);
        self.notes.foreign.extend(foreign);
        let ty = checked.map_or(TextType::String, TextFormat::ty);
        let ty = foreign.map_or(ty, TextType::Foreign);
        if TextFormat::common(format).is_none() && foreign.is_none() {
            self.note_format(flat.merged.format, UNCHECKED, "string");
        }
        if let Some(encoding) = flat.merged.content_encoding.filter(|encoding| !TEXTUAL.contains(encoding)) {
            let node = flat.node.and_then(|node| node.get("contentEncoding")).or(flat.node);
            let message = format!("unsupported `contentEncoding: {encoding}`; the text is not decoded");
            if let Some(node) = node {
                self.warn(Code::Unsupported, node, message);
            }
        }
        let stated = self.stated(flat);
        let pattern = match flat.pattern.as_slice() {
            [] => None,
            _ if stated.as_ref().is_some_and(|stated| stated.pattern.is_some()) => None,
            // The row has one pattern. If there are others, the row does not express the schema (`needs_json_schema`).
            [first, ..] => self.pattern(first, position),
        };
        let lengths = pattern.map(|(_, lengths)| lengths).unwrap_or_default();
        Type::Text(TextRules {
            ty,
            min_length: least(flat.merged.min_length).max(lengths.least),
            max_length: [flat.merged.max_length.and_then(Node::as_u64), lengths.most]
                .into_iter()
                .flatten()
                .min(),
            pattern: pattern.map(|(id, _)| id),
            format: checked,
            stated,
        })
    }

    /// Reports a format that is unknown or does not apply to values of this kind.
    pub fn note_format(&mut self, format: Option<NodeRef<'d>>, known: &[&str], kind: &str) {
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
