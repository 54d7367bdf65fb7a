//! The known and intended differences between the generated crates and a JSON Schema validator.
//!
//! Each is either another reading of the document's schemas, which the other validator then evaluates, or a code of
//! violations that JSON Schema does not have.

use serde_json::{Map, Value, json};

use crate::{convert, discriminators, formats, schemas};

/// A known difference.
pub struct Known {
    /// The name in the report.
    pub name: &'static str,
    /// The reason.
    pub reason: &'static str,
    /// How it is recognized.
    pub by: By,
}

/// How a known difference is recognized.
pub enum By {
    /// The other validator agrees, if it gets the schemas of a document that was changed this way.
    Reading(fn(&mut Value)),
    /// The instance is null, and the schema a component.
    NullComponent,
    /// All violations have this code.
    Code(&'static str),
}

/// All known differences.
pub const KNOWN: &[Known] = &[
    Known {
        name: "integer-range",
        reason: "a Rust integer has 32 or 64 bits",
        by: By::Reading(|document| each(document, &mut limit)),
    },
    Known {
        name: "discriminator",
        reason: "the discriminator chooses the branch; to JSON Schema it is an annotation",
        by: By::Reading(discriminators::apply),
    },
    Known {
        name: "direction",
        reason: "a `readOnly` or `writeOnly` property is required in one direction only",
        by: By::Reading(|document| release_all(document, &DIRECTIONS)),
    },
    Known {
        name: "date",
        reason: "jsonschema 0.60 accepts some characters in place of digits, such as `194/-10-14`",
        by: By::Reading(|document| each(document, &mut strict_dates)),
    },
    Known {
        name: "nullable-list",
        reason: "a type that allows null adds it to `enum` and `const`",
        by: By::Reading(|document| each(document, &mut list_null)),
    },
    Known {
        name: "pattern-map",
        reason: "without `additionalProperties`, all names of a map are taken to match its only pattern",
        by: By::Reading(|document| each(document, &mut match_all)),
    },
    Known {
        name: "event-data",
        reason: "the data of an event is text; the crates check the value that the text encodes (`contentSchema`)",
        by: By::Reading(|document| each(document, &mut decode_data)),
    },
    Known {
        name: "nullable-part",
        reason: "`nullable` in an inline part of an `allOf` makes the whole nullable",
        by: By::Reading(|document| each(document, &mut hoist)),
    },
    Known {
        name: "nullable-branch",
        reason: "null in several branches of a `oneOf` means that the whole is nullable",
        by: By::Reading(|document| each(document, &mut share_null)),
    },
    Known {
        name: "nullable-component",
        reason: "references to a nullable component allow null; its own row does not",
        by: By::NullComponent,
    },
    Known { name: "x-rule", reason: "JSON Schema does not know `x-rules`", by: By::Code("cross-field") },
];

/// The keywords of properties that are sent in one direction only.
const DIRECTIONS: [&str; 2] = ["readOnly", "writeOnly"];

/// Returns a converted document as the crates read it. Properties with one of these keywords are not required.
#[must_use]
pub fn read(plain: &Value, directions: &[&str]) -> Value {
    let mut document = plain.clone();
    for known in KNOWN {
        match known.by {
            By::Reading(_) if known.name == "direction" => release_all(&mut document, directions),
            By::Reading(change) => change(&mut document),
            By::NullComponent | By::Code(_) => {}
        }
    }
    document
}

/// Returns a converted document in all these readings, for requests and responses.
#[must_use]
pub fn all(plain: &Value) -> Value {
    read(plain, &DIRECTIONS)
}

/// Visits all schemas of a document.
fn each(document: &mut Value, visit: &mut dyn FnMut(&mut Map<String, Value>)) {
    convert::each_schema(document, &mut |schema| schemas::each(schema, visit));
}

/// Limits the integers of a schema to the range of their Rust type.
fn limit(schema: &mut Map<String, Value>) {
    let is_integer = match schema.get("type") {
        Some(Value::Array(types)) => types.contains(&"integer".into()) && !types.contains(&"number".into()),
        Some(name) => name == "integer",
        None => false,
    };
    if !is_integer {
        return;
    }
    let is_large = schema.get("maximum").and_then(Value::as_f64).is_some_and(|most| most > i64::MAX as f64)
        && schema.get("minimum").and_then(Value::as_f64).is_some_and(|least| least >= 0.0);
    let (least, most) =
        match schema.remove(formats::RANGE).as_ref().and_then(Value::as_array).map(Vec::as_slice) {
            Some([least, most]) => (least.clone(), most.clone()),
            _ if is_large => (json!(0), json!(u64::MAX)),
            _ => (json!(i64::MIN), json!(i64::MAX)),
        };
    let all = schema.entry("allOf").or_insert_with(|| json!([]));
    if let Value::Array(all) = all {
        // Values of other types have no such limits.
        all.push(json!({ "minimum": least, "maximum": most }));
    }
}

/// Makes the properties optional that have one of these keywords.
fn release_all(document: &mut Value, directions: &[&str]) {
    let root = document.clone();
    each(document, &mut |schema| release(schema, &root, directions));
}

fn release(schema: &mut Map<String, Value>, root: &Value, directions: &[&str]) {
    let whole = Value::Object(schema.clone());
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| {
            let mut properties =
                name.as_str().map(|name| properties(&whole, name, root, 0)).into_iter().flatten();
            !properties.any(|property| is_one_way(property, root, directions, 0))
        });
    }
}

