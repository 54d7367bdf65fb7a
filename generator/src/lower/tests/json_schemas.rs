//! The schemas that also have a JSON Schema, because their type can't express everything.

use super::*;
use crate::ir::Keyword;

#[test]
fn types_that_express_everything_have_no_json_schema() {
    for schema in [
        "{type: string, minLength: 2, pattern: '^a'}",
        "{type: [string, 'null'], maxLength: 2}",
        "{type: array, items: {type: integer}, uniqueItems: true, maxItems: 3}",
        "{type: array, prefixItems: [{type: string}, {type: integer}], items: false, minItems: 2}",
        "{type: object, properties: {a: {type: string}}, required: [a], minProperties: 1}",
        "{type: object, properties: {a: {type: string}}, additionalProperties: {type: integer}}",
        "{type: object, patternProperties: {'^x-': {type: string}}, additionalProperties: false}",
        "{allOf: [{$ref: '#/components/schemas/B'}, {type: object, properties: {c: {type: string}}}]}",
        "{allOf: [{$ref: '#/components/schemas/B'}], properties: {c: {}}, unevaluatedProperties: false}",
        "{oneOf: [{type: string}, {type: integer}, {type: array, items: {}}]}",
        "{anyOf: [{$ref: '#/components/schemas/B'}, {type: 'null'}]}",
        "{anyOf: [{type: string}, {type: string, enum: [a, b]}]}",
        "{oneOf: [{type: string, enum: [a]}, {type: string, enum: [b]}]}",
        "{oneOf: [{type: object, required: [k], properties: {k: {const: a}}}, {type: object, required: [k], properties: {k: {const: b}}}]}",
        "{oneOf: [{$ref: '#/components/schemas/B'}, {$ref: '#/components/schemas/C'}], discriminator: {propertyName: b}}",
        "{type: string, not: {type: 'null'}}",
        "{type: string, if: {minLength: 2}}",
    ] {
        assert!(!needs_json_schema(&components(schema), "A"), "{schema}");
    }
}

#[test]
fn types_that_express_less_have_a_json_schema() {
    for schema in [
        "{type: string, not: {enum: [a]}}",
        "{type: string, enum: [a, bb], maxLength: 1}",
        "{type: array, contains: {type: integer}}",
        "{type: string, format: date, formatMinimum: '2020-01-01'}",
        "{type: array, prefixItems: [{type: string}, {type: string, maxLength: 1}]}",
        "{type: object, required: [unlisted]}",
        "{type: object, properties: {a: {}}, propertyNames: {maxLength: 3}}",
        "{type: object, properties: {a: {}}, patternProperties: {a: {type: string}}}",
        "{allOf: [{$ref: '#/components/schemas/B'}, {type: object, additionalProperties: false}]}",
        "{allOf: [{type: string, pattern: a}, {type: string, pattern: b}]}",
        "{anyOf: [{$ref: '#/components/schemas/B'}], unevaluatedProperties: false}",
        "{anyOf: [{type: string, maxLength: 2}, {type: string, minLength: 4}]}",
        "{oneOf: [{$ref: '#/components/schemas/B'}, {$ref: '#/components/schemas/C'}]}",
        "{oneOf: [{type: integer}, {type: number}]}",
        "{oneOf: [{type: number}, {type: integer, minimum: 10}, {$ref: '#/components/schemas/B'}], discriminator: {propertyName: b}}",
        "{oneOf: [{enum: [1]}, {enum: [1.0]}]}",
        "{oneOf: [{enum: [{a: 1, b: 2}]}, {enum: [{b: 2, a: 1.0}]}]}",
        "{type: object, properties: {a: {type: integer}}, if: {properties: {a: {minimum: 1}}}, then: {required: [a]}}",
        "{type: object, properties: {a: {}, b: {}}, anyOf: [{required: [a]}, {required: [b]}]}",
        "{type: object, properties: {a: {}, b: {}}, oneOf: [{required: [a]}, {not: {required: [a]}}]}",
        "{type: object, properties: {a: {}, b: {}}, dependentRequired: {a: [b]}}",
        "{type: object, properties: {a: {}, b: {}}, dependentSchemas: {a: {properties: {b: false}}}}",
        "{type: object, not: {required: [a]}}",
        "{enum: [a, b], not: {const: a}}",
        "{type: string, const: a, enum: [b]}",
        "{allOf: [{type: integer}, {type: string}]}",
        "{allOf: [{type: string, enum: [a]}, {enum: [b]}]}",
        "{not: {type: string}}",
    ] {
        assert!(needs_json_schema(&components(schema), "A"), "{schema}");
    }
}

#[test]
fn nested_discriminators_copy_no_branch() {
    let size = |depth| {
        let leaf = "{type: object, properties: {k: {type: string}}, not: {required: [z]}}".to_owned();
        let schema = (0..depth).fold(leaf, |inner, _| {
            format!("{{oneOf: [{inner}, {{$ref: '#/components/schemas/B'}}], discriminator: {{propertyName: k}}, not: {{required: [y]}}}}")
        });
        let api = components(&schema);
        let id = type_named(&api, "A").also.unwrap();
        let mut count = 0;
        api.json_schemas[id.0].schema.visit(&mut |_| count += 1);
        count
    };
    assert!(size(12) <= 6 * size(2), "{} {}", size(2), size(12));
}

