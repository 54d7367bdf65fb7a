//! Prints frequent items exactly as `prettyplease` does.
//!
//! `prettyplease` needs a syntax tree. Building the tree takes longer than printing the text. A large API has
//! a hundred thousand items of only a few forms: types, their codecs, rows of tables. This module reads their
//! tokens from left to right and prints them at once. It leaves every other form to `prettyplease`. A test
//! compares the output of both.

mod chains;
mod expressions;
mod items;
mod printer;
mod statements;
pub(crate) mod tokens;
mod types;

use crate::names;
use printer::Printer;
use tokens::{Kind, Token};

/// Reads items and prints them. Methods return `None` for an unknown form.
pub(super) struct Layout<'t, 's> {
    tokens: &'t [Token<'s>],
    /// The index of the next token.
    at: usize,
    printer: Printer<'s>,
    /// The suffixes of the expressions that are being read: calls, fields, `?`.
    suffixes: Vec<chains::Suffix>,
}

impl<'t, 's> Layout<'t, 's> {
    pub(super) fn new(tokens: &'t [Token<'s>]) -> Self {
        Self { tokens, at: 0, printer: Printer::default(), suffixes: Vec::new() }
    }

    /// Appends the text of the item in `range`; returns `false` if its form is unknown.
    pub(super) fn item(&mut self, range: std::ops::Range<usize>, output: &mut String) -> bool {
        self.at = range.start;
        self.suffixes.clear();
        self.printer.consistent(0);
        if self.read_item().is_none() || self.at != range.end {
            self.printer.clear();
            return false;
        }
        self.printer.end();
        self.printer.finish(output);
        true
    }

    fn token(&self, at: usize) -> Option<&Token<'s>> {
        self.tokens.get(at)
    }

    /// Returns the text of the next token.
    fn next(&self) -> &'s str {
        self.text_at(self.at)
    }

    /// Returns the text of a token; empty after the last one.
    fn text_at(&self, at: usize) -> &'s str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    /// Returns the kind of the next token.
    fn kind(&self) -> Option<Kind> {
        self.kind_at(self.at)
    }

    /// Returns the kind of a token.
    fn kind_at(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    /// Returns the index of the bracket that closes the one at `at`.
    fn closing(&self, at: usize) -> Option<usize> {
        match self.tokens.get(at)?.kind {
            Kind::Open(closing) => Some(closing),
            _ => None,
        }
    }

    /// Skips the next token if it is this one.
    fn skip(&mut self, text: &str) -> bool {
        let is_next = self.next() == text;
        self.at += usize::from(is_next);
        is_next
    }

    /// Skips the next token, which must be this one.
    fn expect(&mut self, text: &str) -> Option<()> {
        self.skip(text).then_some(())
    }

    /// Prints the next token if it is this one.
    fn copy(&mut self, text: &'static str) -> bool {
        let is_next = self.skip(text);
        if is_next {
            self.printer.text(text);
        }
        is_next
    }

    /// Prints the next token, which must be a name and not a keyword.
    fn name(&mut self) -> Option<&'s str> {
        let token = *self.token(self.at)?;
        (token.kind == Kind::Word && !is_keyword(token.text)).then(|| {
            self.at += 1;
            self.printer.text(token.text);
            token.text
        })
    }

    /// Prints items with commas between them, up to the closing bracket at `close`.
    fn list(&mut self, close: usize, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        while self.at < close {
            item(self)?;
            let is_last = self.at == close || self.next() == "," && self.at + 1 == close;
            if self.at < close {
                self.expect(",")?;
            }
            self.printer.comma(is_last);
        }
        (self.at == close).then_some(())
    }
}

/// Returns whether a word can't be a name.
///
/// `self`, `Self`, `super` and `crate` count as names, because paths contain them.
fn is_keyword(word: &str) -> bool {
    names::is_keyword(word) && !matches!(word, "self" | "Self" | "super" | "crate")
}

#[cfg(test)]
mod tests;
