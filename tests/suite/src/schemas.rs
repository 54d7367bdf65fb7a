//! Walks the schemas within a schema.

use serde_json::{Map, Value};

/// The keywords whose value is a schema.
const SCHEMA: [&str; 11] = [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// The keywords whose value is a list of schemas.
const LIST: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// The keywords whose value holds schemas by name.
const NAMED: [&str; 5] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Returns the schemas directly within a schema, with the keyword of each.
pub fn children(schema: &mut Map<String, Value>) -> impl Iterator<Item = (&str, &mut Value)> {
    schema.iter_mut().flat_map(|(keyword, value)| {
        let keyword = keyword.as_str();
        let inner: Vec<&mut Value> = match value {
            value if SCHEMA.contains(&keyword) => vec![value],
            Value::Array(items) if LIST.contains(&keyword) => items.iter_mut().collect(),
            Value::Object(named) if NAMED.contains(&keyword) => named.values_mut().collect(),
            _ => Vec::new(),
        };
        inner.into_iter().map(move |schema| (keyword, schema))
    })
}

/// Visits a schema and all schemas within it, except boolean ones.
pub fn each(schema: &mut Value, visit: &mut dyn FnMut(&mut Map<String, Value>)) {
    if let Value::Object(schema) = schema {
        visit(schema);
        children(schema).for_each(|(_, inner)| each(inner, visit));
    }
}
