//! The spec's examples for each operation, found by the operation's row.

use std::sync::LazyLock;

use asset_api_validation::OPERATIONS;
use openapi_crates_runtime::table::{Location, Operation, Parameter};
use serde_json::{Value, json};

use crate::support;

/// The parsed spec.
pub static SPEC: LazyLock<Value> =
    LazyLock::new(|| serde_yaml::from_str(&support::spec()).expect("the spec is YAML"));

/// Returns every operation that has a row.
pub fn operations() -> impl Iterator<Item = &'static Operation> {
    OPERATIONS.iter().copied().flatten().copied()
}

/// Returns the operation with this id.
pub fn operation(id: &str) -> &'static Operation {
    operations().find(|operation| operation.id == id).unwrap_or_else(|| panic!("unknown operation {id}"))
}

/// Follows `$ref`.
pub fn resolve(node: &'static Value) -> &'static Value {
    let Some(reference) = node.get("$ref").and_then(Value::as_str) else { return node };
    let pointer = reference.strip_prefix('#').expect("references stay within the spec");
    resolve(SPEC.pointer(pointer).unwrap_or_else(|| panic!("unknown reference {reference}")))
}

/// Returns the operation's node in the document.
pub fn node(operation: &Operation) -> &'static Value {
    &SPEC["paths"][operation.path][operation.method.to_ascii_lowercase()]
}

/// Returns the nodes of the operation's parameters, those of its path first.
pub fn parameters(operation: &Operation) -> Vec<&'static Value> {
    let of_path = &SPEC["paths"][operation.path]["parameters"];
    let own = &node(operation)["parameters"];
    [of_path, own].into_iter().flat_map(|list| list.as_array().into_iter().flatten()).map(resolve).collect()
}

/// Returns the example of a parameter, if it has one.
pub fn parameter_example(operation: &Operation, parameter: &Parameter) -> Option<&'static Value> {
    let location = match parameter.location {
        Location::Path => "path",
        Location::Query => "query",
        Location::Header => "header",
        Location::Cookie => "cookie",
        _ => unreachable!("the tests know every kind of row"),
    };
    let is_match = |node: &&&Value| node["name"] == parameter.name && node["in"] == location;
    parameters(operation).iter().find(is_match).and_then(|node| example(node))
}

/// Returns the example of the request body, if the operation has one.
pub fn body_example(operation: &Operation) -> Option<&'static Value> {
    let body = resolve(&node(operation)["requestBody"]);
    example(body["content"].as_object()?.values().next()?)
}

/// Returns the schema of a JSON body.
pub fn body_schema(operation: &Operation) -> &'static Value {
    &resolve(&node(operation)["requestBody"])["content"]["application/json"]["schema"]
}

/// Returns the first documented success: its status and the example of its body.
pub fn success_example(operation: &Operation) -> (u16, &'static Value) {
    let responses = node(operation)["responses"].as_object().expect("an operation has responses");
    let (status, response) = responses
        .iter()
        .find(|(status, _)| status.starts_with('2'))
        .unwrap_or_else(|| panic!("{} has no success", operation.id));
    let content = &resolve(response)["content"]["application/json"];
    let example = example(content).unwrap_or_else(|| panic!("{} has no example", operation.id));
    (status.parse().expect("a success has one code"), example)
}

/// Returns the operation's example as the input of a dynamic call.
///
/// It contains the parameters by their wire names, and `body`.
pub fn input_example(operation: &Operation) -> Value {
    let mut input = json!({});
    for parameter in operation.parameters {
        if let Some(example) = parameter_example(operation, parameter) {
            input[parameter.name] = example.clone();
        }
    }
    if let Some(body) = body_example(operation) {
        input["body"] = body.clone();
    }
    input
}

/// Returns `example`, or the first of `examples`.
fn example(node: &'static Value) -> Option<&'static Value> {
    node.get("example").or_else(|| resolve(node.get("examples")?.as_object()?.values().next()?).get("value"))
}
