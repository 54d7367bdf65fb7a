//! Schemas at their use: the Rust type and the constraints.

use std::{fmt, ops::RangeInclusive};

use super::{Engine, Ident, JsonSchemaId, Module, TextRules, TypeId};
use crate::tree::whole;

/// A schema at its use.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// The type with its constraints.
    pub ty: Type,
    /// Whether `null` is also allowed.
    pub nullable: bool,
    /// The only allowed values, if the schema has no enum type.
    ///
    /// Empty means no such constraint.
    pub allowed: Vec<Literal>,
    /// The schema of the document, if it is more specific than the type and its constraints.
    pub also: Option<JsonSchemaId>,
}

impl Schema {
    /// Creates a schema of this type, not nullable and with any value.
    pub fn new(ty: Type) -> Self {
        Self { ty, nullable: false, allowed: Vec::new(), also: None }
    }
}

/// The type of a schema.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// Any JSON value: `rt::Value`.
    Any,
    /// `()`, for a response without a body.
    Unit,
    /// `bool`.
    Boolean,
    /// An integer type.
    Integer(IntegerRules),
    /// `f64`.
    Number(NumberRules),
    /// A string, or a type that is a string on the wire.
    Text(TextRules),
    /// Raw bytes: `rt::Bytes`.
    Bytes,
    /// A part of a multipart body: `rt::File`.
    File,
    /// A streamed body. Occurs only as the schema of a body.
    Stream(Box<Stream>),
    /// `Vec<T>`.
    Array(Box<ArrayRules>),
    /// `(A, B)`: an array with a fixed number of items, up to [`Self::MAX_TUPLE`].
    Tuple(Vec<Schema>),
    /// `rt::Map<T>`.
    Map(Box<MapRules>),
    /// A named type.
    Named {
        /// The type.
        id: TypeId,
        /// Whether it is boxed, because it would otherwise contain itself.
        boxed: bool,
    },
}

impl Type {
    /// The maximum size of a tuple that the runtime supports.
    pub const MAX_TUPLE: usize = 8;
}

/// A streamed body.
#[derive(Debug, Clone, PartialEq)]
pub enum Stream {
    /// Raw bytes: `rt::ByteStream`.
    Bytes,
    /// Items of this schema: `rt::ItemStream<T>`.
    Items(Schema),
    /// Server-sent events with data of this schema: `rt::ItemStream<rt::Event<T>>`.
    Events(Schema),
}

impl Stream {
    /// Returns the schema of each item, if there is one.
    pub const fn piece(&self) -> Option<&Schema> {
        match self {
            Self::Bytes => None,
            Self::Items(schema) | Self::Events(schema) => Some(schema),
        }
    }

    /// Returns the schema of each item mutably, if there is one.
    pub const fn piece_mut(&mut self) -> Option<&mut Schema> {
        match self {
            Self::Bytes => None,
            Self::Items(schema) | Self::Events(schema) => Some(schema),
        }
    }
}

/// The constraints of an integer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IntegerRules {
    /// The Rust type.
    pub width: Width,
    /// The inclusive minimum.
    pub minimum: Option<i128>,
    /// The exclusive minimum.
    pub exclusive_minimum: Option<i128>,
    /// The inclusive maximum.
    pub maximum: Option<i128>,
    /// The exclusive maximum.
    pub exclusive_maximum: Option<i128>,
    /// The number that values are a multiple of, above 0.
    pub multiple_of: Option<i128>,
}

impl IntegerRules {
    /// Returns the first keyword that a value violates. The range of the Rust type is its `format`.
    pub fn violated(&self, value: i128) -> Option<&'static str> {
        first_violated([
            (self.minimum.is_none_or(|bound| value >= bound), "minimum"),
            (self.exclusive_minimum.is_none_or(|bound| value > bound), "exclusiveMinimum"),
            (self.maximum.is_none_or(|bound| value <= bound), "maximum"),
            (self.exclusive_maximum.is_none_or(|bound| value < bound), "exclusiveMaximum"),
            (self.multiple_of.is_none_or(|step| value.checked_rem(step) == Some(0)), "multipleOf"),
            (self.width.range().contains(&value), "format"),
        ])
    }
}

