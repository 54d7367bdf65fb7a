//! Schemas with the exact semantics of JSON Schema, for constraints that a Rust type can't express.

use super::{Ident, Kinds, Literal, Module, Origin, PatternId, TextFormat};

/// An index of [`Api::json_schemas`](super::Api::json_schemas).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct JsonSchemaId(pub usize);

/// A schema of the document that has a static of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonSchemaDef {
    /// The module whose tables hold it.
    pub module: Module,
    /// The name of the static.
    pub constant: Ident,
    /// The keywords.
    pub schema: JsonSchema,
    /// The source location of the schema, or of its first part.
    pub origin: Origin,
}

/// A schema with the semantics of JSON Schema: all of its keywords apply.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JsonSchema(pub Vec<Keyword>);

/// A keyword. Corresponds to the runtime's `table::Keyword`.
#[derive(Debug, Clone, PartialEq)]
pub enum Keyword {
    /// The schema `false`.
    False,
    /// `type`.
    Type(Kinds),
    /// `enum` or `const`.
    Enum(Vec<Literal>),
    /// A keyword that is set or not, such as `uniqueItems`, by its name.
    Flag(&'static str),
    /// A keyword about numbers, such as `minimum`, by its name.
    Bound(&'static str, Literal),
    /// A keyword that limits a length or a number of parts, such as `minLength`, by its name.
    Count(&'static str, u64),
    /// `pattern`.
    Pattern(PatternId),
    /// `format`, if it is checked.
    Format(TextFormat),
    /// `prefixItems` and `items`.
    Items {
        /// `prefixItems`.
        prefix: Vec<JsonSchema>,
        /// `items`.
        others: Option<Box<JsonSchema>>,
    },
    /// `contains`, `minContains` and `maxContains`.
    Contains {
        /// `contains`.
        schema: Box<JsonSchema>,
        /// `minContains`, 1 by default.
        minimum: u64,
        /// `maxContains`.
        maximum: Option<u64>,
    },
    /// `required`.
    Required(Vec<String>),
    /// `properties`, `patternProperties` and `additionalProperties`.
    Properties {
        /// `properties`, sorted by name.
        listed: Vec<(String, JsonSchema)>,
        /// `patternProperties`.
        patterns: Vec<(PatternId, JsonSchema)>,
        /// `additionalProperties`.
        others: Option<Box<JsonSchema>>,
    },
    /// `propertyNames`.
    PropertyNames(Box<JsonSchema>),
    /// `dependentRequired`.
    DependentRequired(Vec<(String, Vec<String>)>),
    /// `dependentSchemas`.
    DependentSchemas(Vec<(String, JsonSchema)>),
    /// `$ref`.
    Ref(JsonSchemaId),
    /// `allOf`.
    AllOf(Vec<JsonSchema>),
    /// `anyOf`.
    AnyOf(Vec<JsonSchema>),
    /// `oneOf`.
    OneOf(Vec<JsonSchema>),
    /// `not`.
    Not(Box<JsonSchema>),
    /// `if`, `then` and `else`.
    If {
        /// `if`.
        condition: Box<JsonSchema>,
        /// `then`.
        then: Option<Box<JsonSchema>>,
        /// `else`.
        otherwise: Option<Box<JsonSchema>>,
    },
    /// `unevaluatedItems`.
    UnevaluatedItems(Box<JsonSchema>),
    /// `unevaluatedProperties`.
    UnevaluatedProperties(Box<JsonSchema>),
}

impl JsonSchema {
    /// Returns the schema that accepts no value.
    pub fn never() -> Self {
        Self(vec![Keyword::False])
    }

    /// Returns a schema that accepts null, too.
    pub fn or_null(self) -> Self {
        let null = Self(vec![Keyword::Type(Kinds { null: true, ..Kinds::default() })]);
        Self(vec![Keyword::AnyOf(vec![null, self])])
    }

    /// Visits the schema and all schemas within it, but not the targets of references.
    pub fn visit(&self, visit: &mut dyn FnMut(&Keyword)) {
        for keyword in &self.0 {
            visit(keyword);
            keyword.schemas().into_iter().for_each(|schema| schema.visit(visit));
        }
    }

    /// Does the same as [`visit`](Self::visit), mutably.
    pub fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Keyword)) {
        for keyword in &mut self.0 {
            visit(keyword);
            keyword.schemas_mut().into_iter().for_each(|schema| schema.visit_mut(visit));
        }
    }
}

/// Defines both visitors of a keyword's schemas, which differ in mutability only.
macro_rules! schemas {
    ($(#[$meta:meta])* $name:ident, $iter:ident, $option:ident, $($mutable:tt)?) => {
        $(#[$meta])*
        pub fn $name(&$($mutable)? self) -> Vec<&$($mutable)? JsonSchema> {
            match self {
                Self::Items { prefix, others } => prefix.$iter().chain(others.$option()).collect(),
                Self::Properties { listed, patterns, others } => {
                    let listed = listed.$iter().map(|(_, schema)| schema);
                    let patterns = patterns.$iter().map(|(_, schema)| schema);
                    listed.chain(patterns).chain(others.$option()).collect()
                }
                Self::DependentSchemas(each) => each.$iter().map(|(_, schema)| schema).collect(),
                Self::AllOf(several) | Self::AnyOf(several) | Self::OneOf(several) => several.$iter().collect(),
                Self::If { condition, then, otherwise } => {
                    let branches = then.$option().into_iter().chain(otherwise.$option());
                    std::iter::once(&$($mutable)? **condition).chain(branches).collect()
                }
                Self::Contains { schema, .. }
                | Self::PropertyNames(schema)
                | Self::Not(schema)
                | Self::UnevaluatedItems(schema)
                | Self::UnevaluatedProperties(schema) => vec![schema],
                _ => Vec::new(),
            }
        }
    };
}

impl Keyword {
    /// Returns the name of the keyword, or of the most frequent one if it stands for several.
    pub fn name(&self) -> &'static str {
        match self {
            Self::False => "false",
            Self::Type(_) => "type",
            Self::Enum(_) => "enum",
            Self::Flag(name) | Self::Bound(name, _) | Self::Count(name, _) => name,
            Self::Pattern(_) => "pattern",
            Self::Format(_) => "format",
            Self::Items { .. } => "items",
            Self::Contains { .. } => "contains",
            Self::Required(_) => "required",
            Self::Properties { .. } => "properties",
            Self::PropertyNames(_) => "propertyNames",
            Self::DependentRequired(_) => "dependentRequired",
            Self::DependentSchemas(_) => "dependentSchemas",
            Self::Ref(_) => "$ref",
            Self::AllOf(_) => "allOf",
            Self::AnyOf(_) => "anyOf",
            Self::OneOf(_) => "oneOf",
            Self::Not(_) => "not",
            Self::If { .. } => "if",
            Self::UnevaluatedItems(_) => "unevaluatedItems",
            Self::UnevaluatedProperties(_) => "unevaluatedProperties",
        }
    }

    schemas!(
        /// Returns the schemas directly within the keyword.
        schemas, iter, as_deref,
    );
    schemas!(
        /// Returns the schemas directly within the keyword, mutably.
        schemas_mut, iter_mut, as_deref_mut, mut
    );
}
