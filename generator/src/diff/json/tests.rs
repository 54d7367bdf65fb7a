//! Differences of keywords that a Rust type can't express.

use crate::{Input, Options, diff};

/// Returns the messages of `diff` about a property of a request whose `not` changes, without their first words.
fn compared(old: &str, new: &str) -> Vec<String> {
    let text = |schema: &str| {
        let property = format!("{{type: object, properties: {{value: {{not: {schema}}}}}}}");
        let body = format!("{{required: true, content: {{application/json: {{schema: {property}}}}}}}");
        let operation =
            format!("{{operationId: a, requestBody: {body}, responses: {{'204': {{description: None.}}}}}}");
        let a = "A: {type: object, properties: {b: {$ref: '#/components/schemas/B'}, own: {maxLength: 3}}}";
        let b = "B: {type: object, properties: {a: {$ref: '#/components/schemas/A'}}}";
        let c = "C: {type: object, properties: {b: {$ref: '#/components/schemas/D'}, own: {maxLength: 4}}}";
        let d = "D: {type: object, properties: {a: {$ref: '#/components/schemas/C'}}}";
        let schemas = [a, b, c, d].map(|schema| format!("\n    {schema}")).concat();
        format!(
            "openapi: 3.1.0\ninfo: {{title: t, version: '1'}}\npaths: {{/a: {{post: {operation}}}}}\ncomponents:\n  schemas:{schemas}\n"
        )
    };
    let options = Options::new("t", "t.yaml");
    let (old, new) = (text(old), text(new));
    let (old, new) = (Input::new("old.yaml", &old), Input::new("new.yaml", &new));
    let compared = diff((&old, &options), (&new, &options));
    let diff = compared.diff.unwrap_or_else(|| panic!("{}{}", compared.old, compared.new));
    let said = |message: &str| message.strip_prefix("other keywords are ").map(str::to_owned);
    diff.changes.iter().filter_map(|change| said(&change.message)).collect()
}

#[test]
fn differences_say_whether_fewer_values_are_valid() {
    for (old, new, expected) in [
        ("{maxLength: 3}", "{maxLength: 3}", None),
        ("{maxLength: 3}", "{maxLength: 4}", Some("stricter: not/maxLength")),
        ("{pattern: a, maxLength: 3}", "{pattern: b, maxLength: 3}", Some("different: not/pattern")),
        // The order of a set makes no difference.
        ("{enum: [a, {x: 1, y: 2}]}", "{enum: [{y: 2, x: 1}, a]}", None),
        ("{required: [a, b]}", "{required: [b, a]}", None),
        ("{dependentRequired: {a: [b, c]}}", "{dependentRequired: {a: [c, b]}}", None),
        ("{anyOf: [{maxLength: 3}, {pattern: a}]}", "{anyOf: [{pattern: a}, {maxLength: 3}]}", None),
        ("{oneOf: [{maxLength: 3}, {pattern: a}]}", "{oneOf: [{pattern: a}, {maxLength: 3}]}", None),
        ("{anyOf: [{maxLength: 3}, {maxLength: 3}]}", "{anyOf: [{maxLength: 3}]}", None),
        // A value that two alternatives accept is invalid.
        (
            "{oneOf: [{maxLength: 3}, {maxLength: 3}]}",
            "{oneOf: [{maxLength: 3}]}",
            Some("different: not/oneOf"),
        ),
        ("{anyOf: [{maxLength: 3}]}", "{anyOf: [{maxLength: 3}, {pattern: a}]}", Some("stricter: not/anyOf")),
        ("{const: a, enum: [a, b]}", "{enum: [b, a], const: a}", None),
        (
            "{patternProperties: {'^x': {maxLength: 3}}}",
            "{patternProperties: {'^x': {maxLength: 2}}}",
            Some("less strict: not/properties/maxLength"),
        ),
        (
            "{prefixItems: [{maxLength: 3}]}",
            "{prefixItems: [{maxLength: 3}, {}]}",
            Some("different: not/items"),
        ),
        ("{if: {maxLength: 3}, then: false}", "{if: {maxLength: 4}, then: false}", Some("different: not/if")),
    ] {
        assert_eq!(compared(old, new), expected.into_iter().collect::<Vec<_>>(), "{old} {new}");
    }
}

#[test]
fn schemas_that_refer_to_each_other_end() {
    let of = |name: &str| format!("{{$ref: '#/components/schemas/{name}'}}");
    let both = |one: &str, two: &str| format!("{{properties: {{one: {}, two: {}}}}}", of(one), of(two));
    assert_eq!(compared(&both("A", "B"), &both("A", "B")), [""; 0]);
    let path = "not/properties/one/$ref/properties";
    // The difference of the outer schema is also one of the inner schema, whichever is compared first.
    assert_eq!(compared(&both("A", "B"), &both("C", "B")), [format!("stricter: {path}/own/maxLength")]);
    assert_eq!(
        compared(&both("B", "B"), &both("D", "B")),
        [format!("stricter: {path}/a/$ref/properties/own/maxLength")]
    );
    assert_eq!(compared(&both("A", "B"), &both("A", "D")).len(), 1);
}
