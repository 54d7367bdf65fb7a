//! Bodies in recordings: JSON, text or base64.

use bytes::Bytes;
use serde_json::{Map, json};

use crate::client::reply::is_json;
use crate::client::secrets::{Secrets, is_text};
use crate::types::{Base64, Value};

/// A body.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Body {
    None,
    Json(Value),
    Text(String),
    Bytes(Vec<u8>),
    /// A request body that is a stream, which is not recorded.
    Stream,
}

impl Body {
    /// Reads a body, without its secrets.
    pub(super) fn read(media_type: &str, bytes: &[u8], secrets: &Secrets<'_>) -> Self {
        if bytes.is_empty() {
            return Self::None;
        }
        if is_json(media_type)
            && is_exact(bytes)
            && let Ok(mut json) = serde_json::from_slice(bytes)
        {
            secrets.json(&mut json);
            return Self::Json(json);
        }
        match str::from_utf8(bytes) {
            Ok(text) => Self::Text(secrets.text(text)),
            Err(_) => Self::Bytes(bytes.to_vec()),
        }
    }

    /// Adds the body to a recording: `request_body`, `request_text` …
    pub(super) fn write(&self, side: &str, exchange: &mut Map<String, Value>) {
        let (name, value) = match self {
            Self::None => return,
            Self::Json(json) => ("body", json.clone()),
            // Lines are easier to review, and to compare.
            Self::Text(text) => ("text", text.split_inclusive('\n').collect()),
            Self::Bytes(bytes) => ("base64", Base64(bytes.clone()).to_string().into()),
            Self::Stream => ("stream", json!(true)),
        };
        exchange.insert(format!("{side}_{name}"), value);
    }

    /// Takes the body out of a recording.
    pub(super) fn take(side: &str, exchange: &mut Map<String, Value>) -> Option<Self> {
        if let Some(json) = exchange.remove(&format!("{side}_body")) {
            return Some(Self::Json(json));
        }
        if let Some(lines) = exchange.remove(&format!("{side}_text")) {
            let lines: Option<Vec<&str>> = lines.as_array()?.iter().map(Value::as_str).collect();
            return Some(Self::Text(lines?.concat()));
        }
        if let Some(text) = exchange.remove(&format!("{side}_base64")) {
            let bytes: Base64 = text.as_str()?.parse().ok()?;
            return Some(Self::Bytes(bytes.0));
        }
        Some(if exchange.remove(&format!("{side}_stream")).is_some() { Self::Stream } else { Self::None })
    }

    /// Returns the bytes. Those of JSON have no white space.
    pub(super) fn bytes(&self) -> Bytes {
        match self {
            Self::None | Self::Stream => Bytes::new(),
            Self::Json(json) => json.to_string().into(),
            Self::Text(text) => text.clone().into(),
            Self::Bytes(bytes) => bytes.clone().into(),
        }
    }

    /// Returns where another body differs from this recorded one.
    pub(super) fn difference(&self, bytes: Option<&[u8]>) -> Option<String> {
        let is_equal = match (self, bytes) {
            (Self::Stream, _) | (_, None) => true,
            (Self::None, Some(bytes)) => bytes.is_empty(),
            (Self::Json(json), Some(bytes)) => match serde_json::from_slice(bytes) {
                Ok(other) => return json_difference(json, &other).map(|at| format!("the body at `{at}`")),
                Err(_) => false,
            },
            (Self::Text(text), Some(bytes)) => str::from_utf8(bytes).is_ok_and(|other| is_text(text, other)),
            (Self::Bytes(own), Some(bytes)) => own == bytes,
        };
        (!is_equal).then(|| "the body".to_owned())
    }
}

/// Returns the JSON pointer of the first difference.
fn json_difference(recorded: &Value, other: &Value) -> Option<String> {
    match (recorded, other) {
        (Value::Object(recorded), Value::Object(other)) => {
            let added = other.keys().find(|name| !recorded.contains_key(*name));
            let members = recorded.iter().find_map(|(name, member)| {
                let other = other.get(name);
                let inner = other.map_or(Some(String::new()), |other| json_difference(member, other))?;
                Some(format!("/{name}{inner}"))
            });
            members.or_else(|| added.map(|name| format!("/{name}")))
        }
        (Value::Array(recorded), Value::Array(other)) if recorded.len() == other.len() => {
            let mut items = recorded.iter().zip(other).enumerate();
            items.find_map(|(at, (item, other))| Some(format!("/{at}{}", json_difference(item, other)?)))
        }
        (Value::String(recorded), Value::String(other)) if is_text(recorded, other) => None,
        (recorded, other) => (recorded != other).then(String::new),
    }
}

/// Returns whether all numbers of a JSON text keep their value in a [`Value`].
fn is_exact(json: &[u8]) -> bool {
    let (mut in_string, mut is_escaped, mut number) = (false, false, String::new());
    for byte in json.iter().copied().chain([b' ']) {
        if in_string {
            in_string = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
            continue;
        }
        if byte.is_ascii_digit() || b"+-.eE".contains(&byte) {
            number.push(char::from(byte));
            continue;
        }
        let is_integer = number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok();
        if !is_integer && number.len() > 16 {
            return false;
        }
        number.clear();
        in_string = byte == b'"';
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_beyond_a_value_stay_text() {
        let secrets = Secrets::new(None, &[]);
        for (body, is_value) in [
            (r#"{"id": 18446744073709551615, "f": 0.1234, "text": "\"12345678901234567890123"}"#, true),
            (r#"{"id": 18446744073709551616}"#, false),
            ("[0.12345678901234567]", false),
            ("[1, ", false),
        ] {
            let read = Body::read("application/json", body.as_bytes(), &secrets);
            assert_eq!(matches!(read, Body::Json(_)), is_value, "{body}");
            if !is_value {
                assert_eq!(read.bytes(), body);
            }
        }
    }

    #[test]
    fn bodies_are_written_and_read() {
        let secrets = Secrets::new(None, &[]);
        for (media_type, bytes, name) in [
            ("application/problem+json", &b"{\"a\":[1]}"[..], "response_body"),
            ("text/event-stream", b"data: a\n\ndata: b\n", "response_text"),
            ("image/png", b"\x89PNG", "response_base64"),
        ] {
            let (body, mut exchange) = (Body::read(media_type, bytes, &secrets), Map::new());
            body.write("response", &mut exchange);
            assert!(exchange.contains_key(name), "{exchange:?}");
            assert_eq!(body.bytes(), bytes);
            assert_eq!(Body::take("response", &mut exchange), Some(body));
        }
        assert_eq!(Body::take("response", &mut Map::new()), Some(Body::None));
    }

    #[test]
    fn the_position_of_a_difference_is_named() {
        let recorded = Body::Json(json!({"name": "a", "tags": [1, 2], "password": "REDACTED"}));
        let differs = |body: Value| recorded.difference(Some(body.to_string().as_bytes()));
        assert_eq!(differs(json!({"password": "x", "tags": [1, 2], "name": "a"})), None);
        assert_eq!(differs(json!({"name": "b"})).as_deref(), Some("the body at `/name`"));
        let other = json!({"name": "a", "tags": [1, 3], "password": "x"});
        assert_eq!(differs(other).as_deref(), Some("the body at `/tags/1`"));
        let more = json!({"name": "a", "tags": [1, 2], "password": "x", "more": null});
        assert_eq!(differs(more).as_deref(), Some("the body at `/more`"));
    }
}
