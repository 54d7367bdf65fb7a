//! Objects that match several branches of `anyOf`.

use super::*;

const SHAPES: &str = "
A: {type: object, required: [a], properties: {a: {type: integer}, s: {type: string}}}
B: {type: object, required: [b], properties: {b: {type: integer}, s: {type: string}}}
C: {type: object, properties: {c: {type: integer}}}
Small: {type: object, properties: {a: {type: integer}}}
Closed: {type: object, properties: {b: {type: integer}}, additionalProperties: false}
Kept: {type: object, properties: {b: {type: integer}}, additionalProperties: {type: integer}}
Tagged: {type: object, required: [t], properties: {t: {type: string, enum: [x]}}}
Other: {type: object, properties: {s: {type: integer}, b: {type: integer}}}
";

#[test]
fn a_variant_has_the_properties_of_several_branches() {
    for (branches, expected) in [
        ("anyOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]", Some("EBoth")),
        // Keywords beside the union, inline branches, members of `allOf`.
        (
            "properties: {p: {type: string}}, anyOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]",
            Some("EBoth"),
        ),
        (
            "anyOf: [{properties: {x: {type: string}}}, {$ref: '#/components/schemas/B'}, {type: string}]",
            Some("EBoth"),
        ),
        (
            "allOf: [{anyOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}]",
            Some("EBoth"),
        ),
        (
            "anyOf: [{allOf: [{$ref: '#/components/schemas/A'}, {properties: {x: {type: string}}}]}, {$ref: '#/components/schemas/B'}, {type: 'null'}]",
            Some("EBoth"),
        ),
        (
            "anyOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}, {$ref: '#/components/schemas/C'}]",
            Some("ESeveral"),
        ),
        // At most one branch matches, or one has the properties of the other, or keeps them, or another type.
        ("oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]", None),
        ("anyOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/Small'}]", None),
        ("anyOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/Closed'}]", None),
        ("anyOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/Kept'}]", None),
        ("anyOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/Tagged'}]", None),
        ("anyOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/Other'}]", None),
    ] {
        let api = schemas("3.1.0", &format!("{SHAPES}E: {{{branches}}}"));
        let names: Vec<&str> = api.types.iter().map(|def| def.name.0.as_str()).collect();
        let found = names.iter().copied().find(|name| ["EBoth", "ESeveral"].contains(name));
        assert_eq!(found, expected, "{branches}: {names:?}");
    }
}

/// All properties of two branches are required. An object may match any two of three.
#[test]
fn the_variant_of_three_branches_requires_nothing() {
    let reference = |name: &str| format!("{{$ref: '#/components/schemas/{name}'}}");
    let (a, b, c) = (reference("A"), reference("B"), reference("C"));
    let api = schemas(
        "3.1.0",
        &format!(
            "{SHAPES}E: {{anyOf: [{a}, {b}]}}\nF: {{required: [p], properties: {{p: {{type: string}}}}, anyOf: [{a}, {b}, {c}]}}"
        ),
    );
    assert_eq!(fields(&api, "EBoth"), ["a!: i64", "s: string", "b!: i64"]);
    assert_eq!(fields(&api, "FSeveral"), ["p!: string", "a: i64", "s: string", "b: i64", "c: i64"]);
}

/// The property that contains the union is not read again within it.
#[test]
fn branches_may_contain_the_union() {
    let api = schemas(
        "3.1.0",
        "
Group: {type: object, properties: {all: {type: array, items: {anyOf: [{$ref: '#/components/schemas/Group'}, {$ref: '#/components/schemas/Test'}]}}}}
Test: {type: object, required: [is], properties: {is: {type: string}}}
E: {anyOf: [{$ref: '#/components/schemas/Group'}, {$ref: '#/components/schemas/Test'}]}
",
    );
    assert_eq!(variants(&api, "E"), ["Group(Group)", "Test(Test)", "Both(EBoth)"]);
}
