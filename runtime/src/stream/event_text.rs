//! `text/event-stream`, by the rules of WHATWG's HTML, "Server-sent events".

use std::mem::take;

use super::StreamError;
use crate::{
    codec::{Encode, Entries, Writer, to_json},
    types::{Bytes, Value},
};

/// An event as it stands in the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RawEvent {
    /// Empty: it has no name.
    pub event: String,
    pub data: String,
    /// What its own lines say; see [`EventParser::last_id`].
    pub id: Option<String>,
    pub retry: Option<u64>,
}

/// Takes a text apart, however it is cut into pieces.
#[derive(Debug)]
pub(super) struct EventParser {
    /// The beginning of a line whose end did not come yet.
    line: Vec<u8>,
    /// The event so far, each line of its data with a line feed behind it.
    event: RawEvent,
    /// Whether the last line ended in a carriage return, so that a line feed which comes next is a part of that.
    after_return: bool,
    /// Whether a line was seen: a byte order mark stands only in front of all.
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

    /// The id of the last event that had one: where to go on from.
    pub(super) fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// How long to wait before a new request, in milliseconds.
    pub(super) const fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// Takes the next event out of `input`, or all of `input` if none ends in it. What never ends is no event.
    pub(super) fn next(&mut self, input: &mut Bytes) -> Result<Option<RawEvent>, StreamError> {
        while let Some(first) = input.first() {
            if take(&mut self.after_return) && *first == b'\n' {
                let _line_feed = input.split_to(1);
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', input);
            let part = input.split_to(end.unwrap_or(input.len()));
            if self.size() + part.len() as u64 > self.limit {
                return Err(StreamError::TooLarge { limit: self.limit });
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

    /// How many bytes are held.
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
            // A comment has no name; other names have no meaning.
            _ => {}
        }
    }

    /// An empty line: the event is complete, unless it has no data.
    fn end(&mut self) -> Option<RawEvent> {
        let mut event = take(&mut self.event);
        if let Some(id) = &event.id {
            self.last_id = Some(id.clone());
        }
        event.data.pop().map(|_line_feed| event)
    }
}

/// The text of an event: an object of `event`, `data`, `id` and `retry`, of which any may be absent.
pub(super) fn event_text(item: &dyn Encode) -> Result<Vec<u8>, StreamError> {
    let mut fields = Fields(Ok(Vec::new()));
    item.encode(&mut fields);
    let mut text = fields.0?;
    text.push(b'\n');
    Ok(text)
}

/// Writes the fields of the object that it gets as lines.
struct Fields(Result<Vec<u8>, StreamError>);

impl Fields {
    fn write(&mut self, fields: &[(&'static str, &dyn Encode)]) -> Result<Vec<u8>, StreamError> {
        let mut out = Vec::with_capacity(128);
        for name in ["event", "id", "retry", "data"] {
            let field = fields.iter().find(|(field, value)| *field == name && !value.is_absent());
            let Some((_, value)) = field else { continue };
            let text = plain(*value);
            if name != "data" && text.contains(['\n', '\r', '\0']) {
                let message = format!("the `{name}` of an event holds a line break, which it can't");
                return Err(StreamError::broken(message));
            }
            write_lines(&mut out, name, &text);
        }
        Ok(out)
    }

    fn whole(&mut self) {
        self.0 =
            Err(StreamError::broken("an item is no event: no object of `event`, `data`, `id` and `retry`"));
    }
}

/// A string as it is; anything else as JSON.
fn plain(value: &dyn Encode) -> String {
    let json = to_json(value);
    match serde_json::from_slice(&json) {
        Ok(Value::String(text)) if json.starts_with(b"\"") => text,
        _ => String::from_utf8_lossy(&json).into_owned(),
    }
}

/// `name: line`, for each line of the text.
fn write_lines(out: &mut Vec<u8>, name: &str, text: &str) {
    let mut rest = text;
    loop {
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let (line, behind) = rest.split_at(end);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(line.as_bytes());
        out.push(b'\n');
        if behind.is_empty() {
            return;
        }
        rest = behind.strip_prefix("\r\n").or_else(|| behind.get(1..)).unwrap_or_default();
    }
}

impl Writer for Fields {
    fn null(&mut self) {
        self.whole();
    }

    fn boolean(&mut self, _: bool) {
        self.whole();
    }

    fn i64(&mut self, _: i64) {
        self.whole();
    }

    fn u64(&mut self, _: u64) {
        self.whole();
    }

    fn f64(&mut self, _: f64) {
        self.whole();
    }

    fn str(&mut self, _: &str) {
        self.whole();
    }

    fn bytes(&mut self, _: &Bytes) {
        self.whole();
    }

    fn array(&mut self, _: &mut dyn ExactSizeIterator<Item = &dyn Encode>) {
        self.whole();
    }

    fn object(&mut self, fields: &[(&'static str, &dyn Encode)], _: Option<&mut Entries<'_>>) {
        self.0 = self.write(fields);
    }

    fn variant(&mut self, _: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn choice(&mut self, _: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn value(&mut self, value: &Value) {
        let Value::Object(fields) = value else { return self.whole() };
        let field = |name: &'static str| fields.get(name).map(|value| (name, value as &dyn Encode));
        let fields: Vec<_> = ["event", "id", "retry", "data"].into_iter().filter_map(field).collect();
        self.0 = self.write(&fields);
    }
}
