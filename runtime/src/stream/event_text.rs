//! Writes `text/event-stream` as the HTML standard defines it in "Server-sent events".

use super::StreamError;
use crate::codec::{
    Encode, Value, to_json,
    view::{View, view},
};

/// Returns the text of an event.
///
/// `item` must encode itself as an object. The text contains its fields `event`, `data`, `id` and `retry`.
pub(super) fn event_text(item: &dyn Encode) -> Result<Vec<u8>, StreamError> {
    let text = view(item, |view| match view {
        View::Object(fields, _) => Some(lines(|name| {
            let field = fields.iter().find(|(field, value)| *field == name && !value.is_absent());
            field.map(|(_, value)| *value)
        })),
        View::Map(map) => Some(lines(|name| map.get(name).map(|value| value as &dyn Encode))),
        _ => None,
    });
    text.flatten().unwrap_or_else(|| {
        Err(StreamError::broken("an event must be an object of `event`, `data`, `id` and `retry`"))
    })
}

/// Returns the text of an event. `field` returns its fields by name.
fn lines<'v>(field: impl Fn(&str) -> Option<&'v dyn Encode>) -> Result<Vec<u8>, StreamError> {
    let mut out = Vec::with_capacity(128);
    for name in ["event", "id", "retry", "data"] {
        let Some(value) = field(name) else { continue };
        let json = to_json(value);
        // Null as data is a value. The other fields have no null.
        if name != "data" && json == b"null" {
            continue;
        }
        let text = plain(&json);
        if name != "data" && text.contains(['\n', '\r', '\0']) {
            let message = format!("the `{name}` of an event must not contain a line break or a NUL");
            return Err(StreamError::broken(message));
        }
        write_lines(&mut out, name, &text);
    }
    out.push(b'\n');
    Ok(out)
}

/// Returns a string unchanged, and any other value as JSON.
fn plain(json: &[u8]) -> String {
    match serde_json::from_slice(json) {
        Ok(Value::String(text)) if json.starts_with(b"\"") => text,
        _ => String::from_utf8_lossy(json).into_owned(),
    }
}

/// Writes `name: line` for each line of the text.
fn write_lines(out: &mut Vec<u8>, name: &str, text: &str) {
    let mut rest = text;
    loop {
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let (line, after) = rest.split_at(end);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(line.as_bytes());
        out.push(b'\n');
        if after.is_empty() {
            return;
        }
        rest = after.strip_prefix("\r\n").or_else(|| after.get(1..)).unwrap_or_default();
    }
}
