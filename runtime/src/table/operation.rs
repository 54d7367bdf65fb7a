//! The table rows of operations: parameters, bodies, responses.

use std::fmt;

use super::{Framing, Requirement, Schema};

/// One operation of the API. Its `Debug` output is its id, method and path.
#[non_exhaustive]
#[must_use]
pub struct Operation {
    /// The `operationId`, or the name derived for an operation without one.
    pub id: &'static str,
    /// The tag, as the document writes it.
    pub tag: &'static str,
    /// The HTTP method, in upper case.
    pub method: &'static str,
    /// The path template, as the document writes it: `/v1/icons/{id}`.
    pub path: &'static str,
    /// The parameters of all locations, in the order of the document.
    pub parameters: &'static [Parameter],
    /// The request body, if the operation has one.
    pub body: Option<Body>,
    /// The documented success responses.
    pub responses: &'static [Response],
    /// The documented errors.
    pub errors: Errors,
    /// The alternative security requirements.
    ///
    /// A caller must satisfy all schemes of one alternative. An empty alternative makes security optional.
    /// Without alternatives, the operation has no security.
    pub security: &'static [&'static [Requirement]],
    /// The other conditions that a caller must meet (`x-requires`).
    ///
    /// The server's `Authenticate` hook enforces them.
    pub requires: &'static [&'static str],
    /// Whether a query parameter that the document does not describe is a violation (`x-closed-query`).
    ///
    /// Otherwise it is ignored.
    pub closed_query: bool,
    /// The server of the operation or of its path, if it differs from that of the document.
    ///
    /// A client that keeps to one URL doesn't use it. The URL can be relative to that of the document's server.
    pub server: Option<&'static str>,
}

impl fmt::Debug for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Operation({}: {} {})", self.id, self.method, self.path)
    }
}

/// One parameter.
#[derive(Debug)]
#[non_exhaustive]
#[must_use]
pub struct Parameter {
    /// The wire name.
    pub name: &'static str,
    /// The location.
    pub location: Location,
    /// Whether a request must have it.
    pub required: bool,
    /// The serialization style.
    pub style: Style,
    /// Whether arrays and objects are exploded, as OpenAPI defines it for the style.
    pub explode: bool,
    /// Whether reserved characters are written as they are, where they can't be mistaken for delimiters.
    ///
    /// So are percent-encoded characters in the value.
    pub allow_reserved: bool,
    /// Whether an optional parameter in the query with an empty value is absent (`allowEmptyValue`): `?flag=`.
    pub allow_empty: bool,
    /// The format of a parameter that has `content` instead of `schema`.
    pub content: Option<ContentFormat>,
    /// The encodings of the properties of a form, which only a whole query string can be.
    pub encodings: &'static [Encoding],
    /// The constraints of the value.
    pub schema: &'static Schema,
    /// The fixed message for every violation in the content of the parameter (`x-reason`).
    ///
    /// Without it, and if the parameter can't be read, the message states what was expected.
    pub reason: Option<&'static str>,
}

/// The location of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Location {
    /// The path.
    Path,
    /// The query string.
    Query,
    /// The query string as a whole, as one value.
    QueryString,
    /// A header.
    Header,
    /// A cookie.
    Cookie,
}

/// The serialization style of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Style {
    /// `a=1&a=2` or `a=1,2`, in a query or cookie.
    Form,
    /// `1,2`, in a path or header.
    Simple,
    /// `.1.2` or `.1,2`, in a path.
    Label,
    /// `;a=1;a=2`, in a path.
    Matrix,
    /// `a=1%202`, in a query.
    SpaceDelimited,
    /// `a=1|2`, in a query.
    PipeDelimited,
    /// `a[b][c]=1`, in a query.
    DeepObject,
    /// `a=1; b=2`, in a cookie, without any encoding.
    Cookie,
}

