//! Splits a stream of JSON texts at a mark.
//!
//! The mark is a line feed after each text (`application/x-ndjson`) or a record separator before each text
//! (`application/json-seq`, RFC 7464).

use super::StreamError;
use crate::types::Bytes;

/// A splitter of texts at a mark. Blank texts are skipped.
#[derive(Debug)]
pub(super) struct Delimited {
    mark: u8,
    /// The start of a text whose end has not arrived yet.
    begun: Vec<u8>,
    limit: u64,
}

/// The mark after each line.
pub(super) const LINE_FEED: u8 = b'\n';
/// The mark before each record.
pub(super) const RECORD_SEPARATOR: u8 = 0x1e;

impl Delimited {
    pub(super) const fn new(mark: u8, limit: u64) -> Self {
        Self { mark, begun: Vec::new(), limit }
    }

    /// Takes the next text from `input`, or all of `input` if no text ends in it.
    pub(super) fn next(&mut self, input: &mut Bytes) -> Result<Option<Vec<u8>>, StreamError> {
        while !input.is_empty() {
            let end = memchr::memchr(self.mark, input);
            let part = input.split_to(end.unwrap_or(input.len()));
            if (self.begun.len() + part.len()) as u64 > self.limit {
                return Err(StreamError::TooLarge { limit: self.limit });
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

    /// Returns the text that ends here, unless it is blank.
    pub(super) fn end(&mut self) -> Option<Vec<u8>> {
        let text = std::mem::take(&mut self.begun);
        (!text.trim_ascii().is_empty()).then_some(text)
    }
}
