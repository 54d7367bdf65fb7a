//! Reads JSON text.
//!
//! The reader accepts exactly RFC 8259 and makes one pass over the input, without an intermediate tree. It
//! differs from `serde_json` in four points:
//! - It accepts 128 levels of nesting.
//! - `1.0` is an integer.
//! - A number beyond the range of `f64` is an infinity, which the types reject.
//! - An untyped value keeps all digits of an integer within 64 bits, also of `9007199254740993.0`.

use std::borrow::Cow;

use super::{
    AdditionalProperties, Decode, DecodeError, DecodeErrorKind, Entry, Fill, Item, Kind, Number, Reader,
    Value,
    json_lexer::Lexer,
    number::{exact, json_number},
    read::{untyped_array, untyped_object},
    slot::{fill_field, fill_slot},
    text::{unescape, unescaped},
};

/// The maximum nesting of arrays and objects.
const MAX_DEPTH: u32 = 128;

/// The maximum number of times that a byte is read again, on average.
///
/// The variant of a union is found by looking ahead, which reads bytes again. Normal input needs as many
/// rereads as its unions are nested. Ambiguous unions inside each other would need exponentially many.
pub(super) const MAX_REREADS: usize = 16;
/// The number of bytes that may be read again in addition to [`MAX_REREADS`].
const FREE_REREADS: usize = 16 * 1024 * 1024;

/// A reader of one JSON document.
///
/// ```
/// use openapi_crates_runtime::{codec::JsonReader, types::Map};
///
/// let text = br#"{"a": 1, "a": 2}"#;
/// assert!(JsonReader::strict(text).read::<Map<i64>>().is_err());
/// assert_eq!(JsonReader::tolerant(text).read::<Map<i64>>().unwrap()["a"], 2);
/// ```
#[derive(Debug)]
pub struct JsonReader<'a> {
    lexer: Lexer<'a>,
    is_tolerant: bool,
    assumes_utc: bool,
    depth: u32,
    /// The number of bytes that were read and discarded so far.
    reread: usize,
    has_skipped: bool,
    choice: usize,
    /// The buffer for strings with escapes.
    scratch: String,
}

/// Reads a whole JSON document with a strict reader.
///
/// # Errors
/// Fails if the input is not JSON, or if `T` can't hold its value.
pub fn from_json<T: Decode>(input: &[u8]) -> Result<T, DecodeError> {
    JsonReader::strict(input).read()
}

impl<'a> JsonReader<'a> {
    /// Creates a [strict](super#strict-and-tolerant-readers) reader, as servers use.
    #[must_use]
    pub fn strict(input: &'a [u8]) -> Self {
        Self::new(input, false)
    }

    /// Creates a [tolerant](super#strict-and-tolerant-readers) reader, as clients use.
    #[must_use]
    pub fn tolerant(input: &'a [u8]) -> Self {
        Self::new(input, true)
    }

    fn new(input: &'a [u8], is_tolerant: bool) -> Self {
        let lexer = Lexer::new(input);
        let (assumes_utc, has_skipped, scratch) = (false, false, String::new());
        Self { lexer, is_tolerant, assumes_utc, depth: 0, reread: 0, has_skipped, choice: 0, scratch }
    }

    /// Sets whether a date-time without an offset is one in UTC. The default is `false`.
    #[must_use]
    pub const fn assuming_utc(mut self, assumes_utc: bool) -> Self {
        self.assumes_utc = assumes_utc;
        self
    }

    /// Sets the index of the documented alternative that the document is. The default is 0.
    #[must_use]
    pub const fn with_choice(mut self, index: usize) -> Self {
        self.choice = index;
        self
    }

    /// Reads the whole document.
    ///
    /// # Errors
    /// Fails if the input is not JSON, or if `T` can't hold its value.
    pub fn read<T: Decode>(mut self) -> Result<T, DecodeError> {
        let value = T::decode(&mut self)?;
        self.finish()?;
        Ok(value)
    }

    /// Reads the whole document by `read`.
    #[cfg(feature = "http")]
    pub(crate) fn read_by(mut self, read: &mut Item<'_>) -> Result<(), DecodeError> {
        read(&mut self)?;
        self.finish()
    }

