//! Problems: the broken constraint with its limit, and the message for it.

use std::fmt;

use super::{Code, formats};
use crate::codec::Kinds;
use crate::table::{CrossRule, Format, Literal, Width};

/// The maximum number of allowed values in a message.
const LISTED: usize = 32;

/// The limit of a constraint on numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// The limit of an integer.
    Integer(i128),
    /// The limit of a floating-point number.
    Number(f64),
}

impl fmt::Display for Bound {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(bound) => bound.fmt(formatter),
            Self::Number(bound) => bound.fmt(formatter),
        }
    }
}

/// A broken constraint, with its limit.
///
/// Its `Display` text says what was expected, as the end of a sentence: `must be at most 100`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// The parameter or field is required, but missing.
    Missing,
    /// The field is missing, but required if the object has this one.
    MissingWith(&'static str),
    /// The schema does not allow the field.
    Unknown,
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
    /// The number is less than this.
    Minimum(Bound),
    /// The number is less than or equal to this.
    ExclusiveMinimum(Bound),
    /// The number is greater than this.
    Maximum(Bound),
    /// The number is greater than or equal to this.
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
    /// The value is none of these.
    NotAllowed(&'static [Literal]),
    /// The value is none of these, each of which belongs to another alternative.
    NoConstant(Vec<Literal>),
    /// The schema allows no value here.
    Forbidden,
    /// The value is one of these, or matches another schema, which the document excludes.
    Excluded(&'static [Literal]),
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
    Name(Box<Problem>),
    /// The value matches none of these variants.
    NoVariant(Vec<&'static str>),
    /// The value matches none of this number of alternatives.
    NoAlternative(usize),
    /// The value matches this number of alternatives, but must match exactly one.
    Ambiguous(usize),
    /// The discriminator has none of these values.
    ///
    /// Each is listed with the index of its variant.
    UnknownTag(&'static [(&'static str, usize)]),
    /// The object breaks this rule over several fields.
    CrossField(&'static CrossRule),
    /// The parameter holds one value, but was given several times.
    Repeated,
    /// The percent-encoding or the UTF-8 is invalid.
    Malformed,
    /// The request has more values than this.
    TooMany(u64),
    /// The check of the value took too many steps, so it was given up.
    TooComplex,
    /// Any other problem, as the text of what was expected: `must be …`.
    Other(&'static str),
}

impl Problem {
    /// The value is nested too deeply, or its unions are too ambiguous, to be read.
    pub(crate) const TOO_DEEP: Self = Self::Other("must not be nested so deeply");

    /// The value is invalid for a reason that was not found.
    pub(crate) const UNSPECIFIC: Self = Self::Other("must be as documented");

    /// Returns the stable code of the problem.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Missing | Self::MissingWith(_) => Code::Missing,
            Self::Unknown | Self::Name(_) => Code::Unknown,
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
            Self::Forbidden | Self::Excluded(_) => Code::Forbidden,
            Self::MinItems(_) => Code::MinItems,
            Self::MaxItems(_) => Code::MaxItems,
            Self::UniqueItems => Code::UniqueItems,
            Self::Contains { .. } => Code::Contains,
            Self::MinProperties(_) => Code::MinProperties,
            Self::MaxProperties(_) => Code::MaxProperties,
            Self::NoVariant(_) | Self::NoAlternative(_) => Code::NoVariant,
            Self::Ambiguous(_) => Code::Ambiguous,
            Self::UnknownTag(_) => Code::NotAllowed,
            Self::CrossField(_) => Code::CrossField,
            Self::Repeated => Code::Repeated,
            Self::Malformed => Code::Malformed,
            Self::TooMany(_) => Code::TooMany,
            Self::TooComplex => Code::TooComplex,
            Self::Other(_) => Code::Other,
        }
    }

    /// Returns the name of a special case of the code that can have its own text.
    ///
    /// There is one: `empty`, of `min-length`, for a string that must have at least one character.
    #[must_use]
    pub const fn special_case(&self) -> Option<&'static str> {
        match self {
            Self::MinLength(1) => Some("empty"),
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
            _ => None,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => out.write_str("is required"),
            Self::MissingWith(name) => write!(out, "is required when '{name}' is given"),
            Self::Unknown => out.write_str("is not a known field"),
            Self::Name(problem) => write!(out, "is not a valid name: it {problem}"),
            Self::Duplicate => out.write_str("must not be given twice in one object"),
            Self::WrongType(noun) => write!(out, "must be {noun}"),
            Self::WrongKind(kinds) => kind(out, *kinds),
            Self::Null => out.write_str("must not be null"),
            Self::NotInteger => out.write_str("must be an integer"),
            Self::OutOfRange(width) => range(out, *width),
            Self::Minimum(bound) => write!(out, "must be at least {bound}"),
            Self::ExclusiveMinimum(bound) => write!(out, "must be greater than {bound}"),
            Self::Maximum(bound) => write!(out, "must be at most {bound}"),
            Self::ExclusiveMaximum(bound) => write!(out, "must be less than {bound}"),
            Self::MultipleOf(bound) => write!(out, "must be a multiple of {bound}"),
            Self::MinLength(limit) => count(out, "must be at least", *limit, "character", " long"),
            Self::MaxLength(limit) => count(out, "must be at most", *limit, "character", " long"),
            Self::Pattern(written) => write!(out, "must match the pattern {written}"),
            Self::PatternLimit(written) => {
                write!(out, "must be simple enough to be checked against the pattern {written}")
            }
            Self::Format(format) => write!(out, "must be {}", formats::words(*format)),
            Self::NotAllowed(allowed) => one_of(out, allowed),
            Self::NoConstant(allowed) => one_of(out, allowed),
            Self::Forbidden => out.write_str("is not allowed"),
            Self::Excluded([]) => out.write_str("must not match the schema that the document excludes"),
            Self::Excluded(values) => {
                out.write_str(if values.len() == 1 { "must not be " } else { "must be none of " })?;
                list(out, values, literal)
            }
            Self::MinItems(limit) => count(out, "must have at least", *limit, "item", ""),
            Self::MaxItems(limit) => count(out, "must have at most", *limit, "item", ""),
            Self::UniqueItems => out.write_str("must not have the same item twice"),
            Self::Contains { minimum, maximum } => contains(out, *minimum, *maximum),
            Self::MinProperties(limit) => count(out, "must have at least", *limit, "field", ""),
            Self::MaxProperties(limit) => count(out, "must have at most", *limit, "field", ""),
            Self::NoVariant(names) => {
                out.write_str("must be one of ")?;
                list(out, names, |out, name| out.write_str(name))
            }
            Self::NoAlternative(number) => write!(out, "must match one of the {number} alternatives"),
            Self::Ambiguous(number) => {
                write!(out, "must match exactly one of the alternatives, but matches {number}")
            }
            Self::UnknownTag(tags) => {
                out.write_str("must be one of ")?;
                list(out, tags, |out, (tag, _)| write!(out, "'{tag}'"))
            }
            Self::CrossField(rule) => cross(out, rule),
            Self::Repeated => out.write_str("must be given only once"),
            Self::Malformed => out.write_str("must be valid percent-encoding and UTF-8"),
            Self::TooMany(limit) => count(out, "must be at most", *limit, "value", ""),
            Self::TooComplex => out.write_str("must be simple enough to be checked"),
            Self::Other(words) => out.write_str(words),
        }
    }
}

