use serde_json::{Value, json};

use super::*;

/// Returns a document of this version, whose operation `list` responds with an array of this schema.
fn document(version: &str, schema: &Value) -> String {
    json!({
        "openapi": version,
        "info": {"title": "Pets", "version": "1.0.0"},
        "paths": {"/it's": {"get": {"operationId": "list", "responses": {
            "200": {"description": "All.", "content": {"application/json": {"schema": {
                "type": "array", "items": {"$ref": "#/components/schemas/Pet"}
            }}}},
            "4XX": {"description": "No.", "content": {"application/problem+json": {"schema": {"type": "object"}}}},
        }}}},
        "components": {"schemas": {"Pet": schema, "Name": {"type": "string", "maxLength": 5}}},
    })
    .to_string()
}

fn recording(body: Value) -> Recording {
    Recording { name: "a.json".to_owned(), body }
}

fn compared(text: &str, side: Side, body: Value) -> Comparison {
    compare(&Input::new("pets.json", text), "list", side, &[recording(body)]).unwrap()
}

/// Checks the differences that one item has: the message, and the pointer below the schema of the item.
fn check(version: &str, schema: &Value, item: &Value, expected: &[(&str, &str)]) {
    let text = document(version, schema);
    let found = compared(&text, Side::Response(None), json!([item]));
    let differences: Vec<(&str, &str)> = found
        .report
        .diagnostics
        .iter()
        .map(|difference| {
            let pointer = difference.pointer.as_deref().unwrap_or_default();
            let below = pointer.strip_prefix("/components/schemas/Pet").unwrap_or(pointer);
            (difference.message.strip_prefix("recorded bodies ").unwrap(), below)
        })
        .collect();
    assert_eq!(differences, expected, "{schema} {item}");
    let Some(overlay) = found.overlay else { return assert!(expected.is_empty(), "{schema} {item}") };
    let overlays = [Source::new("fix.yaml", &overlay)];
    let repaired = Input::new("pets.json", &text).overlays(&overlays);
    let again = compare(&repaired, "list", Side::Response(None), &[recording(json!([item]))]).unwrap();
    assert!(again.report.diagnostics.is_empty(), "{overlay}\n{}", again.report);
    let report = crate::lint_from(&repaired);
    assert!(!report.has_errors(), "{overlay}\n{report}");
}

#[test]
fn each_kind_of_difference_is_found_and_repaired() {
    for version in ["3.0.3", "3.1.0"] {
        let object =
            json!({"type": "object", "required": ["id", "tag"], "properties": {"id": {"type": "integer"}}});
        check(version, &object, &json!({"id": 1, "tag": "a"}), &[]);
        check(version, &object, &json!({"id": null, "tag": 1}), &[("have null here", "/properties/id/type")]);
        let missing = [
            ("lack the required property `tag`", "/required"),
            ("have a string here: `\"1\"`", "/properties/id/type"),
        ];
        check(version, &object, &json!({"id": "1"}), &missing);
        let closed = json!({"type": "object", "additionalProperties": false, "properties": {"id": {"type": "integer"}}});
        let unknown = "have the property `a`, which this schema does not allow: `{\"b\":[null]}`";
        check(version, &closed, &json!({"a": {"b": [null]}}), &[(unknown, "/additionalProperties")]);
        let listed = json!({"type": "string", "enum": ["a", "b"]});
        check(version, &listed, &json!("c"), &[("have a value that is not listed here: `\"c\"`", "/enum")]);
        let by_reference =
            json!({"type": "object", "properties": {"name": {"$ref": "#/components/schemas/Name"}}});
        let long = "have a value that breaks `maxLength`: `\"abcdef\"`";
        check(
            version,
            &by_reference,
            &json!({"name": "abcdef"}),
            &[(long, "/components/schemas/Name/maxLength")],
        );
        let time = json!({"type": "string", "format": "date-time"});
        let spaced = "have a value that breaks `format`: `\"2026-01-01 10:00\"`";
        check(version, &time, &json!("2026-01-01 10:00"), &[(spaced, "/format")]);
    }
    let constant = json!({"const": 1});
    check("3.1.0", &constant, &json!(2), &[("have a value that is not listed here: `2`", "/const")]);
}

#[test]
fn a_union_is_compared_with_its_nearest_schema() {
    let union = json!({"oneOf": [
        {"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
        {"type": "object", "required": ["c"], "properties": {"c": {"type": "string"}}},
        {"type": "array", "items": {}},
    ]});
    check("3.1.0", &union, &json!({"c": 1}), &[("have an integer here: `1`", "/oneOf/1/properties/c/type")]);
    let ambiguous = json!({"oneOf": [{"type": "string"}, {"type": "string", "maxLength": 3}]});
    let found = compared(&document("3.1.0", &ambiguous), Side::Response(None), json!(["a"]));
    assert_eq!(
        found.report.diagnostics[0].message,
        "recorded bodies match several schemas of this `oneOf`: `\"a\"`"
    );
    assert_eq!(found.overlay, None, "only people know whether both are meant");
}

#[test]
fn openapi_3_0_is_read_as_it_means() {
    let marked = json!({"type": "object", "required": ["id", "secret"], "properties": {
        "id": {"type": "integer", "minimum": 0, "exclusiveMinimum": true, "nullable": true},
        "secret": {"type": "string", "writeOnly": true},
        "kind": {"type": "string", "enum": ["a"], "nullable": true},
    }});
    check("3.0.3", &marked, &json!({"id": null, "kind": null}), &[]);
    let zero = "have a value that breaks `exclusiveMinimum`: `0`";
    check("3.0.3", &marked, &json!({"id": 0}), &[(zero, "/properties/id/exclusiveMinimum")]);
}

#[test]
fn equal_differences_are_one() {
    let schema = json!({"type": "object", "properties": {"id": {"type": "integer"}}});
    let text = document("3.1.0", &schema);
    let recordings = [
        recording(json!([{"id": "a"}, {"id": 1}, {"id": "b"}])),
        recording(json!([])),
        Recording { name: "b.json".to_owned(), body: json!([{"id": "c"}]) },
    ];
    let found =
        compare(&Input::new("pets.json", &text), "list", Side::Response(Some(200)), &recordings).unwrap();
    let text = found.report.to_string();
    assert!(text.contains("= note: at a.json#/0/id and at 2 other places\n"), "{text}");
    assert!(text.contains("= help: allow `string` as well\n"), "{text}");
    assert_eq!((found.report.diagnostics.len(), found.differing), (1, 2));
}

#[test]
fn what_cannot_be_compared_has_a_reason() {
    let text = document("3.1.0", &json!({}));
    let input = Input::new("pets.json", &text);
    let reason = |operation, side| compare(&input, operation, side, &[]).unwrap_err().to_string();
    assert_eq!(reason("lits", Side::Request), "no operation has the id `lits`; a similar one is `list`");
    assert_eq!(reason("list", Side::Request), "`list` has no request body with a schema in JSON");
    assert_eq!(reason("list", Side::Response(Some(500))), "`list` has no response 500 with a schema in JSON");
    let broken = Input::new("pets.json", "{");
    let error = compare(&broken, "list", Side::Request, &[]).unwrap_err();
    assert_eq!(error.to_string(), "the document can't be read; `lint` without `--against` says why");
    assert!(compare(&input, "list", Side::Response(Some(404)), &[]).is_ok());
}
