//! Finds the source locations of the values in a JSON text.

use super::spans::{Place, Span};

/// Returns the span of every value, depth first, or `None` if the text is not JSON.
pub(super) fn spans_in_order(text: &str) -> Option<Vec<Span>> {
    let mut scanner = Scanner { rest: text.as_bytes(), line: 1, column: 1 };
    let mut spans = Vec::with_capacity(text.len() / 32);
    // For each open array or object: whether it is an object.
    let mut open: Vec<bool> = Vec::new();
    let mut name = None;
    let mut awaits_name = false;
    while let Some(byte) = scanner.next_byte() {
        match byte {
            b'{' | b'[' => {
                spans.push(Span { name: name.take(), value: scanner.take(1), scalar: false });
                awaits_name = byte == b'{';
                open.push(awaits_name);
            }
            b'}' | b']' => {
                scanner.take(1);
                (open.pop()? == (byte == b'}')).then_some(())?;
            }
            b',' | b':' => {
                scanner.take(1);
                awaits_name = byte == b',' && *open.last()?;
            }
            _ => {
                let place = scanner.scalar(byte)?;
                if awaits_name {
                    name = Some(place);
                } else {
                    spans.push(Span { name: name.take(), value: place, scalar: true });
                }
            }
        }
    }
    open.is_empty().then_some(spans)
}

struct Scanner<'t> {
    rest: &'t [u8],
    line: u32,
    column: u32,
}

impl Scanner<'_> {
    /// Skips white space and returns the next byte without consuming it.
    fn next_byte(&mut self) -> Option<u8> {
        loop {
            let byte = *self.rest.first()?;
            match byte {
                b'\n' => (self.line, self.column) = (self.line.saturating_add(1), 1),
                b' ' | b'\t' | b'\r' => self.column = self.column.saturating_add(1),
                _ => return Some(byte),
            }
            self.rest = self.rest.get(1..)?;
        }
    }

    /// Consumes a string, a number, or `true`, `false` or `null`.
    fn scalar(&mut self, first: u8) -> Option<Place> {
        let length = match first {
            b'"' => string_length(self.rest)?,
            b'-' | b'0'..=b'9' => {
                let is_end = |byte: &u8| !matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                self.rest.iter().position(is_end).unwrap_or(self.rest.len())
            }
            _ => ["true", "false", "null"].iter().find(|word| self.rest.starts_with(word.as_bytes()))?.len(),
        };
        Some(self.take(length))
    }

    /// Consumes this number of bytes and returns their location.
    fn take(&mut self, length: usize) -> Place {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, &[]));
        // The continuation bytes of UTF-8 don't count as characters.
        let characters = taken.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        let length = u32::try_from(characters).unwrap_or(u32::MAX);
        let place = Place { line: self.line, column: self.column, length };
        self.column = self.column.saturating_add(length);
        self.rest = rest;
        place
    }
}

/// Returns the length of a string in bytes, including its quotes.
fn string_length(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            b'\n' => return None,
            _ => at += 1,
        }
    }
}
