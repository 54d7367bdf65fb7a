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

/// Checks the differences that one item has: the message, and the pointer below the schema of the item. The overlay must
/// repair all of them, but for so many.
fn check_but(version: &str, schema: &Value, item: &Value, expected: &[(&str, &str)], remaining: usize) {
    let text = document(version, schema);
    let input = Input::new("pets.json", &text);
    let recordings = [recording(json!([item]))];
    let found = compare(&input, "list", Side::Response(None), &recordings).unwrap();
    let differences: Vec<(&str, &str)> = found
        .report
        .diagnostics
        .iter()
        .map(|difference| {
            let pointer = difference.pointer.as_deref().unwrap_or_default();
            let below = pointer.strip_prefix("/components/schemas/Pet").unwrap_or(pointer);
            (difference.message.trim_start_matches("recorded bodies "), below)
        })
        .collect();
    assert_eq!(differences, expected, "{schema} {item}");
    let repaired = repair(&input, "list", Side::Response(None), &recordings).unwrap();
    assert_eq!(repaired.remaining, remaining, "{:?}", repaired.overlay);
    let Some(overlay) = repaired.overlay else { return assert_eq!(expected.len(), remaining) };
    let overlays = [Source::new("fix.yaml", &overlay)];
    let input = input.overlays(&overlays);
    let again = compare(&input, "list", Side::Response(None), &recordings).unwrap();
    assert_eq!(again.differences, remaining, "{overlay}\n{}", again.report);
    let report = crate::lint_from(&input);
    assert!(!report.has_errors(), "{overlay}\n{report}");
}

fn check(version: &str, schema: &Value, item: &Value, expected: &[(&str, &str)]) {
    check_but(version, schema, item, expected, 0);
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
    check_but(
        "3.1.0",
        &ambiguous,
        &json!("a"),
        &[("match several schemas of this `oneOf`: `\"a\"`", "/oneOf")],
        1,
    );
}

#[test]
fn a_discriminator_chooses_the_schema_of_a_union() {
    let kinds = json!({"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": {"propertyName": "kind", "mapping": {"d": "#/components/schemas/Dog"}}});
    let kind = |field: &str| json!({"type": "object", "properties": {"kind": {"type": "string"}, field: {"type": "integer"}}});
    let mut whole: Value = serde_json::from_str(&document("3.0.3", &kinds)).unwrap();
    whole["components"]["schemas"]["Cat"] = kind("a");
    whole["components"]["schemas"]["Dog"] = kind("b");
    let text = whole.to_string();
    for (tag, expected) in [
        ("Cat", "/components/schemas/Cat/properties/a/type"),
        ("d", "/components/schemas/Dog/properties/b/type"),
    ] {
        let found = compared(&text, Side::Response(None), json!([{"kind": tag, "a": "x", "b": "y"}]));
        let pointers: Vec<_> = found.report.diagnostics.iter().map(|it| it.pointer.as_deref()).collect();
        assert_eq!(pointers, [Some(expected)], "{tag}");
    }
}

#[test]
fn many_differences_of_a_keyword_are_repaired_together() {
    let names: Vec<String> = ('a'..='l').map(String::from).collect();
    let required = json!({"type": "object", "required": names});
    let text = document("3.1.0", &required);
    let input = Input::new("pets.json", &text);
    let recordings = [recording(json!([{"c": 1, "l": 1}]))];
    let repaired = repair(&input, "list", Side::Response(None), &recordings).unwrap();
    let overlays = [Source::new("fix.yaml", &repaired.overlay.unwrap())];
    let document = read(&input.overlays(&overlays)).unwrap().0;
    assert_eq!(document.lookup("#/components/schemas/Pet/required").unwrap().to_json(), json!(["c", "l"]));

    let items: Vec<Value> = names.iter().map(|name| json!({name: [name]})).collect();
    let closed = json!({"type": "object", "additionalProperties": false});
    let listed = json!({"enum": [[1]]});
    for (schema, bodies) in [(closed, json!(items)), (listed, json!([[2], [3], "a\tb", "it's"]))] {
        let text = self::document("3.1.0", &schema);
        let repaired =
            repair(&Input::new("pets.json", &text), "list", Side::Response(None), &[recording(bodies)]);
        assert_eq!(repaired.unwrap().remaining, 0, "{schema}");
    }
    let odd = json!({"type": "object", "properties": {"a\tb'c": {"type": "string"}}});
    check("3.1.0", &odd, &json!({"a\tb'c": 1}), &[("have an integer here: `1`", "/properties/a\tb'c/type")]);
}

#[test]
fn keywords_that_are_not_valid_are_left_out() {
    for mistake in [
        json!({"pattern": "["}),
        json!({"minLength": "3"}),
        json!({"type": "file"}),
        json!({"required": true, "minimum": "a", "enum": 3}),
    ] {
        check("3.1.0", &mistake, &json!({}), &[]);
    }
    let gone = json!({"$ref": "#/components/schemas/Gone"});
    let text = "unknown reference `#/components/schemas/Gone`, so these values are not compared: `1`";
    let found = compared(&document("3.1.0", &gone), Side::Response(None), json!([1]));
    assert!(found.report.diagnostics.iter().any(|it| it.message == text), "{}", found.report);
    let never = json!({"type": "object", "properties": {"a": false}});
    let message = "have a value that breaks `false`: `1`";
    check_but("3.1.0", &never, &json!({"a": 1}), &[(message, "/properties/a")], 1);
}

