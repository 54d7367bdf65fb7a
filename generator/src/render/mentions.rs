//! Finds the names that a module's items mention, which determine the module's imports.

use proc_macro2::{Spacing, TokenStream, TokenTree};

/// A set of names, as a bit set of indices into a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Mentions(u64);

impl Mentions {
    /// Returns the names with which a path in the tokens begins.
    ///
    /// The name of a module, in lower case, counts only in front of `::`, because fields can have the same
    /// name.
    pub(super) fn of(tokens: TokenStream, names: &[&str]) -> Self {
        let mut found = Self::default();
        let mut is_beginning = true;
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match &token {
                TokenTree::Group(group) => found = found.and(Self::of(group.stream(), names)),
                TokenTree::Ident(word) if is_beginning => {
                    let before_path = tokens.peek().is_some_and(is_colon_of_path);
                    let counts = |name: &str| before_path || !name.starts_with(char::is_lowercase);
                    let index = names.iter().position(|name| word == name && counts(name));
                    let bit = index.and_then(|index| 1_u64.checked_shl(u32::try_from(index).ok()?));
                    found.0 |= bit.unwrap_or(0);
                }
                _ => {}
            }
            let is_path = is_colon_of_path(&token) && tokens.next().is_some();
            is_beginning = !is_path;
        }
        found
    }

    /// Returns the union of two sets.
    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the entries of a list that belong to the names.
    pub(super) fn among<T>(self, list: &[T]) -> impl Iterator<Item = &T> {
        (0..)
            .zip(list)
            .filter(move |(index, _)| self.0.checked_shr(*index).unwrap_or(0) & 1 == 1)
            .map(|(_, entry)| entry)
    }
}

/// Returns whether a token is the first one of `::`.
fn is_colon_of_path(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':' && punct.spacing() == Spacing::Joint)
}

#[cfg(test)]
mod tests {
    use quote::quote;

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
        assert!(Mentions::of(text, &names).among(&names).eq(&["common", "Text"]));
    }
}
