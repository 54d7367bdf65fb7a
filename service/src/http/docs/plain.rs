//! The OpenAPI document without objects in query parameters.
//!
//! OpenAPI leaves the nesting of `deepObject` undefined, so clients write nested objects in different ways. This document
//! describes the same requests by one parameter for each value: `filters[orientation][landscape]`.

use serde_json::{Map, Value, json};

/// The maximum nesting of objects that are unfolded. A recursive schema ends there.
const MAX_DEPTH: usize = 8;

/// Replaces each `deepObject` parameter of an operation with parameters for its values.
pub(super) fn unfold(document: &mut Value) {
    for (pointer, parameters) in unfolded(document) {
        if let Some(list) = document.pointer_mut(&pointer) {
            *list = Value::Array(parameters);
        }
    }
}

/// Returns the lists of parameters that have `deepObject` parameters, with the values of these instead.
fn unfolded(document: &Value) -> Vec<(String, Vec<Value>)> {
    let mut lists = Vec::new();
    for (path, item) in fields(document.get("paths")) {
        let item_pointer = format!("/paths/{}", path.replace('~', "~0").replace('/', "~1"));
        let of_operations = fields(Some(item)).map(|(method, operation)| (format!("/{method}"), operation));
        for (pointer, node) in of_operations.chain([(String::new(), item)]) {
            let parameters = node.get("parameters").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            if parameters.iter().any(|parameter| is_deep(document, parameter)) {
                let values = parameters.iter().flat_map(|parameter| values(document, parameter)).collect();
                lists.push((format!("{item_pointer}{pointer}/parameters"), values));
            }
        }
    }
    lists
}

fn is_deep(document: &Value, parameter: &Value) -> bool {
    resolved(document, parameter).get("style").is_some_and(|style| style == "deepObject")
}

/// Returns the parameters for the values of a `deepObject` parameter, or any other parameter as it is.
fn values(document: &Value, parameter: &Value) -> Vec<Value> {
    let deep = resolved(document, parameter).as_object().filter(|_| is_deep(document, parameter));
    let Some(deep) = deep else { return vec![parameter.clone()] };
    let whole = Part {
        name: deep.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
        schema: deep.get("schema").unwrap_or(&Value::Null),
        example: deep.get("example"),
        is_required: deep.get("required").is_some_and(|required| required == true),
    };
    let mut leaves = Vec::new();
    whole.leaves(document, 0, &mut leaves);
    leaves.into_iter().map(|leaf| leaf.parameter(document, deep)).collect()
}

/// A value in a parameter.
struct Part<'a> {
    /// The name of its key: `filters[orientation]`.
    name: String,
    schema: &'a Value,
    example: Option<&'a Value>,
    is_required: bool,
}

impl<'a> Part<'a> {
    /// Adds the values in this one that are not objects, and objects whose keys the document does not list.
    fn leaves(self, document: &'a Value, depth: usize, out: &mut Vec<Self>) {
        let schema = resolved(document, self.schema);
        let is_closed = schema.get("additionalProperties").is_some_and(|others| others == false);
        if !is_closed || depth == MAX_DEPTH {
            out.push(self);
            return;
        }
        let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (name, property) in fields(schema.get("properties")) {
            let part = Self {
                name: format!("{}[{name}]", self.name),
                schema: property,
                example: self.example.and_then(|example| example.get(name)),
                is_required: self.is_required && required.iter().any(|required| required == name),
            };
            part.leaves(document, depth + 1, out);
        }
    }

    /// Returns the parameter of this value. It has the extensions of the `deepObject` parameter.
    fn parameter(self, document: &Value, deep: &Map<String, Value>) -> Value {
        let schema = resolved(document, self.schema);
        let extensions = deep.iter().filter(|(name, _)| name.starts_with("x-"));
        let mut parameter: Map<String, Value> =
            extensions.map(|(name, value)| (name.clone(), value.clone())).collect();
        parameter.insert("name".to_owned(), self.name.into());
        parameter.insert("in".to_owned(), "query".into());
        parameter.insert("required".to_owned(), self.is_required.into());
        parameter.extend(schema.get("description").map(|text| ("description".to_owned(), text.clone())));
        if schema.get("type").is_some_and(|kind| kind == "object") {
            parameter.insert("style".to_owned(), "deepObject".into());
        }
        parameter.insert("explode".to_owned(), json!(true));
        parameter.insert("schema".to_owned(), self.schema.clone());
        parameter.extend(self.example.map(|example| ("example".to_owned(), example.clone())));
        Value::Object(parameter)
    }
}

