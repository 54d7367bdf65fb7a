//! Items: types, statics, `impl`s; their attributes and functions.

use std::borrow::Cow;

use super::tokens::Kind;
use super::types::Place;
use super::{Layout, printer::INDENT};

impl Layout<'_, '_> {
    /// Prints one item; returns `None` if its form is unknown.
    pub(super) fn read_item(&mut self) -> Option<()> {
        self.attributes()?;
        match self.keyword() {
            "struct" => self.structure_type(),
            "enum" => self.enumeration(),
            "impl" => self.implementation(),
            "static" => self.constant("static"),
            "type" => self.alias(),
            "rt" => self.macro_list(),
            _ => None,
        }
    }

    /// Returns the keyword of the item, after its visibility.
    fn keyword(&self) -> &str {
        if self.next() != "pub" {
            return self.next();
        }
        let behind = self.closing(self.at + 1).unwrap_or(self.at);
        self.text_at(behind + 1)
    }

    /// Prints attributes: `#[doc = "…"]` as `/// …`, `#[derive(Debug, Clone)]`, `#[must_use]`.
    fn attributes(&mut self) -> Option<()> {
        while self.skip("#") {
            let close = self.closing(self.at)?;
            self.expect("[")?;
            if self.next() == "doc" {
                self.documentation()?;
            } else {
                self.printer.text("#[");
                self.path(Place::Type)?;
                if self.next() == "(" {
                    self.attribute_tokens()?;
                }
                self.printer.text("]");
                self.printer.space();
            }
            if self.at != close {
                return None;
            }
            self.expect("]")?;
        }
        Some(())
    }

    fn documentation(&mut self) -> Option<()> {
        self.expect("doc")?;
        self.expect("=")?;
        let literal = self.next();
        self.at += 1;
        let text = match literal.strip_prefix("r\"") {
            Some(raw) => Cow::Borrowed(raw),
            None => unescaped(literal.strip_prefix('"')?)?,
        };
        let text = without_quote(text)?;
        if text.contains('\n') || text.starts_with('/') {
            return None;
        }
        let length = text.trim_end_matches(' ').len();
        self.printer.text("///");
        match text {
            Cow::Borrowed(text) => self.printer.text(text.get(..length)?),
            Cow::Owned(mut text) => {
                text.truncate(length);
                self.printer.text(text);
            }
        }
        self.printer.line();
        Some(())
    }

    /// Prints the arguments of an attribute: `(clippy::a, reason = "b")`.
    fn attribute_tokens(&mut self) -> Option<()> {
        let close = self.closing(self.at)?;
        self.expect("(")?;
        self.printer.text("(");
        self.printer.consistent(INDENT);
        self.printer.zero();
        let mut after_word = false;
        while self.at < close {
            let (kind, text) = (self.kind()?, self.next());
            match (kind, text) {
                (Kind::Word | Kind::Text | Kind::Literal, _) => {
                    if after_word {
                        self.printer.space();
                    }
                    self.printer.text(text);
                    after_word = true;
                }
                (Kind::Open(_), "(") => {
                    self.attribute_tokens()?;
                    after_word = false;
                    continue;
                }
                (Kind::Punct, "=") => {
                    self.printer.text(if after_word { " = " } else { "= " });
                    after_word = false;
                }
                (Kind::Punct, ",") if self.at + 1 < close => {
                    self.printer.text(",");
                    self.printer.space();
                    after_word = false;
                }
                (Kind::Punct, "::") => {
                    self.printer.text("::");
                    after_word = false;
                }
                _ => return None,
            }
            self.at += 1;
        }
        self.printer.zero();
        self.printer.dedent();
        self.printer.end();
        self.expect(")")?;
        self.printer.text(")");
        Some(())
    }

    /// Prints `pub`, `pub(crate)` or nothing.
    fn visibility(&mut self) -> Option<()> {
        if self.skip("pub") {
            match self.closing(self.at) {
                None => self.printer.text("pub "),
                Some(_) => {
                    // Fails for another restriction, and for a tuple after `pub`.
                    ["(", "crate", ")"].into_iter().try_for_each(|text| self.expect(text))?;
                    self.printer.text("pub(crate) ");
                }
            }
        }
        Some(())
    }