fn range(out: &mut fmt::Formatter<'_>, width: Option<Width>) -> fmt::Result {
    match width {
        Some(Width::I32) => write!(out, "must be between {} and {}", i32::MIN, i32::MAX),
        Some(Width::I64) => write!(out, "must be between {} and {}", i64::MIN, i64::MAX),
        Some(Width::U32) => write!(out, "must be between 0 and {}", u32::MAX),
        Some(Width::U64) => write!(out, "must be between 0 and {}", u64::MAX),
        None => out.write_str("must be a finite number"),
    }
}

fn kind(out: &mut fmt::Formatter<'_>, kinds: Kinds) -> fmt::Result {
    let number = if kinds.contains(Kinds::NUMBER) { "a number" } else { "an integer" };
    let nouns = [
        (Kinds::STRING, "a string"),
        (Kinds::INTEGER, number),
        (Kinds::BOOLEAN, "a boolean"),
        (Kinds::ARRAY, "an array"),
        (Kinds::OBJECT, "an object"),
        (Kinds::NULL, "null"),
    ];
    let nouns: Vec<&str> =
        nouns.iter().filter(|(kind, _)| kinds.contains(*kind)).map(|(_, noun)| *noun).collect();
    match nouns.split_last() {
        Some((last, [])) => write!(out, "must be {last}"),
        Some((last, others)) => write!(out, "must be {} or {last}", others.join(", ")),
        None => out.write_str("is not allowed"),
    }
}

