//! Problems: what a rule says when it is broken, and the words for it.

use std::fmt;

use super::{Code, condition};
use crate::table::{CrossRule, Format, Literal, Width};

/// How many allowed values a message lists.
const LISTED: usize = 32;

/// A limit of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// Of an integer.
    Integer(i128),
    /// Of a number.
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

/// What is wrong with a value, with the limit that it breaks. It displays as what was expected, the end of a sentence:
/// `must be at most 100`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// It is not there.
    Missing,
    /// The schema doesn't know it.
    Unknown,
    /// It stands twice in its object.
    Duplicate,
    /// It is no `an object`, `a string`, ….
    WrongType(&'static str),
    /// It is null.
    Null,
    /// It is a number, but no integer.
    NotInteger,
    /// Its type doesn't hold it; `None` for a number too large for any.
    OutOfRange(Option<Width>),
    /// It is below this.
    Minimum(Bound),
    /// It is this or below.
    ExclusiveMinimum(Bound),
    /// It is above this.
    Maximum(Bound),
    /// It is this or above.
    ExclusiveMaximum(Bound),
    /// It is no multiple of this.
    MultipleOf(Bound),
    /// It is shorter.
    MinLength(u64),
    /// It is longer.
    MaxLength(u64),
    /// It doesn't match this pattern.
    Pattern(&'static str),
    /// It is not of this form.
    Format(Format),
    /// It is none of these.
    NotAllowed(&'static [Literal]),
    /// It has fewer items.
    MinItems(u64),
    /// It has more items.
    MaxItems(u64),
    /// It holds an item twice.
    UniqueItems,
    /// It has fewer fields.
    MinProperties(u64),
    /// It has more fields.
    MaxProperties(u64),
    /// Its name is not what names must be.
    Name(Box<Problem>),
    /// It is none of these variants.
    NoVariant(Vec<&'static str>),
    /// It tells a union's variant, and is none of these.
    UnknownTag(&'static [(&'static str, usize)]),
    /// A rule over several fields.
    CrossField(&'static CrossRule),
    /// It is given several times.
    Repeated,
    /// Its percent-encoding or UTF-8 is broken.
    Malformed,
    /// There are more of it than this.
    TooMany(u64),
    /// What was expected, in words.
    Other(&'static str),
}

impl Problem {
    /// It is nested more deeply, or its unions are more ambiguous, than readers follow.
    pub(crate) const TOO_DEEP: Self = Self::Other("must not be nested so deeply");

    /// Its stable code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Missing => Code::Missing,
            Self::Unknown | Self::Name(_) => Code::Unknown,
            Self::Duplicate => Code::Duplicate,
            Self::WrongType(_) => Code::WrongType,
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
            Self::Format(_) => Code::Format,
            Self::NotAllowed(_) => Code::NotAllowed,
            Self::MinItems(_) => Code::MinItems,
            Self::MaxItems(_) => Code::MaxItems,
            Self::UniqueItems => Code::UniqueItems,
            Self::MinProperties(_) => Code::MinProperties,
            Self::MaxProperties(_) => Code::MaxProperties,
            Self::NoVariant(_) => Code::NoVariant,
            Self::UnknownTag(_) => Code::NotAllowed,
            Self::CrossField(_) => Code::CrossField,
            Self::Repeated => Code::Repeated,
            Self::Malformed => Code::Malformed,
            Self::TooMany(_) => Code::TooMany,
            Self::Other(_) => Code::Other,
        }
    }

    /// Returns the name of a special case of the code, for which a text of its own is worth having.
    ///
    /// There is one: `empty`, of `min-length`, for a string that must have at least one character.
    #[must_use]
    pub const fn special_case(&self) -> Option<&'static str> {
        match self {
            Self::MinLength(1) => Some("empty"),
            _ => None,
        }
    }

    /// The limit that was broken, if there is one: `100`.
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
            Self::Unknown => out.write_str("is not a known field"),
            Self::Name(problem) => write!(out, "is a name that {problem}"),
            Self::Duplicate => out.write_str("must not be given twice in one object"),
            Self::WrongType(noun) => write!(out, "must be {noun}"),
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
            Self::Pattern(source) => write!(out, "must match the pattern {source}"),
            Self::Format(format) => write!(out, "must be {}", form(*format)),
            Self::NotAllowed(allowed) => one_of(out, allowed),
            Self::MinItems(limit) => count(out, "must have at least", *limit, "item", ""),
            Self::MaxItems(limit) => count(out, "must have at most", *limit, "item", ""),
            Self::UniqueItems => out.write_str("must not have the same item twice"),
            Self::MinProperties(limit) => count(out, "must have at least", *limit, "field", ""),
            Self::MaxProperties(limit) => count(out, "must have at most", *limit, "field", ""),
            Self::NoVariant(names) => {
                out.write_str("must be one of ")?;
                list(out, names, |out, name| out.write_str(name))
            }
            Self::UnknownTag(tags) => {
                out.write_str("must be one of ")?;
                list(out, tags, |out, (tag, _)| write!(out, "'{tag}'"))
            }
            Self::CrossField(rule) => cross(out, rule),
            Self::Repeated => out.write_str("must be given only once"),
            Self::Malformed => out.write_str("must be valid percent-encoding and UTF-8"),
            Self::TooMany(limit) => count(out, "must be at most", *limit, "value", ""),
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

fn count(out: &mut fmt::Formatter<'_>, words: &str, limit: u64, noun: &str, end: &str) -> fmt::Result {
    let plural = if limit == 1 { "" } else { "s" };
    write!(out, "{words} {limit} {noun}{plural}{end}")
}

/// The words for a form of strings.
const fn form(format: Format) -> &'static str {
    match format {
        Format::DateTime => "a date and time such as 2026-01-31T12:00:00Z",
        Format::Date => "a date such as 2026-01-31",
        Format::Uuid => "a UUID",
        Format::Uri => "an absolute URI",
        Format::Email => "an e-mail address",
        Format::Ipv4 => "an IPv4 address",
        Format::Ipv6 => "an IPv6 address",
        Format::Base64 => "text in base64",
    }
}

fn one_of(out: &mut fmt::Formatter<'_>, allowed: &[Literal]) -> fmt::Result {
    out.write_str(if allowed.len() == 1 { "must be " } else { "must be one of " })?;
    list(out, allowed, literal)
}

/// Lists values, at most [`LISTED`] of them.
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

/// A constant, as messages show it.
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
            out.write_str("can't be combined: only one may be given of ")?;
            quoted(out, fields)
        }
        CrossRule::AtLeastOne { fields, above, .. } => {
            out.write_str("at least one must be ")?;
            match above {
                Some(bound) => write!(out, "greater than {bound} of ")?,
                None => out.write_str("given of ")?,
            }
            quoted(out, fields)
        }
        CrossRule::ExactlyOne { fields, .. } => {
            out.write_str("exactly one must be given of ")?;
            quoted(out, fields)
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
        CrossRule::Holds { condition, .. } => condition::demand(out, &condition),
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
