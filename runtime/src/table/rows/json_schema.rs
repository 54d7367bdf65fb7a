//! Constructors of rows for schemas with all keywords of JSON Schema.

use crate::table::{JsonSchema, Keyword, Kinds, Pattern};

impl JsonSchema {
    /// Every value.
    pub const ANY: Self = Self(&[]);
    /// Any boolean.
    pub const BOOLEAN: Self = Self(&[Keyword::Type(Kinds::BOOLEAN)]);
    /// Any integer.
    pub const INTEGER: Self = Self(&[Keyword::Type(Kinds::INTEGER)]);
    /// Any number.
    pub const NUMBER: Self = Self(&[Keyword::Type(Kinds::NUMBER)]);
    /// Any string.
    pub const STRING: Self = Self(&[Keyword::Type(Kinds::STRING)]);
    /// Any string or null.
    pub const STRING_OR_NULL: Self = Self(&[Keyword::Type(Kinds::STRING.or(Kinds::NULL))]);

    /// Creates a schema of these keywords.
    pub const fn new(keywords: &'static [Keyword]) -> Self {
        Self(keywords)
    }
}

impl Keyword {
    /// The schema of all items.
    pub const fn items(all: &'static JsonSchema) -> Self {
        Self::Items { prefix: &[], others: Some(all) }
    }

    /// The schemas of the first items and of all others.
    pub const fn prefix_items(
        prefix: &'static [&'static JsonSchema],
        others: Option<&'static JsonSchema>,
    ) -> Self {
        Self::Items { prefix, others }
    }

    /// Some items match a schema.
    pub const fn contains(schema: &'static JsonSchema, minimum: u64, maximum: Option<u64>) -> Self {
        Self::Contains { schema, minimum, maximum }
    }

    /// The schemas of named properties, sorted by name.
    pub const fn properties(listed: &'static [(&'static str, &'static JsonSchema)]) -> Self {
        Self::Properties { listed, patterns: &[], others: None }
    }

    /// The schemas of named properties, of those whose names match a pattern, and of all others.
    pub const fn all_properties(
        listed: &'static [(&'static str, &'static JsonSchema)],
        patterns: &'static [(&'static Pattern, &'static JsonSchema)],
        others: Option<&'static JsonSchema>,
    ) -> Self {
        Self::Properties { listed, patterns, others }
    }

    /// One schema decides which of two others applies.
    pub const fn condition(
        condition: &'static JsonSchema,
        then: Option<&'static JsonSchema>,
        otherwise: Option<&'static JsonSchema>,
    ) -> Self {
        Self::If { condition, then, otherwise }
    }
}
