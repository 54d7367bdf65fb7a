//! Each keyword, with values of its kind and of others.

use super::*;

/// Checks a schema on values; those of other kinds are always valid.
#[track_caller]
fn check_keyword(schema: Value, valid: Value, invalid: Value, others: Value) {
    let list = |values: Value| values.as_array().unwrap().clone();
    assert_violations(&schema, &[list(valid), list(others)].concat(), &list(invalid));
}

fn none() -> Value {
    json!([])
}

#[test]
fn types() {
    for (kind, valid) in [
        ("null", json!([null])),
        ("boolean", json!([true, false])),
        ("integer", json!([0, -7, 1.0, 1e300, u64::MAX])),
        ("string", json!(["", "1"])),
        ("array", json!([[], [1]])),
        ("object", json!([{}, {"a": 1}])),
    ] {
        let every =
            json!([null, true, false, 0, -7, 1.0, 1e300, u64::MAX, 0.5, "", "1", [], [1], {}, {"a": 1}]);
        let invalid: Vec<&Value> =
            every.as_array().unwrap().iter().filter(|it| !valid.as_array().unwrap().contains(it)).collect();
        check_keyword(json!({"type": kind}), valid, json!(invalid), none());
    }
    check_keyword(json!({"type": "number"}), json!([1, 0.5, 1e300]), json!(["1", null]), none());
    check_keyword(
        json!({"type": ["string", "integer"]}),
        json!(["a", 1, 2.0]),
        json!([1.5, null, []]),
        none(),
    );
}

#[test]
fn enums_compare_by_value() {
    check_keyword(
        json!({"enum": [1, "a", null, [1, {"b": 2}], {"c": [0]}]}),
        json!([1, 1.0, "a", null, [1, {"b": 2.0}], {"c": [0.0]}]),
        json!([true, "1", "A", 0, [], [{"b": 2}, 1], {"c": [0], "d": 1}, {"c": [false]}, {}]),
        none(),
    );
    check_keyword(json!({"const": false}), json!([false]), json!([0, null, "", []]), none());
    check_keyword(json!({"const": 0}), json!([0, 0.0, -0.0]), json!([false, null]), none());
    check_keyword(
        json!({"const": 9_007_199_254_740_993_u64}),
        json!([9_007_199_254_740_993_u64]),
        json!([9_007_199_254_740_992_u64]),
        none(),
    );
    check_keyword(json!({"enum": [0.1, 0.5]}), json!([0.1, 0.5]), json!([1, 0.2, "0.1"]), none());
    check_keyword(json!({"enum": []}), none(), json!([null, 1, [], {}, "", true]), none());
}

#[test]
fn numbers() {
    let others = json!([null, true, "1", [], {}]);
    check_keyword(json!({"minimum": 1.5}), json!([1.5, 2, 1e300]), json!([1.4, 1, -1e300]), others.clone());
    check_keyword(
        json!({"minimum": 2}),
        json!([2, 2.0, u64::MAX]),
        json!([1, 1.999_999_999_999_9]),
        others.clone(),
    );
    check_keyword(json!({"exclusiveMinimum": 2}), json!([3, 2.000_000_1]), json!([2, 2.0]), others.clone());
    check_keyword(json!({"maximum": -2}), json!([-2, -2.5]), json!([-1, 0, 0.5]), others.clone());
    check_keyword(json!({"exclusiveMaximum": 0.5}), json!([0, 0.499]), json!([0.5, 1]), others.clone());
    // Neither bound is rounded to a floating-point number.
    check_keyword(
        json!({"maximum": 9_007_199_254_740_992.0}),
        json!([9_007_199_254_740_992_u64]),
        json!([9_007_199_254_740_993_u64]),
        none(),
    );
    check_keyword(
        json!({"exclusiveMinimum": u64::MAX - 1}),
        json!([u64::MAX, 18_446_744_073_709_551_616.0]),
        json!([u64::MAX - 1]),
        none(),
    );
    check_keyword(
        json!({"multipleOf": 0.01}),
        json!([0, 4.35, 4.02, 1e300, -7]),
        json!([4.355, 0.001]),
        others.clone(),
    );
    check_keyword(json!({"multipleOf": 3}), json!([0, 9, -3, 6.0, 3e20]), json!([1, 7.5, 1e20]), others);
    check_keyword(json!({"multipleOf": 0.123_456_789}), json!([0.123_456_789]), json!([1e308]), none());
}

