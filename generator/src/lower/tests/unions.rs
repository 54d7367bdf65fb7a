use super::*;
use crate::ir::{Discriminator, TagKind, UnionDef};

fn union_named<'a>(api: &'a Api, name: &str) -> &'a UnionDef {
    match &type_named(api, name).kind {
        Kind::Union(def) => def,
        other => panic!("{name} is not a union but {other:?}"),
    }
}

const PETS: &str = "
Cat: {type: object, required: [kind], properties: {kind: {type: string}, lives: {type: integer}}}
Dog: {type: object, required: [kind, bark], properties: {kind: {type: string}, bark: {type: boolean}}, additionalProperties: false}
";

#[test]
fn discriminators_with_and_without_mapping() {
    for (discriminator, expected) in [
        ("{propertyName: kind}", vec![("Cat", 0), ("Dog", 1)]),
        (
            "{propertyName: kind, mapping: {c: '#/components/schemas/Cat', d: Dog, dd: Dog}}",
            vec![("c", 0), ("d", 1), ("dd", 1)],
        ),
        ("{propertyName: kind, mapping: {d: Dog}}", vec![("d", 1), ("Cat", 0)]),
    ] {
        let union = format!(
            "Pet: {{oneOf: [{{$ref: '#/components/schemas/Cat'}}, {{$ref: '#/components/schemas/Dog'}}], discriminator: {discriminator}}}"
        );
        let api = schemas("3.0.3", &format!("{PETS}{union}"));
        assert_eq!(variants(&api, "Pet"), ["Cat(Cat)", "Dog(Dog)"]);
        let Discriminator { property, values, .. } = union_named(&api, "Pet").discriminator.clone().unwrap();
        let values: Vec<(&str, usize)> =
            values.iter().map(|(value, position)| (value.as_str(), *position)).collect();
        assert_eq!((property.as_str(), values), ("kind", expected), "{discriminator}");
    }
}

#[test]
fn a_variants_own_constants_discriminate() {
    let api = schemas(
        "3.1.0",
        "
E:
  oneOf:
    - {type: object, required: [t], properties: {t: {const: one}, a: {type: string}}}
    - {type: object, required: [t], properties: {t: {enum: [two, three]}, b: {type: string}}}
  discriminator: {propertyName: t}
",
    );
    assert_eq!(variants(&api, "E"), ["One(EOne)", "Object(EObject)"]);
    let values = union_named(&api, "E").discriminator.clone().unwrap().values;
    assert_eq!(values, [("one".to_owned(), 0), ("two".to_owned(), 1), ("three".to_owned(), 1)]);
    // The discriminator alone decides.
    assert!(union_named(&api, "E").variants[1].shape.constants.is_empty());
}

#[test]
fn constants_of_all_variants_are_a_discriminator() {
    let union = |second: &str| {
        let text = format!(
            "
E:
  anyOf:
    - {{type: object, properties: {{a: {{const: one}}, t: {{const: one}}}}}}
    - {second}
    - {{type: string}}
"
        );
        union_named(&schemas("3.1.0", &text), "E").discriminator.clone()
    };
    let values = [("one".to_owned(), 0), ("two".to_owned(), 1)].to_vec();
    let other = "{type: object, properties: {a: {type: string}, t: {const: two}}}";
    let discriminator = Discriminator { property: "t".to_owned(), kind: TagKind::Text, values };
    assert_eq!(union(other), Some(discriminator));
    for other in [
        "{type: object, properties: {t: {const: 1}}}",
        "{type: object, properties: {t: {const: true}}}",
        "{type: object, properties: {t: {enum: [one, two]}}}",
        "{type: object, properties: {t: {type: string}}}",
        "{type: object, additionalProperties: {type: string}}",
        "{type: integer}",
    ] {
        assert_eq!(union(other), None, "{other}");
    }
}

#[test]
fn integers_and_booleans_are_discriminators() {
    for (one, other, kind, texts) in [
        ("{const: 1}", "{enum: [2, -3]}", TagKind::Integer, &["1", "2", "-3"][..]),
        (
            "{type: integer, const: 1, default: 1}",
            "{type: integer, enum: [2]}",
            TagKind::Integer,
            &["1", "2"],
        ),
        ("{const: true}", "{type: boolean, enum: [false]}", TagKind::Boolean, &["true", "false"]),
    ] {
        let text = format!(
            "
E:
  anyOf: [{{$ref: '#/components/schemas/A'}}, {{$ref: '#/components/schemas/B'}}]
A: {{type: object, properties: {{t: {one}}}}}
B: {{type: object, properties: {{t: {other}}}}}
"
        );
        let api = schemas("3.1.0", &text);
        let found = union_named(&api, "E").discriminator.clone().unwrap();
        assert_eq!((found.property.as_str(), found.kind), ("t", kind));
        assert!(found.values.iter().map(|(value, _)| value.as_str()).eq(texts.iter().copied()), "{found:?}");
    }
}

