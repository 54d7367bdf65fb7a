//! Paths and types.

use super::tokens::Kind;
use super::{Layout, printer::INDENT};

/// The position of a path, which determines the form of its type arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// `Vec<T>`
    Type,
    /// `Vec::<T>`
    Expression,
}

impl Layout<'_, '_> {
    /// Prints a path: `rt::Map<T>`, `<T as rt::Decode>::decode`.
    pub(super) fn path(&mut self, place: Place) -> Option<()> {
        if self.copy("<") {
            self.ty()?;
            self.expect("as")?;
            self.printer.text(" as ");
            self.path(Place::Type)?;
            self.expect(">")?;
            self.printer.text(">");
            self.expect("::")?;
            self.printer.text("::");
        } else {
            self.copy("::");
        }
        self.name()?;
        loop {
            match (self.next(), place) {
                ("<", Place::Type) => self.arguments()?,
                ("::", Place::Expression) if self.text_at(self.at + 1) == "<" => {
                    self.copy("::");
                    self.arguments()?;
                }
                _ => {}
            }
            if !self.copy("::") {
                return Some(());
            }
            self.name()?;
        }
    }

    /// Prints type arguments: `<'a, T, Output = U>`.
    fn arguments(&mut self) -> Option<()> {
        self.copy("<");
        self.printer.consistent(INDENT);
        self.printer.zero();
        let mut had_type = false;
        while self.next() != ">" {
            match self.kind()? {
                // `prettyplease` prints lifetimes before types. This code does not sort them.
                Kind::Lifetime if had_type => return None,
                Kind::Lifetime => self.lifetime(),
                _ => {
                    had_type = true;
                    if self.text_at(self.at + 1) == "=" {
                        self.name()?;
                        self.expect("=")?;
                        self.printer.text(" = ");
                    }
                    self.ty()?;
                }
            }
            let is_last = !self.skip(",") || self.next() == ">";
            self.printer.comma(is_last);
            if is_last {
                break;
            }
        }
        self.printer.dedent();
        self.printer.end();
        self.copy(">").then_some(())
    }

    fn lifetime(&mut self) {
        let text = self.next();
        self.printer.text(text);
        self.at += 1;
    }

    /// Prints a type: a path, a reference, a slice, a tuple, `dyn` or `impl`.
    pub(super) fn ty(&mut self) -> Option<()> {
        match self.next() {
            "&" => {
                self.copy("&");
                if self.kind() == Some(Kind::Lifetime) {
                    self.lifetime();
                    self.printer.text(" ");
                }
                if self.skip("mut") {
                    self.printer.text("mut ");
                }
                self.ty()
            }
            "dyn" | "impl" => {
                let word = self.next();
                self.at += 1;
                self.printer.text(word);
                self.printer.text(" ");
                self.bound()?;
                while self.skip("+") {
                    self.printer.text(" + ");
                    self.bound()?;
                }
                Some(())
            }
            "[" => {
                let close = self.closing(self.at)?;
                self.copy("[");
                self.ty()?;
                (self.at == close && self.copy("]")).then_some(())
            }
            "(" => self.tuple_type(),
            _ => self.path(Place::Type),
        }
    }

    fn bound(&mut self) -> Option<()> {
        match self.kind()? {
            Kind::Lifetime => self.lifetime(),
            _ => self.path(Place::Type)?,
        }
        // A bound such as `Fn(A)` is not a plain path.
        (self.next() != "(").then_some(())
    }

    fn tuple_type(&mut self) -> Option<()> {
        let close = self.closing(self.at)?;
        self.copy("(");
        self.printer.consistent(INDENT);
        self.printer.zero();
        let first = self.at;
        self.list(close, Self::ty)?;
        // Parentheses and tuples of one item have another layout.
        let has_comma = self.tokens.get(first..close)?.iter().any(|token| token.text == ",");
        if !has_comma && first < close {
            return None;
        }
        if first < close && self.text_at(close - 1) == "," {
            return None;
        }
        self.printer.dedent();
        self.printer.end();
        self.copy(")").then_some(())
    }
}
