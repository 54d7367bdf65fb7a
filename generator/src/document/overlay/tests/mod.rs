//! Tests of overlays.

mod model;
mod notes;
mod paths;
mod rules;

use crate::document::{Document, Parsed, Source};

/// Applies actions, given as a list in YAML, to a document.
fn applied(document: &str, actions: &str) -> Parsed {
    let actions = if actions.starts_with('[') { format!(" {actions}") } else { format!("\n{actions}") };
    overlaid(document, &[&format!("overlay: 1.1.0\ninfo: {{title: T, version: '1'}}\nactions:{actions}")])
}

/// Applies overlays to a document.
fn overlaid(document: &str, overlays: &[&str]) -> Parsed {
    let name = |index: usize| format!("{}.overlay.yaml", index + 1);
    let overlays: Vec<Source> =
        overlays.iter().enumerate().map(|(index, text)| Source::new(name(index), text)).collect();
    Document::parse_with("a.yaml", document, &overlays, None)
}

/// Returns the document as JSON, whose fields are in order.
fn json(parsed: &Parsed) -> String {
    parsed.document.as_ref().unwrap().root().to_json().to_string()
}

/// The tests of actions: what they show, the document, the actions, the result. The `openapi` field is left out.
const ACTIONS: &[(&str, &str, &str, &str)] = &[
    (
        "fields are added after the others",
        "{a: {b: 1}}",
        "[{target: $.a, update: {c: 2}}]",
        "{a: {b: 1, c: 2}}",
    ),
    (
        "objects merge at all levels, in place",
        "{a: {b: {c: 1, d: 2}, e: 3}}",
        "[{target: $, update: {a: {b: {d: 4, f: {g: 5}}}, h: {}}}]",
        "{a: {b: {c: 1, d: 4, f: {g: 5}}, e: 3}, h: {}}",
    ),
    (
        "arrays in objects are concatenated",
        "{a: {b: [1]}}",
        "[{target: $.a, update: {b: [1, [2]]}}]",
        "{a: {b: [1, 1, [2]]}}",
    ),
    (
        "an array is concatenated with an array",
        "{a: [1]}",
        "[{target: $.a, update: [2, 3]}]",
        "{a: [1, 2, 3]}",
    ),
    ("an array gets an object as an item", "{a: [1]}", "[{target: $.a, update: {b: 2}}]", "{a: [1, {b: 2}]}"),
    ("an array gets a primitive as an item", "{a: []}", "[{target: $.a, update: null}]", "{a: [null]}"),
    (
        "primitives replace primitives of any type",
        "{a: x, b: 1}",
        "[{target: \"$['a', 'b']\", update: null}]",
        "{a: null, b: null}",
    ),
    (
        "every selected node is updated",
        "{a: [{b: 1}, {b: 2}]}",
        "[{target: '$.a[*]', update: {c: 3}}]",
        "{a: [{b: 1, c: 3}, {b: 2, c: 3}]}",
    ),
    (
        "a node that is selected twice is updated once",
        "{a: []}",
        "[{target: \"$['a', 'a']\", update: 1}]",
        "{a: [1]}",
    ),
    (
        "added nodes are not selected by the action that adds them",
        "{a: {b: {}}}",
        "[{target: '$..[?@.b || @.c]', update: {c: {c: {}}}}]",
        "{a: {b: {}, c: {c: {}}}}",
    ),
    (
        "nodes in selected nodes are updated after these",
        "{a: {l: [], a: {l: []}}}",
        "[{target: $..a, update: {l: [1], a: {l: [2]}}}]",
        "{a: {l: [1], a: {l: [2, 1], a: {l: [2]}}}}",
    ),
    (
        "fields and items are removed",
        "{a: {b: 1, c: 2}, d: [1, 2, 3]}",
        "[{target: \"$['a']['b']\", remove: true}, {target: '$.d[0, 2]', remove: true}]",
        "{a: {c: 2}, d: [2]}",
    ),
    (
        "everything selected is removed",
        "{a: {a: {a: 1}, b: [{a: 2}, 3]}}",
        "[{target: $.a..a, remove: true}]",
        "{a: {b: [{}, 3]}}",
    ),
    (
        "a node and nodes in it are removed",
        "{a: [[1, 2], [3], 4]}",
        "[{target: '$.a..[?@ != 3]', remove: true}]",
        "{a: []}",
    ),
    (
        "both fields of one name are removed",
        "{a: {b: 1, b: 2, c: 3}}",
        "[{target: $.a.b, remove: true}]",
        "{a: {c: 3}}",
    ),
    ("`remove: false` is not a change", "{a: 1}", "[{target: $.a, remove: false, update: 2}]", "{a: 2}"),
    (
        "an action sees the result of the previous one",
        "{a: {b: 1}}",
        "[{target: $.a.b, remove: true}, {target: $.a, update: {b: {c: 1}}}, {target: $.a.b, update: {d: 2}}]",
        "{a: {b: {c: 1, d: 2}}}",
    ),
    (
        "an object is copied into another",
        "{a: {b: {c: 1}}, d: {e: 2}}",
        "[{target: $.d, copy: $.a.b}]",
        "{a: {b: {c: 1}}, d: {e: 2, c: 1}}",
    ),
    (
        "an array is copied into another",
        "{a: [1], b: [2]}",
        "[{target: $.b, copy: $.a}]",
        "{a: [1], b: [2, 1]}",
    ),
    (
        "a primitive is copied",
        "{a: 1, b: x, c: y}",
        "[{target: \"$['b', 'c']\", copy: $.a}]",
        "{a: 1, b: 1, c: 1}",
    ),
    ("an object is copied into itself", "{a: {b: {}}}", "[{target: $.a.b, copy: $.a}]", "{a: {b: {b: {}}}}"),
    (
        "a node is moved by three actions",
        "{paths: {/old: {get: {tags: [x]}}, /other: {}}}",
        "[{target: $.paths, update: {/new: {}}}, {target: \"$.paths['/new']\", copy: \"$.paths['/old']\"}, {target: \"$.paths['/old']\", remove: true}]",
        "{paths: {/other: {}, /new: {get: {tags: [x]}}}}",
    ),
    (
        "filters compare fields",
        "{servers: [{url: a, description: Dev}, {url: b}]}",
        "[{target: \"$.servers[?@.description == 'Dev']\", remove: true}]",
        "{servers: [{url: b}]}",
    ),
    (
        "marks in the document say where to apply",
        "{paths: {/a: {get: {x-traits: [paged]}}, /b: {get: {}}}}",
        "[{target: \"$.paths[?@.get['x-traits'][?@ == 'paged']].get\", update: {parameters: [{name: top}]}}]",
        "{paths: {/a: {get: {x-traits: [paged], parameters: [{name: top}]}}, /b: {get: {}}}}",
    ),
    (
        "names of any characters",
        r#"{"it's \"": {"\\": {é: 1}}}"#,
        r#"[{target: "$[\"it's \\\"\"]['\\\\'].é", update: 2}]"#,
        r#"{"it's \"": {"\\": {é: 2}}}"#,
    ),
    (
        "large objects",
        "{a: {b1: 1, b2: 2, b3: 3, b4: 4, b5: 5, b6: 6, b7: 7, b8: 8, b9: 9, c1: 1, c2: 2, c3: 3, c4: 4, c5: 5, c6: 6, c7: 7, c8: 8, c9: 9}}",
        "[{target: $.a, update: {a: 0, b5: x, c: 0}}, {target: \"$.a['b1', 'c8', 'b9', 'c9', 'c']\", remove: true}]",
        "{a: {b2: 2, b3: 3, b4: 4, b5: x, b6: 6, b7: 7, b8: 8, c1: 1, c2: 2, c3: 3, c4: 4, c5: 5, c6: 6, c7: 7, a: 0}}",
    ),
];

