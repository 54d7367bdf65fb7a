//! Documents that a program holds as `openapiv3`'s types.

use std::cell::Cell;

use openapiv3::OpenAPI;
use serde::de::DeserializeSeed;
use serde_json::Value;

use super::{Document, Node, NodeId, Parsed, Source, file, seed::NodeSeed};

/// The maximum nesting of arrays and objects: the same as that of serde_json for a text.
const DEEPEST: usize = 127;

impl Document {
    /// Reads a document that is built or parsed as `openapiv3`'s types.
    ///
    /// It has no text, so diagnostics begin with `name` and a JSON pointer instead of a line.
    #[must_use]
    pub fn from_openapi(name: &str, openapi: &OpenAPI) -> Parsed {
        let source = Source { name: name.to_owned(), text: String::new() };
        let mut parsed = Self::of(source, tree(openapi));
        if let Some(document) = &mut parsed.document {
            document.main.has_text = false;
        }
        parsed
    }
}

fn tree(openapi: &OpenAPI) -> Result<Node, file::ReadError> {
    let value = serde_json::to_value(openapi).map_err(|error| (None, error.to_string()))?;
    if is_deeper(&value, DEEPEST) {
        return Err((None, "the document is nested too deeply".to_owned()));
    }
    let left = Cell::new(usize::MAX);
    let root = NodeSeed { left: &left }.deserialize(value);
    let mut root = root.map_err(|error: serde_json::Error| (None, error.to_string()))?;
    root.number(NodeId::default());
    Ok(root)
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    let mut below: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(entries) => Box::new(entries.values()),
        _ => return false,
    };
    levels.checked_sub(1).is_none_or(|levels| below.any(|value| is_deeper(value, levels)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nested_too_deep_is_refused() {
        let report = |levels: usize| {
            let nested = (0..levels).fold(Value::Null, |value, _| Value::Array(vec![value]));
            let mut openapi = OpenAPI { openapi: "3.0.3".to_owned(), ..OpenAPI::default() };
            // The document itself is one more level.
            openapi.extensions.insert("x-deep".to_owned(), nested);
            Document::from_openapi("deep", &openapi).report().to_string()
        };
        assert_eq!(report(DEEPEST - 1), "");
        assert_eq!(report(DEEPEST), "deep: error[syntax]: the document is nested too deeply\n\n");
    }
}
