//! Reads `text/event-stream` by the HTML standard, "Server-sent events".

use std::mem::take;

use super::{StreamError, StreamErrorKind};
use crate::codec::{Bytes, DecodeError, JsonReader, Kind, Reader, to_json};

/// An event in text form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RawEvent {
    /// The event type; empty if it has none.
    pub event: String,
    pub data: String,
    /// The id in the event's own lines; see [`EventParser::last_id`].
    pub id: Option<String>,
    pub retry: Option<u64>,
}

impl RawEvent {
    /// Reads an event as an object of its fields.
    ///
    /// Data that is not valid JSON is read as text. Valid JSON is read as text if `is_text` is set and as JSON
    /// otherwise. If it can't be decoded as that, it is read as the other. If this fails too and the data is an
    /// object with a field `data`, this object is read as the whole event.
    pub(super) fn read(
        &self,
        is_text: bool,
        read: &mut dyn FnMut(&[u8]) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let Err(error) = read(&self.to_json(is_text)) else { return Ok(()) };
        let again = is_json(&self.data)
            && (read(&self.fields(is_text)).is_ok()
                || (has_data(&self.data) && read(self.data.as_bytes()).is_ok()));
        if again { Ok(()) } else { Err(error) }
    }

    /// Returns the event as a JSON object. Its data is JSON if it can be, unless `is_text` is set.
    pub(super) fn to_json(&self, is_text: bool) -> Vec<u8> {
        self.fields(!is_text && is_json(&self.data))
    }

    fn fields(&self, is_json: bool) -> Vec<u8> {
        let mut out = b"{\"data\":".to_vec();
        if is_json {
            out.extend_from_slice(self.data.as_bytes());
        } else {
            out.append(&mut to_json(&self.data));
        }
        let name = (!self.event.is_empty()).then_some(&self.event);
        for (key, value) in [("event", name), ("id", self.id.as_ref())] {
            if let Some(value) = value {
                out.extend_from_slice(format!(",\"{key}\":").as_bytes());
                out.append(&mut to_json(value));
            }
        }
        if let Some(retry) = self.retry {
            out.extend_from_slice(format!(",\"retry\":{retry}").as_bytes());
        }
        out.push(b'}');
        out
    }
}

fn is_json(text: &str) -> bool {
    let mut reader = JsonReader::tolerant(text.as_bytes());
    reader.skip().and_then(|()| reader.finish()).is_ok()
}

/// Returns whether a text is a JSON object with a field `data`.
fn has_data(text: &str) -> bool {
    let mut reader = JsonReader::tolerant(text.as_bytes());
    let mut has_data = false;
    let mut read_field = |name: &str, reader: &mut dyn Reader| {
        has_data |= name == "data";
        reader.skip()
    };
    let is_read = matches!(reader.peek(), Ok(Kind::Object))
        && reader.entries(&mut read_field).and_then(|()| reader.finish()).is_ok();
    is_read && has_data
}

/// An incremental parser, which accepts text in chunks of any size.
#[derive(Debug)]
pub(super) struct EventParser {
    /// The start of a line whose end has not arrived yet.
    line: Vec<u8>,
    /// The event so far. Each line of its data ends with a line feed.
    event: RawEvent,
    /// Whether the last line ended with a carriage return.
    ///
    /// A line feed as the next byte belongs to it.
    after_return: bool,
    /// Whether the first line was seen. Only it may start with a byte order mark.
    has_begun: bool,
    last_id: Option<String>,
    retry: Option<u64>,
    limit: u64,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl EventParser {
    pub(super) fn new(limit: u64) -> Self {
        Self {
            line: Vec::new(),
            event: RawEvent::default(),
            after_return: false,
            has_begun: false,
            last_id: None,
            retry: None,
            limit,
        }
    }

    /// Returns the id of the last event that had one.
    pub(super) fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// Returns the time to wait before a new request, in milliseconds.
    pub(super) const fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// Takes the next event from `input`, or all of `input` if no event ends in it.
    pub(super) fn next(&mut self, input: &mut Bytes) -> Result<Option<RawEvent>, StreamError> {
        while let Some(first) = input.first() {
            if take(&mut self.after_return) && *first == b'\n' {
                let _line_feed = input.split_to(1);
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', input);
            let part = input.split_to(end.unwrap_or(input.len()));
            if self.size() + part.len() as u64 > self.limit {
                return Err(StreamErrorKind::TooLarge { limit: self.limit }.into());
            }
            self.line.extend_from_slice(&part);
            if end.is_some() {
                self.after_return = input.split_to(1).starts_with(b"\r");
                let line = take(&mut self.line);
                if let Some(event) = self.line(&line) {
                    return Ok(Some(event));
                }
            }
        }
        Ok(None)
    }

    /// Returns the number of bytes that are held.
    fn size(&self) -> u64 {
        let id = self.event.id.as_ref().map_or(0, String::len);
        (self.line.len() + self.event.data.len() + self.event.event.len() + id) as u64
    }

    fn line(&mut self, line: &[u8]) -> Option<RawEvent> {
        let mut line = line;
        if !std::mem::replace(&mut self.has_begun, true) {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if line.is_empty() {
            return self.end();
        }
        let text = String::from_utf8_lossy(line);
        let (name, value) = text.split_once(':').unwrap_or((&text, ""));
        self.field(name, value.strip_prefix(' ').unwrap_or(value));
        None
    }

    fn field(&mut self, name: &str, value: &str) {
        match name {
            "event" => value.clone_into(&mut self.event.event),
            "data" => {
                self.event.data.push_str(value);
                self.event.data.push('\n');
            }
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            "retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
                if let Ok(retry) = value.parse() {
                    self.event.retry = Some(retry);
                    self.retry = Some(retry);
                }
            }
            // A comment has an empty name; unknown names are ignored.
            _ => {}
        }
    }

    /// Completes the event at an empty line. An event without data is dropped.
    fn end(&mut self) -> Option<RawEvent> {
        let mut event = take(&mut self.event);
        if let Some(id) = &event.id {
            self.last_id = Some(id.clone());
        }
        event.data.pop().map(|_line_feed| event)
    }
}
