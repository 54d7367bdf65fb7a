//! The objects of Swagger 2.0 and their fields.
//!
//! The tables say which fields an object has, and which objects those contain. Everything that visits a document goes by
//! them: the search for references, the check of unknown fields, and the copying of what stays as it is.

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
    /// An object that only OpenAPI 3 has, with whatever it contains.
    Later,
}

/// What a field contains.
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

/// A field of an object.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub name: &'static str,
    pub inner: Inner,
    pub since: Since,
}

use Inner::{Keyed, Many, One, Plain};

const fn two(name: &'static str, inner: Inner) -> Row {
    Row { name, inner, since: Since::Swagger2 }
}

const fn three(name: &'static str, inner: Inner) -> Row {
    Row { name, inner, since: Since::OpenApi3 }
}

const LATER: Inner = One(Kind::Later);

const DOCUMENT: &[Row] = &[
    two("swagger", Plain),
    two("info", Plain),
    two("host", Plain),
    two("basePath", Plain),
    two("schemes", Plain),
    two("consumes", Plain),
    two("produces", Plain),
    two("paths", Keyed(Kind::PathItem)),
    two("definitions", Many(Kind::Schema)),
    two("parameters", Many(Kind::Parameter)),
    two("responses", Many(Kind::Response)),
    two("securityDefinitions", Many(Kind::SecurityScheme)),
    two("security", Plain),
    two("tags", Plain),
    two("externalDocs", Plain),
    three("servers", Plain),
    three("components", LATER),
    three("webhooks", LATER),
];

const PATH_ITEM: &[Row] = &[
    two("$ref", Plain),
    two("get", One(Kind::Operation)),
    two("put", One(Kind::Operation)),
    two("post", One(Kind::Operation)),
    two("delete", One(Kind::Operation)),
    two("options", One(Kind::Operation)),
    two("head", One(Kind::Operation)),
    two("patch", One(Kind::Operation)),
    two("parameters", Many(Kind::Parameter)),
    three("trace", One(Kind::Operation)),
    three("summary", Plain),
    three("description", Plain),
    three("servers", Plain),
];

const OPERATION: &[Row] = &[
    two("tags", Plain),
    two("summary", Plain),
    two("description", Plain),
    two("externalDocs", Plain),
    two("operationId", Plain),
    two("consumes", Plain),
    two("produces", Plain),
    two("parameters", Many(Kind::Parameter)),
    two("responses", Keyed(Kind::Response)),
    two("schemes", Plain),
    two("deprecated", Plain),
    two("security", Plain),
    three("requestBody", LATER),
    three("callbacks", LATER),
    three("servers", Plain),
];

const PARAMETER: &[Row] = &[
    two("$ref", Plain),
    two("name", Plain),
    two("in", Plain),
    two("description", Plain),
    two("required", Plain),
    two("schema", One(Kind::Schema)),
    two("allowEmptyValue", Plain),
    three("deprecated", Plain),
    three("example", Plain),
    three("examples", Plain),
    three("style", Plain),
    three("explode", Plain),
    three("allowReserved", Plain),
    three("content", LATER),
];

/// The fields that describe a value in a parameter, a header or an item.
const ITEMS: &[Row] = &[
    two("type", Plain),
    two("format", Plain),
    two("items", One(Kind::Items)),
    two("collectionFormat", Plain),
    two("default", Plain),
    two("maximum", Plain),
    two("exclusiveMaximum", Plain),
    two("minimum", Plain),
    two("exclusiveMinimum", Plain),
    two("maxLength", Plain),
    two("minLength", Plain),
    two("pattern", Plain),
    two("maxItems", Plain),
    two("minItems", Plain),
    two("uniqueItems", Plain),
    two("enum", Plain),
    two("multipleOf", Plain),
];

const HEADER: &[Row] = &[
    two("description", Plain),
    three("$ref", Plain),
    three("required", Plain),
    three("deprecated", Plain),
    three("schema", One(Kind::Schema)),
    three("example", Plain),
    three("examples", Plain),
];

const RESPONSE: &[Row] = &[
    two("$ref", Plain),
    two("description", Plain),
    two("schema", One(Kind::Schema)),
    two("headers", Many(Kind::Header)),
    two("examples", Plain),
    three("content", LATER),
    three("links", LATER),
];

const SECURITY_SCHEME: &[Row] = &[
    two("type", Plain),
    two("description", Plain),
    two("name", Plain),
    two("in", Plain),
    two("flow", Plain),
    two("authorizationUrl", Plain),
    two("tokenUrl", Plain),
    two("scopes", Plain),
    three("scheme", Plain),
    three("bearerFormat", Plain),
    three("flows", Plain),
    three("openIdConnectUrl", Plain),
];

