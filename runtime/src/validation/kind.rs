//! Problems: the broken constraints, with their limits, and their codes.

use std::fmt;

#[cfg(feature = "http")]
use crate::codec::{DecodeError, DecodeErrorKind};
use crate::codec::{Kinds, UnionShape};
use crate::table::{CrossRule, Format, Literal, Width};

/// The message for an encoded text, after `must be`.
#[cfg(feature = "http")]
pub(crate) const ENCODING: &str = "valid percent-encoding and UTF-8";

/// The limit of a constraint on numbers, dates or times.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Bound {
    /// The limit of an integer.
    Integer(i128),
    /// The limit of a floating-point number.
    Number(f64),
    /// The limit of a date, a time or a date-time.
    Text(&'static str),
}

impl fmt::Display for Bound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(bound) => bound.fmt(formatter),
            Self::Number(bound) => bound.fmt(formatter),
            Self::Text(bound) => bound.fmt(formatter),
        }
    }
}

/// A condition on a field.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Given {
    /// The field is present.
    Field(&'static str),
    /// The field is present and has one of these values.
    Value(&'static str, &'static [Literal]),
}

/// A broken constraint, with its limit.
///
/// Its `Display` text says what was expected, as the end of a sentence: `must be at most 100`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ViolationKind {
    /// The parameter or field is required, but missing.
    Missing,
    /// The object has all fields of none of these groups, one of which is required.
    NoneGiven(Vec<&'static [&'static str]>),
    /// The object has all fields of this number of these groups, but must have those of exactly one.
    NotExactlyOne {
        /// The groups.
        groups: Vec<&'static [&'static str]>,
        /// The number of groups.
        found: usize,
    },
    /// The schema does not allow the field.
    Unknown,
    /// The operation has only these query parameters.
    UnknownParameter(Vec<&'static str>),
    /// The object contains the field twice.
    Duplicate,
    /// The value does not have this type: `an object`, `a string`.
    WrongType(&'static str),
    /// The value is of none of these kinds.
    WrongKind(Kinds),
    /// The value is null, but the schema does not allow null.
    Null,
    /// The number is not an integer.
    NotInteger,
    /// The number is outside the range of this type; `None` means of all types.
    OutOfRange(Option<Width>),
    /// The number, date or time is less than this.
    Minimum(Bound),
    /// The number, date or time is less than or equal to this.
    ExclusiveMinimum(Bound),
    /// The number, date or time is greater than this.
    Maximum(Bound),
    /// The number, date or time is greater than or equal to this.
    ExclusiveMaximum(Bound),
    /// The number is not a multiple of this.
    MultipleOf(Bound),
    /// The string has fewer characters.
    MinLength(u64),
    /// The string has more characters.
    MaxLength(u64),
    /// The string does not match this pattern.
    Pattern(&'static str),
    /// The check of the string against this pattern took too many steps, so it was given up.
    PatternLimit(&'static str),
    /// The string does not have this format.
    Format(Format),
    /// The value is not one of these.
    NotAllowed(&'static [Literal]),
    /// The value is not one of these, each of which belongs to another alternative.
    NoConstant(Vec<Literal>),
    /// The schema allows no value here.
    Forbidden,
    /// The value is one of these, or matches another schema, which the document excludes.
    Excluded(&'static [Literal]),
    /// The object has all of these fields.
    Together(&'static [&'static str]),
    /// The array has fewer items.
    MinItems(u64),
    /// The array has more items.
    MaxItems(u64),
    /// The array contains equal items.
    UniqueItems,
    /// The number of items that match a schema is outside these limits.
    Contains {
        /// The minimum.
        minimum: u64,
        /// The maximum, if there is one.
        maximum: Option<u64>,
    },
    /// The object has fewer fields.
    MinProperties(u64),
    /// The object has more fields.
    MaxProperties(u64),
    /// The name of the field breaks this constraint on names.
    Name(Box<ViolationKind>),
    /// The value matches none of these variants.
    NoVariant(Vec<&'static str>),
    /// The value matches none of this number of alternatives.
    NoAlternative(usize),
    /// The value matches this number of alternatives, but must match exactly one.
    Ambiguous(usize),
    /// The discriminator has a value that selects no variant of the union.
    UnknownTag(&'static UnionShape),
    /// The value breaks a constraint that depends on other fields.
    Conditional {
        /// The constraint.
        kind: Box<ViolationKind>,
        /// The conditions on the other fields.
        conditions: Vec<Given>,
        /// Whether the constraint applies because the conditions hold, or because they don't.
        holds: bool,
    },
    /// The object breaks this rule over several fields.
    CrossField(&'static CrossRule),
    /// The parameter holds one value, but was given several times.
    Repeated,
    /// The text can't be read. It must be this: `valid percent-encoding and UTF-8`, `keys in square brackets`.
    Malformed(&'static str),
    /// The request has more values than this.
    TooMany(u64),
    /// The check of the value took too many steps, so it was given up.
    TooComplex,
    /// Any other kind, as the text of what was expected: `must be …`.
    Other(&'static str),
}

impl ViolationKind {
    /// The value is nested too deeply, or its unions are too ambiguous, to be read.
    pub(crate) const TOO_DEEP: Self = Self::Other("must not be nested so deeply");

    /// The value is invalid for a reason that was not found.
    pub(crate) const UNSPECIFIC: Self = Self::Other("must be as documented");

    /// Returns the kind with a value that can't be walked.
    #[cfg(feature = "http")]
    pub(crate) fn of(error: &DecodeError) -> Self {
        match error.kind() {
            DecodeErrorKind::Syntax { .. } => Self::Malformed("valid JSON"),
            DecodeErrorKind::TooDeep => Self::TOO_DEEP,
            DecodeErrorKind::Malformed { format } => Self::Malformed(format),
            DecodeErrorKind::WrongKind { expected, .. } => Self::WrongType(expected),
            DecodeErrorKind::OutOfRange { .. } => Self::OutOfRange(None),
            DecodeErrorKind::Missing(_) => Self::Missing,
            DecodeErrorKind::Unknown(_) => Self::Unknown,
            DecodeErrorKind::Duplicate(_) => Self::Duplicate,
            _ => Self::UNSPECIFIC,
        }
    }

    /// Returns whether the value could not be read, so that nothing is known about its content.
    pub(super) const fn is_unreadable(&self) -> bool {
        matches!(self, Self::Malformed(_) | Self::Repeated | Self::TooMany(_))
    }

    /// Returns the stable code of the kind.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Missing => Code::Missing,
            // A check of a name can be given up like that of a value.
            Self::Name(kind) if matches!(**kind, Self::TooComplex | Self::PatternLimit(_)) => kind.code(),
            Self::Unknown | Self::UnknownParameter(_) | Self::Name(_) => Code::Unknown,
            Self::Duplicate => Code::Duplicate,
            Self::WrongType(_) | Self::WrongKind(_) => Code::WrongType,
            Self::Null => Code::Null,
            Self::NotInteger => Code::NotInteger,
            Self::OutOfRange(_) => Code::OutOfRange,
            Self::Minimum(_) => Code::Minimum,
            Self::ExclusiveMinimum(_) => Code::ExclusiveMinimum,
            Self::Maximum(_) => Code::Maximum,
            Self::ExclusiveMaximum(_) => Code::ExclusiveMaximum,
            Self::MultipleOf(_) => Code::MultipleOf,
            Self::MinLength(_) => Code::MinLength,
            Self::MaxLength(_) => Code::MaxLength,
            Self::Pattern(_) => Code::Pattern,
            Self::PatternLimit(_) => Code::PatternLimit,
            Self::Format(_) => Code::Format,
            Self::NotAllowed(_) | Self::NoConstant(_) => Code::NotAllowed,
            Self::Forbidden | Self::Excluded(_) | Self::Together(_) => Code::Forbidden,
            Self::MinItems(_) => Code::MinItems,
            Self::MaxItems(_) => Code::MaxItems,
            Self::UniqueItems => Code::UniqueItems,
            Self::Contains { .. } => Code::Contains,
            Self::MinProperties(_) => Code::MinProperties,
            Self::MaxProperties(_) => Code::MaxProperties,
            Self::NoVariant(_)
            | Self::NoAlternative(_)
            | Self::NoneGiven(_)
            | Self::NotExactlyOne { found: 0, .. } => Code::NoVariant,
            Self::Ambiguous(_) | Self::NotExactlyOne { .. } => Code::Ambiguous,
            Self::Conditional { kind, .. } => kind.code(),
            Self::UnknownTag(_) => Code::NotAllowed,
            Self::CrossField(_) => Code::CrossField,
            Self::Repeated => Code::Repeated,
            Self::Malformed(_) => Code::Malformed,
            Self::TooMany(_) => Code::TooMany,
            Self::TooComplex => Code::TooComplex,
            Self::Other(_) => Code::Other,
        }
    }

    /// Returns the name of a special case of the code that can have its own text.
    ///
    /// There is one: `empty`, of `min-length`, for a string that must have at least one character.
    #[must_use]
    pub fn special_case(&self) -> Option<&'static str> {
        match self {
            Self::MinLength(1) => Some("empty"),
            Self::Conditional { kind, .. } => kind.special_case(),
            _ => None,
        }
    }

    /// Returns the limit of the broken constraint, if it has one: `100`.
    #[must_use]
    pub fn limit(&self) -> Option<String> {
        match self {
            Self::Minimum(bound)
            | Self::ExclusiveMinimum(bound)
            | Self::Maximum(bound)
            | Self::ExclusiveMaximum(bound)
            | Self::MultipleOf(bound) => Some(bound.to_string()),
            Self::MinLength(limit)
            | Self::MaxLength(limit)
            | Self::MinItems(limit)
            | Self::MaxItems(limit)
            | Self::MinProperties(limit)
            | Self::MaxProperties(limit)
            | Self::TooMany(limit) => Some(limit.to_string()),
            Self::Conditional { kind, .. } => kind.limit(),
            _ => None,
        }
    }
}

macro_rules! codes {
    ($($(#[$meta:meta])* $code:ident => $name:literal,)*) => {
        /// The kind of a violation, in one word.
        ///
        /// Codes are stable: programs can rely on them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$meta])* $code,)*
        }

        impl Code {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$code,)*];

            /// Returns the code's name, such as `min-length`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)*
                }
            }
        }
    };
}

codes! {
    /// A required parameter or field is missing.
    Missing => "missing",
    /// The schema does not allow a field, or a field of this name, or the operation has no such parameter.
    Unknown => "unknown",
    /// An object contains the same field twice.
    Duplicate => "duplicate",
    /// The value has the wrong type.
    WrongType => "wrong-type",
    /// The value is null, but the schema does not allow null.
    Null => "null",
    /// The number is not an integer.
    NotInteger => "not-integer",
    /// The number is outside the range of its type.
    OutOfRange => "out-of-range",
    /// The number, date or time is less than its minimum.
    Minimum => "minimum",
    /// The number, date or time is less than or equal to its exclusive minimum.
    ExclusiveMinimum => "exclusive-minimum",
    /// The number, date or time is greater than its maximum.
    Maximum => "maximum",
    /// The number, date or time is greater than or equal to its exclusive maximum.
    ExclusiveMaximum => "exclusive-maximum",
    /// The number is not a multiple of the required step.
    MultipleOf => "multiple-of",
    /// The string is too short.
    MinLength => "min-length",
    /// The string is too long.
    MaxLength => "max-length",
    /// The string does not match its pattern.
    Pattern => "pattern",
    /// The check of the string against its pattern took too many steps.
    PatternLimit => "pattern-limit",
    /// The string does not have its format.
    Format => "format",
    /// The value is not one of the allowed values.
    NotAllowed => "not-allowed",
    /// The schema allows no value here, or excludes this one.
    Forbidden => "forbidden",
    /// The array has too few items.
    MinItems => "min-items",
    /// The array has too many items.
    MaxItems => "max-items",
    /// The array contains equal items.
    UniqueItems => "unique-items",
    /// The array has too few or too many items that match a schema.
    Contains => "contains",
    /// The object has too few fields.
    MinProperties => "min-properties",
    /// The object has too many fields.
    MaxProperties => "max-properties",
    /// The value matches no variant of a union.
    NoVariant => "no-variant",
    /// The value matches several alternatives, but must match exactly one.
    Ambiguous => "ambiguous",
    /// The object breaks a rule over several fields.
    CrossField => "cross-field",
    /// A parameter that holds one value was given several times.
    Repeated => "repeated",
    /// The text can't be read: the percent-encoding, the UTF-8, the JSON or the style is invalid.
    Malformed => "malformed",
    /// The request has more parameters, fields or parts than the server reads.
    TooMany => "too-many",
    /// The check of the value took too many steps.
    TooComplex => "too-complex",
    /// Any other kind.
    Other => "other",
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
