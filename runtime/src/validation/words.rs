//! The messages for problems.

use std::fmt;

use super::{Given, ViolationKind, formats, scalar};
use crate::codec::{Kind, Kinds};
use crate::table::{CrossRule, Literal};

/// The maximum number of allowed values in a message.
const LISTED: usize = 32;

impl fmt::Display for ViolationKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => out.write_str("is required"),
            Self::NoneGiven(groups) => write!(out, "{} is required", separated(groups, " or ", group)),
            Self::NotExactlyOne { groups, .. } => {
                write!(out, "exactly one of {} must be given", list(groups, group))
            }
            Self::Unknown => out.write_str("is not a known field"),
            Self::UnknownParameter(known) if known.is_empty() => out.write_str("is not a known parameter"),
            Self::UnknownParameter(known) => {
                write!(out, "is not one of the parameters {}", list(known, ToString::to_string))
            }
            Self::Name(kind) => write!(out, "is not a valid name: it {kind}"),
            Self::Duplicate => out.write_str("must not be given twice in one object"),
            Self::WrongType(noun) => write!(out, "must be {noun}"),
            Self::WrongKind(kinds) => out.write_str(&kind(*kinds)),
            Self::Null => out.write_str("must not be null"),
            Self::NotInteger => out.write_str("must be an integer"),
            Self::OutOfRange(None) => out.write_str("must be a finite number"),
            Self::OutOfRange(Some(width)) => {
                let (least, most) = scalar::range(*width);
                write!(out, "must be between {least} and {most}")
            }
            Self::Minimum(bound) => write!(out, "must be at least {bound}"),
            Self::ExclusiveMinimum(bound) => write!(out, "must be greater than {bound}"),
            Self::Maximum(bound) => write!(out, "must be at most {bound}"),
            Self::ExclusiveMaximum(bound) => write!(out, "must be less than {bound}"),
            Self::MultipleOf(bound) => write!(out, "must be a multiple of {bound}"),
            Self::MinLength(limit) => write!(out, "must be at least {} long", count(*limit, "character")),
            Self::MaxLength(limit) => write!(out, "must be at most {} long", count(*limit, "character")),
            Self::Pattern(written) => write!(out, "must match the pattern {written}"),
            Self::PatternLimit(written) => {
                write!(out, "must be simple enough to be checked against the pattern {written}")
            }
            Self::Format(format) => write!(out, "must be {}", formats::words(*format)),
            Self::NotAllowed(allowed) => write!(out, "must be {}", one_of(allowed)),
            Self::NoConstant(allowed) => write!(out, "must be {}", one_of(allowed)),
            Self::Forbidden => out.write_str("is not allowed"),
            Self::Excluded([]) => out.write_str("must not match the schema that the document excludes"),
            Self::Excluded([value]) => write!(out, "must not be {}", literal(value)),
            Self::Excluded(values) => write!(out, "must be none of {}", list(values, literal)),
            Self::Together(names) => {
                write!(out, "{} must not be given together", separated(names, " and ", quoted))
            }
            Self::MinItems(limit) => write!(out, "must have at least {}", count(*limit, "item")),
            Self::MaxItems(limit) => write!(out, "must have at most {}", count(*limit, "item")),
            Self::UniqueItems => out.write_str("must not have the same item twice"),
            Self::Contains { minimum, maximum } => {
                write!(out, "must have {}", between(Some(*minimum), *maximum, "matching item"))
            }
            Self::MinProperties(limit) => write!(out, "must have at least {}", count(*limit, "field")),
            Self::MaxProperties(limit) => write!(out, "must have at most {}", count(*limit, "field")),
            Self::NoVariant(names) => write!(out, "must be one of {}", list(names, ToString::to_string)),
            Self::NoAlternative(number) => write!(out, "must match one of the {number} alternatives"),
            Self::Ambiguous(number) => {
                write!(out, "must match exactly one of the alternatives, but matches {number}")
            }
            Self::UnknownTag(union) => {
                let is_text = union.discriminator.is_some_and(|it| it.kind == Kind::String);
                let tag = |tag: &&str| if is_text { quoted(tag) } else { (*tag).to_owned() };
                write!(out, "must be one of {}", list(&union.tags().collect::<Vec<_>>(), tag))
            }
            Self::Conditional { kind, conditions, holds } => {
                let word = if *holds { "when" } else { "unless" };
                write!(out, "{kind} {word} {}", separated(conditions, " and ", given))
            }
            Self::CrossField(rule) => out.write_str(&cross(rule)),
            Self::Repeated => out.write_str("must be given only once"),
            Self::Malformed(wanted) => write!(out, "must be {wanted}"),
            Self::TooMany(limit) => write!(out, "must be at most {}", count(*limit, "value")),
            Self::TooComplex => out.write_str("must be simple enough to be checked"),
            Self::Other(words) => out.write_str(words),
        }
    }
}