#[test]
fn actions() {
    for (what, before, actions, after) in ACTIONS {
        let with_version = |text: &str| format!("{{openapi: 3.1.0, {}", text.trim_start_matches('{'));
        let parsed = applied(&with_version(before), actions);
        let expected = Document::parse("x.yaml", &with_version(after));
        assert_eq!(json(&parsed), json(&expected), "{what}");
        // Duplicates in the document are still reported.
        let report = parsed.report().to_string();
        assert!(report.is_empty() || report.contains("duplicate field `b`"), "{what}: {report}");
    }
}

#[test]
fn overlays_are_applied_in_order() {
    let overlay = |update: &str| {
        format!(
            "overlay: 1.0.0\ninfo: {{title: T, version: '1'}}\nactions: [{{target: $.x, update: [{update}]}}]"
        )
    };
    let parsed = overlaid("openapi: 3.1.0\nx: []\n", &[&overlay("1"), &overlay("2")]);
    assert_eq!(json(&parsed), r#"{"openapi":"3.1.0","x":[1,2]}"#);
}

/// Aliases of YAML are copies, so an action changes the selected one only.
#[test]
fn aliases_are_changed_alone() {
    let parsed = applied("openapi: 3.1.0\na: &a {b: [1]}\nc: *a\n", "[{target: $.c.b, update: 2}]");
    assert_eq!(json(&parsed), r#"{"openapi":"3.1.0","a":{"b":[1]},"c":{"b":[1,2]}}"#);
}

/// An overlay may even add what makes the text an OpenAPI document.
#[test]
fn the_version_is_read_after_the_overlays() {
    let parsed = applied("paths: {}\n", "[{target: $, update: {openapi: 3.1.0}}]");
    assert_eq!(parsed.report().to_string(), "");
    let parsed = applied("openapi: 3.1.0\n", "[{target: $.openapi, update: 4.0.0}]");
    let report = parsed.report().to_string();
    assert!(report.contains("1.overlay.yaml:3:39: error[unsupported-version]"), "{report}");
}

#[test]
fn json_overlays_change_yaml_documents() {
    let overlay = r#"{"overlay": "1.1.0", "info": {"title": "T", "version": "1"},
        "actions": [{"target": "$.a", "update": {"b": 1}}]}"#;
    let overlays = [Source::new("x.json", overlay)];
    let parsed = Document::parse_with("a.yaml", "openapi: 3.1.0\na: {}\n", &overlays, None);
    assert_eq!(json(&parsed), r#"{"openapi":"3.1.0","a":{"b":1}}"#);
}

#[test]
fn growth_and_depth_have_limits() {
    // Each action doubles the document.
    let actions = "  - {target: $.a, copy: $}\n".repeat(100);
    let report = applied("openapi: 3.1.0\na: {b: [1, 2, 3]}\n", &actions).report().to_string();
    assert!(report.contains("error[overlay-conflict]: too many values: the action would add "), "{report}");
    let deep = |levels: usize| {
        format!("  - {{target: $.a, update: {}1{}}}\n", "[".repeat(levels), "]".repeat(levels))
    };
    let nested = |levels: usize| {
        let document = "openapi: 3.1.0\na: []\n";
        applied(document, &(deep(levels) + "  - {target: '$.a[0][0]', copy: $.a}")).report().to_string()
    };
    assert_eq!(nested(123), "");
    assert!(nested(124).contains("error[overlay-conflict]: the action would nest values too deeply"));
}

/// References are resolved after the overlays, and references of an overlay are relative to the document.
#[test]
fn references_of_overlays_are_those_of_the_document() {
    let load = |path: &str| match path {
        "spec/pet.yaml" => Ok("Pet: {type: string}\n".to_owned()),
        _ => Err("no such file".to_owned()),
    };
    let text = "openapi: 3.1.0\ncomponents: {schemas: {A: {$ref: gone.yaml}}}\n";
    let overlay = "overlay: 1.1.0
info: {title: T, version: '1'}
actions:
  - target: $.components.schemas.A['$ref']
    update: 'pet.yaml#/Pet'
";
    let overlays = [Source::new("overlays/x.yaml", overlay)];
    let parsed = Document::parse_with("spec/api.yaml", text, &overlays, Some(&load));
    assert_eq!(parsed.report().to_string(), "");
    let document = parsed.document.unwrap();
    let components: Vec<_> =
        document.components("schemas").map(|(name, node)| (name, node.to_json())).collect();
    assert_eq!(components, [("A", serde_json::json!({"type": "string"}))]);
}
