//! The intermediate representation (IR) between the document and the emitted code.
//!
//! Every node holds both the wire name and the Rust name; emitters never change the case of a name. Lists
//! keep the order of the document. A type does not depend on its users, so adding a module changes no code of
//! other modules. The one exception is whether an enum or union is open, see [`EnumDef::open`].

mod content_format;
mod format;
mod json_schema;
mod operation;
mod origin;
mod paging;
mod provenance;
mod rules;
mod schema;
mod security;
mod text;
mod types;
mod unions;
mod walk;
mod xml;

pub use format::TextFormat;
pub use json_schema::{JsonSchema, JsonSchemaDef, JsonSchemaId, Keyword};
pub use operation::{
    Body, Callback, Content, Encoding, Encodings, ErrorUse, Errors, Location, Operation, Parameter, Response,
    Status, Style,
};
pub use origin::{Origin, Origins};
pub use paging::{FinalState, PageSlot, PageStep, Paging, Path, Task, TaskStep};
pub(crate) use paging::{Member, pointer};
pub use provenance::Provenance;
pub use rules::CrossRule;
pub(crate) use schema::first_violated;
pub use schema::{
    ArrayRules, IntegerRules, Literal, MapRules, NameRules, NumberRules, Pattern, PatternId, Schema, Stream,
    Type, Width,
};
pub use security::{FlowKind, OAuthFlow, SchemeKind, SecurityRequirement, SecurityScheme};
pub use text::{Inline, Media, MediaLimit, Stated, TextRules, TextType};
pub use types::{
    Additional, Choice, ChoiceRole, ChoiceVariant, EnumDef, EnumVariant, Field, IntegerEnum, IntegerVariant,
    Kind, Kinds, StructDef, StructRole, TypeDef, TypeId,
};
pub use unions::{Discriminator, Shape, TagKind, UnionDef, UnionVariant};

pub use content_format::{ContentFormat, Framing};
pub use xml::{Xml, XmlNode};

use std::{collections::BTreeSet, fmt};

pub use crate::{options::RustPath, patterns::Engine};

/// A document in the intermediate representation, ready to be emitted.
#[derive(Debug, Clone, PartialEq)]
pub struct Api {
    /// The document's title.
    pub title: String,
    /// The document's version.
    pub version: String,
    /// The document's description.
    pub description: Option<String>,
    /// The URL of the first server, with the defaults of its variables.
    pub server_url: Option<String>,
    /// The servers with a name, in the order of the document.
    pub named_servers: Vec<NamedServer>,
    /// The modules (one for each tag or path segment), in the order of the document.
    pub tags: Vec<Tag>,
    /// All types, in the order of the document. A `TypeId` is an index of this list.
    pub types: Vec<TypeDef>,
    /// The types that the caller has chosen for formats.
    pub foreign_types: Vec<RustPath>,
    /// The additional derives that the caller has chosen for the types of schemas.
    pub derives: Vec<Derive>,
    /// All regular expressions. A `PatternId` is an index of this list.
    pub patterns: Vec<Pattern>,
    /// The schemas that rows refer to as a whole. A `JsonSchemaId` is an index of this list.
    pub json_schemas: Vec<JsonSchemaDef>,
    /// The formats that the rows of schemas check.
    pub formats: BTreeSet<TextFormat>,
    /// All operations, in the order of the document.
    pub operations: Vec<Operation>,
    /// The webhooks, in the order of the document.
    pub webhooks: Vec<Callback>,
    /// The security schemes.
    pub security_schemes: Vec<SecurityScheme>,
    /// The error type that operations share, if components include error responses.
    pub shared_errors: Option<SharedErrors>,
    /// The format of rejections, from `x-rejections`.
    pub rejections: Option<Rejections>,
}

impl Api {
    /// Returns the scopes that operations require of a security scheme, sorted.
    pub fn scopes_of(&self, scheme: usize) -> BTreeSet<&str> {
        let requirements = self.operations.iter().flat_map(|operation| &operation.security).flatten();
        let requirements = requirements.filter(|requirement| requirement.scheme == scheme);
        requirements.flat_map(|requirement| &requirement.scopes).map(String::as_str).collect()
    }

    /// Returns the type with this id.
    pub fn type_def(&self, id: TypeId) -> Option<&TypeDef> {
        self.types.get(id.0)
    }

    /// Returns a regular expression as the document has it.
    pub fn pattern_text(&self, id: PatternId) -> Option<&str> {
        Some(self.patterns.get(id.0)?.written.as_str())
    }

    /// Returns the types of a module, in the order of the document.
    pub fn types_of(&self, module: Module) -> impl Iterator<Item = &TypeDef> {
        self.types.iter().filter(move |def| def.module == module)
    }

    /// Returns the operations of a tag's module, in the order of the document.
    pub fn operations_of(&self, tag: TagId) -> impl Iterator<Item = &Operation> {
        self.operations.iter().filter(move |operation| operation.tag == tag)
    }

    /// Returns the task that an operation creates or gets.
    pub fn task_of<'a>(&'a self, operation: &'a Operation) -> Option<&'a Task> {
        operation.task.as_ref().or_else(|| self.task_got_by(operation))
    }

