use super::*;
use crate::ir::{Condition, CrossRule};

/// Returns the conditions of a type, one short line each: `b: (a -> b)`.
fn conditions(api: &Api, name: &str) -> Vec<String> {
    let rule = |rule: &CrossRule| match rule {
        CrossRule::Holds { name, condition } => format!("{name}: {}", brief(condition)),
        other => format!("{other:?}"),
    };
    struct_named(api, name).rules.iter().map(rule).collect()
}

fn brief(condition: &Condition) -> String {
    let joined = |several: &[Condition], sign: &str| {
        format!("({})", several.iter().map(brief).collect::<Vec<_>>().join(sign))
    };
    match condition {
        Condition::Given(name) => name.clone(),
        Condition::Is(name, value) => format!("{name}={value:?}"),
        Condition::All(several) => joined(several, " & "),
        Condition::Any(several) => joined(several, " | "),
        Condition::One(several) => joined(several, " ^ "),
        Condition::Not(inner) => format!("!{}", brief(inner)),
        Condition::If(when, then) => format!("({} -> {})", brief(when), brief(then)),
    }
}

#[test]
fn what_asks_for_presence_is_a_rule() {
    for (keywords, expected) in [
        ("anyOf: [{required: [a]}, {required: [b, c]}]", &["a: (a | (b & c))"][..]),
        ("oneOf: [{required: [a]}, {required: [b], type: object}]", &["a: (a ^ b)"]),
        ("oneOf: [{required: [a]}, {not: {anyOf: [{required: [a]}]}}]", &["a: (a ^ !a)"]),
        ("oneOf: [{required: [a], properties: {b: {not: {}}}}, {required: [b]}]", &["a: ((a & !b) ^ b)"]),
        (
            "anyOf: [{required: [a]}, {type: object, maxProperties: 0}], additionalProperties: false",
            &["a: (a | !(a | b | c))"],
        ),
        ("anyOf: [{required: [a]}, {required: []}]", &[]),
        ("not: {required: [a, b]}", &["a: !(a & b)"]),
        ("not: {anyOf: [{required: [a]}, {required: [b]}]}", &["a: !(a | b)"]),
        ("dependentRequired: {a: [b, c]}", &["b: (a -> b)", "c: (a -> c)"]),
        ("dependencies: {a: [b], c: {required: [a]}}", &["b: (a -> b)", "a: (c -> a)"]),
        ("dependentSchemas: {a: {properties: {b: false}}}", &["b: (a -> !b)"]),
        (
            "if: {required: [a]}, then: {required: [b]}, else: {required: [c]}",
            &["b: (a -> b)", "c: (!a -> c)"],
        ),
        (
            "if: {properties: {c: {const: x}}, required: [c]}, then: {required: [a]}",
            &["a: (c=Text(\"x\") -> a)"],
        ),
        (
            "if: {properties: {c: {enum: [x, y]}}}, then: {properties: {a: {const: null}}}",
            &["a: ((c -> (c=Text(\"x\") | c=Text(\"y\"))) -> (a -> a=Null))"],
        ),
        ("allOf: [{not: {required: [a]}}, {required: [b]}]", &["a: !a"]),
    ] {
        let text = format!(
            "A: {{type: object, properties: {{a: {{type: [string, 'null']}}, b: {{type: string}}, c: {{type: string}}}}, {keywords}}}"
        );
        assert_eq!(conditions(&schemas("3.1.0", &text), "A"), expected, "{keywords}");
    }
}

#[test]
fn other_conditions_apply_as_json_schema_means_them() {
    for schema in [
        "{type: object, properties: {a: {type: integer}}, not: {properties: {a: {minimum: 3}}}}",
        "{type: object, properties: {a: {type: string}}, dependentRequired: {a: [unknown]}}",
        "{type: object, properties: {a: {type: string}}, if: {required: [a]}, then: {minProperties: 2}}",
        "{type: object, properties: {a: {}}, anyOf: [{required: [a]}, {maxProperties: 0}]}",
        "{type: object, not: {required: [a]}}",
        "{type: string, not: {enum: [a]}}",
        "{enum: [a, b], not: {const: a}}",
        "{not: {type: string}}",
    ] {
        let (api, report) = lowered(&with_schemas("3.1.0", &format!("A: {schema}")));
        assert!(says_more(&api, "A"), "{schema}");
        assert!(!report.contains("warning[unsupported]"), "{schema}\n{report}");
    }
    assert_eq!(lowered(&with_schemas("3.1.0", "A: {type: string, not: {type: 'null'}}")).1, "");
}

#[test]
fn what_x_rules_says_of_the_same_fields_is_not_checked_twice() {
    let rules = "[{name: a, at_least_one: [a, b], above: 0}, {name: c, when: {c: 1}, require: {a: 2}}]";
    for (keywords, expected) in [
        ("not: {properties: {a: {maximum: 0}, b: {maximum: 0}}}", &[][..]),
        ("allOf: [{not: {required: [c], properties: {c: {enum: [1]}, a: {enum: [3]}}}}]", &[]),
        ("if: {properties: {c: {enum: [1]}}}, then: {properties: {a: {enum: [2]}}}", &[]),
        ("dependentRequired: {c: [a]}", &[]),
        // Other conditions are kept.
        ("not: {required: [b, c]}", &["b: !(b & c)"]),
        ("dependentRequired: {c: [a, b]}", &["a: (c -> a)", "b: (c -> b)"]),
    ] {
        let number = "{type: integer}";
        let text = format!(
            "A: {{type: object, properties: {{a: {number}, b: {number}, c: {number}}}, x-rules: {rules}, {keywords}}}"
        );
        let found = conditions(&schemas("3.1.0", &text), "A");
        assert_eq!(found.get(2..).unwrap_or_default(), expected, "{keywords}");
    }
}
