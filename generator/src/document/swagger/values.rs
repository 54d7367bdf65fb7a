//! The values of parameters, form fields and headers: what describes them becomes a schema and a style.

use super::{
    build::{Fields, Rewriter, is_reference},
    table::Kind,
};
use crate::{
    diagnostics::Code,
    tree::{Node, NodeRef},
};

/// Where a value is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    Query,
    Form,
    /// In a path, a header or a cookie.
    Other,
}

/// How the items of an array are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separation {
    /// As a style of OpenAPI 3 does it, with or without `explode`.
    Style(&'static str, bool),
    /// As the default style of the location does it.
    Usual,
    /// As no style does it: the array is a text.
    Text,
}

use Location::{Form, Other};

/// Returns what `collectionFormat` means in a location. `multi` elsewhere is an error and read as `csv`.
fn separation_of(format: &str, location: Location) -> Option<Separation> {
    Some(match (format, location) {
        ("csv" | "multi", Other) => Separation::Usual,
        ("csv", _) => Separation::Style("form", false),
        ("multi", _) => Separation::Style("form", true),
        ("ssv" | "pipes", Other) | ("tsv", _) => Separation::Text,
        ("ssv", _) => Separation::Style("spaceDelimited", false),
        ("pipes", _) => Separation::Style("pipeDelimited", false),
        _ => return None,
    })
}

/// The extensions that are read in schemas.
const OF_SCHEMAS: &[&str] = &[
    "x-nullable",
    "x-enum-varnames",
    "x-enumNames",
    "x-enum-descriptions",
    "x-media",
    "x-unchecked",
    "x-rules",
];

/// Returns whether a field of a parameter or header belongs to the schema of its value.
pub fn is_of_schema(name: &str) -> bool {
    Kind::is_of_value(name) || OF_SCHEMAS.contains(&name)
}

impl<'d> Rewriter<'d, '_> {
    /// Returns the schema of a value, and how the items are separated if it is an array.
    pub fn value(&mut self, owner: NodeRef<'d>, what: &str, location: Location) -> (Node, Separation) {
        let separation = self.separation(owner, location);
        self.check_type(owner, what, location);
        let mut fields = Fields::new();
        for (name, value) in owner.entries().filter(|(name, _)| is_of_schema(name)) {
            match name {
                "collectionFormat" => {}
                "items" if value.is_object() => fields.push((name.to_owned(), self.items(value))),
                _ => fields.extend(self.keyword(owner, name, value)),
            }
        }
        if separation == Separation::Text {
            fields = self.as_text(owner, fields);
        }
        if fields.is_empty() {
            fields.push(("type".to_owned(), self.text(owner, "string")));
        }
        let fields = self.with_null(owner, fields);
        (self.object(owner, fields), separation)
    }

    /// Reports a value without a type, or with one that it can't have.
    fn check_type(&mut self, owner: NodeRef<'d>, what: &str, location: Location) {
        let Some(kind) = owner.get("type") else {
            let message = format!("missing field `type` in {what}; a string is assumed");
            self.warn(Code::MissingField, owner, message);
            return;
        };
        match kind.as_str() {
            Some("array") if owner.get("items").is_none() => {
                self.warn(Code::MissingField, owner, format!("missing field `items` in {what}"));
            }
            Some("file") if location != Form => {
                let message = format!("{what} can't be a file; only a parameter `in: formData` can");
                self.warn(Code::BadParameter, kind, message);
            }
            Some("file") => {}
            Some(name @ ("object" | "null")) => {
                let message = format!("{what} can't have the type `{name}` in Swagger 2.0");
                self.warn(Code::BadParameter, kind, message).help(
                    "the types are `string`, `number`, `integer`, `boolean` and `array`, and `file` in forms",
                );
            }
            _ => {}
        }
    }

    /// Returns the items of an array. An array within an array is a text, because no style has two separators.
    fn items(&mut self, node: NodeRef<'d>) -> Node {
        self.check(node, Kind::Items);
        if is_reference(node) {
            return self.schema(node);
        }
        let is_array = node.get("type").and_then(Node::as_str) == Some("array");
        let entries = node.entries().filter(|(name, _)| *name != "collectionFormat");
        let mut fields: Fields = entries.flat_map(|(name, value)| self.keyword(node, name, value)).collect();
        if is_array {
            let message = "unsupported array within an array of a parameter; each inner array is a string";
            self.warn(Code::Unsupported, node, message);
            fields = self.as_text(node, fields);
        }
        let fields = self.with_null(node, fields);
        self.object(node, fields)
    }

    /// Returns the fields of the schema of a text, which stands for an array.
    fn as_text(&mut self, owner: NodeRef<'d>, mut fields: Fields) -> Fields {
        const OF_ARRAYS: &[&str] =
            &["type", "items", "minItems", "maxItems", "uniqueItems", "default", "enum", "example"];
        fields.retain(|(name, _)| !OF_ARRAYS.contains(&name.as_str()));
        fields.insert(0, ("type".to_owned(), self.text(owner.get("type").unwrap_or(owner), "string")));
        fields
    }

    /// Returns how the items of a value are separated.
    fn separation(&mut self, owner: NodeRef<'d>, location: Location) -> Separation {
        let is_array = owner.get("type").and_then(Node::as_str) == Some("array");
        let written = owner.get("collectionFormat");
        if !is_array {
            if let Some(at) = written {
                let message = "`collectionFormat` has no effect without `type: array`";
                self.warn(Code::BadParameter, at, message).at_name();
            }
            return Separation::Usual;
        }
        let format = written.and_then(Node::as_str).unwrap_or("csv");
        let separation = separation_of(format, location);
        match (written, separation) {
            (Some(at), Some(Separation::Text)) => {
                let message = format!(
                    "unsupported `collectionFormat: {format}` here; the array is a string of separated values"
                );
                self.warn(Code::Unsupported, at, message);
            }
            (Some(at), Some(_)) if format == "multi" && location == Other => {
                let message =
                    "`collectionFormat: multi` is only for `in: query` and `in: formData`; `csv` is used";
                self.warn(Code::BadParameter, at, message);
            }
            (Some(at), None) => {
                let known = "`csv`, `ssv`, `tsv`, `pipes` and `multi`";
                let message = format!("unknown `collectionFormat`; it is one of {known}; `csv` is used");
                self.warn(Code::BadParameter, at, message);
            }
            _ => {}
        }
        separation.or_else(|| separation_of("csv", location)).unwrap_or(Separation::Usual)
    }

    /// Returns the fields of a style.
    pub fn style(&mut self, owner: NodeRef<'d>, separation: Separation) -> Fields {
        let at = owner.get("collectionFormat").unwrap_or(owner);
        match separation {
            Separation::Style(style, explode) => vec![
                ("style".to_owned(), self.text(at, style)),
                ("explode".to_owned(), self.flag(at, explode)),
            ],
            Separation::Usual | Separation::Text => Fields::new(),
        }
    }

    /// Rewrites a header of a response.
    pub fn header(&mut self, node: NodeRef<'d>) -> Node {
        if is_reference(node) || node.get("schema").is_some() {
            self.check(node, Kind::Header);
            return self.fields(node, Kind::Header);
        }
        let mut fields = self.convert(node, Kind::Header, |_, name, _| is_of_schema(name).then(Fields::new));
        let (schema, _) = self.value(node, "the header", Other);
        fields.push(("schema".to_owned(), schema));
        self.object(node, fields)
    }
}
