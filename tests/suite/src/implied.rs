//! The reading of schemas without `type` as the type that their keywords imply, independently of the generator.
//!
//! A test is counted apart if this reading changes its verdict: a string in place of an object, say.

use serde_json::{Map, Value, json};

use crate::{formats, schemas::children};

/// Each type with the keywords that imply it. The first type with a keyword in the schema wins.
const IMPLIED: [(&str, &[&str]); 4] = [
    (
        "object",
        &[
            "additionalProperties",
            "maxProperties",
            "minProperties",
            "patternProperties",
            "properties",
            "propertyNames",
            "required",
            "unevaluatedProperties",
        ],
    ),
    ("array", &["items", "maxItems", "minItems", "prefixItems", "unevaluatedItems"]),
    ("string", &["contentEncoding", "format", "maxLength", "minLength", "pattern"]),
    ("number", &["exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"]),
];

/// The keywords that decide the type themselves.
const TYPED: [&str; 3] = ["const", "enum", "type"];

/// The keywords whose schemas only test values. They imply no type.
const APPLICATORS: [&str; 7] = ["contains", "dependentSchemas", "else", "if", "not", "propertyNames", "then"];

/// Returns the schema with the implied types written out.
#[must_use]
pub fn with_types(schema: &Value) -> Value {
    let mut typed = schema.clone();
    write_types(&mut typed, schema, true);
    typed
}

/// Writes the types into a schema of the document `root`, and into the schemas within it.
///
/// The parts of an `allOf` have the type of the whole, so they get none of their own.
pub fn write_types(schema: &mut Value, root: &Value, is_whole: bool) {
    let Value::Object(schema) = schema else { return };
    if is_whole && let Some(implied) = implied(schema, root) {
        // A branch for null shows that null is meant as well.
        let has_null =
            ["anyOf", "oneOf"].iter().filter_map(|name| schema.get(*name)?.as_array()).flatten().any(is_null);
        schema.insert("type".to_owned(), if has_null { json!([implied, "null"]) } else { json!(implied) });
    }
    for (keyword, inner) in children(schema) {
        if !APPLICATORS.contains(&keyword) {
            write_types(inner, root, keyword != "allOf");
        }
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|name| name == "null")
}

/// Returns the type that a schema implies together with its references and the parts of its `allOf`.
fn implied(schema: &Map<String, Value>, root: &Value) -> Option<&'static str> {
    let mut parts = Vec::new();
    collect(schema, root, &mut parts);
    let has = |keyword: &&str| parts.iter().any(|part| part.contains_key(*keyword));
    if TYPED.iter().any(has) {
        return None;
    }
    let (name, _) = IMPLIED.iter().find(|(_, keywords)| keywords.iter().any(has))?;
    let format = parts.iter().find_map(|part| part.get("format")?.as_str());
    let is_text = ["contentEncoding", "maxLength", "minLength", "pattern"].iter().any(has);
    match format {
        Some("float" | "double") if *name == "string" && !is_text => Some("number"),
        Some(format) if *name == "string" && !is_text && is_integer(format) => Some("integer"),
        _ => Some(name),
    }
}

/// Returns whether a format is one of integers.
fn is_integer(format: &str) -> bool {
    formats::range(format).is_some() || format == "int64"
}

fn collect<'s>(schema: &'s Map<String, Value>, root: &'s Value, parts: &mut Vec<&'s Map<String, Value>>) {
    if parts.iter().any(|part| std::ptr::eq(*part, schema)) {
        return;
    }
    parts.push(schema);
    let reference = schema.get("$ref").and_then(Value::as_str);
    let pointer = reference.and_then(|reference| reference.strip_prefix('#'));
    // The suite percent-encodes no other characters.
    let target = pointer.and_then(|pointer| root.pointer(&pointer.replace("%22", "\"").replace("%25", "%")));
    let list = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
    for part in target.into_iter().chain(list).filter_map(Value::as_object) {
        collect(part, root, parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_written_where_keywords_imply_them() {
        for (schema, expected) in [
            (json!({ "maxLength": 2 }), json!({ "maxLength": 2, "type": "string" })),
            (json!({ "maxLength": 2, "type": "null" }), json!({ "maxLength": 2, "type": "null" })),
            (json!({ "const": 1, "minimum": 2 }), json!({ "const": 1, "minimum": 2 })),
            (json!({ "format": "int64" }), json!({ "format": "int64", "type": "integer" })),
            (json!({ "not": { "minimum": 2 } }), json!({ "not": { "minimum": 2 } })),
            (
                json!({ "allOf": [{ "required": ["a"] }, { "maxLength": 2 }] }),
                json!({ "allOf": [{ "required": ["a"] }, { "maxLength": 2 }], "type": "object" }),
            ),
            (
                json!({ "anyOf": [{ "type": "integer" }, { "minimum": 2 }] }),
                json!({ "anyOf": [{ "type": "integer" }, { "minimum": 2, "type": "number" }] }),
            ),
            (
                json!({ "$ref": "#/$defs/a", "$defs": { "a": { "items": true, "$ref": "#" } } }),
                json!({
                    "$ref": "#/$defs/a",
                    "type": "array",
                    "$defs": { "a": { "items": true, "$ref": "#", "type": "array" } },
                }),
            ),
        ] {
            assert_eq!(with_types(&schema), expected);
        }
    }
}
