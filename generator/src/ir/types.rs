//! Types of their own: structs, enums, unions, aliases, and the choices among bodies and responses.

use super::{CrossRule, Docs, Ident, Literal, Module, NameRules, Schema};

/// A place in [`Api::types`](super::Api::types).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub usize);

/// A type that gets an item of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDef {
    /// Its place in [`Api::types`](super::Api::types).
    pub id: TypeId,
    /// Where it stands.
    pub module: Module,
    /// Its name.
    pub name: Ident,
    /// The name of its table row, in SCREAMING_SNAKE_CASE.
    pub constant: Ident,
    /// Where it comes from, as a sentence for its docs: ``Schema `Task`.``
    pub provenance: String,
    /// What the document says.
    pub docs: Docs,
    /// What it is.
    pub kind: Kind,
}

/// What a type is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A struct.
    Struct(StructDef),
    /// An enum of strings.
    StringEnum(EnumDef),
    /// An enum of integers.
    IntegerEnum(IntegerEnum),
    /// A union.
    Union(UnionDef),
    /// A name for a schema that needs no item of its own.
    Alias(Schema),
    /// Documented alternatives: bodies, contents, statuses.
    Choice(Choice),
}

/// A struct.
#[derive(Debug, Clone, PartialEq)]
pub struct StructDef {
    /// What it is for.
    pub role: StructRole,
    /// Its fields.
    pub fields: Vec<Field>,
    /// The name of the struct of the fields that its constructor asks for (`ResourceFields`), if they are too many for a
    /// function's arguments (more than seven).
    pub fields_struct: Option<Ident>,
    /// What else its objects may hold.
    pub additional: Additional,
    /// At least this many properties.
    pub min_properties: Option<u64>,
    /// At most this many properties.
    pub max_properties: Option<u64>,
    /// Rules over several fields.
    pub rules: Vec<CrossRule>,
}

/// What a struct is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructRole {
    /// An object of the wire.
    Object,
    /// An operation's parameters and body; has no table row of its own.
    Input,
    /// A response's status, headers and body; has no table row of its own.
    Response,
}

/// What an object may hold beside its fields.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a struct has one of these, so that a box would save nothing")]
pub enum Additional {
    /// Anything; it is dropped.
    Ignored,
    /// Nothing.
    Forbidden,
    /// Values of this schema, kept in this field.
    Kept {
        /// The field.
        ident: Ident,
        /// The values.
        schema: Schema,
        /// Rules on the names.
        names: Option<Box<NameRules>>,
    },
}

/// A field.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The wire name.
    pub wire: String,
    /// The Rust name.
    pub ident: Ident,
    /// The name of the accessor that applies the default, if there is a default: `speed_or_default`.
    pub default_accessor: Option<Ident>,
    /// Its value.
    pub schema: Schema,
    /// Whether it must be there.
    pub required: bool,
    /// The only value that it can have, of a field that must be there: a boolean, a number, a string or what an enum
    /// lists. Constructors fill it in.
    pub constant: Option<Literal>,
    /// The value that holds where it is absent.
    pub default: Option<Literal>,
    /// What the document says.
    pub docs: Docs,
}

impl Field {
    /// Whether a constructor asks for it: it must be there, and can have more than one value.
    #[must_use]
    pub const fn is_asked(&self) -> bool {
        self.required && self.constant.is_none()
    }
}

/// An enum of strings.
#[derive(Debug, Clone, PartialEq)]
pub struct EnumDef {
    /// Its values.
    pub variants: Vec<EnumVariant>,
    /// Whether it takes values that the document doesn't name. It does if a response can hold it, because a newer
    /// server may send them; what only requests hold is closed.
    pub open: Option<Ident>,
}

/// A value of an enum of strings.
#[derive(Debug, Clone, PartialEq)]
pub struct EnumVariant {
    /// The wire value.
    pub wire: String,
    /// The Rust name.
    pub ident: Ident,
    /// What the document says of it.
    pub description: Option<String>,
}

/// An enum of integers.
#[derive(Debug, Clone, PartialEq)]
pub struct IntegerEnum {
    /// Its values.
    pub variants: Vec<IntegerVariant>,
    /// The variant for other values, if it is open.
    pub open: Option<Ident>,
}

/// A value of an enum of integers.
#[derive(Debug, Clone, PartialEq)]
pub struct IntegerVariant {
    /// The wire value.
    pub wire: i64,
    /// The Rust name.
    pub ident: Ident,
    /// What the document says of it.
    pub description: Option<String>,
}

/// A union.
#[derive(Debug, Clone, PartialEq)]
pub struct UnionDef {
    /// Its variants.
    pub variants: Vec<UnionVariant>,
    /// The property that tells the variant, and the variant of each of its values.
    pub discriminator: Option<(String, Vec<(String, usize)>)>,
    /// The variant for values that fit none, if it is open (see [`EnumDef::open`]).
    pub open: Option<Ident>,
}

/// A variant of a union.
#[derive(Debug, Clone, PartialEq)]
pub struct UnionVariant {
    /// The Rust name.
    pub ident: Ident,
    /// Its value.
    pub schema: Schema,
    /// What its values look like, so that a decoder can tell it from the others.
    pub shape: Shape,
}

/// What the values of a schema look like; the runtime's `codec::Shape`.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// The name for error messages.
    pub name: String,
    /// The JSON kinds.
    pub kinds: Kinds,
    /// Properties that must be there.
    pub required: Vec<String>,
    /// Properties that are known.
    pub known: Vec<String>,
    /// Properties that may only have one of these strings.
    pub constants: Vec<(String, Vec<String>)>,
    /// Whether other properties are forbidden.
    pub closed: bool,
}

/// A set of JSON kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kinds {
    /// `null`.
    pub null: bool,
    /// Booleans.
    pub boolean: bool,
    /// Integers.
    pub integer: bool,
    /// All numbers.
    pub number: bool,
    /// Strings.
    pub string: bool,
    /// Arrays.
    pub array: bool,
    /// Objects.
    pub object: bool,
}

/// Documented alternatives.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// Among what.
    pub role: ChoiceRole,
    /// The alternatives, in the order of the table's rows.
    pub variants: Vec<ChoiceVariant>,
}

/// What a choice is among.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceRole {
    /// The media types of a body or response.
    Content,
    /// The successes of an operation.
    Output,
    /// Documented errors.
    Errors,
}

/// One alternative.
#[derive(Debug, Clone, PartialEq)]
pub struct ChoiceVariant {
    /// The Rust name.
    pub ident: Ident,
    /// What it holds; [`Type::Unit`](super::Type::Unit): nothing.
    pub payload: Schema,
    /// For the docs: the status and its description, or the media type.
    pub docs: String,
}