#[test]
fn strings() {
    let others = json!([null, 7, true, ["ab"], {"ab": "ab"}]);
    check_keyword(
        json!({"minLength": 2}),
        json!(["ab", "äö", "😀😀"]),
        json!(["", "a", "😀"]),
        others.clone(),
    );
    check_keyword(json!({"maxLength": 2}), json!(["", "ab", "😀😀"]), json!(["abc", "äöü"]), others.clone());
    check_keyword(json!({"pattern": "b+c"}), json!(["bc", "abbcd"]), json!(["", "b", "BC"]), others.clone());
    check_keyword(json!({"format": "ipv4"}), json!(["127.0.0.1"]), json!(["127.0.0", "::1"]), others);
}

#[test]
fn limits_of_formats() {
    // A text without the format of the limit has no order.
    let others = json!([null, 7, ["2020-01-01"], "", "x", "2019-02-30"]);
    let after = json!({"formatMinimum": "2020-01-01"});
    check_keyword(after, json!(["2020-01-01", "2021-01-01"]), json!(["2019-12-31"]), others.clone());
    let later = json!({"formatExclusiveMinimum": "2020-01-01"});
    check_keyword(later, json!(["2020-01-02"]), json!(["2020-01-01"]), others.clone());
    let before = json!({"formatMaximum": "2020-01-01T00:00:00Z"});
    check_keyword(
        before,
        json!(["2020-01-01T00:00:00Z", "2020-01-01T00:59:59.5+01:00", "2020-01-02"]),
        json!(["2020-01-01t00:00:00.1z", "2019-12-31T23:00:00-01:30"]),
        others.clone(),
    );
    let earlier = json!({"formatExclusiveMaximum": "12:00:00Z"});
    check_keyword(
        earlier,
        json!(["11:59:59.9Z", "12:30:00+01:00", "00:00:00+01:00"]),
        json!(["12:00:00Z", "13:00:00+01:00", "23:59:60Z"]),
        others,
    );
}

#[test]
fn arrays() {
    let others = json!([null, 7, "abc", {"0": 1}]);
    check_keyword(json!({"minItems": 2}), json!([[1, 2]]), json!([[], [1]]), others.clone());
    check_keyword(json!({"maxItems": 1}), json!([[], [1]]), json!([[1, 2]]), others.clone());
    check_keyword(
        json!({"uniqueItems": true}),
        json!([[], [1], [1, "1", true, null], [{"a": 1}, {"a": 2}], [[1], [2]]]),
        json!([[1, 1.0], [{"a": 1, "b": 2}, {"b": 2, "a": 1}], [[0], [0]], ["", "", 1]]),
        others.clone(),
    );
    let integer = json!({"type": "integer"});
    check_keyword(json!({"items": integer}), json!([[], [1, 2]]), json!([["a"], [1, null]]), others.clone());
    check_keyword(
        json!({"prefixItems": [integer, {"type": "string"}]}),
        json!([[], [1], [1, "a"], [1, "a", null]]),
        json!([["a"], [1, 1]]),
        others.clone(),
    );
    check_keyword(
        json!({"prefixItems": [integer], "items": false}),
        json!([[], [1]]),
        json!([[1, 2], ["a"]]),
        others.clone(),
    );
    check_keyword(
        json!({"prefixItems": [integer], "items": {"type": "null"}}),
        json!([[1, null, null]]),
        json!([[1, null, 1], [null]]),
        others.clone(),
    );
    check_keyword(
        json!({"contains": integer}),
        json!([["a", 1], [1, 2]]),
        json!([[], ["a"]]),
        others.clone(),
    );
    check_keyword(
        json!({"contains": integer, "minContains": 2, "maxContains": 3}),
        json!([[1, 2], [1, "a", 2, 3]]),
        json!([[1], [1, 2, 3, 4], []]),
        others.clone(),
    );
    check_keyword(
        json!({"contains": integer, "minContains": 0}),
        json!([[], ["a"], [1]]),
        none(),
        others.clone(),
    );
    check_keyword(
        json!({"contains": integer, "minContains": 0, "maxContains": 1}),
        json!([[], [1]]),
        json!([[1, 2]]),
        others,
    );
}

