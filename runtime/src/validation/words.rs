//! The messages for problems.

use std::fmt;

use super::{Given, ViolationKind, formats};
use crate::codec::{Kind, Kinds};
use crate::table::{CrossRule, Literal, Width};

/// The maximum number of allowed values in a message.
const LISTED: usize = 32;

impl fmt::Display for ViolationKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => out.write_str("is required"),
            Self::NoneGiven(groups) => {
                separated(out, groups, " or ", group)?;
                out.write_str(" is required")
            }
            Self::NotExactlyOne { groups, .. } => {
                out.write_str("exactly one of ")?;
                list(out, groups, group)?;
                out.write_str(" must be given")
            }
            Self::Unknown => out.write_str("is not a known field"),
            Self::UnknownParameter(known) if known.is_empty() => out.write_str("is not a known parameter"),
            Self::UnknownParameter(known) => {
                out.write_str("is not one of the parameters ")?;
                list(out, known, |out, name| out.write_str(name))
            }
            Self::Name(kind) => write!(out, "is not a valid name: it {kind}"),
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
            Self::Together(names) => {
                separated(out, names, " and ", quoted)?;
                out.write_str(" must not be given together")
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
            Self::UnknownTag(union) => {
                let is_text = union.discriminator.is_some_and(|it| it.kind == Kind::String);
                let quote = if is_text { "'" } else { "" };
                out.write_str("must be one of ")?;
                let tags: Vec<_> = union.tags().collect();
                list(out, &tags, |out, tag| write!(out, "{quote}{tag}{quote}"))
            }
            Self::Conditional { kind, conditions, holds } => {
                write!(out, "{kind} {} ", if *holds { "when" } else { "unless" })?;
                separated(out, conditions, " and ", given)
            }
            Self::CrossField(rule) => cross(out, rule),
            Self::Repeated => out.write_str("must be given only once"),
            Self::Malformed(wanted) => write!(out, "must be {wanted}"),
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
    separated(out, values.get(..LISTED).unwrap_or(values), ", ", each)?;
    match values.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => write!(out, " and {more} more"),
    }
}

fn separated<T>(
    out: &mut fmt::Formatter<'_>,
    values: &[T],
    separator: &str,
    each: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.write_str(separator)?;
        }
        each(out, value)?;
    }
    Ok(())
}

/// Writes a constant as messages show it.
fn literal(out: &mut fmt::Formatter<'_>, value: &Literal) -> fmt::Result {
    match value {
        Literal::Null => out.write_str("null"),
        Literal::Boolean(value) => write!(out, "{value}"),
        Literal::Integer(value) => write!(out, "{value}"),
        Literal::Number(value) => write!(out, "{value}"),
        Literal::Text(value) => write!(out, "'{value}'"),
        Literal::Json(value) => out.write_str(value),
    }
}

fn quoted(out: &mut fmt::Formatter<'_>, name: &&str) -> fmt::Result {
    write!(out, "'{name}'")
}

/// Writes the names of fields that are given together, in parentheses if there are several.
fn group(out: &mut fmt::Formatter<'_>, names: &&[&str]) -> fmt::Result {
    if let [name] = names {
        return quoted(out, name);
    }
    out.write_str("(")?;
    separated(out, names, " and ", quoted)?;
    out.write_str(")")
}

fn given(out: &mut fmt::Formatter<'_>, condition: &Given) -> fmt::Result {
    match condition {
        Given::Field(name) => write!(out, "'{name}' is given"),
        Given::Value(name, values) => {
            write!(out, "'{name}' is ")?;
            if values.len() != 1 {
                out.write_str("one of ")?;
            }
            list(out, values, literal)
        }
    }
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
                    separated(out, require, " and ", |out, pair| compare(out, pair, "to be"))?;
                }
            }
            out.write_str(" when ")?;
            separated(out, when, " and ", |out, pair| compare(out, pair, "is"))
        }
        CrossRule::NotTogether { fields, .. } => {
            out.write_str("can't be combined: only one of ")?;
            list(out, fields, quoted)?;
            out.write_str(" may be given")
        }
        CrossRule::AtLeastOne { fields, above, .. } => {
            out.write_str("at least one of ")?;
            list(out, fields, quoted)?;
            match above {
                Some(bound) => write!(out, " must be greater than {bound}"),
                None => out.write_str(" must be given"),
            }
        }
        CrossRule::ExactlyOne { fields, .. } => {
            out.write_str("exactly one of ")?;
            list(out, fields, quoted)?;
            out.write_str(" must be given")
        }
        CrossRule::TotalItems { fields, minimum, maximum, .. } => {
            list(out, fields, quoted)?;
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

fn compare(out: &mut fmt::Formatter<'_>, (field, value): &(&str, Literal), verb: &str) -> fmt::Result {
    write!(out, "'{field}' {verb} ")?;
    literal(out, value)
}
