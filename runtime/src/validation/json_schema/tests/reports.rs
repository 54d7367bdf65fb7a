//! The violations that are reported.

use super::*;
use crate::validation::{Code, Given, Violation, ViolationKind};

/// Checks the violations in each value of a table.
#[track_caller]
fn report_all(schema: &Value, rows: &[(Value, &[&str])]) {
    for (value, expected) in rows {
        assert_eq!(reported(schema, value), *expected, "{value}");
    }
}

#[test]
fn violations_have_locations() {
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
        (json!({"formatMinimum": "2020-01-01"}), json!("2019-12-31"), "body: must be at least 2020-01-01"),
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
        (json!({"properties": {"a": false}}), json!({"a": 1}), "a: is not allowed"),
        (json!({"patternProperties": {"^a": false}}), json!({"a": 1}), "a: is not allowed"),
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
fn alternatives_of_required_properties_are_one_sentence() {
    let any = json!({"anyOf": [{"required": ["a"]}, {"required": ["b"], "type": "object"}]});
    let one = json!({"oneOf": [{"required": ["a"]}, {"required": ["b"]}, {"required": ["c", "d"]}]});
    let groups = json!({"anyOf": [{"required": ["a", "b"]}, {"required": ["c"]}, {"required": ["d"]}]});
    let typed =
        json!({"anyOf": [{"type": "object", "required": ["a"]}, {"type": "array", "required": ["b"]}]});
    let more = json!({"anyOf": [{"required": ["a"]}, {"required": ["b"], "maxProperties": 0}]});
    for (schema, value, expected) in [
        (&any, json!({}), "body: 'a' or 'b' is required"),
        (&groups, json!({"a": 1}), "body: ('a' and 'b') or 'c' or 'd' is required"),
        (&one, json!({}), "body: exactly one of 'a', 'b', ('c' and 'd') must be given"),
        (&one, json!({"b": 1, "c": 1, "d": 1}), "body: exactly one of 'a', 'b', ('c' and 'd') must be given"),
        (&json!({"items": any}), json!([{}]), "[0]: 'a' or 'b' is required"),
        (&json!({"anyOf": [{"required": ["a"]}]}), json!({}), "a: is required"),
        // Another type, or another keyword in an alternative.
        (&typed, json!({}), "a: is required"),
        (&more, json!({}), "body: must match one of the 2 alternatives"),
    ] {
        report_all(schema, &[(value, &[expected])]);
    }
    let codes = |value: Value| -> Vec<Code> {
        violations(row(&one), &value, &Position::body(), &Context::new())
            .iter()
            .map(Violation::code)
            .collect()
    };
    assert_eq!(codes(json!({})), [Code::NoVariant]);
    assert_eq!(codes(json!({"a": 1, "b": 1})), [Code::Ambiguous]);
}

#[test]
fn negated_schemas_have_messages() {
    let not = |schema: Value| json!({"not": schema});
    for (schema, value, expected) in [
        (
            not(json!({"required": ["a", "b", "c"]})),
            json!({"a": 1, "b": 1, "c": 1}),
            &["body: 'a' and 'b' and 'c' must not be given together"][..],
        ),
        (
            not(json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]})),
            json!({"b": 1}),
            &["b: is not allowed"],
        ),
        (
            not(json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]})),
            json!({"a": 1, "b": 1}),
            &["a: is not allowed", "b: is not allowed"],
        ),
        (not(json!({"properties": {"a": {"const": 1}}})), json!({"a": 1}), &["a: must not be 1"]),
        (not(json!({"properties": {"a": {"const": 1}}})), json!({}), &["a: is required"]),
        (
            not(json!({"required": ["a"], "properties": {"a": {"type": "integer", "enum": [1]}}})),
            json!({"a": 1}),
            &["a: must not be 1"],
        ),
        (not(not(json!({"required": ["a"]}))), json!({}), &["a: is required"]),
        (
            not(json!({"required": ["a"], "properties": {"b": {"const": 1}}})),
            json!({"a": 1}),
            &["body: must not match the schema that the document excludes"],
        ),
        (
            not(json!({"properties": {"a": {}, "b": {}}})),
            json!({}),
            &["body: must not match the schema that the document excludes"],
        ),
    ] {
        report_all(&schema, &[(value, expected)]);
    }
    // Keywords for objects apply to any other value.
    let excluded = "body: must not match the schema that the document excludes";
    report_all(&not(json!({"required": ["a"]})), &[(json!("a"), &[excluded])]);
    report_all(&not(json!({"properties": {"a": {"const": 1}}})), &[(json!([]), &[excluded])]);
    let referred = json!({"$defs": {"a": {"const": 1}}, "not": {"$ref": "#/$defs/a"}});
    report_all(&referred, &[(json!(1), &["body: must not be 1"])]);
}

#[test]
fn messages_name_the_condition() {
    let kind = json!({"required": ["kind"], "properties": {"kind": {"const": "a"}}});
    let kinds =
        json!({"required": ["b", "kind"], "properties": {"kind": {"type": "string", "enum": ["a", "b"]}}});
    let vague = json!({"properties": {"kind": {"const": "a"}}});
    let either = |condition: &Value| json!({"if": condition, "then": {"required": ["x"]}, "else": {"properties": {"x": false}}});
    let a = json!({"kind": "a", "b": 1});
    let other = json!({"kind": "c", "b": 1, "x": 1});
    for (schema, value, expected) in [
        (either(&kind), &a, "x: is required when 'kind' is 'a'"),
        (either(&kind), &other, "x: is not allowed unless 'kind' is 'a'"),
        (either(&kinds), &a, "x: is required when 'b' is given and 'kind' is one of 'a', 'b'"),
        (either(&vague), &a, "x: is required"),
        (either(&json!({"minProperties": 1})), &a, "x: is required"),
        (either(&json!({"required": ["b"]})), &a, "x: is required when 'b' is given"),
        (
            json!({"$defs": {"k": kind}, "if": {"$ref": "#/$defs/k"}, "then": {"required": ["x"]}}),
            &a,
            "x: is required when 'kind' is 'a'",
        ),
        (
            json!({"if": kind, "then": {"properties": {"b": {"minimum": 2}}}}),
            &a,
            "b: must be at least 2 when 'kind' is 'a'",
        ),
        // The alternative depends on more.
        (
            json!({"if": kind, "then": {"anyOf": [{"required": ["x"], "maxProperties": 3}]}}),
            &a,
            "x: is required",
        ),
        (
            json!({"if": kind, "then": {"if": {"required": ["b"]}, "then": {"required": ["x"]}}}),
            &a,
            "x: is required when 'b' is given",
        ),
        (json!({"dependentSchemas": {"b": {"required": ["x"]}}}), &a, "x: is required when 'b' is given"),
        (
            json!({"dependentSchemas": {"b": {"properties": {"b": {"minimum": 2}}}}}),
            &a,
            "b: must be at least 2 when 'b' is given",
        ),
    ] {
        report_all(&schema, &[(value.clone(), &[expected])]);
    }
    let conditional = |kind| ViolationKind::Conditional {
        kind: Box::new(kind),
        conditions: vec![Given::Field("a")],
        holds: true,
    };
    let of = |kind| {
        let it = conditional(kind);
        (it.code(), it.special_case(), it.limit())
    };
    assert_eq!(of(ViolationKind::MinLength(1)), (Code::MinLength, Some("empty"), Some("1".to_owned())));
    assert_eq!(of(ViolationKind::Missing), (Code::Missing, None, None));
}

#[test]
fn unevaluated_fields_are_reported_only_if_all_else_is_valid() {
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
