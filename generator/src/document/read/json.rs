//! Reads JSON.
//!
//! This reader knows the structure and the locations of values. serde_json decodes the scalars that are not
//! plain, and words the errors.

use std::borrow::Cow;

use super::{ReadError, Tree, scalar};
use crate::{
    tree::Span,
    tree::{Node, Position, Value},
};

pub(super) fn read(text: &str, tree: Tree) -> Result<Node, ReadError> {
    let mut reader = Reader { rest: text, line: 1, column: 1, tree };
    match reader.document() {
        Some(()) => Ok(reader.tree.finish()),
        None => Err(error(text)),
    }
}

/// Returns serde_json's error for a text that is not JSON.
fn error(text: &str) -> ReadError {
    let Err(error) = serde_json::from_str::<serde_json::Value>(text) else {
        return (None, "invalid JSON".to_owned());
    };
    let position = Position { line: error.line().max(1), column: error.column().max(1) };
    let message = error.to_string();
    // serde_json repeats the position at the end of its message.
    let message = message.split(" at line ").next().unwrap_or(&message);
    (Some(position), format!("invalid JSON: {message}"))
}

/// Reads a text into a tree. Each method returns `None` if the text is not JSON.
struct Reader<'t> {
    rest: &'t str,
    line: usize,
    column: usize,
    tree: Tree,
}

impl<'t> Reader<'t> {
    fn document(&mut self) -> Option<()> {
        self.value()?;
        self.next_byte().is_none().then_some(())
    }

    /// Reads a value. The tree limits the recursion.
    fn value(&mut self) -> Option<()> {
        match self.next_byte()? {
            b'{' => {
                let span = self.take(1)?.1;
                self.tree.start_object(Some(span)).ok()?;
                self.list(b'}', Self::field)
            }
            b'[' => {
                let span = self.take(1)?.1;
                self.tree.start_array(Some(span)).ok()?;
                self.list(b']', Self::value)
            }
            b'"' => {
                let (text, span) = self.string()?;
                self.tree.scalar(Value::String(text.into_owned()), Some(span)).ok()
            }
            _ => {
                let (value, span) = self.scalar()?;
                self.tree.scalar(value, Some(span)).ok()
            }
        }
    }

    /// Reads the rest of an array or object, of which each part is read by `part`.
    fn list(&mut self, end: u8, part: fn(&mut Self) -> Option<()>) -> Option<()> {
        if self.next_byte()? != end {
            part(self)?;
            while self.next_byte()? == b',' {
                self.take(1)?;
                part(self)?;
            }
        }
        (self.next_byte()? == end).then_some(())?;
        self.take(1)?;
        self.tree.end().ok()
    }

    fn field(&mut self) -> Option<()> {
        (self.next_byte()? == b'"').then_some(())?;
        let (name, span) = self.string()?;
        self.tree.name(name.into_owned(), Some(span));
        (self.next_byte()? == b':').then_some(())?;
        self.take(1)?;
        self.value()
    }

    /// Reads a string, which starts here.
    fn string(&mut self) -> Option<(Cow<'t, str>, Span)> {
        let mut length = 1;
        let mut is_plain = true;
        loop {
            let rest = self.rest.as_bytes().get(length..)?;
            length += rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
            match self.rest.as_bytes().get(length)? {
                b'"' => break,
                b'\\' => length += 2,
                _ => return None,
            }
            is_plain = false;
        }
        let (text, span) = self.take(length + 1)?;
        let text = if is_plain { text.get(1..length)?.into() } else { serde_json::from_str(text).ok()? };
        Some((text, span))
    }

    /// Reads a number, or `true`, `false` or `null`.
    fn scalar(&mut self) -> Option<(Value, Span)> {
        let is_part = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'+' | b'-' | b'.' | b'E');
        let length = self.rest.bytes().position(|byte| !is_part(&byte)).unwrap_or(self.rest.len());
        let (text, span) = self.take(length)?;
        let value = match text {
            "null" => Value::Null,
            "true" => Value::Boolean(true),
            "false" => Value::Boolean(false),
            number => {
                let parsed: serde_json::Number = serde_json::from_str(number).ok()?;
                // serde_json does not always return the nearest float.
                let float = parsed.is_f64().then(|| number.parse()).transpose().ok()?;
                float.map_or(Value::Number(parsed.into()), |float| scalar::number(number, float))
            }
        };
        Some((value, span))
    }

    /// Skips white space and returns the next byte without consuming it.
    fn next_byte(&mut self) -> Option<u8> {
        let length = self.rest.bytes().position(|byte| !matches!(byte, b'\n' | b' ' | b'\t' | b'\r'));
        let (space, rest) = self.rest.split_at_checked(length?)?;
        let lines = space.bytes().filter(|byte| *byte == b'\n').count();
        self.line += lines;
        self.column = match space.rfind('\n') {
            Some(last) => space.len() - last,
            None => self.column + space.len(),
        };
        self.rest = rest;
        rest.bytes().next()
    }

    /// Consumes this number of bytes, which contain no line break, and returns them and their location.
    fn take(&mut self, length: usize) -> Option<(&'t str, Span)> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        // The continuation bytes of UTF-8 don't count as characters.
        let characters = taken.bytes().filter(|byte| byte & 0xc0 != 0x80).count();
        let span = Span::new(self.line, self.column, characters);
        self.column += characters;
        self.rest = rest;
        Some((taken, span))
    }
}
