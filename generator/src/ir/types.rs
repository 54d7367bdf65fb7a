//! Named types: structs, enums, aliases, and documented alternatives.

use std::borrow::Cow;

use super::{
    CrossRule, Docs, Ident, JsonSchemaId, Literal, Module, NameRules, Origin, Origins, Provenance, Schema,
    UnionDef, Xml,
};

/// An index of [`Api::types`](super::Api::types).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub usize);

/// A named type.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDef {
    /// The index in [`Api::types`](super::Api::types).
    pub id: TypeId,
    /// The module.
    pub module: Module,
    /// The name.
    pub name: Ident,
    /// The name of its table row in SCREAMING_SNAKE_CASE.
    pub constant: Ident,
    /// Where its schema is in the document.
    pub provenance: Provenance,
    /// The documentation.
    pub docs: Docs,
    /// The definition.
    pub kind: Kind,
    /// The schema of the document, if it is more specific than the definition.
    pub also: Option<JsonSchemaId>,
}

/// The definition of a type.
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
    /// A type alias.
    Alias(Schema),
    /// An enum of documented alternatives: media types or responses.
    Choice(Choice),
}

impl Kind {
    /// Returns whether the type is that of a schema, which gets the derives of the settings.
    pub fn has_derives(&self) -> bool {
        match self {
            Self::Struct(def) => def.role == StructRole::Object,
            Self::StringEnum(_) | Self::IntegerEnum(_) | Self::Union(_) => true,
            Self::Alias(_) | Self::Choice(_) => false,
        }
    }

    /// Returns the names of the fields or variants.
    pub fn names(&self) -> impl Iterator<Item = &Ident> {
        let names: Vec<&Ident> = match self {
            Self::Struct(def) => def.fields.iter().map(|field| &field.ident).collect(),
            Self::StringEnum(def) => def.variants.iter().map(|variant| &variant.ident).collect(),
            Self::IntegerEnum(def) => def.variants.iter().map(|variant| &variant.ident).collect(),
            Self::Union(def) => def.variants.iter().map(|variant| &variant.ident).collect(),
            Self::Choice(choice) => choice.variants.iter().map(|variant| &variant.ident).collect(),
            Self::Alias(_) => Vec::new(),
        };
        names.into_iter()
    }
}

/// A struct.
#[derive(Debug, Clone, PartialEq)]
pub struct StructDef {
    /// The role.
    pub role: StructRole,
    /// The fields.
    pub fields: Vec<Field>,
    /// The name of the struct for the constructor's arguments: `ResourceFields`.
    ///
    /// Only if there are more than seven arguments.
    pub fields_struct: Option<Ident>,
    /// Whether code outside of the models can list all fields.
    pub exhaustive: bool,
    /// The additional properties.
    pub additional: Additional,
    /// The minimum number of properties.
    pub min_properties: Option<u64>,
    /// The maximum number of properties.
    pub max_properties: Option<u64>,
    /// The constraints across several fields.
    pub rules: Vec<CrossRule>,
    /// The source locations of its keywords, which can be those of a part of `allOf`. Each rule has an `x-rules`.
    pub origins: Origins,
}

impl StructDef {
    /// Creates a struct that ignores additional properties.
    pub const fn new(role: StructRole, fields: Vec<Field>) -> Self {
        Self {
            role,
            fields,
            fields_struct: None,
            exhaustive: false,
            additional: Additional::Ignored,
            min_properties: None,
            max_properties: None,
            rules: Vec::new(),
            origins: Origins::none(),
        }
    }
}

/// The role of a struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructRole {
    /// A JSON object.
    Object,
    /// The parameters and request body of an operation. Has no table row.
    Input,
    /// The status, headers and body of a response. Has no table row.
    Response,
}

/// The additional properties of an object.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a struct has one of these, so that a box would save nothing")]
pub enum Additional {
    /// Allowed, but dropped.
    Ignored,
    /// Forbidden.
    Forbidden,
    /// Allowed, and kept in a field.
    Kept {
        /// The field.
        ident: Ident,
        /// The schema of the values.
        schema: Schema,
        /// The constraints on the names.
        names: Option<Box<NameRules>>,
    },
}