/// A request body.
#[derive(Debug)]
#[non_exhaustive]
#[must_use]
pub struct Body {
    /// Whether a request must have it.
    pub required: bool,
    /// The maximum size in bytes (`x-body-limit`); `None` is the server's default.
    pub limit: Option<u64>,
    /// The accepted media types, in the order of the document.
    pub contents: &'static [Content],
}

/// One media type of a body.
#[derive(Debug)]
#[non_exhaustive]
#[must_use]
pub struct Content {
    /// The media type or range, as the document writes it, without parameters.
    ///
    /// Examples are `application/json` and `image/*`.
    pub media_type: &'static str,
    /// Other media types of the same values. They are read as well, but never sent.
    pub also: &'static [&'static str],
    /// The format.
    pub format: ContentFormat,
    /// The constraints of the value.
    pub schema: &'static Schema,
    /// The encodings of a form's properties, where the document specifies them.
    pub encodings: &'static [Encoding],
    /// The encodings of the first parts of a multipart body whose parts have no names.
    pub prefix_encodings: &'static [Encoding],
    /// The encoding of the other parts of a multipart body whose parts have no names.
    pub item_encoding: Option<&'static Encoding>,
}

#[cfg(feature = "http")]
impl Content {
    /// Returns the media types that are read, the one that is sent first.
    pub(crate) fn media_types(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.media_type).chain(self.also.iter().copied())
    }

    /// Returns the media type to send: a type also if the document has a range.
    pub(crate) fn sent_type(&self) -> &'static str {
        match (self.media_type, self.format) {
            ("multipart/*", _) => "multipart/mixed",
            (range, ContentFormat::Json) if range.contains('*') => "application/json",
            (range, ContentFormat::Text) if range.contains('*') => "text/plain",
            (range, format) if range.contains('*') && format.is_xml() => "application/xml",
            (range, _) if range.contains('*') => "application/octet-stream",
            (media_type, _) => media_type,
        }
    }
}

/// The format of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContentFormat {
    /// JSON.
    Json,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `multipart/form-data`.
    Multipart,
    /// Text, as one string.
    Text,
    /// XML, whose root has this form.
    ///
    /// A root without a node is an object, whose only field is the root element.
    #[cfg(feature = "xml")]
    Xml(&'static super::Xml),
    /// Raw bytes, for any other media type.
    Bytes,
    /// A sequence of items with this framing.
    ///
    /// The schema describes one item. An event is an object of `event`, `data`, `id` and `retry`.
    Items(Framing),
    /// Parts without names, as `multipart/mixed` has them. The schema describes the array of all parts.
    Parts,
    /// A sequence of parts without names. The schema describes one part.
    PartStream,
}

impl ContentFormat {
    /// Returns whether a body of this format is passed on before it is complete.
    ///
    /// This applies to request bodies and success responses. Error responses are always read as a whole.
    #[must_use]
    pub const fn is_streamed(self) -> bool {
        matches!(self, Self::Bytes) || self.has_items()
    }

    /// Returns whether a body of this format can have no bytes.
    #[cfg(feature = "server")]
    pub(crate) const fn can_be_empty(self) -> bool {
        match self {
            Self::Form | Self::Items(_) => true,
            #[cfg(feature = "xml")]
            Self::Xml(root) => matches!(root.node, super::XmlNode::None),
            _ => false,
        }
    }

    /// Returns whether a body of this format is XML.
    #[must_use]
    pub const fn is_xml(self) -> bool {
        match self {
            #[cfg(feature = "xml")]
            Self::Xml(_) => true,
            _ => false,
        }
    }

    /// Returns whether a body of this format is a stream of items.
    #[must_use]
    pub const fn has_items(self) -> bool {
        matches!(self, Self::Items(_) | Self::PartStream)
    }
}

