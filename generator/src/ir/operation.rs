//! Operations: parameters, bodies, responses, security.

use super::{Docs, FamilyId, Ident, Schema, TypeId};

/// An operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// The `operationId`, or the derived name of an operation without one.
    pub id: String,
    /// The method of trait and client.
    pub ident: Ident,
    /// The table row's name.
    pub constant: Ident,
    /// The family.
    pub family: FamilyId,
    /// The method, in upper case.
    pub method: String,
    /// The path template as written.
    pub path: String,
    /// Whether a server can tell its requests from others'. If not, only clients have it.
    pub routable: bool,
    /// What the document says.
    pub docs: Docs,
    /// The input type ([`StructRole::Input`](super::StructRole::Input)), if there are parameters or a body.
    pub input: Option<TypeId>,
    /// The parameters, in the order of the document (those of the path item first); the input's first fields.
    pub parameters: Vec<Parameter>,
    /// The body; the input's last field.
    pub body: Option<Body>,
    /// What a success gives: a payload, or an output type ([`ChoiceRole::Output`](super::ChoiceRole::Output)).
    pub output: Schema,
    /// The documented successes.
    pub responses: Vec<Response>,
    /// The documented errors.
    pub errors: Errors,
    /// Alternatives of schemes; empty: no security; an empty alternative: security is optional.
    pub security: Vec<Vec<SecurityRequirement>>,
    /// `x-requires`.
    pub requires: Vec<String>,
    /// A valid input as JSON, from the document's examples or made up from the schemas: an object by the wire names of the input's fields.
    pub example: Option<serde_json::Value>,
    /// What the service calls back.
    pub callbacks: Vec<Callback>,
}

/// The documented errors of an operation.
#[derive(Debug, Clone, PartialEq)]
pub enum Errors {
    /// None are documented and no error type is shared: `rt::NoError`.
    None,
    /// All are shared responses: the shared error type.
    Shared(Vec<ErrorUse>),
    /// A type of its own ([`ChoiceRole::Errors`](super::ChoiceRole::Errors)), a row per variant.
    Own {
        /// The type.
        ty: TypeId,
        /// Its rows.
        rows: Vec<Response>,
    },
}

/// One shared error that an operation documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorUse {
    /// The status under which it is documented.
    pub status: Status,
    /// The variant of the shared type.
    pub row: usize,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The wire name.
    pub name: String,
    /// Where it stands.
    pub location: Location,
    /// Whether it must be there.
    pub required: bool,
    /// How it is written.
    pub style: Style,
    /// Whether each item or property is a parameter of its own.
    pub explode: bool,
    /// The format of a parameter with `content`.
    pub content: Option<ContentFormat>,
    /// Its value.
    pub schema: Schema,
    /// The fixed reason of its violations (`x-reason`).
    pub reason: Option<String>,
    /// What the document says.
    pub docs: Docs,
}

/// Where a parameter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// Path.
    Path,
    /// Query.
    Query,
    /// Header.
    Header,
    /// Cookie.
    Cookie,
}

/// How a parameter is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `form`
    Form,
    /// `simple`
    Simple,
    /// `label`
    Label,
    /// `matrix`
    Matrix,
    /// `spaceDelimited`
    SpaceDelimited,
    /// `pipeDelimited`
    PipeDelimited,
    /// `deepObject`
    DeepObject,
}

/// A request body.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Whether it must be there.
    pub required: bool,
    /// `x-body-limit`, in bytes.
    pub limit: Option<u64>,
    /// Its media types.
    pub contents: Vec<Content>,
    /// The type of the input's `body` field: the only content's, or a [`ChoiceRole::Content`](super::ChoiceRole::Content).
    pub schema: Schema,
}

/// One media type.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// The media type or range, without parameters.
    pub media_type: String,
    /// How it is read and written.
    pub format: ContentFormat,
    /// Its value.
    pub schema: Schema,
    /// `encoding`.
    pub encodings: Vec<Encoding>,
}

/// How a body is read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentFormat {
    /// JSON, `+json`.
    Json,
    /// `application/x-www-form-urlencoded`
    Form,
    /// `multipart/form-data`
    Multipart,
    /// `text/*`
    Text,
    /// Anything else.
    Bytes,
    /// Items, one after the other.
    Items(Framing),
}

/// How items stand one after the other in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// `text/event-stream`
    Events,
    /// `application/x-ndjson`, `application/jsonl`
    Lines,
    /// `application/json-seq`
    Sequence,
}

/// How one property of a form or multipart body is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Encoding {
    /// The property.
    pub property: String,
    /// The part's media type.
    pub content_type: Option<String>,
    /// The style.
    pub style: Style,
    /// Whether each item is a field of its own.
    pub explode: bool,
}

/// A documented response.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// When.
    pub status: Status,
    /// What the document says.
    pub description: String,
    /// Its headers: name in lower case, whether required, explode, value.
    pub headers: Vec<Parameter>,
    /// What its body may be.
    pub contents: Vec<Content>,
    /// The boolean property of its JSON body that says that no later try changes the answer (`x-permanent`).
    pub permanent: Option<String>,
}

/// Which statuses a response documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// One code.
    Code(u16),
    /// `4XX`.
    Class(u8),
    /// `default`.
    Default,
}

/// A security scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecurityScheme {
    /// Its name in the document.
    pub name: String,
    /// The table row's name: `API_KEY`.
    pub constant: Ident,
    /// The client builder's method: `api_key`.
    pub method: Ident,
    /// What it is.
    pub kind: SchemeKind,
    /// What the document says.
    pub description: Option<String>,
}

/// How a caller proves itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemeKind {
    /// A key in this header.
    ApiKeyHeader(String),
    /// A key in this query parameter.
    ApiKeyQuery(String),
    /// A key in this cookie.
    ApiKeyCookie(String),
    /// HTTP basic.
    Basic,
    /// HTTP bearer, OAuth 2.0, OpenID Connect.
    Bearer,
    /// Another HTTP scheme.
    Http(String),
    /// A client certificate.
    MutualTls,
}

/// One scheme that a caller must satisfy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecurityRequirement {
    /// A place in [`Api::security_schemes`](super::Api::security_schemes).
    pub scheme: usize,
    /// Scopes or roles.
    pub scopes: Vec<String>,
}

/// A request that the service makes.
#[derive(Debug, Clone, PartialEq)]
pub struct Callback {
    /// Its name in the document.
    pub name: String,
    /// Where it goes: `{$request.body#/webhook_url}`.
    pub expression: String,
    /// The method, in upper case.
    pub method: String,
    /// Its body, if it has one.
    pub body: Option<Body>,
    /// What the document says.
    pub docs: Docs,
}
