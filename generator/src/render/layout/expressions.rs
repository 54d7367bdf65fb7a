//! Expressions: references, structs, arrays, tuples, `match`, closures.

use super::chains::Form;
use super::types::Place;
use super::{Layout, printer::INDENT};

impl Layout<'_, '_> {
    pub(super) fn expression(&mut self) -> Option<()> {
        self.expression_at(false)
    }

    /// Prints an expression.
    ///
    /// `leading` is whether it begins a statement or the right side of a `match` arm.
    pub(super) fn expression_at(&mut self, leading: bool) -> Option<()> {
        match self.next() {
            "&" => {
                self.copy("&");
                if self.skip("mut") {
                    self.printer.text("mut ");
                }
                self.expression()
            }
            "-" | "*" => {
                let sign = self.next();
                self.at += 1;
                self.printer.text(sign);
                self.expression()
            }
            "|" => self.closure(),
            "match" => self.matching(),
            _ => self.chain(leading, true),
        }
    }

    /// Prints a tuple: `(a, b)`, `()`.
    pub(super) fn tuple(&mut self) -> Option<()> {
        let close = self.closing(self.at)?;
        let is_comma = |at: &usize| self.text_at(*at) == ",";
        let (first, has_items) = (self.at + 1, self.at + 1 < close);
        // Parentheses and tuples of one item have another layout.
        if has_items {
            let end = self.form(first)?.1;
            if end == close || end + 1 == close || !is_comma(&end) {
                return None;
            }
        }
        let open = self.at;
        self.copy("(");
        if self.has_list(open) {
            self.unbroken(close)?;
        } else {
            self.printer.consistent(INDENT);
            self.printer.zero();
            self.list(close, Self::expression)?;
            self.printer.dedent();
            self.printer.end();
        }
        self.copy(")").then_some(())
    }

    /// Prints an array: `[a, b]`.
    pub(super) fn array(&mut self) -> Option<()> {
        let close = self.closing(self.at)?;
        self.copy("[");
        if self.at == close {
            return self.copy("]").then_some(());
        }
        // Arrays of short literals are filled line by line.
        let is_short = |(form, _)| form == Form::Literal { short: true };
        let (form, end) = self.form(self.at)?;
        if self.text_at(end) == ";" || is_short((form, end)) {
            return None;
        }
        self.printer.consistent(INDENT);
        self.printer.zero();
        self.list(close, Self::expression)?;
        self.printer.dedent();
        self.printer.end();
        self.copy("]").then_some(())
    }

    /// Prints a struct expression: `Field { name: "a", ..Field::ANY }`.
    pub(super) fn structure(&mut self) -> Option<()> {
        self.printer.consistent(INDENT);
        self.printer.inconsistent(-INDENT);
        self.path(Place::Expression)?;
        self.printer.end();
        let close = self.closing(self.at)?;
        self.expect("{")?;
        self.printer.text(" {");
        self.printer.space_if_nonempty();
        while self.at < close {
            if self.copy("..") {
                self.expression()?;
                self.printer.space();
                break;
            }
            self.name()?;
            if self.skip(":") {
                self.printer.text(": ");
                self.printer.inconsistent(0);
                self.expression()?;
                self.printer.end();
            }
            let is_last = !self.skip(",") || self.at == close;
            self.printer.comma_or_space(is_last);
            if is_last {
                break;
            }
        }
        self.printer.dedent();
        self.printer.end_within(34);
        (self.at == close && self.copy("}")).then_some(())
    }

    /// Returns the index of the body of the closure at `at`.
    pub(super) fn closure_end(&self, at: usize) -> Option<usize> {
        let mut end = at + 1;
        while self.text_at(end) != "|" {
            end = self.closing(end).unwrap_or(end) + 1;
            self.token(end)?;
        }
        Some(end + 1)
    }

    /// Prints a closure: `|a, b| f(a, b)`.
    fn closure(&mut self) -> Option<()> {
        let body = self.closure_end(self.at)?;
        self.printer.inconsistent(0);
        self.printer.consistent(INDENT);
        self.copy("|");
        if self.next() != "|" {
            self.printer.zero();
        }
        while self.next() != "|" {
            self.pattern()?;
            if self.skip(",") && self.next() != "|" {
                self.printer.text(",");
                self.printer.space();
            }
        }
        self.expect("|")?;
        self.printer.text("|");
        self.printer.space();
        self.printer.dedent();
        self.printer.end();
        self.printer.never();
        let (form, _) = self.form(body)?;
        if form.is_blocklike() || matches!(form, Form::Match | Form::Call) {
            self.expression()?;
        } else {
            self.printer.consistent(INDENT);
            self.printer.opening_brace();
            self.expression()?;
            self.printer.closing_brace(false);
            self.printer.end();
        }
        self.printer.end();
        Some(())
    }

    /// Prints a `match`: `match a { b => c, … }`.
    fn matching(&mut self) -> Option<()> {
        self.expect("match")?;
        self.printer.inconsistent(0);
        self.printer.text("match ");
        self.printer.consistent(0);
        let is_linked = self.is_linked(self.at)?;
        if self.copy("*") {
            // Only names are dereferenced in generated code.
            self.name()?;
        } else {
            self.chain(false, false)?;
        }
        if is_linked {
            self.printer.space();
        } else {
            self.printer.text(" ");
        }
        self.printer.end();
        let close = self.closing(self.at)?;
        self.expect("{")?;
        self.printer.text("{");
        self.printer.never();
        self.printer.consistent(INDENT);
        self.printer.line_if_nonempty();
        while self.at < close {
            self.arm()?;
            if self.at < close {
                self.expect(",")?;
            }
            self.printer.line();
        }
        self.printer.dedent();
        self.printer.end();
        self.printer.text("}");
        self.printer.end();
        self.expect("}")
    }

    /// Returns whether the expression at `at` ends with a field or method.
    fn is_linked(&self, at: usize) -> Option<bool> {
        if self.text_at(at) == "*" {
            return Some(false);
        }
        let (_, mut end) = self.atom(at, false)?;
        while matches!(self.text_at(end), "(" | "?") {
            end = self.closing(end).unwrap_or(end) + 1;
        }
        Some(self.text_at(end) == ".")
    }

    /// Prints an arm: `Self::A(value) => f(value),`.
    fn arm(&mut self) -> Option<()> {
        self.printer.inconsistent(0);
        self.pattern()?;
        self.expect("=>")?;
        self.printer.text(" => ");
        let (form, _) = self.form(self.at)?;
        let is_unit = self.next() == "(" && self.closing(self.at) == Some(self.at + 1);
        if form == Form::Match || is_unit {
            return None;
        }
        self.printer.never();
        self.printer.consistent(INDENT);
        self.printer.opening_brace();
        self.expression_at(true)?;
        self.printer.closing_brace(true);
        self.printer.end();
        self.printer.end();
        Some(())
    }
}
