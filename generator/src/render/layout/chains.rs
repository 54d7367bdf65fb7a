//! Chains of calls and fields: `a.b(c)?.d`, with one link per line if they don't fit on one line.

use super::tokens::Kind;
use super::types::Place;
use super::{Layout, is_keyword, printer::INDENT};

/// The form of an expression, as far as its layout depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A literal. `short`: arrays of such literals are filled line by line.
    Literal { short: bool },
    /// A path. `short`: it is one name that is no longer than an indentation.
    Path { short: bool },
    /// An expression with its own brackets: an array, a struct, a tuple.
    Bracketed,
    /// A closure.
    Closure,
    /// A function call.
    Call,
    /// A `match`.
    Match,
    /// Anything else.
    Other,
}

impl Form {
    /// Returns whether a call with only this argument has no break between the brackets.
    pub(super) fn is_blocklike(self) -> bool {
        matches!(self, Self::Bracketed | Self::Closure)
    }
}

/// A suffix of an expression, with the index of its token.
#[derive(Debug, Clone, Copy)]
pub(super) enum Suffix {
    /// `(…)`
    Call(usize),
    /// `.name(…)`
    Method(usize),
    /// `.name`
    Field(usize),
    /// `?`
    Try,
}

/// An expression and its suffixes, which are `first..last` of the list.
#[derive(Debug, Clone, Copy)]
struct Chain {
    start: usize,
    form: Form,
    first: usize,
    last: usize,
    /// Whether it begins a statement. There, the first link stays on the line of a short name.
    leading: bool,
}

impl Layout<'_, '_> {
    /// Prints an expression with its suffixes.
    ///
    /// `structs` is whether a brace after a path begins a struct.
    pub(super) fn chain(&mut self, leading: bool, structs: bool) -> Option<()> {
        let (start, first) = (self.at, self.suffixes.len());
        let (form, mut at) = self.atom(start, structs)?;
        loop {
            at = match self.text_at(at) {
                "(" => {
                    self.suffixes.push(Suffix::Call(at));
                    self.closing(at)? + 1
                }
                "." => self.dotted(at + 1)?,
                "?" => {
                    self.suffixes.push(Suffix::Try);
                    at + 1
                }
                _ => break,
            };
        }
        let last = self.suffixes.len();
        self.suffixed(Chain { start, form, first, last, leading })?;
        self.suffixes.truncate(first);
        self.at = at;
        Some(())
    }

    /// Adds the field or method with this name as a suffix; returns the index after it.
    fn dotted(&mut self, at: usize) -> Option<usize> {
        let name = self.token(at)?;
        let is_index = name.kind == Kind::Literal && name.text.bytes().all(|byte| byte.is_ascii_digit());
        let is_name = name.kind == Kind::Word && !is_keyword(name.text);
        match self.text_at(at + 1) {
            "(" if is_name => {
                self.suffixes.push(Suffix::Method(at));
                Some(self.closing(at + 1)? + 1)
            }
            // A method with type arguments is left to `prettyplease`.
            "::" => None,
            _ => (is_index || is_name).then(|| {
                self.suffixes.push(Suffix::Field(at));
                at + 1
            }),
        }
    }

    /// Returns the form of the expression at `at` without its suffixes, and the index after it.
    pub(super) fn atom(&self, at: usize, structs: bool) -> Option<(Form, usize)> {
        let token = self.token(at)?;
        match (token.kind, token.text) {
            (Kind::Text, _) => Some((Form::Literal { short: false }, at + 1)),
            (Kind::Literal, text) => {
                let is_float = text.contains(['.', 'e', 'E', 'f']) && !text.starts_with(['\'', 'b']);
                Some((Form::Literal { short: !is_float }, at + 1))
            }
            (Kind::Word, "true" | "false") => Some((Form::Literal { short: true }, at + 1)),
            (Kind::Open(close), "(" | "[") => Some((Form::Bracketed, close + 1)),
            (Kind::Word, _) | (Kind::Punct, "<" | "::") => self.path_or_struct(at, structs),
            _ => None,
        }
    }