#[test]
fn a_discriminator_has_the_kind_of_its_property() {
    let found = |property: &str, mapping: &str| {
        let text = format!(
            "
E:
  oneOf: [{{$ref: '#/components/schemas/A'}}, {{$ref: '#/components/schemas/B'}}]
  discriminator: {{propertyName: t, mapping: {{{mapping}}}}}
A: {{type: object, required: [t], properties: {{t: {property}, a: {{type: string}}}}}}
B: {{type: object, required: [t], properties: {{t: {property}, b: {{type: string}}}}}}
"
        );
        union_named(&schemas("3.1.0", &text), "E").discriminator.as_ref().map(|it| it.kind)
    };
    assert_eq!(found("{type: integer}", "'1': A, '2': B"), Some(TagKind::Integer));
    assert_eq!(found("{type: string}", "'1': A, '2': B"), Some(TagKind::Text));
    // The property can't have these values.
    assert_eq!(found("{type: integer}", "one: A, '2': B"), Some(TagKind::Text));
    assert_eq!(found("{type: integer}", ""), Some(TagKind::Text));
}

#[test]
fn shapes_distinguish_variants() {
    let api = schemas(
        "3.0.3",
        &format!(
            "{PETS}Any: {{anyOf: [{{$ref: '#/components/schemas/Cat'}}, {{$ref: '#/components/schemas/Dog'}}, {{type: string, format: date}}, {{type: array, items: {{$ref: '#/components/schemas/Dog'}}}}]}}"
        ),
    );
    assert_eq!(variants(&api, "Any"), ["Cat(Cat)", "Dog(Dog)", "Date(date)", "DogArray([Dog])"]);
    let def = union_named(&api, "Any");
    let dog = &def.variants[1].shape;
    assert_eq!(
        (dog.required.as_slice(), dog.closed, dog.kinds.object),
        (&["kind".to_owned(), "bark".to_owned()][..], true, true)
    );
    assert!(def.variants[2].shape.kinds.string && def.variants[3].shape.kinds.array);
}

#[test]
fn unions_that_become_simpler_types() {
    let api = schemas(
        "3.1.0",
        "
A: {type: object, properties: {x: {type: string}}}
Single: {oneOf: [{$ref: '#/components/schemas/A'}]}
Listed: {oneOf: [{const: a}, {const: b}, {type: string, enum: [c, a]}]}
Text: {anyOf: [{type: string, maxLength: 9}, {type: string, enum: ['']}]}
Holder: {type: object, properties: {maybe: {anyOf: [{$ref: '#/components/schemas/A'}, {type: 'null'}]}}}
",
    );
    assert_eq!(brief(&api, alias_named(&api, "Single")), "A");
    assert_eq!(variants(&api, "Listed"), ["A=a", "B=b", "C=c"]);
    assert!(matches!(&alias_named(&api, "Text").ty, Type::Text(rules) if rules.max_length == Some(9)));
    assert_eq!(fields(&api, "Holder"), ["maybe: A?"]);
}

#[test]
fn several_types_at_once() {
    let api = schemas(
        "3.1.0",
        "A: {type: [string, integer]}\nB: {type: [integer, number]}\nC: {type: [string, array], items: {type: string}}",
    );
    assert_eq!(variants(&api, "A"), ["Integer(i64)", "String(string)"]);
    assert_eq!(brief(&api, alias_named(&api, "B")), "f64");
    assert_eq!(variants(&api, "C"), ["String(string)", "Array([string])"]);
}

#[test]
fn keywords_beside_a_union_apply_to_every_variant() {
    let api = schemas(
        "3.0.3",
        "
Event:
  type: object
  required: [id]
  properties: {id: {type: string}}
  oneOf:
    - {title: Made, required: [made], properties: {made: {type: string}}}
    - {title: Gone, properties: {gone: {type: string}}}
",
    );
    assert_eq!(variants(&api, "Event"), ["Made(EventMade)", "Gone(EventGone)"]);
    assert_eq!(fields(&api, "EventMade"), ["id!: string", "made!: string"]);
    assert_eq!(fields(&api, "EventGone"), ["id!: string", "gone: string"]);
}

#[test]
fn variants_of_one_rust_type_become_one() {
    let api = schemas(
        "3.0.3",
        "A: {oneOf: [{type: integer, maximum: 3}, {type: integer, minimum: 5}, {type: boolean}]}",
    );
    assert_eq!(variants(&api, "A"), ["Integer(i64)", "Boolean(boolean)"]);
    assert!(needs_json_schema(&api, "A"));
}

