//! The violations that are reported.

use super::*;

/// Checks the violations in each value of a table.
#[track_caller]
fn report_all(schema: &Value, rows: &[(Value, &[&str])]) {
    for (value, expected) in rows {
        assert_eq!(reported(schema, value), *expected, "{value}");
    }
}

#[test]
fn violations_have_places() {
    report_all(
        &json!({
            "properties": {"styling": {"properties": {"colors": {"items": {"properties": {"weight": {"maximum": 1}}}}}}},
        }),
        &[(
            json!({"styling": {"colors": [{"weight": 2}, {}, {"weight": 1.5}]}}),
            &["styling.colors[0].weight: must be at most 1", "styling.colors[2].weight: must be at most 1"],
        )],
    );
}

#[test]
fn each_keyword_has_words() {
    for (schema, value, expected) in [
        (json!(false), json!(1), "body: is not allowed"),
        (json!({"type": "string"}), json!(1), "body: must be a string"),
        (
            json!({"type": ["object", "string", "null"]}),
            json!(1),
            "body: must be a string, an object or null",
        ),
        (json!({"type": ["number", "string"]}), json!(true), "body: must be a string or a number"),
        (json!({"type": "string"}), json!(null), "body: must not be null"),
        (json!({"type": "integer"}), json!(1.5), "body: must be an integer"),
        (json!({"enum": [1, "a"]}), json!(2), "body: must be one of 1, 'a'"),
        (json!({"const": 1}), json!(2), "body: must be 1"),
        (json!({"exclusiveMinimum": 0.5}), json!(0), "body: must be greater than 0.5"),
        (json!({"multipleOf": 2}), json!(3), "body: must be a multiple of 2"),
        (json!({"minLength": 1}), json!(""), "body: must be at least 1 character long"),
        (json!({"pattern": "^a"}), json!("b"), "body: must match the pattern ^a"),
        (json!({"format": "ipv4"}), json!("b"), "body: must be an IPv4 address"),
        (json!({"uniqueItems": true}), json!([1, 1]), "body: must not have the same item twice"),
        (json!({"prefixItems": [true], "items": false}), json!([1, 1]), "body: must have at most 1 item"),
        (json!({"contains": {"const": 1}}), json!([2]), "body: must have at least 1 matching item"),
        (
            json!({"contains": {"const": 1}, "minContains": 0, "maxContains": 1}),
            json!([1, 1]),
            "body: must have at most 1 matching item",
        ),
        (
            json!({"contains": {"const": 1}, "minContains": 2, "maxContains": 2}),
            json!([1]),
            "body: must have exactly 2 matching items",
        ),
        (
            json!({"contains": {"const": 1}, "minContains": 2, "maxContains": 3}),
            json!([1]),
            "body: must have 2 to 3 matching items",
        ),
        (json!({"required": ["a"]}), json!({}), "a: is required"),
        (json!({"dependentRequired": {"a": ["b"]}}), json!({"a": 1}), "b: is required when 'a' is given"),
        (json!({"dependentSchemas": {"a": {"required": ["b"]}}}), json!({"a": 1}), "b: is required"),
        (json!({"properties": {"a": false}}), json!({"a": 1}), "a: is not a known field"),
        (json!({"additionalProperties": false}), json!({"a": 1}), "a: is not a known field"),
        (json!({"unevaluatedProperties": false}), json!({"a": 1}), "a: is not a known field"),
        (json!({"unevaluatedProperties": {"type": "null"}}), json!({"a": 1}), "a: must be null"),
        (json!({"unevaluatedItems": false}), json!([1]), "[0]: is not allowed"),
        (
            json!({"propertyNames": {"maxLength": 1}}),
            json!({"ab": 1}),
            "ab: is not a valid name: it must be at most 1 character long",
        ),
        (json!({"not": {"const": "a"}}), json!("a"), "body: must not be 'a'"),
        (json!({"not": {"enum": [1, 2]}}), json!(1), "body: must be none of 1, 2"),
        (json!({"not": {"required": ["a"]}}), json!({"a": 1}), "a: is not allowed"),
        (
            json!({"not": {"type": "string"}}),
            json!("a"),
            "body: must not match the schema that the document excludes",
        ),
        (json!({"if": {"required": ["a"]}, "then": {"required": ["b"]}}), json!({"a": 1}), "b: is required"),
        (json!({"if": {"required": ["a"]}, "else": {"required": ["b"]}}), json!({}), "b: is required"),
        (
            json!({"oneOf": [{"type": "string"}, {"minLength": 2}, {"type": "null"}]}),
            json!("ab"),
            "body: must match exactly one of the alternatives, but matches 2",
        ),
    ] {
        report_all(&schema, &[(value, &[expected])]);
    }
}

#[test]
fn what_was_not_evaluated_is_reported_only_if_all_else_is_valid() {
    let schema = json!({
        "anyOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}], "unevaluatedProperties": false,
    });
    report_all(
        &schema,
        &[
            (json!({"a": 1, "b": 1}), &["a: must be a string"]),
            (json!({"a": "x", "b": 1}), &["b: is not a known field"]),
        ],
    );
}

#[test]
fn a_constant_chooses_the_alternative() {
    let pet = |kind: &str, more: Value| {
        let mut schema = json!({"properties": {"kind": {"const": kind}}, "required": ["kind"]});
        schema["properties"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    let cat = pet("cat", json!({"lives": {"maximum": 9}, "name": {"type": "string"}}));
    let dog = pet("dog", json!({"name": {"minLength": 1}, "lives": false}));
    let schema = json!({"$defs": {"dog": dog}, "oneOf": [cat, {"$ref": "#/$defs/dog"}]});
    report_all(
        &schema,
        &[
            (
                json!({"kind": "cat", "lives": 10, "name": 1}),
                &["lives: must be at most 9", "name: must be a string"],
            ),
            (json!({"kind": "dog", "name": ""}), &["name: must be at least 1 character long"]),
            (json!({"kind": "cow"}), &["kind: must be one of 'cat', 'dog'"]),
            (json!({"kind": "cat"}), &[]),
            (json!({}), &["body: must match one of the 2 alternatives"]),
        ],
    );
    report_all(
        &json!({"anyOf": [{"const": "a"}, {"enum": ["b", 1]}]}),
        &[(json!("c"), &["body: must be one of 'a', 'b', 1"])],
    );
}

#[test]
fn the_nearest_alternative_is_reported() {
    let schema = json!({"anyOf": [
        {"type": "object", "required": ["a", "b"], "properties": {"c": {"type": "integer"}}},
        {"type": "object", "required": ["x"]},
        {"type": "array", "items": {"type": "string"}},
    ]});
    report_all(
        &schema,
        &[
            (json!({}), &["x: is required"]),
            (json!({"a": 1}), &["body: must match one of the 3 alternatives"]),
            (json!({"a": 1, "b": 1, "c": "x"}), &["c: must be an integer"]),
            // An array is never nearest to an object.
            (json!(["a", 1]), &["[1]: must be a string"]),
            (json!("a"), &["body: must be an array or an object"]),
            (json!(null), &["body: must be an array or an object"]),
        ],
    );
    let deep =
        json!({"anyOf": [{"properties": {"a": {"properties": {"b": {"const": 1}}}}}, {"maxProperties": 0}]});
    report_all(&deep, &[(json!({"a": {"b": 2}}), &["a.b: must be 1"])]);
}

#[test]
fn a_report_is_limited() {
    let values = json!(vec![1; 1000]);
    assert_eq!(reported(&json!({"items": {"type": "string"}}), &values).len(), 64);
}