    /// Returns the task that an operation gets.
    pub fn task_got_by<'a>(&'a self, operation: &Operation) -> Option<&'a Task> {
        let mut tasks = self.operations.iter().filter_map(|one| one.task.as_ref());
        let got = |task: &Task| self.operations.get(task.get.operation);
        tasks.find(|task| got(task).is_some_and(|get| std::ptr::eq(get, operation)))
    }

    /// Returns whether all names in Rust are ASCII.
    pub fn is_named_in_ascii(&self) -> bool {
        let types = self.types.iter().flat_map(|def| std::iter::once(&def.name).chain(def.kind.names()));
        let operations = self.operations.iter().map(|operation| &operation.ident);
        let schemes = self.security_schemes.iter().map(|scheme| &scheme.method);
        let servers = self.named_servers.iter().map(|server| &server.method);
        types.chain(operations).chain(schemes).chain(servers).all(|name| name.0.is_ascii())
    }
}

/// A server of the document that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedServer {
    /// The name in the document.
    pub name: String,
    /// The method of the client's builder that selects it: `server_staging`.
    pub method: Ident,
    /// The URL, with the defaults of its variables.
    pub url: String,
    /// The description.
    pub description: Option<String>,
}

/// An additional derive that the caller has chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derive {
    /// The path of the derive macro.
    pub path: RustPath,
    /// The types that can't have it, because of the types they contain.
    pub left_out: BTreeSet<TypeId>,
}

/// The module of a tag: its operations and their types.
#[derive(Debug, Clone, PartialEq)]
pub struct Tag {
    /// The tag as written in the document.
    pub name: String,
    /// The module, file, cargo feature and builder method: `text_to_image`.
    pub module: Ident,
    /// The server trait: `TextToImageApi`.
    pub api_trait: Ident,
    /// The description of the tag.
    pub description: Option<String>,
    /// The modules whose types this module uses. Its feature enables their features.
    pub needs: Vec<TagId>,
}

/// An index of [`Api::tags`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TagId(pub usize);

/// The module of a generated item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Module {
    /// `common`, for components.
    Common,
    /// `responses`, for the payloads of shared responses and the shared error type.
    Responses,
    /// The module of a tag.
    Tag(TagId),
}

/// A Rust identifier, decided by `names`. Keywords are raw (`r#type`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ident(pub String);

impl fmt::Display for Ident {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The documentation of a node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Docs {
    /// The summary, one line.
    pub summary: Option<String>,
    /// The description in Markdown.
    pub description: Option<String>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// The direction of a `readOnly` or `writeOnly` field.
    pub direction: Option<Direction>,
    /// An example value.
    pub example: Option<serde_json::Value>,
    /// The source location.
    pub origin: Origin,
}

/// The only direction in which a field is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// In requests: `writeOnly`.
    Request,
    /// In responses: `readOnly`.
    Response,
}

/// The error type that operations share.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedErrors {
    /// The type, a [`Kind::Choice`] in [`Module::Responses`].
    pub ty: TypeId,
    /// The responses of the variants, in the order of the components.
    pub rows: Vec<Response>,
    /// The names of the rows' statics: `NOT_FOUND`.
    pub row_constants: Vec<Ident>,
    /// The name of the static that lists the rows: `API_ERRORS`.
    pub constant: Ident,
}

/// The format of rejections, from `x-rejections`.
///
/// A missing value means the default of the runtime.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rejections {
    /// The media type of the body.
    pub content_type: Option<String>,
    /// The field for the message.
    pub message_field: Option<String>,
    /// Whether bodies also have the fields `type`, `title` and `status` of RFC 9457.
    pub problem_fields: Option<bool>,
    /// The settings of single kinds of rejection, by name in kebab-case: `no-route`.
    pub kinds: Vec<(String, RejectionKind)>,
    /// The templates for the reason of a violation, by its code or `default`.
    ///
    /// Templates contain `{name}`, `{expected}` and `{limit}`.
    pub reasons: Vec<(String, String)>,
}

/// The settings of one kind of rejection.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RejectionKind {
    /// The status code.
    pub status: Option<u16>,
    /// The message.
    pub message: Option<String>,
    /// The media type of the body, if it differs from [`Rejections::content_type`].
    pub content_type: Option<String>,
    /// The field for the list of violations.
    pub violations_field: Option<String>,
    /// The field for the name of a violation.
    pub name_field: Option<String>,
    /// The field for the reason of a violation.
    pub reason_field: Option<String>,
    /// The field for the location of a violation.
    pub location_field: Option<String>,
    /// The field for the code of a violation.
    pub code_field: Option<String>,
}

impl RejectionKind {
    /// The names of all kinds. The runtime has a field for each.
    pub const NAMES: &[&str] = &[
        "no-route",
        "method-not-allowed",
        "missing-credentials",
        "invalid-credentials",
        "forbidden",
        "too-many-requests",
        "unavailable",
        "unsupported-media-type",
        "payload-too-large",
        "malformed-body",
        "invalid",
        "not-implemented",
        "internal",
    ];
}
