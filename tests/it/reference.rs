//! Tests that every operation of the reference is present.
//!
//! The spec and the tables must have the operations of the list next to the tests. All others must be marked as chosen.

use std::collections::BTreeSet;

use serde_yaml::Value;

use crate::support::{read, root, spec};

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

#[test]
fn spec_has_the_operations_of_the_reference() {
    assert_same("spec/openapi.yaml", &spec_operations());
}

#[test]
fn tables_have_the_operations_of_the_reference() {
    let rows = asset_api_validation::OPERATIONS.iter().copied().flatten();
    let rows = rows.map(|operation| format!("{} {}", operation.method, operation.path));
    assert_same("asset_api_validation::OPERATIONS", &rows.collect());
}

#[test]
fn every_operation_has_examples() {
    let spec: Value = serde_yaml::from_str(&spec()).expect("the spec is YAML");
    let mut missing = Vec::new();
    each_operation(&spec, |name, item, operation| {
        let parameters = [item, operation].into_iter().flat_map(|node| items(&node["parameters"]));
        for parameter in parameters.map(|parameter| resolve(&spec, parameter)) {
            if parameter["required"] == true && !has_example(&spec, parameter) {
                missing.push(format!("{name}: parameter {:?}", parameter["name"]));
            }
        }
        let body = resolve(&spec, &operation["requestBody"]);
        let responses = operation["responses"].as_mapping().into_iter().flatten();
        let responses = responses.map(|(_, response)| resolve(&spec, response));
        for content in std::iter::once(body).chain(responses).map(|node| &node["content"]) {
            for (media_type, content) in content.as_mapping().into_iter().flatten() {
                if !has_example(&spec, content) {
                    missing.push(format!("{name}: {media_type:?}"));
                }
            }
        }
    });
    assert!(missing.is_empty(), "add an example to:\n{}", missing.join("\n"));
}

/// The limits of URLs and media are ours, except the length of a reference video.
#[test]
fn limits_of_urls_and_media_are_marked_as_chosen() {
    let spec: Value = serde_yaml::from_str(&spec()).expect("the spec is YAML");
    let mut checked = 0;
    each_schema(&spec["components"]["schemas"], false, &mut |schema, is_chosen| {
        let marks = &schema["x-origin"];
        let is_marked = |part: &str| is_chosen || items(marks).any(|mark| mark == part);
        if schema["pattern"].as_str().is_some_and(|pattern| pattern.starts_with("^http")) {
            assert!(is_marked("pattern") && is_marked("maxLength"), "{schema:?}");
            checked += 1;
        }
        for (keyword, _) in schema["x-media"].as_mapping().into_iter().flatten() {
            let keyword = keyword.as_str().expect("a keyword is a string");
            let is_of_reference = ["kind", "min-seconds", "max-seconds"].contains(&keyword);
            let part = format!("x-media.{keyword}");
            assert!(is_of_reference || is_marked("x-media") || is_marked(&part), "{part}: {schema:?}");
            checked += 1;
        }
    });
    assert!(checked > 20, "{checked}");
}

/// A text without a limit is as large as the body, and its task is stored with it.
#[test]
fn texts_of_requests_have_a_limit() {
    let spec: Value = serde_yaml::from_str(&spec()).expect("the spec is YAML");
    let mut unlimited = BTreeSet::new();
    each_operation(&spec, |_, _, operation| {
        let body = resolve(&spec, &operation["requestBody"]);
        for (_, content) in body["content"].as_mapping().into_iter().flatten() {
            find_unlimited(&spec, &content["schema"], "the body", &mut BTreeSet::new(), &mut unlimited);
        }
    });
    // Media have limits of their own. So has each operation that takes the inputs of an app.
    let expected = ["AppInputValue.oneOf", "ImageInput", "VideoInput"].map(str::to_owned);
    assert_eq!(unlimited, BTreeSet::from(expected));
}

