//! The objects of Swagger 2.0 and their fields.
//!
//! The tables list the fields of each object, and the objects that the fields contain. Each pass over a document uses
//! them: the search for references, the check of unknown fields, and the copy of unchanged parts.

/// A kind of object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Document,
    PathItem,
    Operation,
    Parameter,
    /// The items of an array in a parameter or header.
    Items,
    Header,
    Response,
    Schema,
    SecurityScheme,
    /// An object that only OpenAPI 3 has, and any object inside it.
    Later,
}

/// The sections whose entries become components, with the sections of `components` and the kinds of objects.
pub const SECTIONS: [(&str, &str, Kind); 4] = [
    ("definitions", "schemas", Kind::Schema),
    ("parameters", "parameters", Kind::Parameter),
    ("responses", "responses", Kind::Response),
    ("securityDefinitions", "securitySchemes", Kind::SecurityScheme),
];

/// The contents of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Inner {
    /// A value without objects of the specification, such as an example.
    Plain,
    /// An object, or a list of them where the specification has one object.
    One(Kind),
    /// A list of objects, or a map whose names are free.
    Many(Kind),
    /// A map whose names can be those of extensions.
    Keyed(Kind),
}

/// The version that introduced a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since {
    Swagger2,
    OpenApi3,
}

/// The fields of an object that contain the same.
struct Row {
    since: Since,
    of: Kind,
    inner: Inner,
    names: &'static [&'static str],
}

use Inner::{Keyed, Many, One, Plain};

const fn two(of: Kind, inner: Inner, names: &'static [&'static str]) -> Row {
    Row { since: Since::Swagger2, of, inner, names }
}

const fn three(of: Kind, inner: Inner, names: &'static [&'static str]) -> Row {
    Row { since: Since::OpenApi3, of, inner, names }
}

const LATER: Inner = One(Kind::Later);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    two(Kind::Document, Plain, &["swagger", "info", "host", "basePath", "schemes", "consumes", "produces"]),
    two(Kind::Document, Keyed(Kind::PathItem), &["paths"]),
    two(Kind::Document, Many(Kind::Schema), &["definitions"]),
    two(Kind::Document, Many(Kind::Parameter), &["parameters"]),
    two(Kind::Document, Many(Kind::Response), &["responses"]),
    two(Kind::Document, Many(Kind::SecurityScheme), &["securityDefinitions"]),
    two(Kind::Document, Plain, &["security", "tags", "externalDocs"]),
    three(Kind::Document, Plain, &["servers"]),
    three(Kind::Document, LATER, &["components", "webhooks"]),
    two(Kind::PathItem, Plain, &["$ref"]),
    two(Kind::PathItem, One(Kind::Operation), &["get", "put", "post", "delete", "options", "head", "patch"]),
    two(Kind::PathItem, Many(Kind::Parameter), &["parameters"]),
    three(Kind::PathItem, One(Kind::Operation), &["trace"]),
    three(Kind::PathItem, Plain, &["summary", "description", "servers"]),
    two(Kind::Operation, Plain, &["tags", "summary", "description", "externalDocs", "operationId", "consumes", "produces"]),
    two(Kind::Operation, Many(Kind::Parameter), &["parameters"]),
    two(Kind::Operation, Keyed(Kind::Response), &["responses"]),
    two(Kind::Operation, Plain, &["schemes", "deprecated", "security"]),
    three(Kind::Operation, LATER, &["requestBody", "callbacks"]),
    three(Kind::Operation, Plain, &["servers"]),
    two(Kind::Parameter, Plain, &["$ref", "name", "in", "description", "required"]),
    two(Kind::Parameter, One(Kind::Schema), &["schema"]),
    two(Kind::Parameter, Plain, &["allowEmptyValue"]),
    three(Kind::Parameter, Plain, &["deprecated", "example", "examples", "style", "explode", "allowReserved"]),
    three(Kind::Parameter, LATER, &["content"]),
    two(Kind::Header, Plain, &["description"]),
    three(Kind::Header, Plain, &["$ref", "required", "deprecated", "example", "examples"]),
    three(Kind::Header, One(Kind::Schema), &["schema"]),
    two(Kind::Items, Plain, &["type", "format"]),
    two(Kind::Items, One(Kind::Items), &["items"]),
    two(Kind::Items, Plain, &[
        "collectionFormat", "default", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength",
        "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "enum", "multipleOf",
    ]),
    two(Kind::Response, Plain, &["$ref", "description"]),
    two(Kind::Response, One(Kind::Schema), &["schema"]),
    two(Kind::Response, Many(Kind::Header), &["headers"]),
    two(Kind::Response, Plain, &["examples"]),
    three(Kind::Response, LATER, &["content", "links"]),
    two(Kind::SecurityScheme, Plain, &["type", "description", "name", "in", "flow", "authorizationUrl", "tokenUrl", "scopes"]),
    three(Kind::SecurityScheme, Plain, &["scheme", "bearerFormat", "flows", "openIdConnectUrl"]),
    two(Kind::Schema, Plain, &[
        "$ref", "format", "title", "description", "default", "multipleOf", "maximum", "exclusiveMaximum", "minimum",
        "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxProperties",
        "minProperties", "required", "enum", "type",
    ]),
    two(Kind::Schema, One(Kind::Schema), &["items"]),
    two(Kind::Schema, Many(Kind::Schema), &["allOf", "properties"]),
    two(Kind::Schema, One(Kind::Schema), &["additionalProperties"]),
    two(Kind::Schema, Plain, &["discriminator", "readOnly", "xml", "externalDocs", "example"]),
    three(Kind::Schema, Many(Kind::Schema), &[
        "oneOf", "anyOf", "prefixItems", "patternProperties", "dependencies", "dependentSchemas", "definitions", "$defs",
    ]),
    three(Kind::Schema, One(Kind::Schema), &[
        "not", "if", "then", "else", "additionalItems", "contains", "propertyNames", "unevaluatedItems",
        "unevaluatedProperties", "contentSchema",
    ]),
    three(Kind::Schema, Plain, &[
        "nullable", "writeOnly", "deprecated", "const", "examples", "minContains", "maxContains", "dependentRequired",
        "contentEncoding", "contentMediaType", "$id", "$schema", "$anchor", "$comment", "$dynamicRef", "$dynamicAnchor",
    ]),
];

