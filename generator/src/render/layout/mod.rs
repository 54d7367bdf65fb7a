//! Lays out the items that make up nearly all of what is emitted, as `prettyplease` does, at a tenth of its cost.
//!
//! `prettyplease` needs a syntax tree, which takes longer to build than the text to print. The forms that occur a
//! hundred thousand times in a large API (types and their codecs, rows of tables) are few, so they are read here from
//! left to right, and printed as they are read. Any other form is left to `prettyplease`, whose output is the measure:
//! a test holds the two together.

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

/// Reads items and prints them. A form that is not known here is `None`.
pub(super) struct Layout<'t, 's> {
    tokens: &'t [Token<'s>],
    /// The next token.
    at: usize,
    printer: Printer<'s>,
    /// What is behind the expressions that are being read: calls, fields, `?`.
    suffixes: Vec<chains::Suffix>,
}

impl<'t, 's> Layout<'t, 's> {
    pub(super) fn new(tokens: &'t [Token<'s>]) -> Self {
        Self { tokens, at: 0, printer: Printer::default(), suffixes: Vec::new() }
    }

    /// Adds the text of one item, all of `range`; `false` if it has a form that is not known here.
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

    /// The text of the next token.
    fn next(&self) -> &'s str {
        self.text_at(self.at)
    }

    /// The text of a token; nothing behind the last.
    fn text_at(&self, at: usize) -> &'s str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    /// The kind of the next token.
    fn kind(&self) -> Option<Kind> {
        self.tokens.get(self.at).map(|token| token.kind)
    }

    /// Where the bracket that opens here is closed.
    fn closing(&self, at: usize) -> Option<usize> {
        match self.tokens.get(at)?.kind {
            Kind::Open(closing) => Some(closing),
            _ => None,
        }
    }

    /// Goes over the next token, if it is this one.
    fn skip(&mut self, text: &str) -> bool {
        let is_next = self.next() == text;
        self.at += usize::from(is_next);
        is_next
    }

    /// Goes over the next token, which must be this one.
    fn expect(&mut self, text: &str) -> Option<()> {
        self.skip(text).then_some(())
    }

    /// Prints this token, if it is next.
    fn copy(&mut self, text: &'static str) -> bool {
        let is_next = self.skip(text);
        if is_next {
            self.printer.text(text);
        }
        is_next
    }

    /// Prints the next token, a name that is no keyword.
    fn name(&mut self) -> Option<&'s str> {
        let token = *self.token(self.at)?;
        (token.kind == Kind::Word && !is_keyword(token.text)).then(|| {
            self.at += 1;
            self.printer.text(token.text);
            token.text
        })
    }

    /// Items between brackets, with commas between them: the first bracket is next, `close` is the last.
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

/// Words that are no names; `self`, `Self`, `super` and `crate`, which stand in paths, are not among them.
fn is_keyword(word: &str) -> bool {
    names::is_keyword(word) && !matches!(word, "self" | "Self" | "super" | "crate")
}

#[cfg(test)]
mod tests;
