//! The case of names: `snake_case`, `camelCase` and others.

use crate::names::Words;

/// A case of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Case {
    Snake,
    Camel,
    Kebab,
    Pascal,
    Screaming,
}

impl Case {
    pub(super) const ALL: &[Self] = &[Self::Snake, Self::Camel, Self::Kebab, Self::Pascal, Self::Screaming];

    /// Returns the name of the case in its own style: `snake_case`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Snake => "snake_case",
            Self::Camel => "camelCase",
            Self::Kebab => "kebab-case",
            Self::Pascal => "PascalCase",
            Self::Screaming => "SCREAMING_CASE",
        }
    }

    /// Returns whether a name has this case. A single word in lower case is in snake, camel and kebab case.
    pub(super) fn fits(self, name: &str) -> bool {
        words(name).all(|part| {
            let (first, has) = (part.chars().next(), |test: fn(char) -> bool| part.contains(test));
            let (has_upper, has_lower) = (has(char::is_uppercase), has(char::is_lowercase));
            let (has_dash, has_underscore) = (part.contains('-'), part.contains('_'));
            match self {
                Self::Snake => !has_upper && !has_dash,
                Self::Kebab => !has_upper && !has_underscore,
                Self::Camel => !has_dash && !has_underscore && !first.is_some_and(char::is_uppercase),
                Self::Pascal => !has_dash && !has_underscore && !first.is_some_and(char::is_lowercase),
                Self::Screaming => !has_lower && !has_dash,
            }
        })
    }

    /// Returns a name in this case, if only its separators and its upper and lower case change.
    pub(super) fn convert(self, name: &str) -> Option<String> {
        if !name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) {
            return None;
        }
        let words = Words::of(name);
        let converted = match self {
            Self::Snake => words.snake(),
            Self::Kebab => words.snake().replace('_', "-"),
            Self::Pascal => words.pascal(),
            Self::Screaming => words.screaming(),
            Self::Camel => {
                let pascal = words.pascal();
                let mut rest = pascal.chars();
                rest.next().into_iter().flat_map(char::to_lowercase).chain(rest).collect()
            }
        };
        let letters = |text: &str| text.replace(['_', '-'], "").to_lowercase();
        (letters(&converted) == letters(name)).then_some(converted)
    }
}

/// Returns whether a name has a case: it has an ASCII letter, and otherwise only ASCII letters, digits and `_-.[]:$@`.
pub(super) fn has_case(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.[]:$@".contains(c))
}

/// Returns the parts of a name that have a case of their own: `filter` and `createdAt` in `filter[createdAt]`.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let parts = name.split(['.', '[', ']', ':', '$', '@']).map(|part| part.trim_matches('_'));
    parts.filter(|part| part.contains(char::is_alphabetic))
}