/// The encoding of one property of a form, or of one part of a multipart body.
///
/// If a part has [headers](Self::headers), or [states its media type](Self::own_type), its value is an object. The fields
/// of this object are the headers in order, the media type, and the content of the part.
#[derive(Debug)]
#[non_exhaustive]
#[must_use]
pub struct Encoding {
    /// The name of the property; empty for a part without a name.
    pub property: &'static str,
    /// The media type of the part, if the document specifies one.
    pub content_type: Option<&'static str>,
    /// The serialization style, if the document specifies one.
    ///
    /// Without one, the media type of the part determines the serialization.
    pub style: Option<Style>,
    /// Whether arrays and objects are exploded, as OpenAPI defines it for the style.
    pub explode: bool,
    /// Whether reserved characters are written as they are, as in a [`Parameter`].
    pub allow_reserved: bool,
    /// The documented headers of the part, without `Content-Type`.
    pub headers: &'static [Header],
    /// Whether the value states the media type of the part, because the document allows several.
    pub own_type: bool,
    /// The encodings of the properties, if the part is a form itself.
    pub encodings: &'static [Encoding],
    /// As [`Content::prefix_encodings`], if the part is a multipart body itself.
    pub prefix_encodings: &'static [Encoding],
    /// As [`Content::item_encoding`], if the part is a multipart body itself.
    pub item_encoding: Option<&'static Encoding>,
}

/// One documented response.
#[derive(Debug)]
#[non_exhaustive]
#[must_use]
pub struct Response {
    /// The statuses that the response documents.
    pub status: Status,
    /// The documented headers.
    pub headers: &'static [Header],
    /// The media types of the body; empty if the response has no body.
    pub contents: &'static [Content],
    /// The boolean field of a JSON body that marks a permanent error (`x-permanent`).
    ///
    /// A client does not retry a call if this field of the response is `true`.
    pub permanent: Option<&'static str>,
}

/// Returns whether responses with this status never have a body (RFC 9110, section 15).
#[cfg(any(feature = "client", feature = "server"))]
pub(crate) const fn is_bodiless(status: u16) -> bool {
    matches!(status, 100..=199 | 204 | 205 | 304)
}

/// The statuses that a response documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// One status code.
    Code(u16),
    /// A class of status codes: `Class(4)` is 400 to 499.
    Class(u8),
    /// All statuses that no other response documents.
    Default,
}

/// A documented header of a response or of a part.
#[derive(Debug)]
#[non_exhaustive]
#[must_use]
pub struct Header {
    /// The name, in lower case.
    pub name: &'static str,
    /// Whether it is always present.
    pub required: bool,
    /// Whether the properties of an object are written as `k=v`.
    pub explode: bool,
    /// The format of the value, if the document describes it with `content`.
    pub content: Option<ContentFormat>,
    /// The constraints of the value.
    pub schema: &'static Schema,
}

#[cfg(feature = "http")]
impl Header {
    /// Returns whether each value is a line of its own.
    ///
    /// Only the values of `Set-Cookie` may contain commas, so they can't be a list in one line.
    pub(crate) fn has_value_per_line(&self) -> bool {
        self.name == "set-cookie"
    }
}

/// The documented errors of an operation.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Errors {
    /// The rows of the operation's error type, one per variant.
    ///
    /// Operations that share an error type share these rows.
    pub rows: &'static [&'static Response],
    /// The errors that this operation documents. `None` is all rows, each under its own status.
    pub documented: Option<&'static [ErrorUse]>,
}

#[cfg(any(feature = "client", feature = "server"))]
impl Errors {
    /// Returns the statuses that the operation documents, each with the index of its row in [`Errors::rows`].
    pub(crate) fn uses(&self) -> impl Iterator<Item = (Status, usize)> {
        let own = self.documented.is_none().then(|| self.rows.iter().map(|row| row.status).enumerate());
        let own = own.into_iter().flatten().map(|(index, status)| (status, index));
        let index = |row: &Response| self.rows.iter().position(|other| std::ptr::eq(*other, row));
        let shared = self.documented.into_iter().flatten();
        own.chain(shared.filter_map(move |error| Some((error.status, index(error.row)?))))
    }
}

/// One documented error of an operation.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ErrorUse {
    /// The status under which this operation documents it.
    pub status: Status,
    /// Its row, one of [`Errors::rows`].
    pub row: &'static Response,
}
