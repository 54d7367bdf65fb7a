//! Tests of documents in several files.

use std::collections::HashMap;

use crate::{diagnostics::Diagnostics, document::Document, tree::Node};

/// Parses the files, of which the first is the main one.
///
/// Returns the document and the diagnostics.
fn document(files: &[(&str, &str)]) -> (Document, Diagnostics) {
    let texts: HashMap<&str, &str> = files.iter().copied().collect();
    let load =
        |path: &str| texts.get(path).map(|text| (*text).to_owned()).ok_or_else(|| "no such file".to_owned());
    let (name, text) = files[0];
    let parsed = Document::parse_with(name, text, &[], Some(&load));
    (parsed.document.unwrap(), parsed.diagnostics)
}

fn reference<'d>(document: &'d Document, pointer: &str) -> &'d str {
    document
        .lookup(pointer)
        .unwrap_or_else(|error| panic!("{error}"))
        .get("$ref")
        .and_then(Node::as_str)
        .unwrap()
}

fn names<'d>(document: &'d Document, section: &str) -> Vec<&'d str> {
    document.components(section).map(|(name, _)| name).collect()
}

#[test]
fn schemas_of_other_files_are_components() {
    let (document, found) = document(&[
        (
            "spec/api.yaml",
            "openapi: 3.0.3\npaths:\n  /pets: {$ref: paths/pets.yaml}\ncomponents:\n  schemas:\n    Own: {properties: {pet: {$ref: './schemas/pet.yaml#/Pet'}}}\n",
        ),
        (
            "spec/paths/pets.yaml",
            "get:\n  parameters: [{$ref: '../parameters.yaml#/Limit'}]\n  responses:\n    default: {content: {x/y: {schema: {$ref: ../schemas/owner.yaml}}}}\n",
        ),
        ("spec/schemas/pet.yaml", "Pet: {properties: {owner: {$ref: owner.yaml}, like: {$ref: '#/Pet'}}}\n"),
        (
            "spec/schemas/owner.yaml",
            "properties: {pets: {items: {$ref: 'pet.yaml#/Pet'}}, own: {$ref: '../api.yaml#/components/schemas/Own'}, me: {$ref: '#'}}\n",
        ),
        ("spec/parameters.yaml", "Limit: {name: limit, in: query}\n"),
    ]);
    assert!(found.is_empty(), "{}", found.report(&document));
    assert_eq!(names(&document, "schemas"), ["Own", "Pet", "owner"]);
    assert_eq!(names(&document, "parameters"), ["Limit"]);
    for (pointer, expected) in [
        ("#/components/schemas/Own/properties/pet", "#/components/schemas/Pet"),
        ("#/components/schemas/Pet/properties/like", "#/components/schemas/Pet"),
        ("#/components/schemas/Pet/properties/owner", "#/components/schemas/owner"),
        ("#/components/schemas/owner/properties/pets/items", "#/components/schemas/Pet"),
        ("#/components/schemas/owner/properties/own", "#/components/schemas/Own"),
        ("#/components/schemas/owner/properties/me", "#/components/schemas/owner"),
        ("#/paths/~1pets", "spec/paths/pets.yaml#"),
        ("spec/paths/pets.yaml#/get/parameters/0", "#/components/parameters/Limit"),
    ] {
        assert_eq!(reference(&document, pointer), expected, "{pointer}");
    }
}

#[test]
fn a_component_that_is_a_reference_names_its_target() {
    let (document, _) = document(&[
        (
            "api.yaml",
            "openapi: 3.0.3\ncomponents:\n  schemas:\n    Animal: {$ref: 'pet.yaml#/Pet'}\n    Beast: {$ref: 'pet.yaml#/Pet'}\n    Pet: {type: string}\n  responses: {$ref: responses.yaml}\n",
        ),
        ("pet.yaml", "Pet: {properties: {next: {$ref: '#/Pet'}}}\n"),
        ("responses.yaml", "Bad: {$ref: bad.yaml}\nWorse: {description: Worse.}\n"),
        ("bad.yaml", "description: Bad.\n"),
    ]);
    assert_eq!(names(&document, "schemas"), ["Animal", "Beast", "Pet"]);
    assert_eq!(
        reference(&document, "#/components/schemas/Animal/properties/next"),
        "#/components/schemas/Animal"
    );
    assert_eq!(reference(&document, "#/components/schemas/Beast"), "#/components/schemas/Animal");
    assert_eq!(names(&document, "responses"), ["Bad", "Worse"]);
    let bad = document.lookup("#/components/responses/Bad").unwrap();
    assert_eq!(bad.get("description").and_then(Node::as_str), Some("Bad."));
    assert!(document.lookup("#/components/responses/Worse").is_ok());
}

#[test]
fn files_with_one_name_get_longer_names() {
    let (document, _) = document(&[
        (
            "api.yaml",
            "openapi: 3.0.3\ncomponents:\n  schemas:\n    Own: {allOf: [{$ref: 'a.yaml#/Pet'}, {$ref: 'b.yaml#/Pet'}, {$ref: 'c.yaml#/Own'}, {$ref: 'x/d.yaml#/a/0'}]}\n",
        ),
        ("a.yaml", "Pet: {}\n"),
        ("b.yaml", "Pet: {}\n"),
        ("c.yaml", "Own: {}\n"),
        ("x/d.yaml", "a: [{}]\n"),
    ]);
    assert_eq!(names(&document, "schemas"), ["Own", "a_Pet", "b_Pet", "c_Own", "d_a_0"]);
}