/// Returns the first keyword that does not hold.
pub(crate) fn first_violated<const N: usize>(keywords: [(bool, &'static str); N]) -> Option<&'static str> {
    keywords.into_iter().find(|(holds, _)| !holds).map(|(_, keyword)| keyword)
}

/// The Rust type of an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Width {
    /// `u16`, only for the status of a response type.
    ///
    /// That is a [`StructRole::Response`](super::StructRole::Response), which has no table row.
    U16,
    /// `i32`.
    I32,
    /// `i64`.
    #[default]
    I64,
    /// `u32`.
    U32,
    /// `u64`.
    U64,
}

impl Width {
    /// Returns the values of the type.
    pub fn range(self) -> RangeInclusive<i128> {
        match self {
            Self::U16 => u16::MIN.into()..=u16::MAX.into(),
            Self::I32 => i32::MIN.into()..=i32::MAX.into(),
            Self::I64 => i64::MIN.into()..=i64::MAX.into(),
            Self::U32 => u32::MIN.into()..=u32::MAX.into(),
            Self::U64 => u64::MIN.into()..=u64::MAX.into(),
        }
    }
}

/// The constraints of a number.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NumberRules {
    /// The inclusive minimum.
    pub minimum: Option<f64>,
    /// The exclusive minimum.
    pub exclusive_minimum: Option<f64>,
    /// The inclusive maximum.
    pub maximum: Option<f64>,
    /// The exclusive maximum.
    pub exclusive_maximum: Option<f64>,
    /// The number that values are a multiple of, above 0.
    pub multiple_of: Option<f64>,
}

impl NumberRules {
    /// Returns the first keyword that a value violates; `multipleOf` only if no other.
    pub fn violated(&self, value: f64) -> Option<&'static str> {
        first_violated([
            (self.minimum.is_none_or(|bound| value >= bound), "minimum"),
            (self.exclusive_minimum.is_none_or(|bound| value > bound), "exclusiveMinimum"),
            (self.maximum.is_none_or(|bound| value <= bound), "maximum"),
            (self.exclusive_maximum.is_none_or(|bound| value < bound), "exclusiveMaximum"),
            (self.multiple_of.is_none_or(|step| (value / step).fract() == 0.0), "multipleOf"),
        ])
    }
}

/// An index of [`Api::patterns`](super::Api::patterns).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PatternId(pub usize);

/// A regular expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The module whose tables use it.
    pub module: Module,
    /// The name of the static that holds it.
    pub constant: Ident,
    /// The expression as the document has it, in the syntax of ECMA-262.
    pub written: String,
    /// The crate that runs it.
    pub engine: Engine,
    /// The expression in the syntax of that crate.
    pub source: String,
}

/// The constraints of an array.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayRules {
    /// The schema of the items.
    pub items: Schema,
    /// The minimum number of items.
    pub min_items: Option<u64>,
    /// The maximum number of items.
    pub max_items: Option<u64>,
    /// Whether items must be unique.
    pub unique: bool,
}

/// The constraints of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct MapRules {
    /// The schema of the values.
    pub values: Schema,
    /// The minimum number of entries.
    pub min_properties: Option<u64>,
    /// The maximum number of entries.
    pub max_properties: Option<u64>,
    /// The constraints on the names.
    pub names: Option<Box<NameRules>>,
}

/// Constraints on the names of map entries, and on values by their names.
///
/// Also used for additional properties.
#[derive(Debug, Clone, PartialEq)]
pub struct NameRules {
    /// The schema of each name, a string.
    pub each: Option<Schema>,
    /// The patterns of names, each with the schema of its values.
    ///
    /// `None` if the schema of all values is sufficient.
    pub patterns: Vec<(PatternId, Option<Schema>)>,
    /// The schema of values whose names match none of the patterns.
    pub others: Option<Schema>,
    /// Whether names that match none of the patterns are forbidden.
    pub closed: bool,
}

impl NameRules {
    /// Returns the schemas in these constraints.
    pub fn schemas(&self) -> impl Iterator<Item = &Schema> {
        self.each
            .iter()
            .chain(self.patterns.iter().filter_map(|(_, schema)| schema.as_ref()))
            .chain(&self.others)
    }

    /// Returns the schemas in these constraints mutably.
    pub fn schemas_mut(&mut self) -> impl Iterator<Item = &mut Schema> {
        let patterns = self.patterns.iter_mut().filter_map(|(_, schema)| schema.as_mut());
        self.each.iter_mut().chain(patterns).chain(&mut self.others)
    }
}

/// A constant value in the document.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `null`.
    Null,
    /// A boolean.
    Boolean(bool),
    /// An integer.
    Integer(i128),
    /// A number.
    Number(f64),
    /// A string.
    Text(String),
    /// An array or object.
    Json(serde_json::Value),
}

impl fmt::Display for Literal {
    /// Writes JSON, but a string without quotes.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => formatter.write_str("null"),
            Self::Boolean(value) => value.fmt(formatter),
            Self::Integer(value) => value.fmt(formatter),
            Self::Number(value) => value.fmt(formatter),
            Self::Text(text) => formatter.write_str(text),
            Self::Json(value) => value.fmt(formatter),
        }
    }
}

impl Literal {
    /// Returns whether a constant equals a JSON value. Numbers are compared by value.
    pub fn is(&self, other: &serde_json::Value) -> bool {
        match self {
            Self::Null => other.is_null(),
            Self::Boolean(value) => other.as_bool() == Some(*value),
            Self::Integer(value) => other.as_number().and_then(whole) == Some(*value),
            Self::Number(value) => other.as_f64() == Some(*value),
            Self::Text(value) => other.as_str() == Some(value),
            Self::Json(value) => other == value,
        }
    }
}
