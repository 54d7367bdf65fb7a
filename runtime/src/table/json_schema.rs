//! The table rows of schemas with the exact semantics of JSON Schema.

use std::cmp::Ordering;

use super::{Format, Literal, Pattern};
use crate::codec::Kinds;
use crate::formats;

/// A schema of the document, with the exact semantics of JSON Schema (draft 2020-12).
///
/// A [`Schema`](super::Schema) has the constraints that the Rust type of a value can express. If the document's schema
/// is more specific than that, the row refers to a `JsonSchema`. [`JsonSchema::ANY`] accepts every value.
#[derive(Debug)]
#[non_exhaustive]
#[must_use]
pub struct JsonSchema(pub &'static [Keyword]);

/// A keyword of a [`JsonSchema`].
///
/// A keyword about one kind of values accepts all values of other kinds, as JSON Schema defines. The keywords
/// `Unevaluated…` come last, because they depend on the others.
#[derive(Debug)]
#[non_exhaustive]
#[must_use]
pub enum Keyword {
    /// No value is valid: the schema `false`.
    False,
    /// The value is of one of these kinds (`type`).
    Type(Kinds),
    /// The value equals one of these (`enum` and `const`).
    Enum(&'static [Literal]),
    /// The inclusive minimum, an integer or a number.
    Minimum(Literal),
    /// The exclusive minimum, an integer or a number.
    ExclusiveMinimum(Literal),
    /// The inclusive maximum, an integer or a number.
    Maximum(Literal),
    /// The exclusive maximum, an integer or a number.
    ExclusiveMaximum(Literal),
    /// The integer or number above 0 that the value is a multiple of.
    MultipleOf(Literal),
    /// The minimum length in Unicode code points.
    MinLength(u64),
    /// The maximum length in Unicode code points.
    MaxLength(u64),
    /// The pattern, which must match a part of the string.
    Pattern(&'static Pattern),
    /// The format of the string.
    Format(Format),
    /// The inclusive minimum of a date, a time or a date-time.
    FormatMinimum(Literal),
    /// The exclusive minimum of a date, a time or a date-time.
    FormatExclusiveMinimum(Literal),
    /// The inclusive maximum of a date, a time or a date-time.
    FormatMaximum(Literal),
    /// The exclusive maximum of a date, a time or a date-time.
    FormatExclusiveMaximum(Literal),
    /// The minimum number of items.
    MinItems(u64),
    /// The maximum number of items.
    MaxItems(u64),
    /// All items are different.
    UniqueItems,
    /// The items of an array, by their position.
    #[non_exhaustive]
    Items {
        /// The schemas of the first items (`prefixItems`).
        prefix: &'static [&'static JsonSchema],
        /// The schema of all other items (`items`).
        others: Option<&'static JsonSchema>,
    },
    /// Some items match a schema (`contains`).
    #[non_exhaustive]
    Contains {
        /// The schema.
        schema: &'static JsonSchema,
        /// The minimum number of items that match (`minContains`, which is 1 by default).
        minimum: u64,
        /// The maximum number of items that match (`maxContains`).
        maximum: Option<u64>,
    },
    /// The minimum number of properties.
    MinProperties(u64),
    /// The maximum number of properties.
    MaxProperties(u64),
    /// The names of properties that an object must have.
    Required(&'static [&'static str]),
    /// The properties of an object, by their names.
    #[non_exhaustive]
    Properties {
        /// The schemas of named properties, sorted by name (`properties`).
        listed: &'static [(&'static str, &'static JsonSchema)],
        /// The schemas of properties whose names match a pattern (`patternProperties`).
        patterns: &'static [(&'static Pattern, &'static JsonSchema)],
        /// The schema of all other properties (`additionalProperties`).
        others: Option<&'static JsonSchema>,
    },
    /// The schema of every property name.
    PropertyNames(&'static JsonSchema),
    /// If an object has a property, it also has the listed ones.
    DependentRequired(&'static [(&'static str, &'static [&'static str])]),
    /// If an object has a property, the schema applies to the object.
    DependentSchemas(&'static [(&'static str, &'static JsonSchema)]),
    /// Another schema applies (`$ref`).
    Ref(&'static JsonSchema),
    /// All of these schemas apply.
    AllOf(&'static [&'static JsonSchema]),
    /// At least one of these schemas applies.
    AnyOf(&'static [&'static JsonSchema]),
    /// Exactly one of these schemas applies.
    OneOf(&'static [&'static JsonSchema]),
    /// The schema does not apply.
    Not(&'static JsonSchema),
    /// One schema decides which of two others applies (`if`, `then` and `else`).
    #[non_exhaustive]
    If {
        /// The condition.
        condition: &'static JsonSchema,
        /// The schema that applies if the condition does.
        then: Option<&'static JsonSchema>,
        /// The schema that applies if the condition does not.
        otherwise: Option<&'static JsonSchema>,
    },
    /// The schema of the items that no other keyword evaluates.
    UnevaluatedItems(&'static JsonSchema),
    /// The schema of the properties that no other keyword evaluates.
    UnevaluatedProperties(&'static JsonSchema),
}

impl Keyword {
    /// Returns whether a text is within a limit of its format.
    ///
    /// All texts are within a keyword that is no such limit, and within a limit of another format.
    pub(crate) fn is_within(&self, text: &str) -> bool {
        let (limit, is_within): (_, fn(Ordering) -> bool) = match self {
            Self::FormatMinimum(limit) => (limit, Ordering::is_ge),
            Self::FormatExclusiveMinimum(limit) => (limit, Ordering::is_gt),
            Self::FormatMaximum(limit) => (limit, Ordering::is_le),
            Self::FormatExclusiveMaximum(limit) => (limit, Ordering::is_lt),
            _ => return true,
        };
        let Literal::Text(limit) = limit else { return true };
        formats::compare(text, limit).is_none_or(is_within)
    }
}

#[cfg(feature = "samples")]
impl Keyword {
    /// Returns the kind of values that a keyword is about.
    pub(crate) const fn subject(&self) -> Option<Kinds> {
        match self {
            Self::Minimum(_)
            | Self::ExclusiveMinimum(_)
            | Self::Maximum(_)
            | Self::ExclusiveMaximum(_)
            | Self::MultipleOf(_) => Some(Kinds::NUMBER),
            Self::MinLength(_)
            | Self::MaxLength(_)
            | Self::Pattern(_)
            | Self::Format(_)
            | Self::FormatMinimum(_)
            | Self::FormatExclusiveMinimum(_)
            | Self::FormatMaximum(_)
            | Self::FormatExclusiveMaximum(_) => Some(Kinds::STRING),
            Self::MinItems(_) | Self::MaxItems(_) | Self::UniqueItems | Self::Items { .. } => {
                Some(Kinds::ARRAY)
            }
            Self::Contains { .. } | Self::UnevaluatedItems(_) => Some(Kinds::ARRAY),
            Self::MinProperties(_)
            | Self::MaxProperties(_)
            | Self::Required(_)
            | Self::Properties { .. }
            | Self::PropertyNames(_)
            | Self::DependentRequired(_)
            | Self::DependentSchemas(_)
            | Self::UnevaluatedProperties(_) => Some(Kinds::OBJECT),
            _ => None,
        }
    }
}
