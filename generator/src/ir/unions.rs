//! Unions: their variants, and how a value selects one.

use serde_json::Value;

use super::{Ident, Kinds, Literal, Schema};

/// A union.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UnionDef {
    /// The variants.
    pub variants: Vec<UnionVariant>,
    /// The discriminator.
    pub discriminator: Option<Discriminator>,
    /// The index of the variant of objects whose discriminator is absent or has another value.
    pub default_variant: Option<usize>,
    /// The index of the variant for objects that match several alternatives of `anyOf`. It has the properties of these.
    pub overlap: Option<usize>,
    /// The variant for other values, if the union is open (see [`EnumDef::open`]).
    pub open: Option<Ident>,
}

impl UnionDef {
    /// Returns the variants that a value can belong to by its discriminator: all, if it has none.
    pub fn candidates(&self, value: &Value) -> impl Iterator<Item = (usize, &UnionVariant)> {
        let tagged = self.discriminator.as_ref().and_then(|Discriminator { property, kind, values }| {
            let Some(tag) = value.as_object()?.get(property).filter(|tag| kind.is_of(tag)) else {
                return self.default_variant.map(Some);
            };
            let mapped =
                values.iter().find(|(value, _)| kind.literal(value).is(tag)).map(|(_, index)| *index);
            Some(mapped.or(self.default_variant))
        });
        let variants = self.variants.iter().enumerate();
        variants.filter(move |(index, _)| tagged.is_none_or(|tagged| tagged == Some(*index)))
    }
}

/// The property of a union that selects the variant by its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Discriminator {
    /// The property.
    pub property: String,
    /// The kind of its values.
    pub kind: TagKind,
    /// Its values as text, with the index of the variant that each selects.
    pub values: Vec<(String, usize)>,
}

/// The kind of the values of a discriminator, or of a property with constants.
///
/// Tables have the values as text: an integer in decimal, a boolean as `true` or `false`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagKind {
    /// Strings.
    Text,
    /// Integers.
    Integer,
    /// Booleans.
    Boolean,
}

impl TagKind {
    /// Returns the value that has this text, or the text itself if no value of this kind has it.
    pub fn literal(self, text: &str) -> Literal {
        let other = match self {
            Self::Text => None,
            Self::Integer => text.parse().ok().map(Literal::Integer),
            Self::Boolean => text.parse().ok().map(Literal::Boolean),
        };
        other.unwrap_or_else(|| Literal::Text(text.to_owned()))
    }

    /// Returns whether a value has this kind.
    fn is_of(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Integer => value.is_number(),
            Self::Boolean => value.is_boolean(),
        }
    }
}

/// A variant of a union.
#[derive(Debug, Clone, PartialEq)]
pub struct UnionVariant {
    /// The Rust name.
    pub ident: Ident,
    /// The schema of the value.
    pub schema: Schema,
    /// The shape of its values, by which a decoder identifies the variant.
    pub shape: Shape,
}

/// The shape of the values of a schema.
///
/// Corresponds to the runtime's `codec::Shape`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shape {
    /// The name for error messages.
    pub name: String,
    /// The possible JSON kinds.
    pub kinds: Kinds,
    /// The required properties.
    pub required: Vec<String>,
    /// The known properties.
    pub known: Vec<String>,
    /// The properties that must have one of these strings, integers or booleans.
    ///
    /// An integer is in decimal, a boolean is `true` or `false`.
    pub constants: Vec<(String, Vec<String>)>,
    /// Whether other properties are forbidden.
    pub closed: bool,
}
