//! `unevaluatedProperties` and `unevaluatedItems`.

use super::*;

#[test]
fn adjacent_keywords_evaluate() {
    judge_all(
        &json!({
            "properties": {"a": {}}, "patternProperties": {"^b": {}}, "unevaluatedProperties": false,
        }),
        &[json!({}), json!({"a": 1, "bc": 2}), json!([1])],
        &[json!({"c": 1}), json!({"a": 1, "c": 1})],
    );
    judge_all(
        &json!({"additionalProperties": true, "unevaluatedProperties": false}),
        &[json!({"a": 1})],
        &[],
    );
    judge_all(
        &json!({"prefixItems": [true], "unevaluatedItems": {"type": "string"}}),
        &[json!([1]), json!([1, "a"]), json!({"a": 1})],
        &[json!([1, 2]), json!(["a", "a", null])],
    );
    judge_all(&json!({"items": true, "unevaluatedItems": false}), &[json!([1, 2])], &[]);
}

#[test]
fn keywords_in_place_evaluate() {
    let a = json!({"properties": {"a": {}}});
    let b = json!({"properties": {"b": {}}, "required": ["b"]});
    for nested in [
        json!({"allOf": [a, b]}),
        json!({"anyOf": [a, b]}),
        json!({"oneOf": [{"allOf": [a, b]}, false]}),
        json!({"if": b, "then": a}),
        json!({"dependentSchemas": {"a": {"properties": {"a": {}, "b": {}}}}}),
        json!({"allOf": [{"allOf": [{"anyOf": [a, b]}]}]}),
    ] {
        let mut schema = nested;
        schema["unevaluatedProperties"] = json!(false);
        judge_all(&schema, &[json!({"a": 1, "b": 1})], &[json!({"a": 1, "b": 1, "c": 1})]);
    }
    judge_all(
        &json!({"$defs": {"a": a}, "$ref": "#/$defs/a", "unevaluatedProperties": false}),
        &[json!({"a": 1})],
        &[json!({"b": 1})],
    );
}

#[test]
fn failed_schemas_evaluate_nothing() {
    let needs_b = json!({"properties": {"a": {}, "b": {}}, "required": ["b"]});
    judge_all(
        &json!({"anyOf": [needs_b, {"properties": {"c": {}}}], "unevaluatedProperties": false}),
        &[json!({"c": 1}), json!({"a": 1, "b": 1}), json!({"a": 1, "b": 1, "c": 1})],
        &[json!({"a": 1}), json!({"a": 1, "c": 1})],
    );
    judge_all(
        &json!({"if": needs_b, "else": {"properties": {"c": {}}}, "unevaluatedProperties": false}),
        &[json!({"a": 1, "b": 1}), json!({"c": 1})],
        &[json!({"a": 1}), json!({"b": 1, "c": 1})],
    );
    // The condition evaluates although nothing depends on it.
    judge_all(
        &json!({"if": needs_b, "unevaluatedProperties": false}),
        &[json!({"a": 1, "b": 1})],
        &[json!({"a": 1})],
    );
    judge_all(&json!({"not": {"not": needs_b}, "unevaluatedProperties": false}), &[], &[json!({"b": 1})]);
    judge_all(
        &json!({"propertyNames": {"properties": {"a": {}}}, "unevaluatedProperties": false}),
        &[json!({})],
        &[json!({"a": 1})],
    );
}

#[test]
fn cousins_are_not_seen() {
    judge_all(
        &json!({"allOf": [{"properties": {"a": {}}}, {"unevaluatedProperties": false}]}),
        &[json!({})],
        &[json!({"a": 1})],
    );
    judge_all(
        &json!({"allOf": [{"unevaluatedProperties": true}, {"properties": {"a": {}}}], "unevaluatedProperties": false}),
        &[json!({"a": 1, "z": 1})],
        &[],
    );
    judge_all(
        &json!({"properties": {"a": {}}, "allOf": [{"unevaluatedProperties": false}]}),
        &[json!({})],
        &[json!({"a": 1})],
    );
}

#[test]
fn nested_values_are_apart() {
    let schema = json!({
        "properties": {"a": {"properties": {"b": {}}, "unevaluatedProperties": false}, "b": {}},
        "unevaluatedProperties": false,
    });
    judge_all(
        &schema,
        &[json!({"a": {"b": 1}, "b": {"c": 1}})],
        &[json!({"a": {"a": 1}}), json!({"a": {"b": 1, "c": 1}}), json!({"c": 1})],
    );
    // What an inner value evaluates does not count for the outer one.
    judge_all(
        &json!({"anyOf": [{"properties": {"a": {"properties": {"b": {}}}}}], "unevaluatedProperties": false}),
        &[json!({"a": {"b": 1}})],
        &[json!({"a": {}, "b": 1})],
    );
}

#[test]
fn contains_evaluates_the_items_that_match() {
    let schema =
        json!({"contains": {"type": "string"}, "minContains": 0, "unevaluatedItems": {"type": "integer"}});
    judge_all(&schema, &[json!(["a", 1, "b"]), json!([1]), json!([])], &[json!(["a", null]), json!([1.5])]);
    judge_all(
        &json!({
            "allOf": [{"contains": {"multipleOf": 2}}, {"contains": {"multipleOf": 3}}],
            "unevaluatedItems": {"multipleOf": 5},
        }),
        &[json!([2, 3, 4, 5, 6])],
        &[json!([2, 3, 7]), json!([2, 4])],
    );
}

#[test]
fn what_unevaluated_accepts_counts_outside() {
    judge_all(
        &json!({
            "allOf": [{"properties": {"a": {}}, "unevaluatedProperties": {"type": "integer"}}],
            "unevaluatedProperties": false,
        }),
        &[json!({"a": "x", "b": 1})],
        &[json!({"a": "x", "b": "y"})],
    );
    judge_all(
        &json!({"anyOf": [{"prefixItems": [{}], "unevaluatedItems": {"type": "null"}}, true], "unevaluatedItems": false}),
        &[json!([1, null]), json!([])],
        &[json!([1, 1])],
    );
}
