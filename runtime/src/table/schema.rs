//! Rows of schemas: the rules of one value.

use std::sync::OnceLock;

use regex::Regex;

use super::Condition;
use crate::codec::{Format, UnionShape};

/// The rules of one value.
#[derive(Debug)]
pub struct Schema {
    /// What kind of value it is, and the rules of that kind.
    pub of: Type,
    /// Whether `null` is one as well.
    pub nullable: bool,
    /// The only values allowed; empty: no such rule.
    pub allowed: &'static [Literal],
}

impl Schema {
    /// A value of this type and no other rule.
    #[must_use]
    pub const fn new(of: Type) -> Self {
        Self { of, nullable: false, allowed: &[] }
    }
}

/// What kind of value a schema describes, and the rules of that kind.
#[derive(Debug)]
pub enum Type {
    /// Anything.
    Any,
    /// A boolean.
    Boolean,
    /// An integer.
    Integer(Integer),
    /// A number.
    Number(Number),
    /// A string.
    Text(Text),
    /// Raw bytes, or a string that stands for them; with or without a file's name.
    Bytes,
    /// An array.
    Array(Array),
    /// An array of so many items, each of which has rules of its own.
    Tuple(&'static [&'static Schema]),
    /// An object.
    Object(Object),
    /// One of several.
    Union(Union),
    /// What another row says (with this row's `nullable` and `allowed` beside it).
    Same(&'static Schema),
}

/// Rules of an integer.
#[derive(Debug, Clone, Copy)]
pub struct Integer {
    /// The Rust type that holds it: a value outside its range is out of range.
    pub width: Width,
    /// At least.
    pub minimum: Option<i128>,
    /// Greater than.
    pub exclusive_minimum: Option<i128>,
    /// At most.
    pub maximum: Option<i128>,
    /// Less than.
    pub exclusive_maximum: Option<i128>,
    /// A multiple of; above 0.
    pub multiple_of: Option<i128>,
    /// Whether its model is a closed enum, which can't hold what is not allowed. It decides which variant of a union
    /// a value is.
    pub closed: bool,
}

impl Integer {
    /// Any 64-bit integer.
    pub const ANY: Self = Self {
        width: Width::I64,
        minimum: None,
        exclusive_minimum: None,
        maximum: None,
        exclusive_maximum: None,
        multiple_of: None,
        closed: false,
    };
}

/// The Rust type that holds an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `u32`.
    U32,
    /// `u64`.
    U64,
}

/// Rules of a number.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    /// At least.
    pub minimum: Option<f64>,
    /// Greater than.
    pub exclusive_minimum: Option<f64>,
    /// At most.
    pub maximum: Option<f64>,
    /// Less than.
    pub exclusive_maximum: Option<f64>,
    /// A multiple of; above 0.
    pub multiple_of: Option<f64>,
}

impl Number {
    /// Any number.
    pub const ANY: Self = Self {
        minimum: None,
        exclusive_minimum: None,
        maximum: None,
        exclusive_maximum: None,
        multiple_of: None,
    };
}

/// Rules of a string. Lengths count Unicode code points.
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// At least this long.
    pub min_length: Option<u64>,
    /// At most this long.
    pub max_length: Option<u64>,
    /// Matches this pattern somewhere.
    pub pattern: Option<&'static Pattern>,
    /// Is of this form.
    pub format: Option<Format>,
    /// Whether its model is a closed enum, which can't hold what is not allowed. It decides which variant of a union
    /// a value is.
    pub closed: bool,
}

impl Text {
    /// Any string.
    pub const ANY: Self =
        Self { min_length: None, max_length: None, pattern: None, format: None, closed: false };
}

/// A regular expression, compiled at first use.
#[derive(Debug)]
pub struct Pattern {
    source: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// The pattern of this source. The generator has made sure that it compiles; one that does not matches everything.
    #[must_use]
    pub const fn new(source: &'static str) -> Self {
        Self { source, compiled: OnceLock::new() }
    }

    /// The source.
    #[must_use]
    pub const fn source(&self) -> &'static str {
        self.source
    }

    /// Whether `text` holds a match.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.compiled
            .get_or_init(|| Regex::new(self.source).ok())
            .as_ref()
            .is_none_or(|regex| regex.is_match(text))
    }
}

