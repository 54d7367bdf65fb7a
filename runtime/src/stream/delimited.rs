//! Splits a stream of JSON texts at a mark.
//!
//! The mark is a line feed after each text (`application/x-ndjson`) or a record separator before each text
//! (`application/json-seq`, RFC 7464).

use super::{
    StreamError, StreamErrorKind,
    framing::{LINE_FEED, RECORD_SEPARATOR},
};
use crate::codec::Bytes;

/// A splitter of texts at a mark. Blank texts are skipped.
#[derive(Debug)]
pub(super) struct Delimited {
    mark: u8,
    /// The start of a text whose end has not arrived yet.
    begun: Vec<u8>,
    nesting: Nesting,
    limit: u64,
}

impl Delimited {
    pub(super) const fn new(mark: u8, limit: u64) -> Self {
        Self { mark, begun: Vec::new(), nesting: Nesting::new(), limit }
    }

    /// Takes the next text from `input`, or all of `input` if no text ends in it.
    pub(super) fn next(&mut self, input: &mut Bytes) -> Result<Option<Vec<u8>>, StreamError> {
        while !input.is_empty() {
            let end = self.find_end(input);
            let part = input.split_to(end.unwrap_or(input.len()));
            if (self.begun.len() + part.len()) as u64 > self.limit {
                return Err(StreamErrorKind::TooLarge { limit: self.limit }.into());
            }
            self.begun.extend_from_slice(&part);
            if end.is_some() {
                let _mark = input.split_to(1);
                if let Some(text) = self.end() {
                    return Ok(Some(text));
                }
            }
        }
        Ok(None)
    }

    /// Returns the position of the next mark.
    ///
    /// A record also ends with its value and a line feed. Otherwise it would only arrive with the next one.
    fn find_end(&mut self, input: &[u8]) -> Option<usize> {
        if self.mark == LINE_FEED {
            return memchr::memchr(LINE_FEED, input);
        }
        input.iter().position(|byte| {
            *byte == RECORD_SEPARATOR || self.nesting.is_outside(*byte) && *byte == LINE_FEED
        })
    }

    /// Returns the text that ends here, unless it is blank.
    pub(super) fn end(&mut self) -> Option<Vec<u8>> {
        self.nesting = Nesting::new();
        let text = std::mem::take(&mut self.begun);
        (!text.trim_ascii().is_empty()).then_some(text)
    }
}

/// The position in a JSON text: within brackets, or within a string.
#[derive(Debug)]
struct Nesting {
    depth: u32,
    in_string: bool,
    is_escaped: bool,
}

impl Nesting {
    const fn new() -> Self {
        Self { depth: 0, in_string: false, is_escaped: false }
    }

    /// Takes the next byte. Returns whether it is outside of arrays, objects and strings.
    fn is_outside(&mut self, byte: u8) -> bool {
        match (self.in_string, byte) {
            (true, _) if std::mem::take(&mut self.is_escaped) => {}
            (true, b'\\') => self.is_escaped = true,
            (_, b'"') => self.in_string = !self.in_string,
            (false, b'[' | b'{') => self.depth = self.depth.saturating_add(1),
            (false, b']' | b'}') => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.depth == 0 && !self.in_string
    }
}