#[test]
fn nested_unions_take_no_exponential_time() {
    let node = |tag: &str| {
        json!({"type": "object", "required": ["l"], "properties": {
            "k": {"const": tag}, "l": {"$ref": "#/components/schemas/Pet"}, "r": {"$ref": "#/components/schemas/Pet"},
        }})
    };
    let tree = json!({"oneOf": [node("a"), node("b"), {"type": "integer"}]});
    let mut value = json!("leaf");
    for _ in 0..40 {
        value = json!({"l": value, "k": "b"});
    }
    let found = compared(&document("3.1.0", &tree), Side::Response(None), json!([value]));
    let pointers: Vec<_> = found.report.diagnostics.iter().filter_map(|it| it.pointer.as_deref()).collect();
    assert_eq!(pointers, ["/components/schemas/Pet/oneOf/0/type"]);
}

#[test]
fn openapi_3_0_is_read_as_it_means() {
    let marked = json!({"type": "object", "required": ["id", "secret"], "properties": {
        "id": {"type": "integer", "minimum": 0, "exclusiveMinimum": true, "nullable": true},
        "secret": {"type": "string", "writeOnly": true},
        "kind": {"type": "string", "enum": ["a"], "nullable": true},
    }});
    check("3.0.3", &marked, &json!({"id": null, "kind": null}), &[]);
    let name = json!({"$ref": "#/components/schemas/Name"});
    let wrapped = json!({"type": "object", "properties": {
        "a": {"allOf": [name], "nullable": true}, "b": {"nullable": true, "oneOf": [name]}, "c": {"x-nullable": true, "anyOf": [name]},
    }});
    check("3.0.3", &wrapped, &json!({"a": null, "b": null, "c": null}), &[]);
    let inherited = json!({"required": ["secret"], "allOf": [
        {"type": "object", "properties": {"secret": {"allOf": [{"type": "string", "writeOnly": true}]}}},
    ]});
    check("3.0.3", &inherited, &json!({}), &[]);
    let zero = "have a value that breaks `minimum`: `0`";
    check("3.0.3", &marked, &json!({"id": 0}), &[(zero, "/properties/id/minimum")]);
}

#[test]
fn swagger_2_0_is_repaired_as_it_is_written() {
    let text = json!({
        "swagger": "2.0",
        "info": {"title": "Pets", "version": "1"},
        "paths": {"/a": {"get": {"produces": ["application/json"], "responses": {
            "200": {"description": "One.", "schema": {"$ref": "#/definitions/A"}},
        }}}},
        "definitions": {"A": {"type": "object", "required": ["q"], "properties": {
            "b": {"type": "integer"}, "c": {"type": "string"},
        }}},
    })
    .to_string();
    let (input, recordings) = (Input::new("pets.json", &text), [recording(json!({"b": null, "c": 1}))]);
    let repaired = repair(&input, "GET /a", Side::Response(None), &recordings).unwrap();
    let overlay = repaired.overlay.unwrap();
    let actions = "  - target: \"$.definitions.A.required[?@ == 'q']\"
    remove: true
  - target: \"$.definitions.A.properties.b\"
    update: {\"x-nullable\":true}
  - target: \"$.definitions.A.properties.c.type\"
    remove: true
";
    assert_eq!((overlay.split_once("actions:\n").unwrap().1, repaired.remaining), (actions, 0));
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
    assert!(text.contains("= note: a.json#/0/id and 2 other values\n"), "{text}");
    assert!(text.contains("= help: allow `string` as well\n"), "{text}");
    assert_eq!((found.report.diagnostics.len(), found.differing), (1, 2));
}

#[test]
fn a_failed_comparison_has_a_reason() {
    let text = document("3.1.0", &json!({}));
    let input = Input::new("pets.json", &text);
    let reason = |operation, side| compare(&input, operation, side, &[]).unwrap_err().to_string();
    assert_eq!(reason("lits", Side::Request), "no operation has the id `lits`; a similar one is `list`");
    assert_eq!(reason("list", Side::Request), "`list` has no request body with a schema in JSON");
    assert_eq!(reason("list", Side::Response(Some(500))), "`list` has no response 500 with a schema in JSON");
    let broken = Input::new("pets.json", "{");
    let error = compare(&broken, "list", Side::Request, &[]).unwrap_err();
    assert_eq!(error.to_string(), "the document can't be read; `lint` without `--against` reports why");
    assert!(compare(&input, "list", Side::Response(Some(404)), &[]).is_ok());
}

#[test]
fn names_are_compared() {
    let short = json!({"type": "object", "propertyNames": {"$ref": "#/components/schemas/Name", "pattern": "^[a-z]+$"}});
    check("3.1.0", &short, &json!({"short": 1}), &[]);
    let expected = [("have a value that breaks `propertyNames`: `\"too_long\"`", "/propertyNames")];
    check("3.1.0", &short, &json!({"ok": 1, "too_long": 2, "Upper": 3}), &expected);
    check("3.1.0", &json!({"propertyNames": false}), &json!({}), &[]);
}

#[test]
fn dynamic_references_have_the_targets_that_are_bound() {
    let schema = json!({
        "$ref": "#/components/schemas/Pet/$defs/page",
        "$defs": {
            "page": {"$id": "page", "properties": {"a": {"$dynamicRef": "#n"}}, "$defs": {"n": {"$dynamicAnchor": "n"}}},
            "own": {"$dynamicAnchor": "n", "type": "string"},
        },
    });
    check("3.1.0", &schema, &json!({"a": "x"}), &[]);
    check("3.1.0", &schema, &json!({"a": 1}), &[("have an integer here: `1`", "/$defs/own/type")]);
}