/// The number of references that are followed from one schema.
const DEPTH: usize = 16;

/// Returns the schemas of a property: that of the schema itself, and those of its parts.
fn properties<'v>(schema: &'v Value, name: &str, root: &'v Value, depth: usize) -> Vec<&'v Value> {
    if depth > DEPTH {
        return Vec::new();
    }
    let own = schema.get("properties").and_then(|properties| properties.get(name));
    let inner = parts(schema, root).flat_map(|part| properties(part, name, root, depth + 1));
    own.into_iter().chain(inner).collect()
}

/// Returns the target of a schema's reference.
pub(crate) fn target<'v>(schema: &Value, root: &'v Value) -> Option<&'v Value> {
    root.pointer(schema.get("$ref")?.as_str()?.trim_start_matches('#'))
}

/// Returns the target of a schema's reference, and the members of its `allOf`.
pub(crate) fn parts<'v>(schema: &'v Value, root: &'v Value) -> impl Iterator<Item = &'v Value> {
    let list = schema.get("allOf").and_then(Value::as_array);
    target(schema, root).into_iter().chain(list.into_iter().flatten())
}

/// Returns whether a property has one of these keywords, directly, in a part, or in all branches of a union.
#[must_use]
pub fn is_one_way(property: &Value, root: &Value, directions: &[&str], depth: usize) -> bool {
    let inner = property.pointer("/anyOf/1").filter(|_| property.get(convert::NULLABLE).is_some());
    let property = inner.unwrap_or(property);
    let unions = ["anyOf", "oneOf"].into_iter().filter_map(|name| property.get(name)?.as_array());
    let is_inner = |inner: &Value| is_one_way(inner, root, directions, depth + 1);
    depth <= DEPTH
        && (directions.iter().any(|name| property.get(name) == Some(&Value::Bool(true)))
            || parts(property, root).any(is_inner)
            || unions.into_iter().any(|branches| branches.iter().all(is_inner)))
}

/// Moves null from the inline parts of an `allOf` to the whole.
fn hoist(schema: &mut Map<String, Value>) {
    let Some(Value::Array(parts)) = schema.get_mut("allOf") else { return };
    let mut is_nullable = false;
    for part in parts {
        let is_marked = part.get(convert::NULLABLE).is_some();
        let inner = part.pointer_mut("/anyOf/1").filter(|_| is_marked).map(Value::take);
        if let Some(inner) = inner {
            *part = inner;
            is_nullable = true;
        }
    }
    if is_nullable {
        let inner = std::mem::take(schema);
        schema.insert("anyOf".to_owned(), json!([{ "type": "null" }, inner]));
    }
}

/// Marks a `oneOf` to which null was added.
const SHARED: &str = "x-agree-shared";

/// Adds null to a `oneOf` of which several branches allow null.
fn share_null(schema: &mut Map<String, Value>) {
    let allows_null = |branch: &&Value| {
        branch.get(convert::NULLABLE).is_some()
            || branch.get("type").is_some_and(|names| {
                names == "null" || names.as_array().is_some_and(|names| names.contains(&"null".into()))
            })
    };
    let branches = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    // The inner schema is visited after this one.
    if branches.filter(allows_null).count() > 1 && !schema.contains_key(SHARED) {
        schema.insert(SHARED.to_owned(), true.into());
        let inner = std::mem::take(schema);
        schema.insert("anyOf".to_owned(), json!([{ "type": "null" }, inner]));
    }
}