#[test]
fn objects() {
    let others = json!([null, 7, "a", ["a"]]);
    check_keyword(json!({"minProperties": 1}), json!([{"a": 1}]), json!([{}]), others.clone());
    check_keyword(
        json!({"maxProperties": 1}),
        json!([{}, {"a": 1}]),
        json!([{"a": 1, "b": 2}]),
        others.clone(),
    );
    check_keyword(
        json!({"required": ["a", "b"]}),
        json!([{"a": null, "b": 1, "c": 2}]),
        json!([{}, {"a": 1}]),
        others.clone(),
    );
    check_keyword(
        json!({"properties": {"a": {"type": "integer"}, "b": false}}),
        json!([{}, {"a": 1}, {"c": 1}]),
        json!([{"a": "x"}, {"b": 1}, {"a": 1, "b": null}]),
        others.clone(),
    );
    check_keyword(
        json!({"properties": {"a": {"type": "integer"}}, "additionalProperties": false}),
        json!([{}, {"a": 1}]),
        json!([{"b": 1}, {"a": 1, "b": 1}]),
        others.clone(),
    );
    check_keyword(
        json!({
            "properties": {"ab": {"maximum": 5}}, "patternProperties": {"^a": {"type": "integer"}},
            "additionalProperties": {"type": "string"},
        }),
        json!([{"ab": 3, "ac": 9, "b": "x"}]),
        json!([{"ab": 9}, {"ab": 1.5}, {"ac": "x"}, {"b": 1}]),
        others.clone(),
    );
    check_keyword(
        json!({"propertyNames": {"maxLength": 2}}),
        json!([{}, {"ab": 1}]),
        json!([{"abc": 1}]),
        others.clone(),
    );
    check_keyword(json!({"propertyNames": false}), json!([{}]), json!([{"a": 1}]), others.clone());
    check_keyword(
        json!({"dependentRequired": {"a": ["b", "c"]}}),
        json!([{}, {"b": 1}, {"a": 1, "b": 1, "c": 1}]),
        json!([{"a": 1}, {"a": 1, "b": 1}]),
        others.clone(),
    );
    check_keyword(
        json!({"dependentSchemas": {"a": {"required": ["b"], "maxProperties": 2}}}),
        json!([{}, {"x": 1, "y": 1, "z": 1}, {"a": 1, "b": 1}]),
        json!([{"a": 1}, {"a": 1, "b": 1, "c": 1}]),
        others,
    );
}

#[test]
fn combinations() {
    let small = json!({"maximum": 5});
    let whole = json!({"type": "integer"});
    check_keyword(json!({"allOf": [small, whole]}), json!([1, 5]), json!([1.5, 6, "a"]), none());
    check_keyword(json!({"anyOf": [small, whole]}), json!([1, 1.5, 6, "a"]), json!([6.5]), none());
    check_keyword(json!({"oneOf": [small, whole]}), json!([1.5, 6, "a"]), json!([1, 6.5]), none());
    check_keyword(json!({"not": whole}), json!([1.5, "a"]), json!([1]), none());
    check_keyword(json!({"not": {"not": whole}}), json!([1]), json!([1.5]), none());
    let conditional = |then: Value, otherwise: Value| json!({"if": whole, "then": then, "else": otherwise});
    check_keyword(
        conditional(small.clone(), json!({"type": "string"})),
        json!([3, "a"]),
        json!([6, 1.5, null]),
        none(),
    );
    check_keyword(json!({"if": whole, "then": small}), json!([3, "a", 7.5]), json!([6]), none());
    check_keyword(json!({"if": whole, "else": small}), json!([3, 9, 4.5]), json!([7.5]), none());
    check_keyword(json!({"if": false}), json!([1, null]), none(), none());
    check_keyword(json!({"then": false, "else": false}), json!([1, null]), none(), none());
    check_keyword(
        json!({"$defs": {"whole": whole}, "$ref": "#/$defs/whole", "maximum": 5}),
        json!([1]),
        json!([6, "a"]),
        none(),
    );
}
