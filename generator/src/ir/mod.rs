//! The intermediate representation: plain data between the document and the emitted code.
//!
//! Every node holds the wire name and the decided Rust name side by side; emitters never change the case of anything.
//! Order is the order of the document. Nothing here depends on who else uses a type (one exception: whether an enum
//! or union is open, see [`EnumDef::open`]), so that adding a family moves no other family's code.

mod operation;
mod rules;
mod schema;
mod types;

pub use operation::{
    Body, Callback, Content, ContentFormat, Encoding, ErrorUse, Errors, Framing, Location, Operation,
    Parameter, Response, SchemeKind, SecurityRequirement, SecurityScheme, Status, Style,
};
pub use rules::{Condition, CrossRule};
pub use schema::{
    ArrayRules, IntegerRules, Literal, MapRules, Media, MediaLimit, NameRules, NumberRules, Pattern,
    PatternId, Schema, Stated, Stream, TextFormat, TextRules, TextType, Type, Width,
};
pub use types::{
    Additional, Choice, ChoiceRole, ChoiceVariant, EnumDef, EnumVariant, Field, IntegerEnum, IntegerVariant,
    Kind, Kinds, Shape, StructDef, StructRole, TypeDef, TypeId, UnionDef, UnionVariant,
};

use std::{collections::BTreeSet, fmt};

pub use crate::options::RustPath;

/// A whole document, ready to be emitted.
#[derive(Debug, Clone, PartialEq)]
pub struct Api {
    /// The document's title.
    pub title: String,
    /// The document's version.
    pub version: String,
    /// The document's description.
    pub description: Option<String>,
    /// The first server's URL, with its variables' defaults filled in.
    pub server_url: Option<String>,
    /// The families (tags), in the order of the document.
    pub families: Vec<Family>,
    /// Every type, in the order of the document; a [`TypeId`] is a place in here.
    pub types: Vec<TypeDef>,
    /// Types that the caller has chosen for formats.
    pub foreign_types: Vec<RustPath>,
    /// What else the caller wants the types of schemas to derive.
    pub derives: Vec<Derive>,
    /// Every regular expression; a [`PatternId`] is a place in here.
    pub patterns: Vec<Pattern>,
    /// Every operation, in the order of the document.
    pub operations: Vec<Operation>,
    /// The security schemes that the document declares.
    pub security_schemes: Vec<SecurityScheme>,
    /// The error type that operations share, if the document has error responses as components.
    pub shared_errors: Option<SharedErrors>,
    /// How refusals are told (`x-rejections`).
    pub rejections: Option<Rejections>,
}

impl Api {
    /// The type with this id.
    #[must_use]
    pub fn type_def(&self, id: TypeId) -> Option<&TypeDef> {
        self.types.get(id.0)
    }

    /// The types of one module, in the order of the document.
    pub fn types_of(&self, module: Module) -> impl Iterator<Item = &TypeDef> {
        self.types.iter().filter(move |def| def.module == module)
    }

    /// The operations of one family, in the order of the document.
    pub fn operations_of(&self, family: FamilyId) -> impl Iterator<Item = &Operation> {
        self.operations.iter().filter(move |operation| operation.family == family)
    }
}

/// What the caller wants the types of schemas to derive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Derive {
    /// The trait.
    pub path: RustPath,
    /// The types that can't have it, because of what they hold.
    pub left_out: BTreeSet<TypeId>,
}

/// A family: the operations of one tag, and what belongs to them.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    /// The tag, as the document writes it.
    pub tag: String,
    /// The cargo feature, in kebab-case: `text-to-image`.
    pub feature: String,
    /// The module, file and builder method, in snake_case: `text_to_image`.
    pub module: Ident,
    /// The server trait: `TextToImageApi`.
    pub api_trait: Ident,
    /// The tag's description.
    pub description: Option<String>,
    /// Other families whose types this one's types and operations name; their features come along.
    pub needs: Vec<FamilyId>,
}

/// A place in [`Api::families`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FamilyId(pub usize);

/// Where a generated item stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Module {
    /// `common`: shared schemas.
    Common,
    /// `responses`: the payloads of shared responses, and the shared error type.
    Responses,
    /// A family's own.
    Family(FamilyId),
}

/// A Rust identifier, decided by `names`; raw (`r#type`) where it must be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ident(pub String);

impl fmt::Display for Ident {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What the document says about a node, for people.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Docs {
    /// One line.
    pub summary: Option<String>,
    /// Markdown.
    pub description: Option<String>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// If it only goes one way (`readOnly`, `writeOnly`); such a field is never required.
    pub direction: Option<Direction>,
    /// An example value.
    pub example: Option<serde_json::Value>,
    /// What of it is not in the API's reference but chosen here (`x-origin`): `["chosen"]`, `["maximum", "default"]`.
    pub origin: Vec<String>,
}

/// Which way a field goes that does not go both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Only in requests: `writeOnly`.
    Request,
    /// Only in responses: `readOnly`.
    Response,
}

/// The error type that operations share.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedErrors {
    /// The type, a [`Kind::Choice`] in [`Module::Responses`].
    pub ty: TypeId,
    /// The table row of each variant, in the order of the components.
    pub rows: Vec<Response>,
    /// The name of the static that holds them: `API_ERRORS`.
    pub constant: Ident,
}

/// How refusals are told, from `x-rejections`; what is absent keeps the runtime's default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rejections {
    /// The media type of a refusal's body.
    pub content_type: Option<String>,
    /// The field that holds the message.
    pub message_field: Option<String>,
    /// Whether bodies also have the problem details' `type`, `title` and `status`.
    pub problem_fields: Option<bool>,
    /// What is said for one kind of refusal (kebab-case name: `no-route`).
    pub kinds: Vec<(String, RejectionKind)>,
    /// How a violation is told, by its code, or `default`: templates with `{name}`, `{expected}`, `{limit}`.
    pub reasons: Vec<(String, String)>,
}

/// What is said for one kind of refusal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RejectionKind {
    /// The status code.
    pub status: Option<u16>,
    /// The message.
    pub message: Option<String>,
    /// The media type of the body, if another than the style's.
    pub content_type: Option<String>,
    /// The field that lists the violations.
    pub violations_field: Option<String>,
    /// The field of a violation's name.
    pub name_field: Option<String>,
    /// The field of a violation's reason.
    pub reason_field: Option<String>,
    /// The field of a violation's location.
    pub location_field: Option<String>,
    /// The field of a violation's code.
    pub code_field: Option<String>,
}