    fn path_or_struct(&self, at: usize, structs: bool) -> Option<(Form, usize)> {
        let mut end = at;
        let mut depth = 0_usize;
        // Only `<` and `>` delimit type arguments.
        while let Some(token) = self.token(end) {
            match (token.kind, token.text) {
                (_, "<") if depth > 0 || end == at || self.text_at(end - 1) == "::" => depth += 1,
                (_, ">") if depth > 0 => depth -= 1,
                (Kind::Open(close), _) if depth > 0 => end = close,
                (Kind::Word, word) if depth == 0 => {
                    if is_keyword(word) || end > at && self.text_at(end - 1) != "::" {
                        break;
                    }
                }
                (_, "::") => {}
                _ if depth > 0 => {}
                _ => break,
            }
            end += 1;
        }
        if end == at {
            return None;
        }
        match self.token(end).map(|token| (token.kind, token.text)) {
            Some((Kind::Open(close), "{")) if structs => Some((Form::Bracketed, close + 1)),
            // A macro call is left to `prettyplease`.
            Some((_, "!")) => None,
            _ => {
                let is_short = end == at + 1 && self.text_at(at).len() <= INDENT.unsigned_abs();
                Some((Form::Path { short: is_short }, end))
            }
        }
    }

    /// Prints a chain; its last suffix decides the layout.
    fn suffixed(&mut self, chain: Chain) -> Option<()> {
        let Some((suffix, before)) = self.split(chain) else { return self.print_atom(chain) };
        match suffix {
            Suffix::Call(open) => {
                self.suffixed(before)?;
                self.call(open)
            }
            Suffix::Try => {
                self.suffixed(before)?;
                self.printer.text("?");
                Some(())
            }
            Suffix::Method(_) | Suffix::Field(_) => {
                self.printer.consistent(INDENT);
                self.link(chain, true)?;
                self.printer.end();
                Some(())
            }
        }
    }

    /// Returns the last suffix and the chain before it.
    fn split(&self, chain: Chain) -> Option<(Suffix, Chain)> {
        let last = chain.last.checked_sub(1).filter(|last| *last >= chain.first)?;
        Some((*self.suffixes.get(last)?, Chain { last, ..chain }))
    }

    /// Prints a part of a chain, with one link per line if the chain does not fit on one line.
    fn link(&mut self, chain: Chain, is_whole: bool) -> Option<()> {
        let Some((suffix, before)) = self.split(chain) else {
            self.printer.consistent(-INDENT);
            self.print_atom(chain)?;
            self.printer.end();
            return Some(());
        };
        match suffix {
            Suffix::Call(open) => {
                self.link(Chain { leading: false, ..before }, false)?;
                // A list in the first call stands as far left as in the calls after it.
                let indent = if self.has_list(open) { -INDENT } else { 0 };
                self.printer.consistent(indent);
                self.call(open)?;
                self.printer.end();
                Some(())
            }
            Suffix::Try => {
                self.link(before, false)?;
                self.printer.text("?");
                Some(())
            }
            Suffix::Field(name) | Suffix::Method(name) => {
                self.link(before, false)?;
                let is_short = before.first == before.last && before.form == Form::Path { short: true };
                let stays = chain.leading && is_short;
                if !stays {
                    self.printer.zero();
                }
                self.printer.text(".");
                let text = self.text_at(name);
                self.printer.text(text);
                if let Suffix::Method(_) = suffix {
                    self.printer.consistent(if is_whole && stays { -INDENT } else { 0 });
                    self.call(name + 1)?;
                    self.printer.end();
                }
                Some(())
            }
        }
    }

    fn print_atom(&mut self, chain: Chain) -> Option<()> {
        self.at = chain.start;
        match (chain.form, self.next()) {
            (Form::Literal { .. }, text) => {
                self.printer.text(text);
                self.at += 1;
                Some(())
            }
            (Form::Bracketed, "(") => self.tuple(),
            (Form::Bracketed, "[") => self.array(),
            (Form::Bracketed, _) => self.structure(),
            _ => self.path(Place::Expression),
        }
    }