    /// Prints the visibility, a keyword and the name after it.
    fn named(&mut self, keyword: &'static str) -> Option<()> {
        self.visibility()?;
        self.expect(keyword)?;
        self.printer.text(keyword);
        self.printer.text(" ");
        self.name()?;
        (self.next() != "<").then_some(())
    }

    /// Prints a struct: `pub struct A { … }`.
    fn structure_type(&mut self) -> Option<()> {
        self.members("struct", |layout| {
            layout.attributes()?;
            layout.visibility()?;
            layout.name()?;
            layout.expect(":")?;
            layout.printer.text(": ");
            layout.ty()
        })
    }

    /// Prints an enum: `pub enum A { B, C(D) }`.
    fn enumeration(&mut self) -> Option<()> {
        self.members("enum", |layout| {
            layout.attributes()?;
            layout.name()?;
            match layout.closing(layout.at) {
                Some(close) => layout.payload(close),
                None => Some(()),
            }
        })
    }

    fn payload(&mut self, close: usize) -> Option<()> {
        self.printer.consistent(INDENT);
        self.expect("(")?;
        self.printer.text("(");
        self.printer.zero();
        self.list(close, Self::ty)?;
        self.printer.dedent();
        self.expect(")")?;
        self.printer.text(")");
        self.printer.end();
        Some(())
    }

    /// Prints an item with one member per line, each with a comma.
    fn members(
        &mut self,
        keyword: &'static str,
        mut member: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.printer.consistent(INDENT);
        self.named(keyword)?;
        let close = self.closing(self.at)?;
        self.expect("{")?;
        self.printer.text(" {");
        self.printer.line_if_nonempty();
        while self.at < close {
            member(self)?;
            if self.at < close {
                self.expect(",")?;
            }
            self.printer.text(",");
            self.printer.line();
        }
        self.printer.dedent();
        self.printer.end();
        self.expect("}")?;
        self.printer.text("}");
        self.printer.line();
        Some(())
    }

    /// Prints a static or constant: `pub static A: B = c;`.
    fn constant(&mut self, keyword: &'static str) -> Option<()> {
        self.printer.consistent(0);
        self.named(keyword)?;
        self.expect(":")?;
        self.printer.text(": ");
        self.ty()?;
        self.expect("=")?;
        self.printer.text(" = ");
        self.printer.never();
        self.expression()?;
        self.expect(";")?;
        self.printer.text(";");
        self.printer.end();
        self.printer.line();
        Some(())
    }

    /// Prints a macro whose input is a list, with one entry per line: `rt::object! { A; "b" => c, … }`.
    fn macro_list(&mut self) -> Option<()> {
        self.printer.consistent(INDENT);
        self.path(Place::Type)?;
        self.expect("!")?;
        let close = self.closing(self.at)?;
        self.expect("{")?;
        self.printer.text("! {");
        self.printer.line();
        self.attributes()?;
        while self.at < close {
            if let Some(Kind::Open(inner)) = self.kind_at(self.at) {
                while self.at < inner.min(close) {
                    self.entry_token();
                    if self.skip(",") {
                        self.printer.text(", ");
                    }
                }
            }
            // `Cat => rt::Shape::new(…)`
            let is_row = self.next() == "=>" && self.text_at(self.at + 1) == "rt";
            let is_end = matches!(self.next(), "," | ";");
            self.entry_token();
            if is_row {
                self.expression()?;
            }
            if is_end {
                self.printer.line();
            }
        }
        self.printer.dedent();
        self.printer.end();
        self.expect("}")?;
        self.printer.text("}");
        self.printer.line();
        Some(())
    }

