//! Blocks of functions: statements and patterns.

use super::tokens::Kind;
use super::types::Place;
use super::{Layout, printer::INDENT};

impl Layout<'_, '_> {
    /// Prints the body of a function, whose opening brace is the next token.
    pub(super) fn body(&mut self) -> Option<()> {
        let close = self.closing(self.at)?;
        self.expect("{")?;
        self.printer.text("{");
        self.printer.line_if_nonempty();
        while self.at < close {
            self.statement(close)?;
        }
        self.printer.dedent();
        self.printer.end();
        self.printer.text("}");
        self.printer.line();
        self.expect("}")
    }

    /// Prints a statement: `let a = b;`, `let Some(a) = b else { return c };`, `a.b();`, or a final `a`.
    fn statement(&mut self, close: usize) -> Option<()> {
        self.printer.inconsistent(0);
        if self.skip("let") {
            self.printer.text("let ");
            self.pattern()?;
            if self.skip("=") {
                self.printer.text(" = ");
                self.printer.never();
                self.expression()?;
                if self.skip("else") {
                    self.otherwise()?;
                }
            }
            self.printer.end();
            self.expect(";")?;
            self.printer.text(";");
        } else {
            self.expression_at(true)?;
            if self.at < close {
                self.expect(";")?;
                self.printer.text(";");
            }
            self.printer.end();
        }
        self.printer.line();
        Some(())
    }

    /// Prints the `else` of a `let`: ` else { return a }`.
    fn otherwise(&mut self) -> Option<()> {
        self.printer.space();
        self.printer.text("else ");
        self.printer.end();
        self.printer.never();
        self.printer.consistent(INDENT);
        self.expect("{")?;
        self.printer.text("{");
        self.printer.space();
        self.printer.inconsistent(0);
        self.expect("return")?;
        self.printer.text("return ");
        self.expression()?;
        self.printer.end();
        self.printer.space();
        self.printer.dedent();
        self.expect("}")?;
        self.printer.text("}");
        Some(())
    }

    /// Prints a pattern: `_`, `mut a`, `"a"`, `-1`, `Self::A(value)`, `(a, b)`.
    pub(super) fn pattern(&mut self) -> Option<()> {
        match (self.kind()?, self.next()) {
            (Kind::Word, "_" | "true" | "false") | (Kind::Text | Kind::Literal, _) => {
                let text = self.next();
                self.printer.text(text);
                self.at += 1;
                Some(())
            }
            (Kind::Punct, "-") => {
                self.copy("-");
                let (kind, text) = (self.kind()?, self.next());
                self.printer.text(text);
                self.at += 1;
                (kind == Kind::Literal).then_some(())
            }
            (Kind::Word, "mut") => {
                self.skip("mut");
                self.printer.text("mut ");
                self.name().map(|_| ())
            }
            (Kind::Open(close), "(") => {
                // Parentheses and tuples of one item have another layout.
                if self.at + 1 != close {
                    return None;
                }
                self.printer.text("()");
                self.at = close + 1;
                Some(())
            }
            (Kind::Word, _) => {
                self.path(Place::Expression)?;
                match self.next() {
                    "(" => self.fields_of_pattern(),
                    "{" | "@" => None,
                    _ => Some(()),
                }
            }
            _ => None,
        }
    }

    fn fields_of_pattern(&mut self) -> Option<()> {
        let close = self.closing(self.at)?;
        self.copy("(");
        self.printer.consistent(INDENT);
        self.printer.zero();
        self.list(close, Self::pattern)?;
        self.printer.dedent();
        self.printer.end();
        self.copy(")").then_some(())
    }
}
