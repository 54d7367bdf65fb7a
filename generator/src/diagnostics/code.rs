//! The stable code of every kind of finding, and what it means.

use std::fmt;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Nothing is generated.
    Error,
    /// Something is lost or doubtful; generation goes on.
    Warning,
}

/// What counts as an error. Whatever it is, every finding is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// Only what leaves nothing to generate from ([`Code::is_fatal`]); every other mistake is a warning, and the place is
    /// read as its message and its code's explanation say. For documents as they are.
    Lenient,
    /// Whatever breaks the rules of OpenAPI. For a document that one can mend.
    #[default]
    Standard,
    /// Every finding.
    Strict,
}

impl Strictness {
    /// The level of a finding that is by nature of this level.
    #[must_use]
    pub fn level(self, code: Code, nature: Level) -> Level {
        match self {
            _ if code.is_fatal() => Level::Error,
            Self::Lenient => Level::Warning,
            Self::Standard => nature,
            Self::Strict => Level::Error,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal: $explanation:literal,)+) => {
        /// What kind of finding it is. Names are stable: scripts and people search for them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Code {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The name, in kebab-case.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// What it means and what to do about it.
            #[must_use]
            pub const fn explanation(self) -> &'static str {
                match self {
                    $(Self::$variant => $explanation,)+
                }
            }
        }
    };
}