    /// Prints a token of an entry: `"a" => [b with_b: B],`.
    fn entry_token(&mut self) {
        let text = self.next();
        let is_word = self.kind_at(self.at) == Some(Kind::Word);
        match text {
            "=>" => self.printer.text(" => "),
            "+" => self.printer.text(" + "),
            ":" => self.printer.text(": "),
            _ => self.printer.text(text),
        }
        self.at += 1;
        match self.kind_at(self.at) {
            Some(Kind::Word) if is_word => self.printer.text(" "),
            Some(Kind::Open(_)) if text == "from" => self.printer.text(" "),
            _ => {}
        }
    }

    /// Prints a type alias: `pub type A = B;`.
    fn alias(&mut self) -> Option<()> {
        self.printer.consistent(INDENT);
        self.named("type")?;
        self.expect("=")?;
        self.printer.text(" = ");
        self.printer.never();
        self.printer.inconsistent(-INDENT);
        self.ty()?;
        self.printer.end();
        self.expect(";")?;
        self.printer.text(";");
        self.printer.end();
        self.printer.line();
        Some(())
    }

    /// Prints an `impl`: `impl A for B { … }`.
    fn implementation(&mut self) -> Option<()> {
        self.printer.consistent(INDENT);
        self.printer.inconsistent(-INDENT);
        self.expect("impl")?;
        self.printer.text("impl");
        self.printer.text(" ");
        if self.next() == "<" {
            return None;
        }
        self.path(Place::Type)?;
        if self.skip("for") {
            self.printer.space();
            self.printer.text("for ");
            self.ty()?;
        }
        self.printer.end();
        let close = self.closing(self.at)?;
        self.expect("{")?;
        self.printer.text(" {");
        self.printer.line_if_nonempty();
        while self.at < close {
            self.attributes()?;
            match self.keyword() {
                "fn" => self.function()?,
                "const" => self.constant("const")?,
                "type" => self.alias()?,
                _ => return None,
            }
        }
        self.printer.dedent();
        self.printer.end();
        self.expect("}")?;
        self.printer.text("}");
        self.printer.line();
        Some(())
    }

    /// Prints a function: `pub fn a(&self, b: B) -> C { … }`.
    fn function(&mut self) -> Option<()> {
        self.printer.consistent(INDENT);
        self.named("fn")?;
        let close = self.closing(self.at)?;
        self.expect("(")?;
        self.printer.text("(");
        self.printer.never();
        self.printer.consistent(0);
        self.printer.zero();
        self.list(close, Self::parameter)?;
        self.printer.dedent();
        self.printer.end();
        self.expect(")")?;
        self.printer.text(")");
        self.printer.consistent(-INDENT);
        if self.skip("->") {
            self.printer.text(" -> ");
            self.ty()?;
        }
        self.printer.end();
        self.printer.text(" ");
        self.body()
    }

    /// Prints a parameter: `&self`, `mut a: B`.
    fn parameter(&mut self) -> Option<()> {
        if self.next() == "&" {
            self.copy("&");
            if self.skip("mut") {
                self.printer.text("mut ");
            }
            return self.copy("self").then_some(());
        }
        self.pattern()?;
        if self.skip(":") {
            self.printer.text(": ");
            self.ty()?;
        }
        Some(())
    }
}

/// Returns the text before the closing quote.
fn without_quote(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    match text {
        Cow::Borrowed(text) => text.strip_suffix('"').map(Cow::Borrowed),
        Cow::Owned(mut text) => (text.pop() == Some('"')).then_some(Cow::Owned(text)),
    }
}

/// Returns the value of a string literal, or `None` if it has an unknown escape.
fn unescaped(literal: &str) -> Option<Cow<'_, str>> {
    if !literal.contains('\\') {
        return Some(literal.into());
    }
    let mut text = String::with_capacity(literal.len());
    let mut rest = literal;
    while let Some((plain, escape)) = rest.split_once('\\') {
        text.push_str(plain);
        let mut characters = escape.chars();
        text.push(match characters.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '0' => '\0',
            same @ ('\\' | '"' | '\'') => same,
            'u' => {
                let (digits, behind) = characters.as_str().strip_prefix('{')?.split_once('}')?;
                characters = behind.chars();
                char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
            }
            _ => return None,
        });
        rest = characters.as_str();
    }
    text.push_str(rest);
    Some(text.into())
}
