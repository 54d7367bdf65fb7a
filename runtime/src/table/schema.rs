//! The table rows of schemas: the constraints of values.

use super::{JsonSchema, Pattern};
use crate::codec::{Format, UnionShape};

/// The constraints of one value.
#[derive(Debug)]
#[non_exhaustive]
#[must_use]
pub struct Schema {
    /// The type of the value, and the constraints of that type.
    pub of: Type,
    /// Whether the value may be null.
    pub nullable: bool,
    /// The only values that are allowed; empty if all are.
    pub allowed: &'static [Literal],
    /// The schema of the document, if it is more specific than the fields above.
    ///
    /// It takes the place of their constraints. The type remains what the model can hold, and its `x-rules` apply.
    pub also: Option<&'static JsonSchema>,
}

/// The type of a value, and the constraints of that type.
#[derive(Debug)]
#[non_exhaustive]
pub enum Type {
    /// Any value.
    Any,
    /// A boolean.
    Boolean,
    /// An integer.
    Integer(Integer),
    /// A number.
    Number(Number),
    /// A string.
    Text(Text),
    /// Raw bytes or a file, or in a text format a string.
    Bytes,
    /// An array.
    Array(Array),
    /// An array of a fixed length, with constraints for each item.
    Tuple(&'static [&'static Schema]),
    /// An object.
    Object(Object),
    /// A union of several schemas.
    Union(Union),
    /// The type of another row; this row's `nullable` and `allowed` apply too.
    Same(&'static Schema),
}

/// The constraints of an integer.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[must_use]
pub struct Integer {
    /// The Rust type that holds it, whose range limits the value.
    pub width: Width,
    /// The inclusive minimum.
    pub minimum: Option<i128>,
    /// The exclusive minimum.
    pub exclusive_minimum: Option<i128>,
    /// The inclusive maximum.
    pub maximum: Option<i128>,
    /// The exclusive maximum.
    pub exclusive_maximum: Option<i128>,
    /// The number that the value is a multiple of; above 0.
    pub multiple_of: Option<i128>,
    /// Whether the model is a closed enum.
    ///
    /// Such an enum can't hold any other value. For a value that is not allowed, a union therefore tries the
    /// next variant.
    pub closed: bool,
}

/// The Rust type that holds an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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

/// The constraints of a number.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[must_use]
pub struct Number {
    /// The inclusive minimum.
    pub minimum: Option<f64>,
    /// The exclusive minimum.
    pub exclusive_minimum: Option<f64>,
    /// The inclusive maximum.
    pub maximum: Option<f64>,
    /// The exclusive maximum.
    pub exclusive_maximum: Option<f64>,
    /// The number that the value is a multiple of; above 0.
    pub multiple_of: Option<f64>,
}

/// The constraints of a string.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[must_use]
pub struct Text {
    /// The minimum length in Unicode code points.
    pub min_length: Option<u64>,
    /// The maximum length in Unicode code points.
    pub max_length: Option<u64>,
    /// The pattern, which must match a part of the string.
    pub pattern: Option<&'static Pattern>,
    /// The format.
    pub format: Option<Format>,
    /// Whether the model is a closed enum, see [`Integer::closed`].
    pub closed: bool,
}

/// The constraints of an array.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[must_use]
pub struct Array {
    /// The constraints of each item.
    pub items: &'static Schema,
    /// The minimum number of items.
    pub min_items: Option<u64>,
    /// The maximum number of items.
    pub max_items: Option<u64>,
    /// Whether all items must be different.
    pub unique: bool,
}

/// The constraints of an object.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[must_use]
pub struct Object {
    /// The fields, in the order in which the model encodes them.
    ///
    /// The checker identifies a field by its position.
    pub fields: &'static [Field],
    /// The additional properties that the object may have.
    pub additional: Additional,
    /// The minimum number of properties.
    pub min_properties: Option<u64>,
    /// The maximum number of properties.
    pub max_properties: Option<u64>,
    /// The constraints over several fields (`x-rules`).
    pub rules: &'static [CrossRule],
    /// The constraints on the names of additional properties.
    ///
    /// If they are set, `additional` is [`Additional::Kept`].
    pub names: Option<&'static Names>,
}

/// The constraints on additional properties that depend on their names.
///
/// Those on values apply in addition to the schema in [`Additional::Kept`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[must_use]
pub struct Names {
    /// The constraints of each name (`propertyNames`).
    pub each: Option<&'static Schema>,
    /// The patterns of names (`patternProperties`), with the constraints of values.
    ///
    /// A pattern without constraints adds nothing to the schema of all values.
    pub patterns: &'static [(&'static Pattern, Option<&'static Schema>)],
    /// The constraints of values whose names match no pattern.
    pub others: Option<&'static Schema>,
    /// Whether names that match no pattern are forbidden.
    pub closed: bool,
}

/// The additional properties that an object may have.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Additional {
    /// Any properties. The model drops them.
    Ignored,
    /// No properties.
    Forbidden,
    /// Properties with values of this schema. The model keeps them.
    Kept(&'static Schema),
}

/// One field of an object.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
#[must_use]
pub struct Field {
    /// The wire name.
    pub name: &'static str,
    /// Whether an object must have it.
    pub required: bool,
    /// The constraints of the value.
    pub schema: &'static Schema,
    /// The default for an absent field.
    pub default: Option<Literal>,
    /// The form of the value in XML, unless it is the usual one.
    #[cfg(feature = "xml")]
    pub xml: Option<&'static super::Xml>,
}

/// The constraints of a union of several schemas.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Union {
    /// The shape by which the variant is found; the model decodes with the same shape.
    pub shape: &'static UnionShape,
    /// The constraints of each variant, in the order of the shape.
    pub variants: &'static [&'static Schema],
}

/// A constraint over several fields of one object (`x-rules`).
///
/// `name` is the field that a violation is reported for. A field is given if it is present and not null.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[must_use]
pub enum CrossRule {
    /// If all fields in `when` have these values, so do all fields in `require`.
    ///
    /// A field that is not given has its default.
    #[non_exhaustive]
    When {
        /// The reported field.
        name: &'static str,
        /// The condition.
        when: &'static [(&'static str, Literal)],
        /// The values that the condition requires.
        require: &'static [(&'static str, Literal)],
    },
    /// At most one of the fields is given and not `false`.
    #[non_exhaustive]
    NotTogether {
        /// The reported field.
        name: &'static str,
        /// The fields.
        fields: &'static [&'static str],
    },
    /// At least one of the fields is given.
    #[non_exhaustive]
    AtLeastOne {
        /// The reported field.
        name: &'static str,
        /// The fields.
        fields: &'static [&'static str],
        /// The exclusive minimum of that field's value, if any.
        above: Option<f64>,
    },
    /// Exactly one of the fields is given.
    #[non_exhaustive]
    ExactlyOne {
        /// The reported field.
        name: &'static str,
        /// The fields.
        fields: &'static [&'static str],
    },
    /// The total number of items in the arrays is within these limits.
    #[non_exhaustive]
    TotalItems {
        /// The reported field.
        name: &'static str,
        /// The arrays.
        fields: &'static [&'static str],
        /// The minimum number of items.
        minimum: Option<u64>,
        /// The maximum number of items.
        maximum: Option<u64>,
    },
}

/// A literal value in a table.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
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
    /// An array or object, as JSON text. The operator `==` compares the text.
    Json(&'static str),
}