/// Renames the formats of dates, to `own-date` and `own-date-time`, which the runtime's functions check.
fn strict_dates(schema: &mut Map<String, Value>) {
    if let Some(Value::String(format)) = schema.get_mut("format")
        && ["date", "date-time"].contains(&format.as_str())
    {
        format.insert_str(0, "own-");
    }
}

/// Adds null to the listed values of a type that allows null.
fn list_null(schema: &mut Map<String, Value>) {
    if schema.get("type").and_then(Value::as_array).is_none_or(|types| !types.contains(&"null".into())) {
        return;
    }
    if let Some(Value::Array(listed)) = schema.get_mut("enum") {
        listed.push(Value::Null);
    }
    if let Some(value) = schema.remove("const") {
        let mut listed = vec![value, Value::Null];
        // Both lists apply.
        listed.retain(|value| match schema.get("enum") {
            Some(Value::Array(all)) => all.contains(value),
            _ => true,
        });
        schema.insert("enum".to_owned(), listed.into());
    }
}

/// Replaces the text in the data of an event by the value that it encodes.
fn decode_data(schema: &mut Map<String, Value>) {
    let data = schema.get_mut("properties").and_then(|properties| properties.get_mut("data"));
    if let Some(data) = data
        && let Some(content) = data.get_mut("contentSchema").map(Value::take)
    {
        *data = content;
    }
}

/// Gives all properties of a map the schema of its only pattern.
fn match_all(schema: &mut Map<String, Value>) {
    if ["properties", "additionalProperties"].iter().any(|name| schema.contains_key(*name)) {
        return;
    }
    let patterns = schema.get("patternProperties").and_then(Value::as_object);
    let only = patterns.filter(|patterns| patterns.len() == 1).and_then(|patterns| patterns.values().next());
    if let Some(only) = only.cloned() {
        schema.insert("additionalProperties".to_owned(), only);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a schema in the reading of a known difference.
    fn read(name: &str, schema: Value) -> Value {
        let mut document = json!({ "schema": schema });
        match KNOWN.iter().find(|known| known.name == name).map(|known| &known.by) {
            Some(By::Reading(change)) => change(&mut document),
            _ => panic!("{name} is not a reading"),
        }
        document["schema"].take()
    }

    #[test]
    fn each_reading_changes_only_its_keywords() {
        let integers = json!({ "type": "integer", "allOf": [{ "minimum": i64::MIN, "maximum": i64::MAX }] });
        let nothing = json!({ "type": "null" });
        let part = json!({ "anyOf": [nothing, { "type": "string" }], "x-agree-nullable": true });
        for (name, schema, expected) in [
            ("integer-range", json!({ "type": "integer" }), integers),
            ("integer-range", json!({ "type": "number" }), json!({ "type": "number" })),
            (
                "direction",
                json!({ "required": ["id", "name"], "properties": { "id": { "readOnly": true } } }),
                json!({ "required": ["name"], "properties": { "id": { "readOnly": true } } }),
            ),
            (
                "nullable-list",
                json!({ "type": ["string", "null"], "const": "a" }),
                json!({ "type": ["string", "null"], "enum": ["a", null] }),
            ),
            (
                "pattern-map",
                json!({ "patternProperties": { "^a": { "type": "string" } } }),
                json!({ "patternProperties": { "^a": { "type": "string" } }, "additionalProperties": { "type": "string" } }),
            ),
            (
                "event-data",
                json!({ "properties": { "data": { "type": "string", "contentSchema": { "type": "object" } } } }),
                json!({ "properties": { "data": { "type": "object" } } }),
            ),
            (
                "nullable-branch",
                json!({ "oneOf": [part, { "type": ["array", "null"] }] }),
                json!({ "anyOf": [
                    nothing,
                    { "oneOf": [part, { "type": ["array", "null"] }], "x-agree-shared": true },
                ] }),
            ),
            (
                "nullable-part",
                json!({ "allOf": [part, { "maxLength": 2 }] }),
                json!({ "anyOf": [nothing, { "allOf": [{ "type": "string" }, { "maxLength": 2 }] }] }),
            ),
        ] {
            assert_eq!(read(name, schema), expected, "{name}");
        }
    }
}