/// A field of a struct.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The wire name.
    pub wire: String,
    /// The Rust name.
    pub ident: Ident,
    /// The accessor that applies the default, if there is a default: `speed_or_default`.
    pub default_accessor: Option<Ident>,
    /// The setter of an optional field that requests can contain: `with_speed`.
    pub setter: Option<Ident>,
    /// The schema of the value.
    pub schema: Schema,
    /// Whether null is decoded as absent. The field is optional.
    pub null_is_absent: bool,
    /// Whether the field is required.
    pub required: bool,
    /// The source location of its entry of `required`.
    pub required_at: Origin,
    /// Whether the document requires a `readOnly` or `writeOnly` field in its direction.
    ///
    /// `required` is false if the type occurs in the other direction as well.
    pub required_one_way: bool,
    /// The only allowed value of a required field. Constructors fill it in.
    ///
    /// A boolean, a number, a string or a value of an enum.
    pub constant: Option<Literal>,
    /// The default for an absent field.
    pub default: Option<Literal>,
    /// The form in XML, if it is not the usual one and a body in XML can contain the field.
    pub xml: Option<Xml>,
    /// The documentation.
    pub docs: Docs,
}

impl Field {
    /// Creates a field without default, constant and setter.
    pub fn new(wire: impl Into<String>, ident: Ident, schema: Schema, required: bool, docs: Docs) -> Self {
        Self {
            wire: wire.into(),
            ident,
            required_one_way: false,
            default_accessor: None,
            setter: None,
            schema,
            null_is_absent: false,
            required,
            required_at: Origin::default(),
            constant: None,
            default: None,
            xml: None,
            docs,
        }
    }

    /// Returns the schema of the values that the field holds: without null, if that is absent.
    pub fn held(&self) -> Cow<'_, Schema> {
        match self.null_is_absent {
            true => Cow::Owned(Schema { nullable: false, ..self.schema.clone() }),
            false => Cow::Borrowed(&self.schema),
        }
    }

    /// Returns whether the constructor has an argument for the field.
    ///
    /// It has one if the field is required and not constant.
    pub const fn is_asked(&self) -> bool {
        self.required && self.constant.is_none()
    }
}

/// An enum of strings, or of values of another type.
#[derive(Debug, Clone, PartialEq)]
pub struct EnumDef<W = String> {
    /// The values.
    pub variants: Vec<EnumVariant<W>>,
    /// The variant for values that the document does not list, if the enum is open.
    ///
    /// An enum is open if a response can contain it, because a newer server may send new values.
    pub open: Option<Ident>,
}

/// A value of an enum.
#[derive(Debug, Clone, PartialEq)]
pub struct EnumVariant<W = String> {
    /// The wire value.
    pub wire: W,
    /// The Rust name.
    pub ident: Ident,
    /// The description.
    pub description: Option<String>,
}

/// An enum of integers.
pub type IntegerEnum = EnumDef<i64>;

/// A value of an enum of integers.
pub type IntegerVariant = EnumVariant<i64>;

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

impl Kinds {
    /// Every kind.
    pub const ALL: Self = Self {
        null: true,
        boolean: true,
        integer: true,
        number: true,
        string: true,
        array: true,
        object: true,
    };

    /// Combines two sets kind by kind.
    pub fn zip(self, other: Self, combine: fn(bool, bool) -> bool) -> Self {
        Self {
            null: combine(self.null, other.null),
            boolean: combine(self.boolean, other.boolean),
            integer: combine(self.integer, other.integer),
            number: combine(self.number, other.number),
            string: combine(self.string, other.string),
            array: combine(self.array, other.array),
            object: combine(self.object, other.object),
        }
    }

    /// Returns the names of the kinds in JSON Schema. A number includes the integers.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [
            (self.object, "object"),
            (self.array, "array"),
            (self.string, "string"),
            (self.number, "number"),
            (self.integer && !self.number, "integer"),
            (self.boolean, "boolean"),
            (self.null, "null"),
        ];
        all.into_iter().filter_map(|(is_in, name)| is_in.then_some(name))
    }
}

/// An enum of documented alternatives.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The role.
    pub role: ChoiceRole,
    /// The alternatives, in the order of the table rows.
    pub variants: Vec<ChoiceVariant>,
}

/// The role of a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceRole {
    /// The media types of a body or response.
    Content,
    /// The successful responses of an operation.
    Output,
    /// The documented error responses.
    Errors,
}

/// A documented alternative.
#[derive(Debug, Clone, PartialEq)]
pub struct ChoiceVariant {
    /// The Rust name.
    pub ident: Ident,
    /// The schema of the payload; [`Type::Unit`](super::Type::Unit) for none.
    pub payload: Schema,
    /// The text for its docs: the status and its description, or the media type.
    pub docs: String,
}