codes! {
    /// The text is no JSON or YAML.
    Syntax = "syntax":
        "The text could not be read as JSON or YAML at all, so nothing else could be checked. The position is where \
         reading stopped; the mistake is there or shortly before.",
    /// There is no `openapi` field.
    NoOpenApi = "no-openapi":
        "The document has no `openapi` field, so it is not an OpenAPI 3 document. Swagger 2.0 documents must be \
         converted first.",
    /// A version other than 3.0 and 3.1.
    UnsupportedVersion = "unsupported-version":
        "The `openapi` field names a version that can't be read. OpenAPI 3.0 and 3.1 are supported; 3.2 is read as far \
         as it is the same as 3.1.",
    /// Version 3.2.
    NewerVersion = "newer-version":
        "OpenAPI 3.2 is read as far as it is the same as 3.1. What is new in it has no effect, and is told where it stands \
         if it stands where OpenAPI 3.1 knows every field.",
    /// A field stands twice in an object.
    DuplicateKey = "duplicate-key":
        "A field stands twice in one object. Parsers differ in which of the two counts, so one must go. Here the \
         first one does.",
    /// A `$ref` leads nowhere.
    UnknownRef = "unknown-ref":
        "A `$ref` names something that is not in the document. Check the spelling (names are case-sensitive) and the \
         section: schemas are under `#/components/schemas/`, parameters under `#/components/parameters/`. A schema that is \
         not found is any JSON value; a parameter, response or path is left out.",
    /// A file that a `$ref` leads to is no JSON or YAML.
    UnreadableFile = "unreadable-file":
        "A file that a `$ref` leads to could not be read as JSON or YAML, so nothing in it is found. The position is where \
         reading stopped; the mistake is there or shortly before.",
    /// A node is of another type than the specification says.
    WrongType = "wrong-type":
        "The OpenAPI specification says that this node is of another type: an object where a list stands, a string where \
         a number is, and so on. It is read as if it were not there.",
    /// A field that must be there is not.
    MissingField = "missing-field":
        "The OpenAPI specification says that this object must have a field that it does not have. What means nothing \
         without it is left out.",
    /// A field or keyword that is not known.
    UnknownField = "unknown-field":
        "OpenAPI knows no such field here, so it has no effect. It may be misspelled; extensions begin with `x-`.",
    /// A feature of OpenAPI that can't be expressed.
    Unsupported = "unsupported":
        "The document uses a feature of OpenAPI that the generated code can't express. The place falls back to what the \
         message says (any JSON value, raw bytes), so nothing is refused; but nothing is checked there either.",
    /// Two operations have one `operationId`.
    DuplicateOperationId = "duplicate-operation-id":
        "Two operations have the same `operationId`, which must be unique in a document. Both are named after their method \
         and path instead, until they are given names of their own.",
    /// An operation has no `operationId`.
    NoOperationId = "no-operation-id":
        "An operation has no `operationId`, so it is named after its method and path. The name changes with the path; give \
         the operation an `operationId` to keep it.",
    /// Path template and path parameters don't agree.
    PathParameter = "path-parameter":
        "Each `{name}` of a path template needs a parameter of that name with `in: path` and `required: true`, and each \
         such parameter a `{name}` in the template. An undeclared one is taken as a string; a superfluous one is left out.",
    /// Two parameters have one name and location.
    DuplicateParameter = "duplicate-parameter":
        "Two parameters of one operation have the same name and location. The first one counts.",
    /// A parameter can't be written as the document says.
    BadParameter = "bad-parameter":
        "A parameter stands in no known location, has a style that its location does not have, or is a header that \
         OpenAPI describes elsewhere (`Accept`, `Content-Type`, `Authorization`).",
    /// A regular expression can't be checked.
    InvalidPattern = "invalid-pattern":
        "The regular expression is wrong, or uses what a linear-time engine can't do (look-around, back-references). It is \
         shown in the documentation, and not checked.",
    /// A status that is none.
    InvalidStatus = "invalid-status":
        "The keys of `responses` are status codes from 100 to 599, classes (`4XX`), or `default`. A response under \
         any other key is left out.",
    /// Two paths match the same requests, or one matches none.
    PathConflict = "path-conflict":
        "Two paths differ only in the names of their parameters, so that a server can't tell which of them a request is \
         for; or a path holds a query or fragment, which is no part of the path of a request. The client has all of \
         them; the server has the first of two, and none that can't be requested.",
    /// Bounds that contradict each other or have no effect.
    BadBounds = "bad-bounds":
        "Bounds that no value can satisfy (`minimum` above `maximum`), or that say nothing of values of the schema's type \
         (`minLength` of a number).",
    /// An example does not fit its schema.
    BadExample = "bad-example":
        "The example does not fit the schema it illustrates. It is shown in the documentation all the same, but no input is \
         made of it.",
    /// A response has no success.
    NoSuccess = "no-success":
        "An operation documents no success at all, so an empty `200` is assumed.",
    /// An `enum` without values, or with odd ones.
    BadEnum = "bad-enum":
        "An `enum` must list at least one value, each once, and of the schema's `type`. Values that only look like another \
         type (`1` where `type` is `string`) are read as the type says.",
    /// A default does not fit its schema.
    BadDefault = "bad-default":
        "The default does not fit the schema it stands in, so it is left out.",
    /// An extension is not written as it should be.
    BadExtension = "bad-extension":
        "An extension that the generator understands (`x-rules`, `x-family`, `x-body-limit`, `x-requires`, `x-permanent`, \
         `x-rejections`, \
         …) is not written as it should be, or names something that does not exist.",
    /// The parts of an `allOf` contradict each other.
    AllOfConflict = "all-of-conflict":
        "The parts of an `allOf` say different things of one property or type, so that no value could fit all of them. The \
         later part counts.",
    /// A discriminator does not fit its union.
    BadDiscriminator = "bad-discriminator":
        "A discriminator names a property that a variant does not have, maps to something that is no variant, or leaves a \
         variant without a value. Such a variant is told by its shape.",
    /// The variants of a union can't be told apart.
    UnionOverlap = "union-overlap":
        "Variants of a union have one Rust type, so they become one variant, without the rules in which they differ.",
    /// A schema contains only itself.
    RecursiveAlias = "recursive-alias":
        "A schema is made of nothing but references (and arrays and maps) that lead back to it, or a union is a variant of \
         itself. Rust has no type for that; where it leads back, any JSON value is taken.",
    /// Schemas are nested too deeply.
    TooDeep = "too-deep":
        "Schemas are nested within each other more deeply than the compiler can follow. Below that, any JSON value is taken. \
         Give the inner schemas names of their own under `components/schemas`.",
    /// A `format` that is not known.
    UnknownFormat = "unknown-format":
        "The `format` is not known, so it is not checked.",
    /// A keyword beside `$ref` that has no effect.
    RefSibling = "ref-sibling":
        "In OpenAPI 3.0, what stands beside `$ref` has no effect. Put the `$ref` into `allOf` and the rest beside that.",
    /// A security scheme that is not declared.
    UnknownScheme = "unknown-scheme":
        "A security requirement names a scheme that is not declared under `components/securitySchemes`. It is taken as \
         a bearer token, lest the operation be public.",
    /// A media type or body that can't be as described.
    BadContent = "bad-content":
        "A body has no media type, the same one twice, or stands where HTTP gives bodies no meaning (`GET`, `HEAD`, \
         `DELETE`).",
}

impl Code {
    /// Whether nothing can be made of a document that has this mistake. After any other, generation can go on.
    #[must_use]
    pub const fn is_fatal(self) -> bool {
        matches!(self, Self::Syntax | Self::NoOpenApi | Self::UnsupportedVersion)
    }

    /// The code of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
