//! Operations: parameters, request bodies, responses.

use std::fmt;

use super::{
    ContentFormat, Docs, FinalState, Ident, Origin, Paging, Schema, SecurityRequirement, TagId, Task, TypeId,
    Xml,
};

/// An operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// The `operationId`, or a derived name if there is none.
    pub id: String,
    /// The name of the method in the server trait and the client.
    pub ident: Ident,
    /// The name of the table row.
    pub constant: Ident,
    /// The tag, whose module contains the operation.
    pub tag: TagId,
    /// The HTTP method in upper case.
    pub method: String,
    /// The path template as written in the document.
    pub path: String,
    /// Whether a server can distinguish its requests from those of other operations.
    ///
    /// If not, only the client has the operation.
    pub routable: bool,
    /// The documentation.
    pub docs: Docs,
    /// The input type, if there are parameters or a request body.
    ///
    /// Its role is `StructRole::Input`.
    pub input: Option<TypeId>,
    /// The parameters, those of the path item first.
    ///
    /// They are the first fields of the input.
    pub parameters: Vec<Parameter>,
    /// The request body. It is the last field of the input.
    pub body: Option<Body>,
    /// The result of a successful call: a payload or an output type.
    ///
    /// The role of an output type is `ChoiceRole::Output`.
    pub output: Schema,
    /// The documented successful responses.
    pub responses: Vec<Response>,
    /// The documented error responses.
    pub errors: Errors,
    /// The alternative security requirements.
    ///
    /// Empty means no security; an empty alternative makes security optional.
    pub security: Vec<Vec<SecurityRequirement>>,
    /// The source location of `security`: that of the operation, or else of the document.
    pub security_at: Origin,
    /// The values of `x-requires`.
    pub requires: Vec<String>,
    /// Whether the server refuses query parameters that are not described (`x-closed-query`).
    pub closed_query: bool,
    /// The URL of the server that the operation or else its path item declares, if any.
    pub server: Option<String>,
    /// The task that the operation creates.
    pub task: Option<Task>,
    /// The final result of a long-running operation, whose response only names the URL to poll.
    pub monitored: Option<FinalState>,
    /// The pages, if the operation lists items.
    pub paging: Option<Paging>,
    /// A valid input as JSON, from the document's examples or built from the schemas.
    ///
    /// An object whose fields are the wire names of the input's fields.
    pub example: Option<serde_json::Value>,
    /// The callbacks.
    pub callbacks: Vec<Callback>,
}

impl Operation {
    /// Returns whether a request of the method can be repeated without harm (RFC 9110).
    pub fn has_idempotent_method(&self) -> bool {
        matches!(self.method.as_str(), "DELETE" | "GET" | "HEAD" | "OPTIONS" | "PUT" | "QUERY" | "TRACE")
    }

    /// Returns the parameter by which the server recognises a repeated request.
    pub fn idempotency_key(&self) -> Option<&Parameter> {
        let names = ["idempotency-key", "x-idempotency-key"];
        let is_key = |name: &str| names.iter().any(|key| name.eq_ignore_ascii_case(key));
        self.parameters.iter().find(|it| it.location == Location::Header && is_key(&it.name))
    }
}

/// The error type of an operation.
#[derive(Debug, Clone, PartialEq)]
pub enum Errors {
    /// No errors are documented, and there is no shared error type: `rt::NoError`.
    None,
    /// The shared error type, if all errors are shared responses.
    Shared(Vec<ErrorUse>),
    /// The operation's own error type ([`ChoiceRole::Errors`](super::ChoiceRole::Errors)).
    Own {
        /// The type.
        ty: TypeId,
        /// The response of each variant.
        rows: Vec<Response>,
    },
}

/// A shared error that an operation documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorUse {
    /// The status under which the operation documents it.
    pub status: Status,
    /// The index of the variant of the shared type.
    pub row: usize,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The wire name.
    pub name: String,
    /// The location.
    pub location: Location,
    /// Whether the parameter is required.
    pub required: bool,
    /// The source location of `required`.
    pub required_at: Origin,
    /// The serialization style.
    pub style: Style,
    /// Whether each item or property is a separate parameter.
    pub explode: bool,
    /// Whether reserved characters are not percent-encoded.
    pub allow_reserved: bool,
    /// Whether an empty value means that the parameter is absent.
    pub allow_empty: bool,
    /// The format of a parameter with `content`.
    pub content: Option<ContentFormat>,
    /// The encodings of single properties, if the parameter is a form.
    pub encodings: Vec<Encoding>,
    /// The schema of the value.
    pub schema: Schema,
    /// The fixed reason for violations in its content (`x-reason`).
    pub reason: Option<String>,
    /// The documentation.
    pub docs: Docs,
}

/// The location of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// `path`.
    Path,
    /// `query`.
    Query,
    /// `querystring`: the query as a whole.
    QueryString,
    /// `header`.
    Header,
    /// `cookie`.
    Cookie,
}

impl Location {
    /// Returns the name in OpenAPI: `query`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::QueryString => "querystring",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }
}

