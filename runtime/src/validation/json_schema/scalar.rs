//! The keywords for numbers and strings, and `enum`; the problems of keywords about a value itself.

use std::cmp::Ordering;

use super::budget::{Extent, cost_of_text};
use super::evaluator::Evaluator;
use super::subject::{Subject, is_integer};
use crate::codec::view::Spelling;
use crate::codec::{Kinds, Number, Value};
use crate::table::{Keyword, Literal, Matched};
use crate::validation::probe::Form;
use crate::validation::{Bound, ViolationKind, formats, literal, number, probe, scalar};

impl Evaluator<'_> {
    /// Returns whether a value equals one of these.
    pub fn is_listed(&mut self, allowed: &'static [Literal], subject: Subject<'_>) -> bool {
        if !self.spend(allowed.len() as u64) {
            return false;
        }
        match subject.form {
            Form::Number(number) => {
                if allowed.iter().any(|it| matches!(it, Literal::Integer(_) | Literal::Number(_))) {
                    self.context.depends_on(subject.spelling);
                }
                allowed.iter().any(|it| number::equals(number, it))
            }
            Form::Text => {
                if allowed.iter().any(|it| matches!(it, Literal::Text(_))) {
                    self.context.depends_on(subject.spelling);
                }
                let mut is_listed = false;
                subject.with_text(&mut |text| {
                    is_listed = allowed.iter().any(|it| literal::is_text(it, text));
                });
                is_listed
            }
            Form::Array(_) | Form::Object => allowed
                .iter()
                .filter(|it| matches!(it, Literal::Json(_)))
                .any(|it| self.visit_whole(subject) && probe::equals(subject.value, it)),
            Form::Null => allowed.contains(&Literal::Null),
            Form::Boolean(value) => allowed.contains(&Literal::Boolean(value)),
            Form::Stream => true,
        }
    }

    /// Takes the steps for reading a whole value.
    pub fn visit_whole(&mut self, subject: Subject<'_>) -> bool {
        let extent = Extent::of(subject.value);
        if extent.is_rewritten {
            self.context.set_lossy();
        }
        self.spend(extent.parts)
    }

    /// Evaluates a keyword for numbers.
    pub fn number(&mut self, keyword: &'static Keyword, value: Number, subject: Subject<'_>) -> bool {
        let compare = |literal| number::compare(value, literal);
        let is_valid = match keyword {
            Keyword::Minimum(bound) => matches!(compare(bound), Some(Ordering::Greater | Ordering::Equal)),
            Keyword::ExclusiveMinimum(bound) => compare(bound) == Some(Ordering::Greater),
            Keyword::Maximum(bound) => matches!(compare(bound), Some(Ordering::Less | Ordering::Equal)),
            Keyword::ExclusiveMaximum(bound) => compare(bound) == Some(Ordering::Less),
            Keyword::MultipleOf(step) => number::is_multiple(value, step),
            _ => return true,
        };
        self.context.depends_on(subject.spelling);
        is_valid
    }

    /// Evaluates a keyword for strings.
    pub fn text(&mut self, keyword: &'static Keyword, subject: Subject<'_>) -> bool {
        match keyword {
            // The type of the value guarantees this format, also for the text that it was read from.
            Keyword::Format(format) if subject.spelling == Spelling::Rewritten(Some(*format)) => return true,
            Keyword::MinLength(_) | Keyword::MaxLength(_) | Keyword::Pattern(_) | Keyword::Format(_) => {
                self.context.depends_on(subject.spelling);
            }
            // All spellings of a date or an instant have the same order.
            Keyword::FormatMinimum(_)
            | Keyword::FormatExclusiveMinimum(_)
            | Keyword::FormatMaximum(_)
            | Keyword::FormatExclusiveMaximum(_) => {}
            _ => return true,
        }
        let mut is_valid = false;
        subject.with_text(&mut |text| {
            is_valid = self.spend(cost_of_text(text))
                && match keyword {
                    Keyword::MinLength(limit) => !scalar::is_shorter(text, *limit),
                    Keyword::MaxLength(limit) => !scalar::is_longer(text, *limit),
                    Keyword::Pattern(pattern) => self.matches(pattern, text),
                    Keyword::Format(format) => formats::is(*format, text),
                    keyword => keyword.is_within(text),
                };
        });
        is_valid
    }
}

/// Returns the problem of a keyword about the value itself.
pub fn problem(keyword: &'static Keyword, value: &Value) -> Option<ViolationKind> {
    Some(match *keyword {
        Keyword::False => ViolationKind::Forbidden,
        Keyword::Type(kinds) => wrong_kind(kinds, value),
        Keyword::Enum(allowed) => ViolationKind::NotAllowed(allowed),
        Keyword::Minimum(bound) | Keyword::FormatMinimum(bound) => ViolationKind::Minimum(bound_of(bound)?),
        Keyword::ExclusiveMinimum(bound) | Keyword::FormatExclusiveMinimum(bound) => {
            ViolationKind::ExclusiveMinimum(bound_of(bound)?)
        }
        Keyword::Maximum(bound) | Keyword::FormatMaximum(bound) => ViolationKind::Maximum(bound_of(bound)?),
        Keyword::ExclusiveMaximum(bound) | Keyword::FormatExclusiveMaximum(bound) => {
            ViolationKind::ExclusiveMaximum(bound_of(bound)?)
        }
        Keyword::MultipleOf(step) => ViolationKind::MultipleOf(bound_of(step)?),
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
    match Subject::of(value).form {
        Form::Null => ViolationKind::Null,
        Form::Number(number) if kinds.contains(Kinds::INTEGER) && !is_integer(number) => {
            ViolationKind::NotInteger
        }
        _ => ViolationKind::WrongKind(kinds),
    }
}

const fn bound_of(literal: Literal) -> Option<Bound> {
    match literal {
        Literal::Integer(bound) => Some(Bound::Integer(bound)),
        Literal::Number(bound) => Some(Bound::Number(bound)),
        Literal::Text(bound) => Some(Bound::Text(bound)),
        _ => None,
    }
}
