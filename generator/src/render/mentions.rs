//! Finds the names that a module's items mention, which determine the module's imports.

use super::layout::tokens::{Kind, Token};

/// A set of names, as a bit set of indices into a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Mentions(u64);

impl Mentions {
    /// Returns the names with which a path in the tokens begins.
    ///
    /// The name of a module, in lower case, counts only in front of `::`, because fields can have the same
    /// name.
    pub(super) fn of(tokens: &[Token<'_>], names: &[&str]) -> Self {
        let mut found = 0;
        let mut is_beginning = true;
        let mut tokens = tokens.iter().peekable();
        while let Some(token) = tokens.next() {
            if token.kind == Kind::Word && is_beginning {
                let before_path = tokens.peek().is_some_and(|next| next.text == "::");
                let counts = before_path || !token.text.starts_with(char::is_lowercase);
                let place = names.iter().position(|name| counts && *name == token.text);
                found |= place.and_then(|place| 1_u64.checked_shl(u32::try_from(place).ok()?)).unwrap_or(0);
            }
            is_beginning = token.text != "::";
        }
        Self(found)
    }

    /// Returns the union of two sets.
    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the names in the order of the list.
    pub(super) fn among<'n>(self, names: &[&'n str]) -> Vec<&'n str> {
        let mut names = names.iter().enumerate();
        let holds = |place: usize| {
            u32::try_from(place).is_ok_and(|place| self.0.checked_shr(place).unwrap_or(0) & 1 == 1)
        };
        names.by_ref().filter(|(place, _)| holds(*place)).map(|(_, name)| *name).collect()
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::super::layout::tokens::tokens;
    use super::*;

    #[test]
    fn only_the_beginnings_of_paths_count() {
        let text = quote!(
            struct A {
                task: common::Task,
                b: rt::responses::C,
                d: &[Text::Integer],
                x: models,
            }
        );
        let names = ["responses", "common", "Integer", "Text", "models"];
        let text = text.to_string();
        assert_eq!(Mentions::of(&tokens(&text), &names).among(&names), ["common", "Text"]);
    }
}
