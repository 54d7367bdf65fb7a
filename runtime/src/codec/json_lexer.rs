//! The tokens of JSON text.

use super::{
    DecodeError, Kind, Number,
    number::{scan, short},
    text::{escape, plain_len, same_and_plain},
};

/// A lexer of JSON text.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    /// The input up to the first byte that is not UTF-8.
    text: &'a str,
    /// Whether the input continues after `text`.
    is_cut: bool,
    pub(super) position: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(input: &'a [u8]) -> Self {
        // UTF-8 is checked once for the whole input, so that strings are slices of `text`.
        let text = match std::str::from_utf8(input) {
            Ok(text) => text,
            Err(_) => input.utf8_chunks().next().map_or("", |chunk| chunk.valid()),
        };
        Self { text, is_cut: text.len() < input.len(), position: 0 }
    }

    /// Returns the length of the input in bytes.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Checks that only white space is left.
    pub(super) fn finish(&mut self) -> Result<(), DecodeError> {
        self.skip_space();
        if self.position < self.text.len() {
            return Err(self.syntax("unexpected text after the end of the document"));
        }
        if self.is_cut { Err(self.ended()) } else { Ok(()) }
    }

    /// Returns the kind of the next value without consuming it.
    #[inline]
    pub(super) fn kind(&mut self) -> Result<Kind, DecodeError> {
        Ok(match self.next()? {
            b'"' => Kind::String,
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'-' | b'0'..=b'9' => Kind::Number,
            b't' if self.starts_with("true") => Kind::Boolean,
            b'f' if self.starts_with("false") => Kind::Boolean,
            b'n' if self.starts_with("null") => Kind::Null,
            _ => return Err(self.syntax("expected a value")),
        })
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

    /// Skips white space and returns the next byte without consuming it.
    #[inline]
    pub(super) fn next(&mut self) -> Result<u8, DecodeError> {
        self.skip_space();
        match self.text.as_bytes().get(self.position) {
            Some(&byte) => Ok(byte),
            None => Err(self.ended()),
        }
    }

    #[cold]
    fn ended(&self) -> DecodeError {
        self.syntax(if self.is_cut { "invalid UTF-8" } else { "the input ends too early" })
    }

    #[cold]
    pub(super) fn syntax(&self, message: &'static str) -> DecodeError {
        DecodeError::syntax(self.text, self.position, message)
    }

    /// Reads a string whose opening quote is the next byte.
    ///
    /// Returns the text between the quotes, and whether it has escapes.
    #[inline]
    pub(super) fn raw_string(&mut self) -> Result<(&'a str, bool), DecodeError> {
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
                Some(_) => return Err(self.syntax("a control character in a string must be escaped")),
                None => return Err(self.ended()),
            }
        }
        let raw = self.text.get(start..self.position).unwrap_or_default();
        self.position += 1;
        Ok((raw, has_escapes))
    }

    /// Reads the text of the next number.
    pub(super) fn raw_number(&mut self) -> Result<&'a str, DecodeError> {
        match scan(self.bytes_left()) {
            Ok(length) => {
                let end = self.position + length;
                let text = self.text.get(self.position..end).unwrap_or_default();
                self.position = end;
                Ok(text)
            }
            Err((at, message)) => {
                self.position += at;
                Err(self.syntax(message))
            }
        }
    }

    /// Reads the next number if it has few digits and no exponent, the common case.
    #[inline]
    pub(super) fn short_number(&mut self) -> Option<Number> {
        let (number, length) = short(self.bytes_left())?;
        self.position += length;
        Some(number)
    }

    /// Consumes `name` in quotes and a colon, if these are the next bytes.
    ///
    /// Returns `false` if the name needs escapes or the colon does not follow at once; the caller then reads
    /// any name.
    #[inline]
    pub(super) fn expected_name(&mut self, name: &str) -> bool {
        let left = self.bytes_left();
        let (quote, left) = left.split_at_checked(1).unwrap_or_default();
        let (found, behind) = left.split_at_checked(name.len()).unwrap_or_default();
        let is_next = quote == b"\"" && behind.starts_with(b"\":") && same_and_plain(found, name.as_bytes());
        if is_next {
            self.position += name.len() + 3;
        }
        is_next
    }

    /// Consumes a word if it is next.
    #[inline]
    pub(super) fn word(&mut self, word: &str) -> bool {
        let is_next = self.starts_with(word);
        if is_next {
            self.position += word.len();
        }
        is_next
    }

    /// Returns whether this word is next.
    #[inline]
    pub(super) fn starts_with(&self, word: &str) -> bool {
        self.bytes_left().starts_with(word.as_bytes())
    }
}
