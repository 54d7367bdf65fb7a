//! The problems of single keywords in a report.

use super::subject::{Subject, is_integer};
use crate::codec::Kinds;
use crate::table::{Keyword, Literal, Matched};
use crate::types::Value;
use crate::validation::probe::Look;
use crate::validation::{Bound, ViolationKind};

/// Returns the problem of a keyword about the value itself.
pub fn problem(keyword: &'static Keyword, value: &Value) -> Option<ViolationKind> {
    Some(match *keyword {
        Keyword::False => ViolationKind::Forbidden,
        Keyword::Type(kinds) => wrong_kind(kinds, value),
        Keyword::Enum(allowed) => ViolationKind::NotAllowed(allowed),
        Keyword::Minimum(bound) => ViolationKind::Minimum(number(bound)?),
        Keyword::ExclusiveMinimum(bound) => ViolationKind::ExclusiveMinimum(number(bound)?),
        Keyword::Maximum(bound) => ViolationKind::Maximum(number(bound)?),
        Keyword::ExclusiveMaximum(bound) => ViolationKind::ExclusiveMaximum(number(bound)?),
        Keyword::MultipleOf(step) => ViolationKind::MultipleOf(number(step)?),
        Keyword::MinLength(limit) => ViolationKind::MinLength(limit),
        Keyword::MaxLength(limit) => ViolationKind::MaxLength(limit),
        Keyword::Pattern(pattern) => match pattern.matches(value.as_str().unwrap_or_default()) {
            Matched::Unknown => ViolationKind::PatternLimit(pattern.written()),
            _ => ViolationKind::Pattern(pattern.written()),
        },
        Keyword::Format(format) => ViolationKind::Format(format),
        Keyword::MinItems(limit) => ViolationKind::MinItems(limit),
        Keyword::MaxItems(limit) => ViolationKind::MaxItems(limit),
        Keyword::UniqueItems => ViolationKind::UniqueItems,
        Keyword::Contains { minimum, maximum, .. } => ViolationKind::Contains { minimum, maximum },
        Keyword::MinProperties(limit) => ViolationKind::MinProperties(limit),
        Keyword::MaxProperties(limit) => ViolationKind::MaxProperties(limit),
        _ => return None,
    })
}

/// Returns the problem of a value of another kind.
fn wrong_kind(kinds: Kinds, value: &Value) -> ViolationKind {
    match Subject::of(value).look {
        Look::Null => ViolationKind::Null,
        Look::Number(number) if kinds.contains(Kinds::INTEGER) && !is_integer(number) => {
            ViolationKind::NotInteger
        }
        _ => ViolationKind::WrongKind(kinds),
    }
}

const fn number(literal: Literal) -> Option<Bound> {
    match literal {
        Literal::Integer(bound) => Some(Bound::Integer(bound)),
        Literal::Number(bound) => Some(Bound::Number(bound)),
        _ => None,
    }
}