    /// Prints the arguments of a call: `(a, b)`.
    fn call(&mut self, open: usize) -> Option<()> {
        let close = self.closing(open)?;
        self.at = open;
        self.copy("(");
        let (form, end) = if self.at == close { (Form::Other, close) } else { self.form(self.at)? };
        let is_only = end == close || self.text_at(end) == "," && end + 1 == close;
        if is_only && form.is_blocklike() {
            self.expression()?;
            self.skip(",");
        } else if self.has_list(open) || self.has_texts(open) || self.is_shape(open) {
            self.unbroken(close)?;
        } else {
            self.printer.consistent(INDENT);
            self.printer.zero();
            self.list(close, Self::expression)?;
            self.printer.dedent();
            self.printer.end();
        }
        (self.at == close && self.copy(")")).then_some(())
    }

    /// Returns whether the items after an opening bracket are names and literals, and then a list: `&[…]`, or a call
    /// that ends with a list.
    ///
    /// Rows of tables are nested calls with such lists. `prettyplease` would indent each list twice.
    pub(super) fn has_list(&self, open: usize) -> bool {
        let (Some(close), mut at) = (self.closing(open), open + 1) else { return false };
        while self.text_at(at) != "&" || self.text_at(at + 1) != "[" {
            let plain = at + usize::from(self.text_at(at) == "&");
            let Some((form, end)) = self.form(plain) else { return false };
            let is_last = end == close || self.text_at(end) == "," && end + 1 == close;
            match form {
                Form::Call if is_last => {
                    let open = (plain..end).find(|at| self.text_at(*at) == "(");
                    return open
                        .is_some_and(|open| self.closing(open) == Some(end - 1) && self.has_list(open));
                }
                Form::Literal { .. } | Form::Path { .. } if self.text_at(end) == "," => at = end + 1,
                _ => return false,
            }
        }
        let end = self.closing(at + 1).map_or(close, |end| end + 1);
        end == close || self.text_at(end) == "," && end + 1 == close
    }

    /// Returns whether the arguments after an opening bracket are four strings or more, as in the row of an operation.
    fn has_texts(&self, open: usize) -> bool {
        let close = self.closing(open).unwrap_or(open);
        let tokens = self.tokens.get(open + 1..close).unwrap_or_default();
        tokens.len() >= 7 && tokens.iter().all(|token| token.kind == Kind::Text || token.text == ",")
    }

    /// Returns whether a bracket opens the arguments of `rt::Shape::object("Cat")`.
    fn is_shape(&self, open: usize) -> bool {
        open.checked_sub(3).is_some_and(|at| self.text_at(at) == "Shape" && self.text_at(at + 1) == "::")
    }

    /// Prints arguments without breaks between them.
    pub(super) fn unbroken(&mut self, close: usize) -> Option<()> {
        while self.at < close {
            self.expression()?;
            if self.skip(",") && self.at < close {
                self.printer.text(", ");
            }
        }
        (self.at == close).then_some(())
    }

    /// Returns the form of the whole expression at `at`, and the index after it.
    pub(super) fn form(&self, at: usize) -> Option<(Form, usize)> {
        match self.text_at(at) {
            "&" if self.text_at(at + 1) == "mut" => Some((Form::Other, self.form(at + 2)?.1)),
            "&" | "-" | "*" => Some((Form::Other, self.form(at + 1)?.1)),
            "|" => {
                let end = self.closure_end(at)?;
                Some((Form::Closure, self.form(end)?.1))
            }
            "match" => {
                let open = (at..self.tokens.len()).find(|at| self.text_at(*at) == "{")?;
                Some((Form::Match, self.closing(open)? + 1))
            }
            _ => {
                let (mut form, mut end) = self.atom(at, true)?;
                loop {
                    (form, end) = match self.text_at(end) {
                        "(" => (Form::Call, self.closing(end)? + 1),
                        "." if self.text_at(end + 2) == "(" => (Form::Other, self.closing(end + 2)? + 1),
                        "." => (Form::Other, end + 2),
                        "?" => (Form::Other, end + 1),
                        _ => return Some((form, end)),
                    };
                }
            }
        }
    }
}
