//! Cuts a document down to fewer operations.
//!
//! This shows how the time per operation depends on their number.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Returns the number of operations in a document.
pub fn operations(document: &Value) -> usize {
    indices(document).len()
}

/// Returns the path and method of each operation.
fn indices(document: &Value) -> Vec<(&str, &str)> {
    let mut indices = Vec::new();
    for (path, item) in document.get("paths").and_then(Value::as_object).into_iter().flatten() {
        let names = item.as_object().into_iter().flat_map(Map::keys).map(String::as_str);
        indices.extend(names.filter(|name| METHODS.contains(name)).map(|name| (path.as_str(), name)));
    }
    indices
}

/// Returns the document with `count` of its operations, evenly distributed.
///
/// Components that the operations don't need are removed.
pub fn cut(document: &Value, count: usize) -> Value {
    let indices = indices(document);
    let count = count.min(indices.len());
    let kept: BTreeSet<(String, String)> = (0..count)
        .filter_map(|index| indices.get(index * indices.len() / count.max(1)))
        .map(|(path, method)| ((*path).to_owned(), (*method).to_owned()))
        .collect();
    let mut cut = document.clone();
    if let Some(paths) = cut.get_mut("paths").and_then(Value::as_object_mut) {
        for (path, item) in paths.iter_mut() {
            let Some(item) = item.as_object_mut() else { continue };
            item.retain(|name, _| {
                !METHODS.contains(&name.as_str()) || kept.contains(&(path.clone(), name.clone()))
            });
        }
        let has_operation = |item: &Value| METHODS.iter().any(|method| item.get(method).is_some());
        paths.retain(|_, item| has_operation(item));
    }
    if let Some(document) = cut.as_object_mut() {
        for name in ["webhooks", "x-webhooks"] {
            document.remove(name);
        }
    }
    let needed = needed(&cut);
    if let Some(components) = cut.get_mut("components").and_then(Value::as_object_mut) {
        for (kind, components) in components.iter_mut().filter(|(kind, _)| *kind != "securitySchemes") {
            let Some(components) = components.as_object_mut() else { continue };
            components.retain(|name, _| needed.contains(&format!("#/components/{kind}/{name}")));
        }
    }
    cut
}

/// Returns the components that the paths refer to, directly or indirectly.
fn needed(document: &Value) -> BTreeSet<String> {
    let mut needed = BTreeSet::new();
    let mut values: Vec<&Value> = document.get("paths").into_iter().collect();
    while let Some(value) = values.pop() {
        match value {
            Value::Array(items) => values.extend(items),
            Value::Object(entries) => values.extend(entries.values()),
            Value::String(text) if text.starts_with("#/components/") => {
                // A reference may point to a node inside a component.
                let component: Vec<&str> = text.split('/').take(4).collect();
                if needed.insert(component.join("/").replace("~1", "/").replace("~0", "~")) {
                    values.extend(document.pointer(component.join("/").trim_start_matches('#')));
                }
            }
            _ => {}
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn needed_components_stay() {
        let reference = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
        let document = json!({
            "paths": {
                "/a": {"parameters": [], "get": reference("A"), "post": {}},
                "/b": {"get": {}},
                "/c": {"get": reference("C/properties/x")},
            },
            "webhooks": {"w": {}},
            "components": {
                "schemas": {"A": reference("B"), "B": reference("A"), "C": {}},
                "securitySchemes": {"key": {}},
            },
        });
        assert_eq!(operations(&document), 4);
        let expected = json!({
            "paths": {"/a": {"parameters": [], "get": reference("A")}, "/b": {"get": {}}},
            "components": {
                "schemas": {"A": reference("B"), "B": reference("A")},
                "securitySchemes": {"key": {}},
            },
        });
        assert_eq!(cut(&document, 2), expected);
        assert_eq!(operations(&cut(&document, 9)), 4);
    }
}