    /// Checks that only white space is left.
    ///
    /// # Errors
    /// Fails if there is anything else.
    pub fn finish(&mut self) -> Result<(), DecodeError> {
        self.lexer.finish()
    }

    /// Returns the number of bytes that were consumed.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.lexer.position
    }

    /// Creates the error for a next value that is not the expected one.
    #[cold]
    fn wrong(&mut self, expected: &'static str) -> DecodeError {
        match self.peek() {
            Ok(found) => DecodeError::wrong_kind(expected, found),
            Err(error) => error,
        }
    }

    /// Consumes an opening bracket.
    #[inline]
    fn open(&mut self, bracket: u8, expected: &'static str) -> Result<(), DecodeError> {
        if self.lexer.next()? != bracket {
            return Err(self.wrong(expected));
        }
        if self.depth == MAX_DEPTH {
            return Err(DecodeError::new(DecodeErrorKind::TooDeep));
        }
        self.depth += 1;
        self.lexer.position += 1;
        Ok(())
    }

    /// Consumes a comma or the closing bracket; returns whether another item follows.
    #[inline]
    fn more(&mut self, close: u8, is_first: bool) -> Result<bool, DecodeError> {
        let byte = self.lexer.next()?;
        if byte == close {
            self.lexer.position += 1;
            self.depth -= 1;
            return Ok(false);
        }
        if is_first {
            return Ok(true);
        }
        if byte != b',' {
            return Err(self.lexer.syntax("expected a comma or the closing bracket"));
        }
        self.lexer.position += 1;
        Ok(true)
    }

    /// Reads the name of a field and the colon after it.
    #[inline]
    fn name(&mut self) -> Result<Cow<'a, str>, DecodeError> {
        if self.lexer.next()? != b'"' {
            return Err(self.lexer.syntax("expected a field's name in quotes"));
        }
        let (raw, has_escapes) = self.lexer.raw_string()?;
        if self.lexer.next()? != b':' {
            return Err(self.lexer.syntax("expected a colon"));
        }
        self.lexer.position += 1;
        Ok(if has_escapes { Cow::Owned(unescaped(raw)) } else { Cow::Borrowed(raw) })
    }

    /// Reads the next value, which must be a string.
    fn expect_string(&mut self) -> Result<(&'a str, bool), DecodeError> {
        if self.lexer.next()? != b'"' {
            return Err(self.wrong("a string"));
        }
        self.lexer.raw_string()
    }

    /// Consumes the next word, which must be this one.
    fn word(&mut self, word: &'static str, expected: &'static str) -> Result<(), DecodeError> {
        if self.lexer.word(word) { Ok(()) } else { Err(self.wrong(expected)) }
    }
}

