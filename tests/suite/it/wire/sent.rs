//! What programs send: of an object whose properties are described, only these.
//!
//! A schema allows other properties unless it refuses them. A program of its document does not send them, so it is no
//! breaking change that the other document describes one of them.

use openapi_crates_suite::convert;
use serde_json::{Map, Value, json};

/// Keywords with the schema of a value within the value.
const INNER: [&str; 3] = ["additionalProperties", "items", "unevaluatedItems"];

/// Keywords with schemas of values within the value.
const ALL_INNER: [&str; 3] = ["patternProperties", "prefixItems", "properties"];

/// Keywords with a schema of the value itself.
const SAME: [&str; 2] = ["else", "then"];

/// Keywords with schemas of the value itself.
const ALL_SAME: [&str; 4] = ["allOf", "anyOf", "dependentSchemas", "oneOf"];

/// Refuses properties that are not described, in a document with JSON Schemas. `wholes` are the schemas of whole values.
pub fn close<'p>(document: &mut Value, wholes: impl Iterator<Item = &'p String>) {
    let root = document.clone();
    convert::each_schema(document, &mut |schema| close_inner(schema, &root));
    for pointer in wholes {
        if let Some(Value::Object(schema)) = document.pointer_mut(pointer) {
            close_whole(schema, &root);
        }
    }
}

fn close_inner(schema: &mut Value, root: &Value) {
    let Value::Object(keywords) = schema else { return };
    for (keyword, value) in keywords {
        let schemas: Vec<&mut Value> = match value {
            value if [INNER.as_slice(), &SAME].concat().contains(&keyword.as_str()) => vec![value],
            _ if ![ALL_INNER.as_slice(), &ALL_SAME].concat().contains(&keyword.as_str()) => continue,
            Value::Array(items) => items.iter_mut().collect(),
            Value::Object(named) => named.values_mut().collect(),
            _ => continue,
        };
        let is_inner = INNER.contains(&keyword.as_str()) || ALL_INNER.contains(&keyword.as_str());
        for schema in schemas {
            close_inner(schema, root);
            if let (true, Value::Object(schema)) = (is_inner, schema) {
                close_whole(schema, root);
            }
        }
    }
}

/// Refuses other properties of a value. A schema that others extend must allow theirs, so its users refuse them.
fn close_whole(schema: &mut Map<String, Value>, root: &Value) {
    if !schema.contains_key("unevaluatedProperties") && describes_properties(schema, root, 0) {
        schema.insert("unevaluatedProperties".to_owned(), json!(false));
    }
}

/// Returns whether a schema, or a part of it, describes properties.
fn describes_properties(schema: &Map<String, Value>, root: &Value, depth: usize) -> bool {
    let target =
        schema.get("$ref").and_then(Value::as_str).and_then(|it| root.pointer(it.trim_start_matches('#')));
    let one = SAME.iter().filter_map(|name| schema.get(*name));
    let lists = ALL_SAME.iter().filter_map(|name| schema.get(*name)?.as_array()).flatten();
    let mut parts = target.into_iter().chain(one).chain(lists).filter_map(Value::as_object);
    schema.contains_key("properties")
        || depth < 16 && parts.any(|part| describes_properties(part, root, depth + 1))
}
