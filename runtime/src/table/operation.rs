//! Rows of operations: parameters, bodies, responses.

use std::fmt;

use super::{Framing, Requirement, Schema};

/// One operation of the API. Its `Debug` names it, and does not show its rows.
pub struct Operation {
    /// The `operationId`, or the name derived for an operation without one.
    pub id: &'static str,
    /// The family (tag) it belongs to, as the document writes it.
    pub family: &'static str,
    /// The method, in upper case.
    pub method: &'static str,
    /// The path template, as the document writes it: `/v1/icons/{id}`.
    pub path: &'static str,
    /// Its parameters over all locations, in the order of the document.
    pub parameters: &'static [Parameter],
    /// Its body.
    pub body: Option<Body>,
    /// The documented successes.
    pub responses: &'static [Response],
    /// The documented errors.
    pub errors: Errors,
    /// Alternatives; each is a list of schemes that must all be satisfied. Empty: no security. An empty alternative:
    /// security is optional.
    pub security: &'static [&'static [Requirement]],
    /// What else the caller must have (`x-requires`).
    pub requires: &'static [&'static str],
}

impl fmt::Debug for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Operation({}: {} {})", self.id, self.method, self.path)
    }
}

/// One parameter.
#[derive(Debug)]
pub struct Parameter {
    /// The wire name.
    pub name: &'static str,
    /// Where it stands.
    pub location: Location,
    /// Whether it must be there.
    pub required: bool,
    /// How arrays and objects are written.
    pub style: Style,
    /// Whether each item or property is a parameter of its own.
    pub explode: bool,
    /// The media type of a parameter that is a document in itself (`content` instead of `schema`).
    pub content: Option<ContentFormat>,
    /// The rules of its value.
    pub schema: &'static Schema,
    /// A fixed reason for every fault in it (`x-reason`), instead of one that says what was expected.
    pub reason: Option<&'static str>,
}

/// Where a parameter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Location {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// In a header.
    Header,
    /// In a cookie.
    Cookie,
}

/// How a parameter's value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `a=1&a=2` or `a=1,2`: query, cookie.
    Form,
    /// `1,2`: path, header.
    Simple,
    /// `.1.2`: path.
    Label,
    /// `;a=1;a=2`: path.
    Matrix,
    /// `a=1%202`: query.
    SpaceDelimited,
    /// `a=1|2`: query.
    PipeDelimited,
    /// `a[b][c]=1`: query.
    DeepObject,
}

/// A request body.
#[derive(Debug)]
pub struct Body {
    /// Whether it must be there.
    pub required: bool,
    /// The largest body accepted, in bytes (`x-body-limit`); without one the server's default holds.
    pub limit: Option<u64>,
    /// What it may be, in the order of the document.
    pub contents: &'static [Content],
}

/// One media type of a body.
#[derive(Debug)]
pub struct Content {
    /// The media type or range, as the document writes it, without parameters: `application/json`, `image/*`.
    pub media_type: &'static str,
    /// How it is read and written.
    pub format: ContentFormat,
    /// The rules of its value.
    pub schema: &'static Schema,
    /// How the properties of a form are written, where the document says so.
    pub encodings: &'static [Encoding],
}

/// How a body is read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentFormat {
    /// JSON.
    Json,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `multipart/form-data`.
    Multipart,
    /// Text, as one string.
    Text,
    /// Anything else: bytes.
    Bytes,
    /// Items, one after the other, each by the schema. Of events, that is the schema of their data, or of the whole as
    /// an object of `event`, `data`, `id` and `retry`.
    Items(Framing),
}

impl ContentFormat {
    /// Whether a success of this format is given to its reader before it is all there.
    #[must_use]
    pub const fn is_streamed(self) -> bool {
        matches!(self, Self::Bytes | Self::Items(_))
    }
}

/// How one property of a form or multipart body is written.
#[derive(Debug)]
pub struct Encoding {
    /// The property.
    pub property: &'static str,
    /// The part's media type, if the document names one.
    pub content_type: Option<&'static str>,
    /// The style in a form.
    pub style: Style,
    /// Whether each item is a field of its own.
    pub explode: bool,
}

/// One documented response.
#[derive(Debug)]
pub struct Response {
    /// When it is the answer.
    pub status: Status,
    /// Its documented headers.
    pub headers: &'static [Header],
    /// What its body may be; empty: it has none.
    pub contents: &'static [Content],
    /// The boolean field of a JSON body that says, where it is true, that no later try changes the answer
    /// (`x-permanent`).
    pub permanent: Option<&'static str>,
}

/// Which statuses a response documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// One code.
    Code(u16),
    /// A class: `Class(4)` is 400 to 499.
    Class(u8),
    /// Whatever no other response documents.
    Default,
}

/// A documented response header.
#[derive(Debug)]
pub struct Header {
    /// The name, in lower case.
    pub name: &'static str,
    /// Whether it is always there.
    pub required: bool,
    /// Whether an object is written as `k=v`.
    pub explode: bool,
    /// The rules of its value.
    pub schema: &'static Schema,
}

/// The documented errors of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Errors {
    /// The rows of the operation's error type, one per variant. Operations that share an error type share these rows.
    pub rows: &'static [Response],
    /// The ones that this operation documents.
    pub documented: &'static [ErrorUse],
}

/// One documented error of an operation.
#[derive(Debug, Clone, Copy)]
pub struct ErrorUse {
    /// The status under which this operation documents it.
    pub status: Status,
    /// Its row in [`Errors::rows`].
    pub row: usize,
}