const SCHEMA: &[Row] = &[
    two("$ref", Plain),
    two("format", Plain),
    two("title", Plain),
    two("description", Plain),
    two("default", Plain),
    two("multipleOf", Plain),
    two("maximum", Plain),
    two("exclusiveMaximum", Plain),
    two("minimum", Plain),
    two("exclusiveMinimum", Plain),
    two("maxLength", Plain),
    two("minLength", Plain),
    two("pattern", Plain),
    two("maxItems", Plain),
    two("minItems", Plain),
    two("uniqueItems", Plain),
    two("maxProperties", Plain),
    two("minProperties", Plain),
    two("required", Plain),
    two("enum", Plain),
    two("type", Plain),
    two("items", One(Kind::Schema)),
    two("allOf", Many(Kind::Schema)),
    two("properties", Many(Kind::Schema)),
    two("additionalProperties", One(Kind::Schema)),
    two("discriminator", Plain),
    two("readOnly", Plain),
    two("xml", Plain),
    two("externalDocs", Plain),
    two("example", Plain),
    three("oneOf", Many(Kind::Schema)),
    three("anyOf", Many(Kind::Schema)),
    three("not", One(Kind::Schema)),
    three("if", One(Kind::Schema)),
    three("then", One(Kind::Schema)),
    three("else", One(Kind::Schema)),
    three("nullable", Plain),
    three("writeOnly", Plain),
    three("deprecated", Plain),
    three("const", Plain),
    three("examples", Plain),
    three("additionalItems", One(Kind::Schema)),
    three("prefixItems", Many(Kind::Schema)),
    three("contains", One(Kind::Schema)),
    three("minContains", Plain),
    three("maxContains", Plain),
    three("patternProperties", Many(Kind::Schema)),
    three("propertyNames", One(Kind::Schema)),
    three("dependencies", Many(Kind::Schema)),
    three("dependentRequired", Plain),
    three("dependentSchemas", Many(Kind::Schema)),
    three("unevaluatedItems", One(Kind::Schema)),
    three("unevaluatedProperties", One(Kind::Schema)),
    three("contentEncoding", Plain),
    three("contentMediaType", Plain),
    three("contentSchema", One(Kind::Schema)),
    three("definitions", Many(Kind::Schema)),
    three("$defs", Many(Kind::Schema)),
    three("$id", Plain),
    three("$schema", Plain),
    three("$anchor", Plain),
    three("$comment", Plain),
    three("$dynamicRef", Plain),
    three("$dynamicAnchor", Plain),
];

impl Kind {
    /// Returns the field of this name.
    pub fn row(self, name: &str) -> Option<Row> {
        let find = |rows: &[Row]| rows.iter().find(|row| row.name == name).copied();
        match self {
            Self::Document => find(DOCUMENT),
            Self::PathItem => find(PATH_ITEM),
            Self::Operation => find(OPERATION),
            Self::Parameter => find(PARAMETER).or_else(|| find(ITEMS)),
            Self::Header => find(HEADER).or_else(|| find(ITEMS)),
            // Documents use all of a schema in items.
            Self::Items => find(ITEMS).or_else(|| Some(Row { since: Since::OpenApi3, ..find(SCHEMA)? })),
            Self::Response => find(RESPONSE),
            Self::Schema => find(SCHEMA),
            Self::SecurityScheme => find(SECURITY_SCHEME),
            Self::Later => Some(later(name)),
        }
    }

    /// Returns the names of the fields that Swagger 2.0 defines.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let rows: [&[Row]; 2] = match self {
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
        };
        rows.into_iter().flatten().filter(|row| row.since == Since::Swagger2).map(|row| row.name)
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
        match self {
            Self::Schema | Self::Items => "definitions",
            Self::Parameter => "parameters",
            Self::Response => "responses",
            Self::SecurityScheme => "securityDefinitions",
            _ => "",
        }
    }

    /// Returns whether a field describes the value of a parameter, header or item.
    pub fn is_of_value(name: &str) -> bool {
        ITEMS.iter().any(|row| row.name == name)
    }
}

/// Returns a field of an object that only OpenAPI 3 has.
fn later(name: &str) -> Row {
    let inner = match name {
        "example" | "examples" | "value" | "default" | "enum" | "mapping" => Plain,
        "schema" => One(Kind::Schema),
        "schemas" => Many(Kind::Schema),
        name if name.starts_with("x-") => Plain,
        _ => LATER,
    };
    Row { name: "", inner, since: Since::OpenApi3 }
}

impl Inner {
    /// Returns what the field of an object of this kind contains.
    pub fn of_field(kind: Kind, name: &str) -> Self {
        if name.starts_with("x-") { Self::Plain } else { kind.row(name).map_or(Self::Plain, |row| row.inner) }
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