fn kind(kinds: Kinds) -> String {
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
        Some((last, [])) => format!("must be {last}"),
        Some((last, others)) => format!("must be {} or {last}", others.join(", ")),
        None => "is not allowed".to_owned(),
    }
}

/// Returns a number of nouns: `1 item`, `2 items`.
fn count(limit: u64, noun: &str) -> String {
    let plural = if limit == 1 { "" } else { "s" };
    format!("{limit} {noun}{plural}")
}

/// Returns the limits of a number of nouns: `at least 2 items`.
fn between(minimum: Option<u64>, maximum: Option<u64>, noun: &str) -> String {
    match (minimum, maximum) {
        (None, None) => format!("any number of {noun}s"),
        (Some(least), None) => format!("at least {}", count(least, noun)),
        (None | Some(0), Some(most)) => format!("at most {}", count(most, noun)),
        (Some(least), Some(most)) if least == most => format!("exactly {}", count(most, noun)),
        (Some(least), Some(most)) => format!("{least} to {most} {noun}s"),
    }
}

fn one_of(allowed: &[Literal]) -> String {
    let start = if allowed.len() == 1 { "" } else { "one of " };
    start.to_owned() + &list(allowed, literal)
}

/// Returns values as a list, at most [`LISTED`] of them.
fn list<T>(values: &[T], each: impl Fn(&T) -> String) -> String {
    let listed = separated(values.get(..LISTED).unwrap_or(values), ", ", each);
    match values.len().saturating_sub(LISTED) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

fn separated<T>(values: &[T], separator: &str, each: impl Fn(&T) -> String) -> String {
    values.iter().map(each).collect::<Vec<_>>().join(separator)
}

/// Returns a constant as messages show it.
fn literal(value: &Literal) -> String {
    match value {
        Literal::Null => "null".to_owned(),
        Literal::Boolean(value) => value.to_string(),
        Literal::Integer(value) => value.to_string(),
        Literal::Number(value) => value.to_string(),
        Literal::Text(value) => quoted(value),
        Literal::Json(value) => (*value).to_owned(),
    }
}

fn quoted(name: &&str) -> String {
    format!("'{name}'")
}

/// Returns the names of fields that are given together, in parentheses if there are several.
fn group(names: &&[&str]) -> String {
    match names {
        [name] => quoted(name),
        names => format!("({})", separated(names, " and ", quoted)),
    }
}

fn given(condition: &Given) -> String {
    match condition {
        Given::Field(name) => format!("'{name}' is given"),
        Given::Value(name, values) => format!("'{name}' is {}", one_of(values)),
    }
}

fn cross(rule: &CrossRule) -> String {
    let compared = |pairs: &[(&str, Literal)], verb: &str| {
        separated(pairs, " and ", |(field, value)| format!("'{field}' {verb} {}", literal(value)))
    };
    match *rule {
        CrossRule::When { name, when, require: [(field, value)] } if *field == name => {
            format!("must be {} when {}", literal(value), compared(when, "is"))
        }
        CrossRule::When { when, require, .. } => {
            format!("requires {} when {}", compared(require, "to be"), compared(when, "is"))
        }
        CrossRule::NotTogether { fields, .. } => {
            format!("can't be combined: only one of {} may be given", list(fields, quoted))
        }
        CrossRule::AtLeastOne { fields, above: Some(bound), .. } => {
            format!("at least one of {} must be greater than {bound}", list(fields, quoted))
        }
        CrossRule::AtLeastOne { fields, above: None, .. } => {
            format!("at least one of {} must be given", list(fields, quoted))
        }
        CrossRule::ExactlyOne { fields, .. } => {
            format!("exactly one of {} must be given", list(fields, quoted))
        }
        CrossRule::TotalItems { fields, minimum, maximum, .. } => {
            let items = between(minimum, maximum, "item");
            format!("{} together must have {items}", list(fields, quoted))
        }
    }
}