fn contains(out: &mut fmt::Formatter<'_>, minimum: u64, maximum: Option<u64>) -> fmt::Result {
    match maximum {
        None => count(out, "must have at least", minimum, "matching item", ""),
        Some(maximum) if minimum == 0 => count(out, "must have at most", maximum, "matching item", ""),
        Some(maximum) if minimum == maximum => count(out, "must have exactly", maximum, "matching item", ""),
        Some(maximum) => write!(out, "must have {minimum} to {maximum} matching items"),
    }
}

fn count(out: &mut fmt::Formatter<'_>, words: &str, limit: u64, noun: &str, end: &str) -> fmt::Result {
    let plural = if limit == 1 { "" } else { "s" };
    write!(out, "{words} {limit} {noun}{plural}{end}")
}

fn one_of(out: &mut fmt::Formatter<'_>, allowed: &[Literal]) -> fmt::Result {
    out.write_str(if allowed.len() == 1 { "must be " } else { "must be one of " })?;
    list(out, allowed, literal)
}

/// Writes values as a list, at most [`LISTED`] of them.
fn list<T>(
    out: &mut fmt::Formatter<'_>,
    values: &[T],
    each: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (index, value) in values.iter().take(LISTED).enumerate() {
        if index > 0 {
            out.write_str(", ")?;
        }
        each(out, value)?;
    }
    match values.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => write!(out, " and {more} more"),
    }
}

/// Writes a constant as messages show it.
pub fn literal(out: &mut fmt::Formatter<'_>, value: &Literal) -> fmt::Result {
    match value {
        Literal::Null => out.write_str("null"),
        Literal::Boolean(value) => write!(out, "{value}"),
        Literal::Integer(value) => write!(out, "{value}"),
        Literal::Number(value) => write!(out, "{value}"),
        Literal::Text(value) => write!(out, "'{value}'"),
        Literal::Json(value) => out.write_str(value),
    }
}

fn quoted(out: &mut fmt::Formatter<'_>, names: &[&'static str]) -> fmt::Result {
    list(out, names, |out, name| write!(out, "'{name}'"))
}

fn cross(out: &mut fmt::Formatter<'_>, rule: &CrossRule) -> fmt::Result {
    match *rule {
        CrossRule::When { name, when, require } => {
            match require {
                [(field, value)] if *field == name => {
                    out.write_str("must be ")?;
                    literal(out, value)?;
                }
                _ => {
                    out.write_str("requires ")?;
                    conditions(out, require, " to be ")?;
                }
            }
            out.write_str(" when ")?;
            conditions(out, when, " is ")
        }
        CrossRule::NotTogether { fields, .. } => {
            out.write_str("can't be combined: only one of ")?;
            quoted(out, fields)?;
            out.write_str(" may be given")
        }
        CrossRule::AtLeastOne { fields, above, .. } => {
            out.write_str("at least one of ")?;
            quoted(out, fields)?;
            match above {
                Some(bound) => write!(out, " must be greater than {bound}"),
                None => out.write_str(" must be given"),
            }
        }
        CrossRule::ExactlyOne { fields, .. } => {
            out.write_str("exactly one of ")?;
            quoted(out, fields)?;
            out.write_str(" must be given")
        }
        CrossRule::TotalItems { fields, minimum, maximum, .. } => {
            quoted(out, fields)?;
            out.write_str(" together must have ")?;
            match (minimum, maximum) {
                (Some(least), Some(most)) => write!(out, "{least} to {most} items"),
                (Some(least), None) => count(out, "at least", least, "item", ""),
                (None, Some(most)) => count(out, "at most", most, "item", ""),
                (None, None) => out.write_str("any number of items"),
            }
        }
    }
}

fn conditions(out: &mut fmt::Formatter<'_>, all: &[(&'static str, Literal)], verb: &str) -> fmt::Result {
    for (index, (field, value)) in all.iter().enumerate() {
        if index > 0 {
            out.write_str(" and ")?;
        }
        write!(out, "'{field}'{verb}")?;
        literal(out, value)?;
    }
    Ok(())
}