#[test]
fn anchors_and_ids() {
    let (document, found) = document(&[(
        "api.yaml",
        "openapi: 3.1.0\ncomponents:\n  schemas:\n    A: {$anchor: one, type: string}\n    B: {$id: 'https://example.com/b', $defs: {x: {}}}\n    C: {allOf: [{$ref: '#one'}, {$ref: 'https://example.com/b'}, {$ref: 'https://example.com/b#/$defs/x'}, {$ref: 'https://example.com/c'}]}\n    D: {example: {$ref: nothing.yaml}, enum: [{$ref: nothing.yaml}], x-more: {$ref: nothing.yaml}}\n",
    )]);
    assert!(found.is_empty());
    let at = |index: usize| reference(&document, &format!("#/components/schemas/C/allOf/{index}"));
    assert_eq!(at(0), "#/components/schemas/A");
    assert_eq!(at(1), "#/components/schemas/B");
    assert_eq!(at(2), "#/components/schemas/B/$defs/x");
    let error = document.lookup(at(3)).unwrap_err().to_string();
    assert!(error.contains("URLs are not fetched") && error.contains("save the target as a file"), "{error}");
}

#[test]
fn mistakes_name_their_file() {
    let text = "openapi: 3.0.3\ninfo: {title: x, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n    A: {$ref: bad.yaml}\n    B: {$ref: gone.yaml}\n    C: {$ref: 'good.json#/nothing'}\n    D: {$ref: 'good.json#/wrong'}\n    E: {$ref: 'https://example.com/x'}\n";
    let texts = HashMap::from([
        ("bad.yaml", "a: b: c\n"),
        ("good.json", "{\"wrong\": {\"type\": \"object\",\n  \"properties\": {\"a\": {\"type\": 7}}}}"),
    ]);
    let load =
        |path: &str| texts.get(path).map(|text| (*text).to_owned()).ok_or_else(|| "no such file".to_owned());
    let report = crate::lint_from(&crate::Input { load: Some(&load), ..crate::Input::new("api.yaml", text) })
        .to_string();
    for expected in [
        "bad.yaml:1:5: error[unreadable-file]: invalid YAML",
        "api.yaml:6:15: error[unknown-ref]: file `bad.yaml` is not valid JSON or YAML",
        "api.yaml:7:15: error[unknown-ref]: file `gone.yaml` cannot be read: no such file",
        "api.yaml:8:15: error[unknown-ref]: unknown reference `good.json#/nothing`",
        "good.json:2:32: error[wrong-type]: `type` must be",
        "api.yaml:10:15: error[unknown-ref]: cannot resolve `https://example.com/x`: URLs are not fetched",
    ] {
        assert!(report.contains(expected), "{expected} is not in\n{report}");
    }
}

#[test]
fn documents_are_found_by_the_uri_that_they_give_themselves() {
    let (document, found) = document(&[
        (
            "api.yaml",
            "openapi: 3.2.0\n$self: https://example.com/v1/main\ncomponents:\n  schemas:\n    A: {allOf: [{$ref: 'https://example.com/v1/main#/components/schemas/B'}, {$ref: 'main#/components/schemas/B'}, {$ref: 'other.yaml#/X'}, {$ref: 'more#/X'}]}\n    B: {type: string}\n",
        ),
        (
            "other.yaml",
            "$self: https://example.com/v1/more\nX: {allOf: [{$ref: 'main#/components/schemas/B'}]}\n",
        ),
    ]);
    assert!(found.is_empty(), "{}", found.report(&document));
    for (pointer, expected) in [
        ("#/components/schemas/A/allOf/0", "#/components/schemas/B"),
        ("#/components/schemas/A/allOf/1", "#/components/schemas/B"),
        ("#/components/schemas/A/allOf/2", "#/components/schemas/X"),
        ("#/components/schemas/A/allOf/3", "#/components/schemas/X"),
        ("#/components/schemas/X/allOf/0", "#/components/schemas/B"),
    ] {
        assert_eq!(reference(&document, pointer), expected, "{pointer}");
    }
}

#[test]
fn a_relative_self_is_relative_to_the_file() {
    let (document, found) = document(&[
        (
            "spec/api.yaml",
            "openapi: 3.2.0\n$self: v1/main\ncomponents:\n  schemas:\n    A: {allOf: [{$ref: 'main#/components/schemas/B'}, {$ref: 'parts/more.yaml#/X'}]}\n    B: {type: string}\n",
        ),
        ("spec/parts/more.yaml", "X: {allOf: [{$ref: '../v1/main#/components/schemas/B'}]}\n"),
    ]);
    assert!(found.is_empty(), "{}", found.report(&document));
    for (pointer, expected) in [
        ("#/components/schemas/A/allOf/0", "#/components/schemas/B"),
        ("#/components/schemas/X/allOf/0", "#/components/schemas/B"),
    ] {
        assert_eq!(reference(&document, pointer), expected);
    }
}
