//! The tokens of JSON text.

use super::{
    Fault, FaultKind, Number,
    number::{Literal, scan, short},
    text::{escape, plain_len, same_and_plain},
};

/// Goes through JSON text, token by token.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    /// The input, as far as it is UTF-8.
    text: &'a str,
    /// Whether the input goes on behind `text`.
    is_cut: bool,
    pub(super) position: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(input: &'a [u8]) -> Self {
        // Checked here once, so that strings are slices of `text`.
        let text = match std::str::from_utf8(input) {
            Ok(text) => text,
            Err(error) => input
                .get(..error.valid_up_to())
                .and_then(|valid| std::str::from_utf8(valid).ok())
                .unwrap_or_default(),
        };
        Self { text, is_cut: text.len() < input.len(), position: 0 }
    }

    /// How long the input is.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Makes sure that nothing but white space is left.
    pub(super) fn finish(&mut self) -> Result<(), Fault> {
        self.skip_space();
        if self.position < self.text.len() {
            return Err(self.syntax("the document ends before this"));
        }
        if self.is_cut { Err(self.ended()) } else { Ok(()) }
    }

    #[inline]
    fn bytes_left(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.position..).unwrap_or_default()
    }

    #[inline]
    pub(super) fn skip_space(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(self.position) {
            self.position += 1;
        }
    }

    /// The byte that stands next, behind white space; not consumed.
    #[inline]
    pub(super) fn next(&mut self) -> Result<u8, Fault> {
        self.skip_space();
        match self.text.as_bytes().get(self.position) {
            Some(&byte) => Ok(byte),
            None => Err(self.ended()),
        }
    }

    #[cold]
    fn ended(&self) -> Fault {
        self.syntax(if self.is_cut { "this is not UTF-8" } else { "the input ends too early" })
    }

    #[cold]
    pub(super) fn syntax(&self, message: &'static str) -> Fault {
        let before = self.text.get(..self.position).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Fault::new(FaultKind::Syntax {
            offset: before.len(),
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
            message,
        })
    }

    /// Reads the string whose quote stands next: what is between its quotes, and whether there are escapes in it.
    #[inline]
    pub(super) fn raw_string(&mut self) -> Result<(&'a str, bool), Fault> {
        self.position += 1;
        let start = self.position;
        let mut has_escapes = false;
        loop {
            let left = self.bytes_left();
            let plain = plain_len(left);
            self.position += plain;
            match left.get(plain) {
                Some(b'"') => break,
                Some(b'\\') => {
                    let behind = left.get(plain + 1..).unwrap_or_default();
                    let (_, length) = escape(behind).map_err(|message| self.syntax(message))?;
                    self.position += 1 + length;
                    has_escapes = true;
                }
                Some(_) => return Err(self.syntax("a control character in a string needs an escape")),
                None => return Err(self.ended()),
            }
        }
        let raw = self.text.get(start..self.position).unwrap_or_default();
        self.position += 1;
        Ok((raw, has_escapes))
    }

    /// Reads the number that stands next, as its text.
    pub(super) fn raw_number(&mut self) -> Result<(&'a str, bool), Fault> {
        match scan(self.bytes_left()) {
            Ok(Literal { length, is_plain }) => {
                let end = self.position + length;
                let text = self.text.get(self.position..end).unwrap_or_default();
                self.position = end;
                Ok((text, is_plain))
            }
            Err((at, message)) => {
                self.position += at;
                Err(self.syntax(message))
            }
        }
    }

    /// The number that stands next if it has few digits and no exponent, as most have.
    #[inline]
    pub(super) fn short_number(&mut self) -> Option<Number> {
        let (number, length) = short(self.bytes_left())?;
        self.position += length;
        Some(number)
    }

    /// Consumes the field's name `name` with its quotes and the colon right behind it, if just that stands next. A name
    /// that needs escapes is not looked for.
    #[inline]
    pub(super) fn expected_name(&mut self, name: &str) -> bool {
        let left = self.bytes_left();
        let (quote, left) = left.split_at_checked(1).unwrap_or_default();
        let (found, behind) = left.split_at_checked(name.len()).unwrap_or_default();
        let stands_here =
            quote == b"\"" && behind.starts_with(b"\":") && same_and_plain(found, name.as_bytes());
        if stands_here {
            self.position += name.len() + 3;
        }
        stands_here
    }

    /// Consumes a word, if it stands next.
    #[inline]
    pub(super) fn word(&mut self, word: &str) -> bool {
        let stands_here = self.starts_with(word);
        if stands_here {
            self.position += word.len();
        }
        stands_here
    }

    /// Whether this stands next.
    #[inline]
    pub(super) fn starts_with(&self, word: &str) -> bool {
        self.bytes_left().starts_with(word.as_bytes())
    }
}
