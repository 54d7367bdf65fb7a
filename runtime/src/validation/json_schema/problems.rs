//! The problems of single keywords in a report.

use super::subject::{Subject, is_integer};
use crate::codec::Kinds;
use crate::table::{Keyword, Literal, Matched};
use crate::types::Value;
use crate::validation::probe::Look;
use crate::validation::{Bound, Problem};

/// Returns the problem of a keyword about the value itself.
pub fn problem(keyword: &'static Keyword, value: &Value) -> Option<Problem> {
    Some(match *keyword {
        Keyword::False => Problem::Forbidden,
        Keyword::Type(kinds) => wrong_kind(kinds, value),
        Keyword::Enum(allowed) => Problem::NotAllowed(allowed),
        Keyword::Minimum(bound) => Problem::Minimum(number(bound)?),
        Keyword::ExclusiveMinimum(bound) => Problem::ExclusiveMinimum(number(bound)?),
        Keyword::Maximum(bound) => Problem::Maximum(number(bound)?),
        Keyword::ExclusiveMaximum(bound) => Problem::ExclusiveMaximum(number(bound)?),
        Keyword::MultipleOf(step) => Problem::MultipleOf(number(step)?),
        Keyword::MinLength(limit) => Problem::MinLength(limit),
        Keyword::MaxLength(limit) => Problem::MaxLength(limit),
        Keyword::Pattern(pattern) => match pattern.matches(value.as_str().unwrap_or_default()) {
            Matched::Unknown => Problem::PatternLimit(pattern.written()),
            _ => Problem::Pattern(pattern.written()),
        },
        Keyword::Format(format) => Problem::Format(format),
        Keyword::MinItems(limit) => Problem::MinItems(limit),
        Keyword::MaxItems(limit) => Problem::MaxItems(limit),
        Keyword::UniqueItems => Problem::UniqueItems,
        Keyword::Contains { minimum, maximum, .. } => Problem::Contains { minimum, maximum },
        Keyword::MinProperties(limit) => Problem::MinProperties(limit),
        Keyword::MaxProperties(limit) => Problem::MaxProperties(limit),
        _ => return None,
    })
}

/// Returns the problem of a value of another kind.
fn wrong_kind(kinds: Kinds, value: &Value) -> Problem {
    match Subject::of(value).look {
        Look::Null => Problem::Null,
        Look::Number(number) if kinds.contains(Kinds::INTEGER) && !is_integer(number) => Problem::NotInteger,
        _ => Problem::WrongKind(kinds),
    }
}

const fn number(literal: Literal) -> Option<Bound> {
    match literal {
        Literal::Integer(bound) => Some(Bound::Integer(bound)),
        Literal::Number(bound) => Some(Bound::Number(bound)),
        _ => None,
    }
}