/// Finds the texts below a schema that nothing limits.
fn find_unlimited<'a>(
    spec: &'a Value,
    schema: &'a Value,
    name: &str,
    visited: &mut BTreeSet<&'a str>,
    found: &mut BTreeSet<String>,
) {
    if let Some(reference) = schema["$ref"].as_str() {
        if visited.insert(reference) {
            let name = reference.rsplit('/').next().unwrap_or_default();
            find_unlimited(spec, resolve(spec, schema), name, visited, found);
        }
        return;
    }
    let limits = ["maxLength", "enum", "const", "format", "pattern"];
    if schema["type"] == "string" && limits.iter().all(|limit| schema.get(limit).is_none()) {
        found.insert(name.to_owned());
    }
    for (keyword, below) in schema.as_mapping().into_iter().flatten() {
        let keyword = keyword.as_str().expect("a keyword is a string");
        match keyword {
            "properties" => below.as_mapping().into_iter().flatten().for_each(|(property, below)| {
                let property = property.as_str().expect("a property has a name");
                find_unlimited(spec, below, &format!("{name}.{property}"), visited, found);
            }),
            "items" | "additionalProperties" => find_unlimited(spec, below, name, visited, found),
            "allOf" | "anyOf" | "oneOf" => items(below)
                .for_each(|below| find_unlimited(spec, below, &format!("{name}.{keyword}"), visited, found)),
            _ => {}
        }
    }
}

/// Visits each schema, and whether a mark covers it as a whole.
fn each_schema<'a>(node: &'a Value, is_chosen: bool, visit: &mut dyn FnMut(&'a Value, bool)) {
    let is_chosen = match &node["x-origin"] {
        Value::Null => is_chosen,
        mark => mark == "chosen",
    };
    if node.is_mapping() {
        visit(node, is_chosen);
    }
    let below = node.as_mapping().into_iter().flatten().map(|(_, below)| below).chain(items(node));
    below.for_each(|below| each_schema(below, is_chosen, visit));
}

fn assert_same(what: &str, found: &BTreeSet<String>) {
    let listed = read(&root().join("tests/reference-operations.txt"));
    let listed: BTreeSet<String> =
        listed.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect();
    let forgotten: Vec<_> = listed.difference(found).collect();
    assert!(forgotten.is_empty(), "missing in {what}: {forgotten:#?}");
    let chosen = chosen_operations();
    let unmarked: Vec<_> = found.difference(&listed).filter(|name| !chosen.contains(*name)).collect();
    assert!(unmarked.is_empty(), "not in the reference, so {what} needs `x-origin: chosen`: {unmarked:#?}");
}

/// Returns the operations that the spec marks as chosen by this project.
fn chosen_operations() -> BTreeSet<String> {
    let spec: Value = serde_yaml::from_str(&spec()).expect("the spec is YAML");
    let mut names = BTreeSet::new();
    each_operation(&spec, |name, item, operation| {
        if [item, operation].iter().any(|node| node["x-origin"] == "chosen") {
            names.insert(name.to_owned());
        }
    });
    names
}

fn spec_operations() -> BTreeSet<String> {
    let spec: Value = serde_yaml::from_str(&spec()).expect("the spec is YAML");
    let mut names = BTreeSet::new();
    each_operation(&spec, |name, _, _| {
        names.insert(name.to_owned());
    });
    names
}

/// Visits each operation with its method and path, its path item, and its node.
fn each_operation<'a>(spec: &'a Value, mut visit: impl FnMut(&str, &'a Value, &'a Value)) {
    for (path, item) in spec["paths"].as_mapping().expect("the spec has paths") {
        let path = path.as_str().expect("a path is a string");
        for method in METHODS {
            if let Some(operation) = item.get(method) {
                visit(&format!("{} {path}", method.to_uppercase()), item, operation);
            }
        }
    }
}

fn resolve<'a>(spec: &'a Value, node: &'a Value) -> &'a Value {
    let Some(reference) = node.get("$ref").and_then(Value::as_str) else { return node };
    let names = reference.strip_prefix("#/").expect("references stay within the spec").split('/');
    let target = names.fold(spec, |node, name| &node[name]);
    resolve(spec, target)
}

fn has_example(spec: &Value, node: &Value) -> bool {
    let schema = resolve(spec, &node["schema"]);
    [node, schema].into_iter().any(|node| node.get("example").or(node.get("examples")).is_some())
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_sequence().into_iter().flatten()
}
