//! The keywords for numbers and strings, and `enum`.

use std::cmp::Ordering;

use super::budget::{Extent, cost_of_text};
use super::evaluator::Evaluator;
use super::subject::Subject;
use crate::codec::Number;
use crate::table::{Keyword, Literal};
use crate::validation::probe::Look;
use crate::validation::view::Spelling;
use crate::validation::{formats, literal, number, probe, scalar};

impl Evaluator<'_> {
    /// Returns whether a value equals one of these.
    pub fn is_listed(&mut self, allowed: &'static [Literal], subject: Subject<'_>) -> bool {
        if !self.spend(allowed.len() as u64) {
            return false;
        }
        match subject.look {
            Look::Number(number) => {
                if allowed.iter().any(|it| matches!(it, Literal::Integer(_) | Literal::Number(_))) {
                    self.context.depends_on(subject.spelling);
                }
                allowed.iter().any(|it| number::equals(number, it))
            }
            Look::Text => {
                if allowed.iter().any(|it| matches!(it, Literal::Text(_))) {
                    self.context.depends_on(subject.spelling);
                }
                let mut is_listed = false;
                subject.with_text(&mut |text| {
                    is_listed = allowed.iter().any(|it| literal::is_text(it, text));
                });
                is_listed
            }
            Look::Array(_) | Look::Object => allowed
                .iter()
                .filter(|it| matches!(it, Literal::Json(_)))
                .any(|it| self.visit_whole(subject) && probe::equals(subject.value, it)),
            Look::Null => allowed.contains(&Literal::Null),
            Look::Boolean(value) => allowed.contains(&Literal::Boolean(value)),
            Look::Stream => true,
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
            Keyword::MinLength(_) | Keyword::MaxLength(_) | Keyword::Pattern(_) | Keyword::Format(_) => {}
            _ => return true,
        }
        self.context.depends_on(subject.spelling);
        let mut is_valid = false;
        subject.with_text(&mut |text| {
            is_valid = self.spend(cost_of_text(text))
                && match keyword {
                    Keyword::MinLength(limit) => !scalar::is_shorter(text, *limit),
                    Keyword::MaxLength(limit) => !scalar::is_longer(text, *limit),
                    Keyword::Pattern(pattern) => self.matches(pattern, text),
                    Keyword::Format(format) => formats::is(*format, text),
                    _ => true,
                };
        });
        is_valid
    }
}
