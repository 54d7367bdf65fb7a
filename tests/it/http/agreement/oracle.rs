//! Validates bodies with the crate `jsonschema`, by the spec's schemas.

use jsonschema::Validator;
use openapi_crates_runtime::{
    table::{Format, Operation, Width},
    validation::{Code, Violation, ViolationKind},
};
use serde_json::{Map, Value, json};

use crate::http::spec::{self, SPEC};

/// Returns a validator for the operation's body.
pub fn validator(operation: &Operation) -> Validator {
    let mut schema = converted(spec::body_schema(operation));
    let components = SPEC["components"]["schemas"].as_object().expect("the spec has schemas");
    let components: Map<String, Value> =
        components.iter().map(|(name, schema)| (name.clone(), converted(schema))).collect();
    schema["components"] = json!({ "schemas": components });
    let options = jsonschema::draft202012::options().should_validate_formats(true);
    options.build(&schema).expect("the converted schema is one")
}

/// Returns whether JSON Schema can't express this violation.
pub fn is_beyond_json_schema(violation: &Violation) -> bool {
    match (violation.code(), &violation.kind) {
        // The other formats are not compared, see `FORMATS`.
        (_, ViolationKind::Format(format)) => !matches!(format, Format::Uuid | Format::DateTime),
        // A parsed object has each field once; the last one wins.
        (Code::Duplicate, _) => true,
        // JSON Schema's integers are unbounded, and ours have 64 bits. The converted schemas bound those of
        // 32 bits.
        (_, ViolationKind::OutOfRange(Some(Width::I64 | Width::U64))) => true,
        _ => false,
    }
}

/// The formats on which both agree. They check URIs differently.
const FORMATS: &[&str] = &["uuid", "date-time"];

/// Converts a schema of OpenAPI 3.0 to JSON Schema 2020-12.
fn converted(schema: &Value) -> Value {
    let Value::Object(keywords) = schema else { return schema.clone() };
    let mut out = Map::new();
    let is_unchecked = |keyword: &str| {
        keywords
            .get("x-unchecked")
            .and_then(Value::as_array)
            .is_some_and(|names| names.contains(&json!(keyword)))
    };
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            // The tables don't check it.
            (keyword, _) if is_unchecked(keyword) => {}
            ("properties", Value::Object(fields)) => {
                let fields = fields.iter().map(|(name, schema)| (name.clone(), converted(schema)));
                out.insert(keyword.clone(), Value::Object(fields.collect()));
            }
            ("items" | "additionalProperties" | "not", schema) => {
                out.insert(keyword.clone(), converted(schema));
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                out.insert(keyword.clone(), schemas.iter().map(converted).collect());
            }
            ("minimum", bound) if keywords.get("exclusiveMinimum") == Some(&Value::Bool(true)) => {
                out.insert("exclusiveMinimum".to_owned(), bound.clone());
            }
            ("maximum", bound) if keywords.get("exclusiveMaximum") == Some(&Value::Bool(true)) => {
                out.insert("exclusiveMaximum".to_owned(), bound.clone());
            }
            ("exclusiveMinimum" | "exclusiveMaximum", Value::Bool(_)) => {}
            // In addition to all other bounds.
            ("format", format) if format == "int32" => {
                out.insert("if".to_owned(), json!({ "type": "integer" }));
                out.insert("then".to_owned(), json!({ "minimum": i32::MIN, "maximum": i32::MAX }));
            }
            ("format", format) if !FORMATS.iter().any(|known| format == known) => {}
            ("default" | "example" | "discriminator" | "xml" | "nullable", _) => {}
            (extension, _) if extension.starts_with("x-") => {}
            // Its siblings are ignored in 3.0.
            ("$ref", reference) => return json!({ "$ref": reference }),
            (_, value) => {
                out.insert(keyword.clone(), value.clone());
            }
        }
    }
    if keywords.get("nullable") == Some(&Value::Bool(true)) {
        return json!({ "anyOf": [{ "type": "null" }, out] });
    }
    Value::Object(out)
}
