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
    inner: Inner,
    names: &'static [&'static str],
}

use Inner::{Keyed, Many, One, Plain};

const fn two(inner: Inner, names: &'static [&'static str]) -> Row {
    Row { since: Since::Swagger2, inner, names }
}

const fn three(inner: Inner, names: &'static [&'static str]) -> Row {
    Row { since: Since::OpenApi3, inner, names }
}

const LATER: Inner = One(Kind::Later);

#[rustfmt::skip]
const DOCUMENT: &[Row] = &[
    two(Plain, &["swagger", "info", "host", "basePath", "schemes", "consumes", "produces"]),
    two(Keyed(Kind::PathItem), &["paths"]),
    two(Many(Kind::Schema), &["definitions"]),
    two(Many(Kind::Parameter), &["parameters"]),
    two(Many(Kind::Response), &["responses"]),
    two(Many(Kind::SecurityScheme), &["securityDefinitions"]),
    two(Plain, &["security", "tags", "externalDocs"]),
    three(Plain, &["servers"]),
    three(LATER, &["components", "webhooks"]),
];

#[rustfmt::skip]
const PATH_ITEM: &[Row] = &[
    two(Plain, &["$ref"]),
    two(One(Kind::Operation), &["get", "put", "post", "delete", "options", "head", "patch"]),
    two(Many(Kind::Parameter), &["parameters"]),
    three(One(Kind::Operation), &["trace"]),
    three(Plain, &["summary", "description", "servers"]),
];

#[rustfmt::skip]
const OPERATION: &[Row] = &[
    two(Plain, &["tags", "summary", "description", "externalDocs", "operationId", "consumes", "produces"]),
    two(Many(Kind::Parameter), &["parameters"]),
    two(Keyed(Kind::Response), &["responses"]),
    two(Plain, &["schemes", "deprecated", "security"]),
    three(LATER, &["requestBody", "callbacks"]),
    three(Plain, &["servers"]),
];

#[rustfmt::skip]
const PARAMETER: &[Row] = &[
    two(Plain, &["$ref", "name", "in", "description", "required"]),
    two(One(Kind::Schema), &["schema"]),
    two(Plain, &["allowEmptyValue"]),
    three(Plain, &["deprecated", "example", "examples", "style", "explode", "allowReserved"]),
    three(LATER, &["content"]),
];

/// The fields that describe a value in a parameter, a header or an item.
#[rustfmt::skip]
const ITEMS: &[Row] = &[
    two(Plain, &["type", "format"]),
    two(One(Kind::Items), &["items"]),
    two(Plain, &[
        "collectionFormat", "default", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength",
        "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "enum", "multipleOf",
    ]),
];

#[rustfmt::skip]
const HEADER: &[Row] = &[
    two(Plain, &["description"]),
    three(Plain, &["$ref", "required", "deprecated", "example", "examples"]),
    three(One(Kind::Schema), &["schema"]),
];

#[rustfmt::skip]
const RESPONSE: &[Row] = &[
    two(Plain, &["$ref", "description"]),
    two(One(Kind::Schema), &["schema"]),
    two(Many(Kind::Header), &["headers"]),
    two(Plain, &["examples"]),
    three(LATER, &["content", "links"]),
];

#[rustfmt::skip]
const SECURITY_SCHEME: &[Row] = &[
    two(Plain, &["type", "description", "name", "in", "flow", "authorizationUrl", "tokenUrl", "scopes"]),
    three(Plain, &["scheme", "bearerFormat", "flows", "openIdConnectUrl"]),
];

#[rustfmt::skip]
const SCHEMA: &[Row] = &[
    two(Plain, &[
        "$ref", "format", "title", "description", "default", "multipleOf", "maximum", "exclusiveMaximum", "minimum",
        "exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxProperties",
        "minProperties", "required", "enum", "type",
    ]),
    two(One(Kind::Schema), &["items"]),
    two(Many(Kind::Schema), &["allOf", "properties"]),
    two(One(Kind::Schema), &["additionalProperties"]),
    two(Plain, &["discriminator", "readOnly", "xml", "externalDocs", "example"]),
    three(Many(Kind::Schema), &[
        "oneOf", "anyOf", "prefixItems", "patternProperties", "dependencies", "dependentSchemas", "definitions", "$defs",
    ]),
    three(One(Kind::Schema), &[
        "not", "if", "then", "else", "additionalItems", "contains", "propertyNames", "unevaluatedItems",
        "unevaluatedProperties", "contentSchema",
    ]),
    three(Plain, &[
        "nullable", "writeOnly", "deprecated", "const", "examples", "minContains", "maxContains", "dependentRequired",
        "contentEncoding", "contentMediaType", "$id", "$schema", "$anchor", "$comment", "$dynamicRef", "$dynamicAnchor",
    ]),
];

impl Kind {
    fn rows(self) -> [&'static [Row]; 2] {
        match self {
            Self::Document => [DOCUMENT, &[]],
            Self::PathItem => [PATH_ITEM, &[]],
            Self::Operation => [OPERATION, &[]],
            Self::Parameter => [PARAMETER, ITEMS],
            Self::Header => [HEADER, ITEMS],
            Self::Items => [ITEMS, &[]],
            Self::Response => [RESPONSE, &[]],
            Self::Schema => [SCHEMA, &[]],
            Self::SecurityScheme => [SECURITY_SCHEME, &[]],
            Self::Later => [&[], &[]],
        }
    }

    /// Returns the version that introduced a field, and what the field contains.
    pub fn field(self, name: &str) -> Option<(Since, Inner)> {
        let found = self.rows().into_iter().flatten().find(|row| row.names.contains(&name));
        match self {
            Self::Later => Some((Since::OpenApi3, later(name))),
            // Many documents use keywords of schemas in items.
            Self::Items if found.is_none() => Some((Since::OpenApi3, Self::Schema.field(name)?.1)),
            _ => found.map(|row| (row.since, row.inner)),
        }
    }

    /// Returns the names of the fields that Swagger 2.0 defines.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let rows = self.rows().into_iter().flatten().filter(|row| row.since == Since::Swagger2);
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
        ITEMS.iter().any(|row| row.names.contains(&name))
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