/// The serialization style of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `form`.
    Form,
    /// `simple`.
    Simple,
    /// `label`.
    Label,
    /// `matrix`.
    Matrix,
    /// `spaceDelimited`.
    SpaceDelimited,
    /// `pipeDelimited`.
    PipeDelimited,
    /// `deepObject`.
    DeepObject,
    /// `cookie`.
    Cookie,
}

impl Style {
    /// Returns the name in OpenAPI: `deepObject`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Simple => "simple",
            Self::Label => "label",
            Self::Matrix => "matrix",
            Self::SpaceDelimited => "spaceDelimited",
            Self::PipeDelimited => "pipeDelimited",
            Self::DeepObject => "deepObject",
            Self::Cookie => "cookie",
        }
    }
}

/// A request body.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Whether the body is required.
    pub required: bool,
    /// The source location of `required`.
    pub required_at: Origin,
    /// The maximum size in bytes (`x-body-limit`).
    pub limit: Option<u64>,
    /// The media types.
    pub contents: Vec<Content>,
    /// The schema of the input's `body` field.
    ///
    /// The schema of the only content, or a [`ChoiceRole::Content`](super::ChoiceRole::Content).
    pub schema: Schema,
    /// The source location.
    pub origin: Origin,
}

/// A media type with its schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// The media type or range, without parameters.
    pub media_type: String,
    /// Other media types with the same values, which are accepted too.
    pub also: Vec<String>,
    /// The format on the wire.
    pub format: ContentFormat,
    /// The schema of the value.
    pub schema: Schema,
    /// The encodings of single properties, or of parts.
    pub encodings: Encodings,
    /// The XML form of the root element, if the format is XML.
    pub xml: Option<Xml>,
}

impl Content {
    /// Creates the content of a media type, without encodings.
    pub fn new(media_type: String, format: ContentFormat, schema: Schema) -> Self {
        Self { media_type, also: Vec::new(), format, schema, encodings: Encodings::default(), xml: None }
    }
}

/// The encodings of the parts of a body.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Encodings {
    /// The encodings of single properties.
    pub named: Vec<Encoding>,
    /// The encodings of the first parts, if parts have no names.
    pub prefix: Vec<Encoding>,
    /// The encoding of the other parts, if parts have no names.
    pub item: Option<Box<Encoding>>,
}

/// The encoding of a property of a form, or of a part of a multipart body.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoding {
    /// The property; empty for a part without a name.
    pub property: String,
    /// The media type of the part.
    pub content_type: Option<String>,
    /// The serialization style. Without one, the media type determines the serialization.
    pub style: Option<Style>,
    /// Whether each item is a separate field.
    pub explode: bool,
    /// Whether reserved characters are not percent-encoded.
    pub allow_reserved: bool,
    /// The headers of the part, with names in lower case.
    ///
    /// If there are any, or with `own_type`, the value is a struct of the headers, the media type and the content.
    pub headers: Vec<Parameter>,
    /// Whether the Rust value contains the media type of the part.
    pub own_type: bool,
    /// The encodings of the parts of the part, if it is a multipart body itself.
    pub parts: Encodings,
}

impl Encoding {
    /// Creates the encoding of a property without any settings.
    pub fn new(property: &str) -> Self {
        Self {
            property: property.to_owned(),
            content_type: None,
            style: None,
            explode: true,
            allow_reserved: false,
            headers: Vec::new(),
            own_type: false,
            parts: Encodings::default(),
        }
    }

    /// Returns whether the value is a struct of headers, media type and content.
    pub fn has_envelope(&self) -> bool {
        self.own_type || !self.headers.is_empty()
    }
}

/// A documented response.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// The status.
    pub status: Status,
    /// The description.
    pub description: String,
    /// The headers, with names in lower case.
    pub headers: Vec<Parameter>,
    /// The media types of the body.
    pub contents: Vec<Content>,
    /// The boolean property that is true if a retry gives the same response (`x-permanent`).
    pub permanent: Option<String>,
    /// The source location.
    pub origin: Origin,
}

/// The status of a documented response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// A status code.
    Code(u16),
    /// A class of codes: 4 for `4XX`.
    Class(u8),
    /// `default`.
    Default,
}

impl fmt::Display for Status {
    /// Writes the key in OpenAPI: `200`, `4XX`, `default`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => code.fmt(formatter),
            Self::Class(class) => write!(formatter, "{class}XX"),
            Self::Default => formatter.write_str("default"),
        }
    }
}

/// A request that the server sends: a callback of an operation, or a webhook.
///
/// The crates have the types of its values, and the client a receiver of it. They don't send it.
#[derive(Debug, Clone, PartialEq)]
pub struct Callback {
    /// The name in the document.
    pub name: String,
    /// The expression for the URL of a callback: `{$request.body#/webhook_url}`. Webhooks have none.
    pub expression: Option<String>,
    /// The `operationId`.
    pub id: Option<String>,
    /// The HTTP method in upper case.
    pub method: String,
    /// The parameters, those of the path item first.
    pub parameters: Vec<Parameter>,
    /// The request body, if it has one.
    pub body: Option<Body>,
    /// The responses of the receiver.
    pub responses: Vec<Response>,
    /// The documentation.
    pub docs: Docs,
}