impl Kind {
    fn rows(self) -> impl Iterator<Item = &'static Row> {
        // Parameters and headers describe their values as items do.
        let has_value = matches!(self, Self::Parameter | Self::Header);
        ROWS.iter().filter(move |row| row.of == self || has_value && row.of == Self::Items)
    }

    /// Returns the version that introduced a field, and what the field contains.
    pub fn field(self, name: &str) -> Option<(Since, Inner)> {
        let found = self.rows().find(|row| row.names.contains(&name));
        match self {
            Self::Later => Some((Since::OpenApi3, later(name))),
            // Many documents use keywords of schemas in items.
            Self::Items if found.is_none() => Some((Since::OpenApi3, Self::Schema.field(name)?.1)),
            _ => found.map(|row| (row.since, row.inner)),
        }
    }

    /// Returns the names of the fields that Swagger 2.0 defines.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let rows = self.rows().filter(|row| row.since == Since::Swagger2);
        rows.flat_map(|row| row.names).copied()
    }

    /// Returns what the object is called in messages.
    pub fn what(self) -> &'static str {
        match self {
            Self::Document => "a document",
            Self::PathItem => "a path item",
            Self::Operation => "an operation",
            Self::Parameter => "a parameter",
            Self::Items => "the items of a parameter",
            Self::Header => "a header",
            Self::Response => "a response",
            Self::Schema => "a schema",
            Self::SecurityScheme => "a security scheme",
            Self::Later => "an object",
        }
    }

    /// Returns the section of the document that has such objects, or an empty text.
    pub fn section(self) -> &'static str {
        let kind = if self == Self::Items { Self::Schema } else { self };
        SECTIONS.iter().find(|(.., of)| *of == kind).map_or("", |(section, ..)| section)
    }

    /// Returns whether a field describes the value of a parameter, header or item.
    pub fn is_of_value(name: &str) -> bool {
        Self::Items.rows().any(|row| row.names.contains(&name))
    }
}

/// Returns the contents of a field, in an object that only OpenAPI 3 has.
fn later(name: &str) -> Inner {
    match name {
        "example" | "examples" | "value" | "default" | "enum" | "mapping" => Plain,
        "schema" => One(Kind::Schema),
        "schemas" => Many(Kind::Schema),
        name if name.starts_with("x-") => Plain,
        _ => LATER,
    }
}

impl Inner {
    /// Returns what the field of an object of this kind contains.
    pub fn of_field(kind: Kind, name: &str) -> Self {
        if name.starts_with("x-") {
            Self::Plain
        } else {
            kind.field(name).map_or(Self::Plain, |(_, inner)| inner)
        }
    }

    /// Returns what an entry of a list or map contains.
    pub fn of_entry(self, name: &str) -> Self {
        match self {
            Self::Plain => Self::Plain,
            Self::Keyed(_) if name.starts_with("x-") => Self::Plain,
            Self::One(kind) | Self::Many(kind) | Self::Keyed(kind) => Self::One(kind),
        }
    }
}
