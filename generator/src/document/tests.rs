//! Tests of parsing and source locations.

use super::*;

fn document(name: &str, text: &str) -> Document {
    let parsed = Document::parse(name, text);
    assert!(!parsed.diagnostics.has_errors(), "{:?}", parsed.diagnostics);
    parsed.document.unwrap()
}

fn position_of(document: &Document, pointer: &str) -> (usize, usize, usize) {
    let range = document.lookup(pointer).unwrap().range().unwrap();
    (range.start.line, range.start.column, range.length)
}

#[test]
fn yaml_positions() {
    let text = "openapi: 3.0.3\ninfo:\n  title: A title\npaths:\n  /a:\n    get: &op\n      tags: [x, y]\n    put: *op\n";
    let document = document("a.yaml", text);
    for (pointer, expected) in [
        ("#/openapi", (1, 10, 5)),
        ("#/info", (2, 1, 4)),
        ("#/info/title", (3, 10, 7)),
        ("#/paths/~1a", (5, 3, 2)),
        ("#/paths/~1a/get/tags", (7, 7, 4)),
        ("#/paths/~1a/get/tags/1", (7, 17, 1)),
        ("#/paths/~1a/put", (8, 10, 3)),
        ("#/paths/~1a/put/tags/0", (7, 14, 1)),
    ] {
        assert_eq!(position_of(&document, pointer), expected, "{pointer}");
    }
}

#[test]
fn json_positions() {
    let document =
        document("a.json", "{\"openapi\":\"3.1.0\",\n\t\"info\": {\"title\": \"é\", \"x\": [1, {}]}}");
    assert_eq!(position_of(&document, "#/info"), (2, 2, 6));
    assert_eq!(position_of(&document, "#/info/x/0"), (2, 31, 1));
    assert_eq!(position_of(&document, "#/info/x/1"), (2, 34, 1));
    assert_eq!(document.version(), Version::V3_1);
}

#[test]
fn names_that_yaml_reads_as_other_scalars_are_text() {
    let document = document("a", "openapi: 3.0.3\nresponses: {200: a, true: b, null: c, 1.5: d}\n");
    let names: Vec<_> = document.root().get("responses").unwrap().entries().map(|(name, _)| name).collect();
    assert_eq!(names, ["200", "true", "null", "1.5"]);
}

#[test]
fn other_texts_are_reported_with_their_location() {
    for (name, text, expected) in [
        ("a.json", "{\"openapi\": }", "a.json:1:13: error[syntax]: invalid JSON: expected value"),
        ("a.yaml", "openapi: 3.0.3\n  x: 1", "error[syntax]: invalid YAML"),
        ("a.yaml", "swagger: '1.2'", "error[unsupported-version]"),
        ("a.yaml", "openapi: 2.0.0", "error[unsupported-version]"),
        ("a.yaml", "- 1", "error[no-openapi]"),
        ("a.yaml", "", "error[no-openapi]"),
        ("a.yaml", "openapi: 3.0.3\nx: 1\nx: 2\n", "a.yaml:3:1: error[duplicate-key]: duplicate field `x`"),
    ] {
        let parsed = Document::parse(name, text);
        let report = parsed.report().to_string();
        assert!(report.contains(expected), "{text:?} gave {report}");
    }
}

#[test]
fn aliases_that_explode_are_refused() {
    let mut text = String::from("openapi: 3.0.3\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let previous = format!("*a{}", level - 1);
        text.push_str(&format!("a{level}: &a{level} [{}]\n", vec![previous; 10].join(", ")));
    }
    assert!(Document::parse("a.yaml", &text).diagnostics.has_errors());
}

#[test]
fn deep_nesting_is_refused() {
    let text = format!("{{\"openapi\": \"3.0.3\", \"x\": {}1{}}}", "[".repeat(5000), "]".repeat(5000));
    assert!(Document::parse("a.json", &text).diagnostics.has_errors());
    assert!(Document::parse("a.yaml", &text).diagnostics.has_errors());
}

#[test]
fn aliases_that_make_much_of_little_are_refused() {
    // The YAML parser's own limit grows with the length of the text.
    let long: String = (0..3000).map(|line| format!("x-line-{line}: 1\n")).collect();
    let mut text = format!("openapi: 3.0.3\n{long}x-0: &x0 {{type: string}}\n");
    for level in 1..10 {
        let alias = format!("*x{}", level - 1);
        text += &format!("x-{level}: &x{level} [{}]\n", vec![alias; 9].join(", "));
    }
    let parsed = Document::parse("a.yaml", &text);
    assert!(parsed.document.is_none());
    let report = parsed.report().to_string();
    assert!(report.contains("aliases expand to too many values"), "{report}");
}
