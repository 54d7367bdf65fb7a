//! Schemas: the dialect of Swagger 2.0 becomes that of OpenAPI 3.1.

use super::{
    build::{Fields, Rewriter, is_reference},
    table::{Inner, Kind},
};
use crate::{
    diagnostics::Code,
    tree::{Node, NodeRef, Value},
};

/// The bounds that a boolean makes exclusive.
const EXCLUSIVE: [(&str, &str); 2] = [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")];

/// The fields that describe a schema and do not constrain its values.
const WORDS: &[&str] = &[
    "description",
    "title",
    "example",
    "externalDocs",
    "xml",
    "readOnly",
    "writeOnly",
    "deprecated",
    "default",
];

impl<'d> Rewriter<'d, '_> {
    /// Rewrites a schema.
    pub fn schema(&mut self, node: NodeRef<'d>) -> Node {
        if !node.is_object() {
            return self.keep_below(node);
        }
        let fields = if is_reference(node) {
            self.reference_fields(node)
        } else {
            self.check(node, Kind::Schema);
            node.entries().flat_map(|(name, field)| self.keyword(node, name, field)).collect()
        };
        let fields = self.with_null(node, fields);
        self.object(node, fields)
    }

    /// Rewrites a keyword: to one, to several, or to none.
    pub fn keyword(&mut self, schema: NodeRef<'d>, name: &str, value: NodeRef<'d>) -> Fields {
        let renamed = |name: &str, node: Node| vec![(name.to_owned(), node)];
        match name {
            "type" => self.types(schema, value),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                self.bound(schema, name, value)
            }
            "discriminator" => match value.as_str() {
                Some(_) => renamed(name, self.discriminator(schema, value)),
                None => {
                    if value.is_object() {
                        let message = "`discriminator` is the name of a property in Swagger 2.0; the object is read as in OpenAPI 3";
                        self.warn(Code::NotInSwagger, value, message).at_name();
                    }
                    renamed(name, self.keep_below(value))
                }
            },
            "items" if value.is_array() => {
                let message = "Swagger 2.0 has no list of schemas in `items`; it is read as in JSON Schema";
                self.warn(Code::NotInSwagger, value, message).at_name();
                renamed("prefixItems", self.inner(value, Inner::Many(Kind::Schema)))
            }
            "additionalItems" => match schema.get("items") {
                Some(items) if items.is_array() => {
                    renamed("items", self.inner(value, Inner::One(Kind::Schema)))
                }
                _ => Fields::new(),
            },
            "nullable" | "x-nullable" => Fields::new(),
            "x-example" if schema.get("example").is_none() => renamed("example", self.keep_below(value)),
            _ => vec![self.field(Kind::Schema, name, value)],
        }
    }

    /// Rewrites `type`. A file is a binary string.
    fn types(&mut self, schema: NodeRef<'d>, value: NodeRef<'d>) -> Fields {
        if value.is_array() {
            let message = "Swagger 2.0 has no list of types in `type`; it is read as in OpenAPI 3.1";
            self.warn(Code::NotInSwagger, value, message).at_name();
        }
        if value.as_str() != Some("file") {
            return vec![("type".to_owned(), self.keep_below(value))];
        }
        let mut fields = vec![("type".to_owned(), self.text(value, "string"))];
        if schema.get("format").is_none() {
            fields.push(("format".to_owned(), self.text(value, "binary")));
        }
        fields
    }

    /// Rewrites a bound, which a boolean next to it can make exclusive.
    fn bound(&mut self, schema: NodeRef<'d>, name: &str, value: NodeRef<'d>) -> Fields {
        let Some((inclusive, exclusive)) =
            EXCLUSIVE.into_iter().find(|(one, other)| *one == name || *other == name)
        else {
            return Fields::new();
        };
        let flag = schema.get(exclusive).and_then(Node::as_bool);
        if name == inclusive {
            let name = if flag == Some(true) { exclusive } else { inclusive };
            return vec![(name.to_owned(), self.keep_below(value))];
        }
        match flag {
            None => {
                if value.as_f64().is_some() {
                    let message = format!(
                        "`{exclusive}` is a boolean beside `{inclusive}` in Swagger 2.0; the number is read as in OpenAPI 3.1"
                    );
                    self.warn(Code::NotInSwagger, value, message);
                }
                vec![(name.to_owned(), self.keep_below(value))]
            }
            Some(true) if schema.get(inclusive).is_none() => {
                let message = format!("`{exclusive}` has no effect without `{inclusive}`");
                self.warn(Code::BadBounds, value, message);
                Fields::new()
            }
            Some(_) => Fields::new(),
        }
    }

    /// Adds null to the values of a schema that is nullable.
    pub fn with_null(&mut self, schema: NodeRef<'d>, mut fields: Fields) -> Fields {
        let marks = ["x-nullable", "nullable"].into_iter().filter_map(|name| schema.get(name));
        let Some(mark) = marks.into_iter().find(|mark| mark.as_bool() == Some(true)) else { return fields };
        fields.retain(|(name, _)| name != "x-nullable" && name != "nullable");
        if let Some((_, values)) = fields.iter_mut().find(|(name, _)| name == "enum")
            && let Value::Array(values) = &mut values.value
            && !values.iter().any(Node::is_null)
        {
            values.push(self.node(mark, Value::Null));
        }
        let has = |names: &[&str]| fields.iter().any(|(name, _)| names.contains(&name.as_str()));
        if !has(&["type"])
            && let Some(implied) = implied(&has)
        {
            let kind = self.text(mark, implied);
            fields.insert(0, ("type".to_owned(), kind));
        }
        if let Some((_, kind)) = fields.iter_mut().find(|(name, _)| name == "type") {
            let null = self.text(mark, "null");
            match &mut kind.value {
                Value::Array(kinds) => kinds.push(null),
                Value::String(_) => {
                    let own = kind.clone();
                    kind.value = Value::Array(vec![own, null]);
                }
                _ => {}
            }
            return fields;
        }
        self.or_null(schema, mark, fields)
    }

    /// Returns a union of a schema without a type and null.
    fn or_null(&mut self, schema: NodeRef<'d>, mark: NodeRef<'d>, fields: Fields) -> Fields {
        let is_word = |name: &str| WORDS.contains(&name) || name.starts_with("x-");
        let (mut words, rest): (Fields, Fields) = fields.into_iter().partition(|(name, _)| is_word(name));
        if rest.is_empty() || rest.iter().all(|(name, _)| name == "enum") {
            words.extend(rest);
            return words;
        }
        let own = self.object(schema, rest);
        let kind = self.text(mark, "null");
        let null = self.object(mark, vec![("type".to_owned(), kind)]);
        let union = self.array(schema, vec![own, null]);
        words.push(("anyOf".to_owned(), union));
        words
    }

    /// Rewrites `discriminator: petType`, whose values are the names of definitions.
    fn discriminator(&mut self, schema: NodeRef<'d>, name: NodeRef<'d>) -> Node {
        let property = self.keep_below(name);
        let mut fields = vec![("propertyName".to_owned(), property)];
        // A document that grows too much is refused anyway.
        let mapping = if self.left == 0 { Vec::new() } else { self.keys.mapping(schema) };
        if !mapping.is_empty() {
            self.mapped += mapping.len();
            let entries = mapping.into_iter().map(|(value, key)| {
                let pointer = format!("#/components/schemas/{key}");
                (value, self.text(name, pointer))
            });
            let entries = entries.collect();
            fields.push(("mapping".to_owned(), self.object(name, entries)));
        }
        self.object(name, fields)
    }
}

/// Returns the type that keywords imply.
fn implied(has: &dyn Fn(&[&str]) -> bool) -> Option<&'static str> {
    if has(&["$ref", "allOf", "oneOf", "anyOf", "enum"]) {
        return None;
    }
    if has(&[
        "properties",
        "additionalProperties",
        "required",
        "discriminator",
        "minProperties",
        "maxProperties",
    ]) {
        return Some("object");
    }
    has(&["items", "minItems", "maxItems"]).then_some("array")
}
