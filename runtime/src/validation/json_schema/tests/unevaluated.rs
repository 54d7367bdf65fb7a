//! `unevaluatedProperties` and `unevaluatedItems`.

use super::*;

#[test]
fn adjacent_keywords_evaluate() {
    assert_violations(
        &json!({
            "properties": {"a": {}}, "patternProperties": {"^b": {}}, "unevaluatedProperties": false,
        }),
        &[json!({}), json!({"a": 1, "bc": 2}), json!([1])],
        &[json!({"c": 1}), json!({"a": 1, "c": 1})],
    );
    assert_violations(
        &json!({"additionalProperties": true, "unevaluatedProperties": false}),
        &[json!({"a": 1})],
        &[],
    );
    assert_violations(
        &json!({"prefixItems": [true], "unevaluatedItems": {"type": "string"}}),
        &[json!([1]), json!([1, "a"]), json!({"a": 1})],
        &[json!([1, 2]), json!(["a", "a", null])],
    );
    assert_violations(&json!({"items": true, "unevaluatedItems": false}), &[json!([1, 2])], &[]);
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
        assert_violations(&schema, &[json!({"a": 1, "b": 1})], &[json!({"a": 1, "b": 1, "c": 1})]);
    }
    assert_violations(
        &json!({"$defs": {"a": a}, "$ref": "#/$defs/a", "unevaluatedProperties": false}),
        &[json!({"a": 1})],
        &[json!({"b": 1})],
    );
}

#[test]
fn failed_schemas_evaluate_nothing() {
    let needs_b = json!({"properties": {"a": {}, "b": {}}, "required": ["b"]});
    assert_violations(
        &json!({"anyOf": [needs_b, {"properties": {"c": {}}}], "unevaluatedProperties": false}),
        &[json!({"c": 1}), json!({"a": 1, "b": 1}), json!({"a": 1, "b": 1, "c": 1})],
        &[json!({"a": 1}), json!({"a": 1, "c": 1})],
    );
    assert_violations(
        &json!({"if": needs_b, "else": {"properties": {"c": {}}}, "unevaluatedProperties": false}),
        &[json!({"a": 1, "b": 1}), json!({"c": 1})],
        &[json!({"a": 1}), json!({"b": 1, "c": 1})],
    );
    // The condition evaluates although nothing depends on it.
    assert_violations(
        &json!({"if": needs_b, "unevaluatedProperties": false}),
        &[json!({"a": 1, "b": 1})],
        &[json!({"a": 1})],
    );
    assert_violations(
        &json!({"not": {"not": needs_b}, "unevaluatedProperties": false}),
        &[],
        &[json!({"b": 1})],
    );
    assert_violations(
        &json!({"propertyNames": {"properties": {"a": {}}}, "unevaluatedProperties": false}),
        &[json!({})],
        &[json!({"a": 1})],
    );
}

#[test]
fn unevaluated_properties_can_not_see_inside_cousins() {
    assert_violations(
        &json!({"allOf": [{"properties": {"a": {}}}, {"unevaluatedProperties": false}]}),
        &[json!({})],
        &[json!({"a": 1})],
    );
    assert_violations(
        &json!({"allOf": [{"unevaluatedProperties": true}, {"properties": {"a": {}}}], "unevaluatedProperties": false}),
        &[json!({"a": 1, "z": 1})],
        &[],
    );
    assert_violations(
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
    assert_violations(
        &schema,
        &[json!({"a": {"b": 1}, "b": {"c": 1}})],
        &[json!({"a": {"a": 1}}), json!({"a": {"b": 1, "c": 1}}), json!({"c": 1})],
    );
    // Properties that are evaluated in an inner value do not count for the outer one.
    assert_violations(
        &json!({"anyOf": [{"properties": {"a": {"properties": {"b": {}}}}}], "unevaluatedProperties": false}),
        &[json!({"a": {"b": 1}})],
        &[json!({"a": {}, "b": 1})],
    );
}

#[test]
fn contains_evaluates_the_items_that_match() {
    let schema =
        json!({"contains": {"type": "string"}, "minContains": 0, "unevaluatedItems": {"type": "integer"}});
    assert_violations(
        &schema,
        &[json!(["a", 1, "b"]), json!([1]), json!([])],
        &[json!(["a", null]), json!([1.5])],
    );
    assert_violations(
        &json!({
            "allOf": [{"contains": {"multipleOf": 2}}, {"contains": {"multipleOf": 3}}],
            "unevaluatedItems": {"multipleOf": 5},
        }),
        &[json!([2, 3, 4, 5, 6])],
        &[json!([2, 3, 7]), json!([2, 4])],
    );
}

#[test]
fn values_that_unevaluated_accepts_are_evaluated_outside() {
    assert_violations(
        &json!({
            "allOf": [{"properties": {"a": {}}, "unevaluatedProperties": {"type": "integer"}}],
            "unevaluatedProperties": false,
        }),
        &[json!({"a": "x", "b": 1})],
        &[json!({"a": "x", "b": "y"})],
    );
    assert_violations(
        &json!({"anyOf": [{"prefixItems": [{}], "unevaluatedItems": {"type": "null"}}, true], "unevaluatedItems": false}),
        &[json!([1, null]), json!([])],
        &[json!([1, 1])],
    );
}