impl Reader for JsonReader<'_> {
    fn peek(&mut self) -> Result<Kind, DecodeError> {
        self.lexer.kind()
    }

    fn is_tolerant(&self) -> bool {
        self.is_tolerant
    }

    fn assumes_utc(&self) -> bool {
        self.assumes_utc
    }

    fn null(&mut self) -> Result<(), DecodeError> {
        self.lexer.skip_space();
        self.word("null", "null")
    }

    fn boolean(&mut self) -> Result<bool, DecodeError> {
        let value = self.lexer.next()? == b't';
        self.word(if value { "true" } else { "false" }, "a boolean")?;
        Ok(value)
    }

    fn number(&mut self) -> Result<Number, DecodeError> {
        if !matches!(self.lexer.next()?, b'-' | b'0'..=b'9') {
            return Err(self.wrong("a number"));
        }
        if let Some(number) = self.lexer.short_number() {
            return Ok(number);
        }
        self.lexer.raw_number().map(exact)
    }

    fn str(&mut self, visit: &mut dyn FnMut(&str) -> Result<(), DecodeError>) -> Result<(), DecodeError> {
        let (raw, has_escapes) = self.expect_string()?;
        if !has_escapes {
            return visit(raw);
        }
        self.scratch.clear();
        unescape(raw, &mut self.scratch);
        visit(&self.scratch)
    }

    fn string(&mut self) -> Result<String, DecodeError> {
        let (raw, has_escapes) = self.expect_string()?;
        Ok(if has_escapes { unescaped(raw) } else { raw.to_owned() })
    }

    fn array(&mut self, item: &mut Item<'_>) -> Result<(), DecodeError> {
        self.open(b'[', "an array")?;
        let mut index = 0;
        while self.more(b']', index == 0)? {
            item(self).map_err(|error| error.at_index(index))?;
            index += 1;
        }
        Ok(())
    }

    fn object(
        &mut self,
        names: &[&'static str],
        slots: &mut [&mut dyn Fill],
        mut rest: AdditionalProperties<'_>,
    ) -> Result<(), DecodeError> {
        self.open(b'{', "an object")?;
        // No slot from `unfilled` on has been filled yet.
        let (mut next, mut unfilled) = (0, 0);
        let mut is_first = true;
        while self.more(b'}', is_first)? {
            is_first = false;
            if let (Some(name), Some(slot)) = (names.get(next), slots.get_mut(next))
                && self.lexer.expected_name(name)
            {
                if next < unfilled {
                    fill_slot(self, name, *slot)?;
                } else {
                    slot.fill(self).map_err(|error| error.in_field(*name))?;
                }
                next += 1;
                unfilled = unfilled.max(next);
                continue;
            }
            let name = self.name()?;
            next = fill_field(self, &name, names, slots, &mut rest, next)?;
            unfilled = unfilled.max(next);
        }
        Ok(())
    }

    fn entries(&mut self, entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        self.open(b'{', "an object")?;
        let mut is_first = true;
        while self.more(b'}', is_first)? {
            is_first = false;
            let name = self.name()?;
            entry(&name, self).map_err(|error| error.in_field(name.into_owned()))?;
        }
        Ok(())
    }

    fn value(&mut self) -> Result<Value, DecodeError> {
        Ok(match self.peek()? {
            Kind::Null => {
                self.null()?;
                Value::Null
            }
            Kind::Boolean => Value::Bool(self.boolean()?),
            Kind::Number => Value::Number(json_number(self.lexer.raw_number()?)?),
            Kind::String | Kind::Text => Value::String(self.string()?),
            Kind::Array => untyped_array(self)?,
            Kind::Object => untyped_object(self)?,
        })
    }

    fn skip(&mut self) -> Result<(), DecodeError> {
        let outer = self.depth;
        // The brackets that are open inside `outer`, one bit each: set for an object.
        let mut brackets: u128 = 0;
        loop {
            let mut opened = false;
            match self.peek()? {
                Kind::Null => self.word("null", "null")?,
                Kind::Boolean => drop(self.boolean()?),
                Kind::Number => drop(self.lexer.raw_number()?),
                Kind::String | Kind::Text => drop(self.lexer.raw_string()?),
                Kind::Array => {
                    self.open(b'[', "an array")?;
                    brackets <<= 1;
                    opened = true;
                }
                Kind::Object => {
                    self.open(b'{', "an object")?;
                    brackets = brackets << 1 | 1;
                    opened = true;
                }
            }
            loop {
                if self.depth == outer {
                    return Ok(());
                }
                let is_object = brackets & 1 == 1;
                if self.more(if is_object { b'}' } else { b']' }, opened)? {
                    if is_object {
                        self.name()?;
                    }
                    break;
                }
                brackets >>= 1;
                opened = false;
            }
        }
    }

    fn skip_field(&mut self) -> Result<(), DecodeError> {
        self.has_skipped = true;
        self.skip()
    }

    fn has_skipped(&self) -> bool {
        self.has_skipped
    }

    fn read_and_return(
        &mut self,
        read: &mut Item<'_>,
        returns: fn(&Result<(), DecodeError>) -> bool,
    ) -> Result<(), DecodeError> {
        let (position, depth, had_skipped) = (self.lexer.position, self.depth, self.has_skipped);
        let result = read(self);
        if returns(&result) {
            self.reread += self.lexer.position.saturating_sub(position);
            (self.lexer.position, self.depth, self.has_skipped) = (position, depth, had_skipped);
            if self.reread.saturating_sub(FREE_REREADS) / MAX_REREADS > self.lexer.len() {
                return Err(DecodeError::new(DecodeErrorKind::TooDeep));
            }
        }
        result
    }

    fn choice(&mut self) -> usize {
        self.choice
    }
}

#[cfg(test)]
#[path = "tests/json_reader.rs"]
mod tests;
