//! Media types and the formats of their bodies.

use super::{Document, Version};
use crate::ir::{ContentFormat, Framing};
use crate::tree::{Node, NodeRef, Value};

/// Returns a media type without parameters, in lower case.
pub fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Returns whether a media type is XML.
pub fn is_xml(essence: &str) -> bool {
    essence.ends_with("/xml") || essence.ends_with("+xml")
}

/// Returns whether a text is a token of HTTP.
pub fn is_token(text: &str) -> bool {
    let is_tchar = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_tchar)
}

/// Returns whether a text is a media type that a header can hold.
///
/// It has a type, a subtype and optional parameters, all in visible ASCII.
pub fn is_media_type(text: &str) -> bool {
    let (kind, parameters) = text.split_once(';').unwrap_or((text, ""));
    let is_type = kind
        .trim_end_matches(' ')
        .split_once('/')
        .is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype));
    is_type && parameters.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
}

/// Media types of line-delimited JSON, without `application/` and `x-`. None is registered.
const LINES: [&str; 6] = ["ndjson", "jsonl", "jsonlines", "json-lines", "stream+json", "json-stream"];

/// Returns the format of a body with this media type, which is without parameters and in lower case.
///
/// A body that is a binary string consists of its bytes, even if the media type is that of a text.
pub fn format(media_type: &str, schema: Option<NodeRef<'_>>) -> ContentFormat {
    match usual_format(media_type, schema) {
        ContentFormat::Json | ContentFormat::Text if schema.is_some_and(is_binary) => ContentFormat::Bytes,
        format => format,
    }
}

fn usual_format(media_type: &str, schema: Option<NodeRef<'_>>) -> ContentFormat {
    let (kind, subtype) = media_type.split_once('/').unwrap_or((media_type, ""));
    match (kind, subtype) {
        (_, "json") => ContentFormat::Json,
        ("application", subtype) if LINES.contains(&subtype.strip_prefix("x-").unwrap_or(subtype)) => {
            ContentFormat::Items(Framing::Lines)
        }
        ("application", subtype) if subtype == "json-seq" || subtype.ends_with("+json-seq") => {
            ContentFormat::Items(Framing::Sequence)
        }
        (_, subtype) if subtype.ends_with("+json") => ContentFormat::Json,
        ("application", "x-www-form-urlencoded") => ContentFormat::Form,
        ("multipart", "form-data") => ContentFormat::Multipart,
        ("*", "*") if schema.is_some_and(is_structured) => ContentFormat::Json,
        ("application", "*") if schema.is_some_and(is_structured) => ContentFormat::Json,
        ("text", "event-stream") => ContentFormat::Items(Framing::Events),
        ("text", _) => ContentFormat::Text,
        _ => ContentFormat::Bytes,
    }
}

/// Returns the schema of one event in this content of `text/event-stream`, if it describes whole events.
///
/// It is `itemSchema`, or since OpenAPI 3.2 the items of `schema`.
pub fn event_schema<'d>(document: &'d Document, content: NodeRef<'d>) -> Option<NodeRef<'d>> {
    let content = target(document, content);
    let items = || items_of(document, content.get("schema")?).filter(|_| document.version() >= Version::V3_2);
    content.get("itemSchema").or_else(items)
}

/// Follows the references of a node. One that leads nowhere is reported where the node is read.
pub fn target<'d>(document: &'d Document, node: NodeRef<'d>) -> NodeRef<'d> {
    document.resolve(node).map_or(node, |resolved| resolved.node)
}

/// Returns the schema of the items, if a schema or its target is of an array.
pub fn items_of<'d>(document: &'d Document, schema: NodeRef<'d>) -> Option<NodeRef<'d>> {
    let array = target(document, schema);
    let is_array = array.get("type").and_then(Node::as_str) == Some("array");
    array.get("items").filter(|_| is_array)
}

/// Returns whether a schema is that of raw bytes.
fn is_binary(schema: NodeRef<'_>) -> bool {
    let has = |name: &str, text: &str| schema.get(name).and_then(Node::as_str) == Some(text);
    has("type", "string") && has("format", "binary")
}

/// Returns whether a schema describes more than a string or bytes.
pub fn is_structured(schema: NodeRef<'_>) -> bool {
    match schema.get("type").map(Node::value) {
        Some(Value::String(kind)) => kind != "string",
        Some(_) => true,
        None => ["$ref", "properties", "allOf", "oneOf", "anyOf", "items", "additionalProperties"]
            .iter()
            .any(|keyword| schema.get(keyword).is_some()),
    }
}

/// Returns whether no value of a schema, which is not a reference, is a string.
pub fn is_never_text(schema: NodeRef<'_>) -> bool {
    match schema.get("type").map(Node::value) {
        Some(Value::String(kind)) => kind != "string",
        Some(Value::Array(kinds)) => kinds.iter().all(|kind| kind.as_str() != Some("string")),
        _ => ["properties", "items", "additionalProperties"]
            .iter()
            .any(|keyword| schema.get(keyword).is_some()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types() {
        for text in ["text/plain", "application/problem+json", "text/plain; charset=\"utf-8\"", "a/b ;c=d"] {
            assert!(is_media_type(text), "{text}");
        }
        for text in
            ["", "json", "text/", "/plain", "text/é", "text/plain;a=é", "text/plain\n", "a b/c", "a/b c"]
        {
            assert!(!is_media_type(text), "{text}");
        }
    }

    #[test]
    fn formats() {
        for (media_type, expected) in [
            ("application/json", ContentFormat::Json),
            ("application/json; charset=utf-8", ContentFormat::Json),
            ("application/vnd.github.v3+json", ContentFormat::Json),
            ("text/json", ContentFormat::Json),
            ("Application/X-WWW-Form-Urlencoded", ContentFormat::Form),
            ("multipart/form-data", ContentFormat::Multipart),
            ("multipart/mixed", ContentFormat::Bytes),
            ("text/csv", ContentFormat::Text),
            ("text/event-stream", ContentFormat::Items(Framing::Events)),
            ("application/x-ndjson", ContentFormat::Items(Framing::Lines)),
            ("application/jsonl", ContentFormat::Items(Framing::Lines)),
            ("application/stream+json", ContentFormat::Items(Framing::Lines)),
            ("application/json-seq", ContentFormat::Items(Framing::Sequence)),
            ("application/geo+json-seq", ContentFormat::Items(Framing::Sequence)),
            ("image/*", ContentFormat::Bytes),
            ("*/*", ContentFormat::Bytes),
            ("nonsense", ContentFormat::Bytes),
        ] {
            assert_eq!(format(&essence(media_type), None), expected, "{media_type}");
        }
    }

    #[test]
    fn a_binary_string_is_bytes() {
        let text = "openapi: 3.0.3\na: {type: string, format: binary}\nb: {type: string, format: byte}\n";
        let document = Document::parse("a.yaml", text).document.unwrap();
        let (binary, other) = (document.root().get("a"), document.root().get("b"));
        for media_type in ["application/json", "text/csv", "image/png"] {
            assert_eq!(format(media_type, binary), ContentFormat::Bytes, "{media_type}");
        }
        assert_eq!(format("application/json", other), ContentFormat::Json);
        assert_eq!(format("multipart/form-data", binary), ContentFormat::Multipart);
        assert_eq!(format("text/event-stream", binary), ContentFormat::Items(Framing::Events));
    }
}
