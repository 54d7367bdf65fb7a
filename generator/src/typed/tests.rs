//! The same document, as a text and as types.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::*;
use crate::diagnostics::Code;
use crate::document::{Document, Version};
use crate::{FileTree, Options, Source, generate, generate_from, lint_from};

/// The fixtures that openapiv3 can't read, with its reason.
const UNREADABLE: &[(&str, &str)] = &[
    // A callback of an operation may be a reference; openapiv3 wants it written out.
    ("callbacks", "invalid type: string \"#/components/callbacks/Failed\", expected struct PathItem"),
    // The fixture writes strings as numbers.
    ("in-practice", "invalid type: floating point `1.1`, expected a string"),
];

/// The fixtures from which openapiv3 drops something that the output depends on: `explode` of a header.
const DROPPED: &[&str] = &["response-headers"];

/// The fixtures whose methods or responses are in another order than openapiv3's, which the output follows.
const REORDERED: &[&str] = &["long-running", "responses", "several-media-types", "shared-errors"];

/// The order in which openapiv3 writes the methods of a path; `default` is in front of the other responses.
const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];

fn in_order_of_types(mut document: Value) -> Value {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for item in paths.into_iter().flat_map(Map::values_mut) {
        let Some(item) = item.as_object_mut() else { continue };
        move_to_end(item, METHODS);
        for method in METHODS {
            let responses = item.get_mut(*method).and_then(|operation| operation.get_mut("responses"));
            let Some(responses) = responses.and_then(Value::as_object_mut) else { continue };
            let others: Vec<String> = responses.keys().filter(|key| *key != "default").cloned().collect();
            move_to_end(responses, &others.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
    document
}

/// Moves entries to the end, in this order.
fn move_to_end(object: &mut Map<String, Value>, names: &[&str]) {
    for name in names {
        if let Some(value) = object.shift_remove(*name) {
            object.insert((*name).to_owned(), value);
        }
    }
}

fn files(text: &str) -> Option<FileTree> {
    generate("x", text, &Options::new("x", "x")).unwrap().files
}

#[test]
fn text_and_types_give_the_same_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/valid");
    let (mut reordered, mut dropped, mut unreadable, mut count) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let document = Document::parse("x", &text).document.unwrap();
        if document.version() != Version::V3_0 {
            continue;
        }
        count += 1;
        let value = document.root().to_json();
        let types: OpenAPI = match serde_json::from_value(value.clone()) {
            Ok(types) => types,
            Err(error) => {
                unreadable.push((name, error.to_string()));
                continue;
            }
        };
        let input = Input::from_openapi("x", &types);
        let generated = generate_from(&input, &Options::new("x", "x"), &|_| {}).unwrap();
        assert!(generated.files.is_some(), "{name}: {}", generated.report);
        if generated.files != files(&text) {
            let ordered = in_order_of_types(value).to_string();
            let kind = if generated.files == files(&ordered) { &mut reordered } else { &mut dropped };
            kind.push(name);
        }
    }
    for names in [&mut reordered, &mut dropped] {
        names.sort();
    }
    unreadable.sort();
    assert!(count > 40, "only {count} fixtures are OpenAPI 3.0");
    assert_eq!(reordered, REORDERED);
    assert_eq!(dropped, DROPPED);
    let unreadable: Vec<(&str, &str)> =
        unreadable.iter().map(|(name, error)| (name.as_str(), error.as_str())).collect();
    assert_eq!(unreadable, UNREADABLE);
}

#[test]
fn diagnostics_name_pointers() {
    let schema = json!({ "$ref": "#/components/schemas/Pat" });
    let response = json!({ "description": "Pets.", "content": { "application/json": { "schema": schema } } });
    let get = json!({ "operationId": "get", "tags": ["pets"], "responses": { "200": response } });
    let other = json!({ "operationId": "get", "tags": ["pets"], "responses": {} });
    let paths = json!({ "/pets": { "get": get }, "/pets~all/toys": { "get": other } });
    let document = json!({
        "openapi": "3.0.3",
        "info": { "title": "Pets", "version": "1.0.0" },
        "paths": paths,
        "components": { "schemas": { "Pet": { "type": "string" } } },
    });
    let report = lint_from(&Input::from_openapi("pets", &serde_json::from_value(document).unwrap()));
    let found: Vec<_> = report
        .diagnostics
        .iter()
        .map(|diagnostic| (diagnostic.code, diagnostic.pointer.as_deref()))
        .collect();
    let schema = "/paths/~1pets/get/responses/200/content/application~1json/schema/$ref";
    let other = "/paths/~1pets~0all~1toys/get";
    let expected = [
        (Code::DuplicateOperationId, Some("/paths/~1pets/get/operationId")),
        (Code::UnknownRef, Some(schema)),
        (Code::NoSuccess, Some(other)),
        (Code::DuplicateOperationId, Some("/paths/~1pets~0all~1toys/get/operationId")),
    ];
    assert_eq!(found, expected);
    let text = report.to_string();
    assert!(text.contains(&format!("pets#{schema}: error[unknown-ref]: ")), "{text}");
    assert!(text.contains(&format!("= note: pets#{other}: ")), "{text}");
}

/// Returns a document whose path `/b` has an unknown reference; `/a` has no responses.
fn two_paths() -> OpenAPI {
    let operation =
        |id: &str, responses: Value| json!({ "get": { "operationId": id, "responses": responses } });
    let wrong = json!({ "200": { "$ref": "#/components/responses/Gone" } });
    let document = json!({
        "openapi": "3.0.3",
        "info": { "title": "Pets", "version": "1.0.0" },
        "paths": { "/a": operation("getA", json!({})), "/b": operation("getB", wrong) },
    });
    serde_json::from_value(document).unwrap()
}

#[test]
fn overlays_are_applied() {
    let overlay = "overlay: 1.1.0
info: {title: Less, version: 1.0.0}
actions:
  - {target: \"$.paths['/b']\", remove: true}
  - {target: \"$.paths['/a'].get.responses\", update: {'204': {description: Done.}}}
";
    let (types, overlays) = (two_paths(), [Source::new("less.yaml", overlay)]);
    let input = Input::from_openapi("pets", &types);
    assert_eq!(lint_from(&input).diagnostics.len(), 2);
    let input = input.overlays(&overlays);
    assert_eq!(lint_from(&input).to_string(), "");
    let generated = generate_from(&input, &Options::new("pets", "pets"), &|_| {}).unwrap();
    assert_eq!(generated.operations, 1);
}

#[test]
fn diagnostics_about_added_values_name_the_overlay() {
    let overlay = "overlay: 1.1.0
info: {title: More, version: 1.0.0}
actions:
  - target: \"$.paths['/a'].get\"
    update: {responses: {'200': {$ref: '#/components/responses/None'}}}
  - {target: \"$.paths['/a']\", update: 3}
";
    let (types, overlays) = (two_paths(), [Source::new("more.yaml", overlay)]);
    let report = lint_from(&Input::from_openapi("pets", &types).overlays(&overlays));
    let expected = "\
pets#/paths/~1b/get/responses/200/$ref: error[unknown-ref]: unknown response reference `#/components/responses/Gone`
  = at: in getB (GET /b)

more.yaml:5:40: error[unknown-ref]: unknown response reference `#/components/responses/None`
  |
5 |     update: {responses: {'200': {$ref: '#/components/responses/None'}}}
  |                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  …
4 |   - target: \"$.paths['/a'].get\"
  |             ------------------- added by this action
  = at: #/paths/~1a/get/responses/200/$ref, in getA (GET /a)

more.yaml:6:39: error[overlay-conflict]: a number can't be merged into an object
  |
6 |   - {target: \"$.paths['/a']\", update: 3}
  |                                       ^
  = at: #/actions/1/update
  = help: write an object with the fields to add or to replace

";
    assert_eq!(report.to_string(), expected);
}