/// Returns the fields of an object, and none of another value.
fn fields(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

/// Returns the target of a `$ref`, or a node without one as it is.
fn resolved<'a>(document: &'a Value, mut node: &'a Value) -> &'a Value {
    for _ in 0..MAX_DEPTH {
        let pointer = node.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
        match pointer.and_then(|pointer| document.pointer(pointer)) {
            Some(target) => node = target,
            None => break,
        }
    }
    node
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Returns the parameters by name that stand for a `deepObject` parameter.
    fn unfolded(deep: &Value, schemas: &Value) -> BTreeMap<String, Value> {
        let mut document = json!({
            "paths": {"/a~b/{id}": {
                "parameters": [{"$ref": "#/components/parameters/Deep"}],
                "get": {"parameters": [{"name": "page", "in": "query"}, deep]},
                "post": {},
            }},
            "components": {"parameters": {"Deep": deep}, "schemas": schemas},
        });
        unfold(&mut document);
        let item = &document["paths"]["/a~b/{id}"];
        let list = |node: &Value| node["parameters"].as_array().unwrap().clone();
        let (of_item, of_operation) = (list(item), list(&item["get"]));
        // Other parameters stay, and references are followed.
        assert_eq!(of_operation[0], json!({"name": "page", "in": "query"}));
        assert_eq!(of_item, of_operation[1..]);
        of_item
            .into_iter()
            .map(|parameter| (parameter["name"].as_str().unwrap().to_owned(), parameter))
            .collect()
    }

    #[test]
    fn each_value_has_a_parameter() {
        let min = json!({"type": "number", "description": "The least."});
        let tags = json!({"type": "array", "items": {"type": "string"}});
        let schemas = json!({
            "Size": {
                "type": "object",
                "additionalProperties": false,
                "required": ["min"],
                "properties": {"min": min, "tags": tags},
            },
            "Word": {"type": "string", "description": "A word."},
        });
        let deep = json!({
            "name": "f", "in": "query", "style": "deepObject", "explode": true, "required": true, "x-reason": "no",
            "description": "All.", "example": {"size": {"min": 2}},
            "schema": {"type": "object", "additionalProperties": false, "required": ["size"], "properties": {
                "size": {"$ref": "#/components/schemas/Size"},
                "word": {"$ref": "#/components/schemas/Word"},
                "open": {"type": "object"},
            }},
        });
        let expected = [
            json!({"name": "f[size][min]", "required": true, "description": "The least.", "schema": min, "example": 2}),
            json!({"name": "f[size][tags]", "required": false, "schema": tags}),
            json!({
                "name": "f[word]",
                "required": false,
                "description": "A word.",
                "schema": {"$ref": "#/components/schemas/Word"},
            }),
            // Its keys are not known, so they stay one parameter.
            json!({"name": "f[open]", "required": false, "style": "deepObject", "schema": {"type": "object"}}),
        ];
        let parameters = unfolded(&deep, &schemas);
        assert_eq!(parameters.len(), expected.len());
        for mut parameter in expected {
            for (field, value) in
                [("in", json!("query")), ("explode", json!(true)), ("x-reason", json!("no"))]
            {
                parameter[field] = value;
            }
            assert_eq!(parameters[parameter["name"].as_str().unwrap()], parameter);
        }
    }

    #[test]
    fn a_recursive_schema_ends() {
        let tree = json!({"$ref": "#/components/schemas/Tree"});
        let schemas = json!({
            "Tree": {"type": "object", "additionalProperties": false, "properties": {"left": tree}},
        });
        let deep = json!({"name": "t", "in": "query", "style": "deepObject", "schema": tree});
        let names: Vec<String> = unfolded(&deep, &schemas).into_keys().collect();
        assert_eq!(names, [format!("t{}", "[left]".repeat(MAX_DEPTH))]);
    }
}