/// Rules of an array.
#[derive(Debug, Clone, Copy)]
pub struct Array {
    /// The rules of each item.
    pub items: &'static Schema,
    /// At least this many.
    pub min_items: Option<u64>,
    /// At most this many.
    pub max_items: Option<u64>,
    /// No two alike.
    pub unique: bool,
}

/// Rules of an object.
#[derive(Debug, Clone, Copy)]
pub struct Object {
    /// Its fields: those that the model encodes, in the same order. The checker goes by position.
    pub fields: &'static [Field],
    /// What else may be in it.
    pub additional: Additional,
    /// At least this many fields.
    pub min_properties: Option<u64>,
    /// At most this many fields.
    pub max_properties: Option<u64>,
    /// Rules over several fields (`x-rules`, and JSON Schema's conditions).
    pub rules: &'static [CrossRule],
    /// Rules on the names of what else is in it; where there are some, all of that is [`Additional::Kept`].
    pub names: Option<&'static Names>,
}

impl Object {
    /// An object of these fields and no other rule.
    #[must_use]
    pub const fn new(fields: &'static [Field]) -> Self {
        Self {
            fields,
            additional: Additional::Ignored,
            min_properties: None,
            max_properties: None,
            rules: &[],
            names: None,
        }
    }
}

/// Rules on the names of what an object holds beside its fields, and on the values by their names.
#[derive(Debug, Clone, Copy)]
pub struct Names {
    /// What each name must be (`propertyNames`).
    pub each: Option<&'static Schema>,
    /// The names that have rules for their values (`patternProperties`); nothing, where those of all values are enough.
    pub patterns: &'static [(&'static Pattern, Option<&'static Schema>)],
    /// The rules of values whose names match none of the patterns, beside those of all values.
    pub others: Option<&'static Schema>,
    /// Whether names that match none of the patterns are forbidden.
    pub closed: bool,
}

/// What an object may hold beside its fields.
#[derive(Debug, Clone, Copy)]
pub enum Additional {
    /// Anything; the model drops it.
    Ignored,
    /// Nothing.
    Forbidden,
    /// Values of this schema; the model keeps them.
    Kept(&'static Schema),
}

/// One field of an object.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The wire name.
    pub name: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// The rules of its value.
    pub schema: &'static Schema,
    /// The value that holds where the field is absent.
    pub default: Option<Literal>,
}

/// One of several schemas.
#[derive(Debug, Clone, Copy)]
pub struct Union {
    /// How the variant is found; the model decodes by the same.
    pub shape: &'static UnionShape,
    /// The rules of each variant, in the order of the shape's.
    pub variants: &'static [&'static Schema],
}

/// A rule over several fields of one object. `name` is the field that a violation is reported for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CrossRule {
    /// Where all of `when` hold, all of `require` must; absent fields count with their defaults.
    When {
        /// The field reported.
        name: &'static str,
        /// The condition.
        when: &'static [(&'static str, Literal)],
        /// What must hold then.
        require: &'static [(&'static str, Literal)],
    },
    /// At most one of the fields is there (and is not `false`).
    NotTogether {
        /// The field reported.
        name: &'static str,
        /// The fields.
        fields: &'static [&'static str],
    },
    /// At least one of the fields is there (and above a bound, if there is one).
    AtLeastOne {
        /// The field reported.
        name: &'static str,
        /// The fields.
        fields: &'static [&'static str],
        /// The bound.
        above: Option<f64>,
    },
    /// Exactly one of the fields is there.
    ExactlyOne {
        /// The field reported.
        name: &'static str,
        /// The fields.
        fields: &'static [&'static str],
    },
    /// The arrays hold so many items together.
    TotalItems {
        /// The field reported.
        name: &'static str,
        /// The arrays.
        fields: &'static [&'static str],
        /// At least.
        minimum: Option<u64>,
        /// At most.
        maximum: Option<u64>,
    },
    /// A condition of JSON Schema's own: `not`, `if`, `dependentRequired`, alternatives of `required`.
    Holds {
        /// The field reported.
        name: &'static str,
        /// The condition.
        condition: Condition,
    },
}

/// A scalar in a table.
#[derive(Debug, Clone, Copy, PartialEq)]
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
    Text(&'static str),
    /// An array or object, as JSON text; equal only to itself.
    Json(&'static str),
}
