//! Rows of operations and of security.

use crate::table::{
    Body, Content, ContentFormat, Encoding, ErrorUse, Errors, Flow, FlowKind, Header, Location, Operation,
    Parameter, Requirement, Response, Schema, Scheme, SchemeKind, Status, Style,
};

impl Operation {
    /// Creates an operation. `tag` is its tag.
    pub const fn new(id: &'static str, tag: &'static str, method: &'static str, path: &'static str) -> Self {
        Self {
            id,
            tag,
            method,
            path,
            parameters: &[],
            body: None,
            responses: &[],
            errors: Errors { rows: &[], documented: None },
            security: &[],
            requires: &[],
            closed_query: false,
            server: None,
        }
    }

    /// Sets the errors: the rows of an error type that operations share, and those that this operation documents.
    pub const fn errors(
        mut self,
        rows: &'static [&'static Response],
        documented: &'static [ErrorUse],
    ) -> Self {
        self.errors = Errors { rows, documented: Some(documented) };
        self
    }

    /// Sets the rows of the operation's own error type. It documents each under the row's status.
    pub const fn own_errors(mut self, rows: &'static [&'static Response]) -> Self {
        self.errors = Errors { rows, documented: None };
        self
    }
}

setters! {
    Operation {
        set parameters: &'static [Parameter], responses: &'static [Response],
            security: &'static [&'static [Requirement]], requires: &'static [&'static str];
        some body: Body, server: &'static str;
        flag closed_query;
    }
}

impl Parameter {
    /// Creates a path parameter.
    pub const fn path(name: &'static str, schema: &'static Schema) -> Self {
        Self::new(Location::Path, Style::Simple, name, schema).required()
    }

    /// Creates an optional parameter of the query string.
    pub const fn query(name: &'static str, schema: &'static Schema) -> Self {
        Self::new(Location::Query, Style::Form, name, schema).explode(true)
    }

    /// Creates an optional parameter that is the whole query string, in this format.
    pub const fn query_string(name: &'static str, format: ContentFormat, schema: &'static Schema) -> Self {
        Self::new(Location::QueryString, Style::Form, name, schema).explode(true).content(format)
    }

    /// Creates an optional parameter in a header.
    pub const fn header(name: &'static str, schema: &'static Schema) -> Self {
        Self::new(Location::Header, Style::Simple, name, schema)
    }

    /// Creates an optional parameter in a cookie.
    pub const fn cookie(name: &'static str, schema: &'static Schema) -> Self {
        Self::new(Location::Cookie, Style::Form, name, schema).explode(true)
    }

    const fn new(location: Location, style: Style, name: &'static str, schema: &'static Schema) -> Self {
        Self {
            name,
            location,
            required: false,
            style,
            explode: false,
            allow_reserved: false,
            allow_empty: false,
            content: None,
            encodings: &[],
            schema,
            reason: None,
        }
    }
}

setters! {
    Parameter {
        set style: Style, explode: bool, encodings: &'static [Encoding];
        some content: ContentFormat, reason: &'static str;
        flag required, allow_reserved, allow_empty;
    }
}

impl Body {
    /// Creates a body that a request must have.
    pub const fn required(contents: &'static [Content]) -> Self {
        Self { required: true, limit: None, contents }
    }

    /// Creates a body that a request may have.
    pub const fn optional(contents: &'static [Content]) -> Self {
        Self { required: false, limit: None, contents }
    }
}

setters! {
    Body {
        some limit: u64;
    }
}

impl Content {
    /// Creates the row of a media type.
    pub const fn new(media_type: &'static str, format: ContentFormat, schema: &'static Schema) -> Self {
        Self {
            media_type,
            also: &[],
            format,
            schema,
            encodings: &[],
            prefix_encodings: &[],
            item_encoding: None,
        }
    }

    /// Creates the row of `application/json`.
    pub const fn json(schema: &'static Schema) -> Self {
        Self::new("application/json", ContentFormat::Json, schema)
    }
}

setters! {
    Content {
        set also: &'static [&'static str], encodings: &'static [Encoding],
            prefix_encodings: &'static [Encoding];
        some item_encoding: &'static Encoding;
    }
}

impl Encoding {
    /// Creates the encoding of a property, without a style and exploded.
    pub const fn new(property: &'static str) -> Self {
        Self {
            property,
            content_type: None,
            style: None,
            explode: true,
            allow_reserved: false,
            headers: &[],
            own_type: false,
            encodings: &[],
            prefix_encodings: &[],
            item_encoding: None,
        }
    }

    /// Creates the encoding of a part without a name.
    pub const fn part() -> Self {
        Self::new("")
    }
}

setters! {
    Encoding {
        set explode: bool, headers: &'static [Header], encodings: &'static [Encoding],
            prefix_encodings: &'static [Encoding];
        some content_type: &'static str, style: Style, item_encoding: &'static Encoding;
        flag allow_reserved, own_type;
    }
}

impl Response {
    /// Creates a response with this status.
    pub const fn code(code: u16) -> Self {
        Self::new(Status::Code(code))
    }

    /// Creates a response with a status of this class: `class(4)` is 400 to 499.
    pub const fn class(class: u8) -> Self {
        Self::new(Status::Class(class))
    }

    /// Creates the response of all statuses that no other response documents.
    pub const fn default_response() -> Self {
        Self::new(Status::Default)
    }

    const fn new(status: Status) -> Self {
        Self { status, headers: &[], contents: &[], permanent: None }
    }

    /// Documents this row under a status.
    #[must_use]
    pub const fn at(&'static self, code: u16) -> ErrorUse {
        ErrorUse { status: Status::Code(code), row: self }
    }

    /// Documents this row under a class of statuses.
    #[must_use]
    pub const fn at_class(&'static self, class: u8) -> ErrorUse {
        ErrorUse { status: Status::Class(class), row: self }
    }

    /// Documents this row under all statuses that no other response documents.
    #[must_use]
    pub const fn at_default(&'static self) -> ErrorUse {
        ErrorUse { status: Status::Default, row: self }
    }
}

setters! {
    Response {
        set headers: &'static [Header], contents: &'static [Content];
        some permanent: &'static str;
    }
}

impl Header {
    /// Creates an optional header.
    pub const fn new(name: &'static str, schema: &'static Schema) -> Self {
        Self { name, required: false, explode: false, content: None, schema }
    }
}

setters! {
    Header {
        set explode: bool;
        some content: ContentFormat;
        flag required;
    }
}

impl Scheme {
    /// Creates a security scheme.
    pub const fn new(name: &'static str, kind: SchemeKind) -> Self {
        Self { name, kind, setter: None, flows: &[], scopes: &[] }
    }
}

setters! {
    Scheme {
        set flows: &'static [Flow], scopes: &'static [&'static str];
        some setter: &'static str;
    }
}

impl Flow {
    /// Creates a flow with one URL for new and refreshed tokens.
    pub const fn new(kind: FlowKind, token_url: &'static str) -> Self {
        Self { kind, token_url, refresh_url: None }
    }
}

setters! {
    Flow {
        some refresh_url: &'static str;
    }
}

impl Requirement {
    /// Creates the requirement of a scheme without scopes.
    pub const fn new(scheme: &'static Scheme) -> Self {
        Self { scheme, scopes: &[] }
    }
}

setters! {
    Requirement {
        set scopes: &'static [&'static str];
    }
}