#[test]
fn unions_that_all_hold_are_unions_of_unions() {
    let letters = |first: char, second: char| {
        format!(
            "[{{title: {first}, required: [{first}], properties: {{{first}: {{type: string}}}}}}, {{title: {second}, required: [{second}], properties: {{{second}: {{type: string}}}}}}]"
        )
    };
    let text = format!(
        "
One: {{oneOf: {ab}}}
A: {{type: object, properties: {{id: {{type: string}}}}, anyOf: {cd}, oneOf: {ab}}}
B: {{allOf: [{{$ref: '#/components/schemas/One'}}, {{anyOf: {cd}}}]}}
C: {{oneOf: [{{anyOf: [{{type: string}}, {{type: 'null'}}]}}, {{oneOf: [{{type: integer}}, {{type: boolean}}]}}]}}
",
        ab = letters('a', 'b'),
        cd = letters('c', 'd'),
    );
    let api = schemas("3.1.0", &text);
    assert_eq!(variants(&api, "A"), ["A(AA)", "B(AB)"]);
    assert_eq!(variants(&api, "AB"), ["C(ABC)", "D(ABD)", "Both(ABBoth)"]);
    assert_eq!(fields(&api, "ABD"), ["id: string", "b!: string", "d!: string"]);
    assert_eq!(fields(&api, "BAC"), ["a!: string", "c!: string"]);
    assert_eq!(variants(&api, "C"), ["String(string)", "Integer(i64)", "Boolean(boolean)"]);
}

/// The constant of a tagged enum of serde, else a component.
#[test]
fn an_all_of_is_named_after_its_members() {
    let api = schemas(
        "3.1.0",
        "Circle: {type: object, properties: {r: {type: number}}}
E:
  oneOf:
    - {type: object, required: [kind], properties: {kind: {type: string, enum: [empty]}}}
    - allOf: [{$ref: '#/components/schemas/Circle'}, {type: object, required: [kind], properties: {kind: {type: string, enum: [round]}}}]
    - allOf: [{type: object, required: [b], properties: {b: {type: string}}}, {$ref: '#/components/schemas/Circle'}]
    - allOf: [{type: object, required: [c], properties: {c: {type: string}}}, {minProperties: 1}]",
    );
    let names = union_named(&api, "E").variants.iter().map(|variant| variant.ident.0.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["Empty", "Round", "Circle", "Variant"]);
}

/// So the first of them has the same name if another follows.
#[test]
fn the_first_of_equal_texts_keeps_it() {
    let union = |branches: &str| {
        let text =
            format!("A: {{type: object, properties: {{z: {{type: string}}}}}}\nE: {{oneOf: [{branches}]}}");
        let api = schemas("3.1.0", &text);
        union_named(&api, "E").variants.iter().map(|variant| variant.ident.0.clone()).collect::<Vec<_>>()
    };
    let (a, b) = (
        "{type: object, required: [a], properties: {a: {type: string}}}",
        "{type: object, required: [b], properties: {b: {type: string}}}",
    );
    assert_eq!(union(&format!("{a}, {{type: string}}")), ["A", "String"]);
    assert_eq!(union(&format!("{a}, {{type: string}}, {b}")), ["A", "String", "B"]);
    let titled = "{title: A, type: object, required: [b], properties: {b: {type: string}}}";
    let reference = "{$ref: '#/components/schemas/A'}";
    assert_eq!(union(&format!("{titled}, {reference}")), ["AWithB", "A"], "a component keeps its name");
}

/// A discriminator that variants may lack is ambiguous if several may. OpenAPI 3.2 requires a default in any case.
#[test]
fn optional_discriminators() {
    let report = |version: &str, second: &str, more: &str| {
        let (_, report) = lowered(&format!(
            "
openapi: {version}
info: {{title: t, version: '1'}}
paths: {{}}
components:
  schemas:
    Pet:
      oneOf: [{{$ref: '#/components/schemas/Cat'}}, {{$ref: '#/components/schemas/Dog'}}]
      discriminator: {{propertyName: kind{more}}}
    Cat: {{type: object, properties: {{kind: {{type: string, const: Cat, default: Cat}}}}}}
    Dog: {{type: object, {second}properties: {{kind: {{type: string, const: Dog}}}}}}
"
        ));
        report
    };
    let required = "required: [kind], ";
    let default = ", defaultMapping: Cat";
    for (version, second, more, expected) in [
        (
            "3.1.0",
            "",
            "",
            "warning[bad-discriminator]: variants 1, 2 of this union allow objects without `kind`",
        ),
        ("3.1.0", required, "", ""),
        ("3.2.0", required, "", "error[bad-discriminator]: `kind` is optional, so the discriminator needs a"),
        ("3.2.0", "", "", "error[bad-discriminator]: `kind` is optional, so the discriminator needs a"),
        ("3.2.0", "", default, ""),
    ] {
        let report = report(version, second, more);
        let is_right = report.contains(expected) && report.is_empty() == expected.is_empty();
        assert!(is_right, "{version} {second} {more}: {report}");
    }
}