#[test]
fn the_row_of_a_union_has_the_conditions_beside_it() {
    let api = components(
        "{type: object, not: {required: [a, b]}, oneOf: [
            {required: [k], properties: {k: {const: x}}}, {required: [k], properties: {k: {const: y}}, not: {required: [c]}}]}",
    );
    assert!(needs_json_schema(&api, "A"));
    let variants: Vec<bool> = api
        .types
        .iter()
        .filter(
            |def| matches!(&def.kind, Kind::Struct(def) if def.fields.iter().any(|field| field.wire == "k")),
        )
        .map(|def| def.also.is_some())
        .collect();
    assert_eq!(variants, [false, true]);
}

#[test]
fn conditions_that_x_rules_also_states_are_not_checked_twice() {
    let rules = "[{name: a, at_least_one: [a, b], above: 0}, {name: c, when: {c: 1}, require: {a: 2}}]";
    for (keywords, expected) in [
        ("not: {properties: {a: {maximum: 0}, b: {maximum: 0}}}", false),
        ("allOf: [{not: {required: [c], properties: {c: {enum: [1]}, a: {enum: [3]}}}}]", false),
        ("if: {properties: {c: {enum: [1]}}}, then: {properties: {a: {enum: [2]}}}", false),
        ("anyOf: [{required: [a]}, {required: [b]}]", false),
        // Other conditions are kept.
        ("not: {required: [b, c]}", true),
        ("dependentRequired: {c: [a, b]}", true),
        ("dependentRequired: {c: [a]}", true),
        ("dependentRequired: {a: [b]}", true),
        ("not: {required: [a, b]}", true),
        ("oneOf: [{required: [a]}, {required: [b]}]", true),
        ("anyOf: [{required: [b]}, {required: [c]}]", true),
    ] {
        let number = "{type: integer}";
        let schema = format!(
            "{{type: object, properties: {{a: {number}, b: {number}, c: {number}}}, x-rules: {rules}, {keywords}}}"
        );
        let api = components(&schema);
        assert_eq!(struct_named(&api, "A").rules.len(), 2, "{keywords}");
        assert_eq!(needs_json_schema(&api, "A"), expected, "{keywords}");
    }
    let fields = "a: {}, b: {}, c: {}";
    let both = "not: {required: [b, c]}, anyOf: [{required: [a]}, {required: [b]}]";
    let rules = "[{name: a, at_least_one: [a, b]}]";
    let api = components(&format!("{{type: object, properties: {{{fields}}}, x-rules: {rules}, {both}}}"));
    let id = type_named(&api, "A").also.unwrap();
    let keywords = &api.json_schemas[id.0].schema.0;
    assert!(matches!(keywords.as_slice(), [Keyword::Type(_), Keyword::Properties { .. }, Keyword::Not(_)]));
}

#[test]
fn untyped_schemas_can_accept_values_of_other_types() {
    let text = with_schemas("3.1.0", "A: {maxLength: 2}\nB: {type: string, maxLength: 2}");
    let options = Options { untyped: Untyped::Any, ..Options::new("test", "test.yaml") };
    let api = lowered_with(&text, &options).0;
    assert_eq!(brief(&api, alias_named(&api, "A")), "any");
    assert!(needs_json_schema(&api, "A"));
    assert_eq!(brief(&api, alias_named(&api, "B")), "string");
    assert!(!needs_json_schema(&api, "B"));
}

fn components(schema: &str) -> Api {
    let others = "
B: {type: object, properties: {b: {type: string}}}
C: {type: object, properties: {c: {type: string}}}";
    lowered(&with_schemas("3.1.0", &format!("A: {schema}{others}"))).0
}

#[test]
fn limits_of_formats_are_texts_of_the_format() {
    for (schema, expected) in [
        ("{type: string, format: date-time, formatExclusiveMaximum: '2020-01-01T00:00:00Z'}", None),
        ("{format: time, formatMinimum: '08:00:00Z'}", None),
        ("{type: string, format: date, formatMaximum: '2020-02-30'}", Some("formatMaximum")),
        ("{type: string, format: date-time, formatMinimum: '2020-01-01'}", Some("formatMinimum")),
        (
            "{type: string, format: date, formatExclusiveMinimum: {$data: 1/start}}",
            Some("formatExclusiveMinimum"),
        ),
        ("{type: string, format: uuid, formatMinimum: a}", Some("formatMinimum")),
        ("{type: string, formatMinimum: '2020-01-01'}", Some("formatMinimum")),
    ] {
        let (api, report) = lowered(&with_schemas("3.1.0", &format!("A: {schema}")));
        assert_eq!(needs_json_schema(&api, "A"), expected.is_none(), "{schema}");
        let message = expected.map(|name| format!("`{name}` must be a text of the schema's `format`"));
        assert!(message.map_or(report.is_empty(), |message| report.contains(&message)), "{schema}: {report}");
    }
}
