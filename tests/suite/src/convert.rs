//! Converts the schemas of an OpenAPI document to JSON Schema, draft 2020-12.
//!
//! The conversion is independent of the generator. It covers what OpenAPI 3.0 writes differently, and the choices that
//! the documentation of the generator states:
//! - `nullable` adds null to what the other keywords accept;
//! - a boolean beside a bound makes it exclusive;
//! - in OpenAPI 3.0, keywords beside `$ref` have no effect;
//! - a schema without `type` has the type that its keywords imply;
//! - the formats that are checked by default are checked, the others are annotations.

use serde_json::{Map, Value, json};

use crate::{formats, implied, schemas};

/// Marks a schema whose `anyOf` adds null to another one.
pub const NULLABLE: &str = "x-agree-nullable";

/// Converts all schemas of a document in place.
pub fn document(document: &mut Value, is_3_0: bool) {
    let root = document.clone();
    each_schema(document, &mut |schema| {
        implied::write_types(schema, &root, true);
        schemas::each(schema, &mut |schema| convert(schema, is_3_0));
    });
}

/// Visits the schemas of a document that are not within another schema.
pub fn each_schema(node: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(|item| each_schema(item, visit)),
        Value::Object(fields) => {
            for (name, field) in fields {
                match (name.as_str(), field) {
                    ("schema", schema) => visit(schema),
                    ("schemas", Value::Object(schemas)) => schemas.values_mut().for_each(&mut *visit),
                    ("example" | "examples", _) => {}
                    (_, field) => each_schema(field, visit),
                }
            }
        }
        _ => {}
    }
}

fn convert(schema: &mut Map<String, Value>, is_3_0: bool) {
    if is_3_0 && let Some(Value::String(reference)) = schema.get("$ref") {
        // OpenAPI 3.0 ignores the keywords beside `$ref`. The generator reads one of them.
        let kept =
            ["nullable", "x-nullable"].into_iter().find(|name| schema.get(*name) == Some(&true.into()));
        let kept = kept.map(|name| (name.to_owned(), Value::Bool(true)));
        *schema = [("$ref".to_owned(), reference.as_str().into())].into_iter().chain(kept).collect();
        if schema.len() == 1 {
            return;
        }
    }
    // An embedded id would become the base of the references within.
    for name in ["$id", "id", "$schema", "example", "default"] {
        schema.remove(name);
    }
    // The form of older drafts.
    if let Some(Value::Array(items)) = schema.get("items") {
        let items = items.clone();
        schema.insert("prefixItems".to_owned(), items.into());
        let others = schema.remove("additionalItems").unwrap_or(true.into());
        schema.insert("items".to_owned(), others);
    }
    exclusive(schema, "minimum", "exclusiveMinimum");
    exclusive(schema, "maximum", "exclusiveMaximum");
    repair(schema);
    if schema.get("x-unchecked").and_then(Value::as_array).is_some_and(|it| it.contains(&"pattern".into())) {
        schema.remove("pattern");
    }
    let encoding = schema.remove("contentEncoding");
    let format = schema.remove("format").or(encoding);
    if let Some(format) = format.as_ref().and_then(Value::as_str) {
        schema.extend(formats::checked(format).map(|format| ("format".to_owned(), format.into())));
        schema.extend(formats::range(format).map(|range| (formats::RANGE.to_owned(), range)));
    }
    if ["nullable", "x-nullable"].iter().any(|name| schema.get(*name) == Some(&Value::Bool(true))) {
        schema.retain(|name, _| name != "nullable" && name != "x-nullable");
        let inner = std::mem::take(schema);
        schema.insert("anyOf".to_owned(), json!([{ "type": "null" }, inner]));
        schema.insert(NULLABLE.to_owned(), true.into());
    }
}

/// Turns the boolean form of an exclusive bound into the number.
fn exclusive(schema: &mut Map<String, Value>, bound: &str, exclusive: &str) {
    if let Some(Value::Bool(is_exclusive)) = schema.get(exclusive) {
        let is_exclusive = *is_exclusive;
        schema.remove(exclusive);
        if is_exclusive && let Some(value) = schema.remove(bound) {
            schema.insert(exclusive.to_owned(), value);
        }
    }
}

/// Removes keywords whose values JSON Schema does not allow. The generator warns about them and ignores them.
fn repair(schema: &mut Map<String, Value>) {
    const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];
    let is_type = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    schema.retain(|name, value| match name.as_str() {
        "type" => {
            is_type(value) || value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(is_type))
        }
        "required" => value.is_array(),
        "enum" => value.is_array(),
        "allOf" | "anyOf" | "oneOf" => value.as_array().is_some_and(|all| !all.is_empty()),
        "items" | "not" | "additionalProperties" => value.is_object() || value.is_boolean(),
        "multipleOf" => value.as_f64().is_some_and(|step| step > 0.0),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            value.as_f64().is_some_and(|limit| limit >= 0.0)
        }
        _ => true,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openapi_3_0_becomes_json_schema() {
        let mut schema = json!({ "components": { "schemas": { "Pet": {
            "properties": {
                "age": { "type": "integer", "minimum": 0, "exclusiveMinimum": true, "format": "int32" },
                "owner": { "$ref": "#/components/schemas/Owner", "description": "x" },
                "id": { "type": "string", "nullable": true, "format": "uuid" },
            },
        } } } });
        document(&mut schema, true);
        let expected = json!({ "components": { "schemas": { "Pet": {
            "type": "object",
            "properties": {
                "age": { "type": "integer", "exclusiveMinimum": 0, "x-agree-range": [i32::MIN, i32::MAX] },
                "owner": { "$ref": "#/components/schemas/Owner" },
                "id": {
                    "anyOf": [{ "type": "null" }, { "type": "string", "format": "uuid" }],
                    "x-agree-nullable": true,
                },
            },
        } } } });
        assert_eq!(schema, expected);
    }
}
