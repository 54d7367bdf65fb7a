//! Which schemas also apply as JSON Schema means them, because their type can't say everything.

use super::*;

#[test]
fn types_that_say_everything_have_no_json_schema() {
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
        "{type: object, properties: {a: {}, b: {}}, dependentRequired: {a: [b]}}",
        "{type: object, properties: {a: {}, b: {}}, anyOf: [{required: [a]}, {required: [b]}]}",
    ] {
        assert!(!says_more(&components(schema), "A"), "{schema}");
    }
}

#[test]
fn types_that_say_less_have_a_json_schema() {
    for schema in [
        "{type: string, not: {enum: [a]}}",
        "{type: string, enum: [a, bb], maxLength: 1}",
        "{type: array, contains: {type: integer}}",
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
        "{type: object, properties: {a: {type: integer}}, if: {properties: {a: {minimum: 1}}}, then: {required: [a]}}",
    ] {
        assert!(says_more(&components(schema), "A"), "{schema}");
    }
}

#[test]
fn untyped_schemas_can_accept_values_of_other_types() {
    let text = with_schemas("3.1.0", "A: {maxLength: 2}\nB: {type: string, maxLength: 2}");
    let options = Options { untyped: Untyped::Any, ..Options::new("test", "test.yaml") };
    let api = lowered_with(&text, &options).0;
    assert_eq!(brief(&api, alias_named(&api, "A")), "any");
    assert!(says_more(&api, "A"));
    assert_eq!(brief(&api, alias_named(&api, "B")), "string");
    assert!(!says_more(&api, "B"));
}

fn components(schema: &str) -> Api {
    let others = "
B: {type: object, properties: {b: {type: string}}}
C: {type: object, properties: {c: {type: string}}}";
    lowered(&with_schemas("3.1.0", &format!("A: {schema}{others}"))).0
}
