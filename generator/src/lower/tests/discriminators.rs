//! Discriminators of unions with keywords beside them.

use super::*;

/// Returns the values of a union's discriminator, each with the type of its variant.
fn chosen(api: &Api, name: &str) -> Vec<String> {
    let Kind::Union(def) = &type_named(api, name).kind else { panic!("{name} is not a union") };
    let values = def.discriminator.iter().flat_map(|discriminator| &discriminator.values);
    values
        .map(|(value, position)| format!("{value}={}", brief(api, &def.variants[*position].schema)))
        .collect()
}

const SHAPES: &str = "
Round: {type: object, required: [radius], properties: {radius: {type: integer}}}
Square: {type: object, required: [side], properties: {side: {type: integer}}}
Alias: {allOf: [{$ref: '#/components/schemas/Square'}]}
Kind: {type: object, required: [kind], properties: {kind: {type: string}}}
Pair: {oneOf: [{$ref: '#/components/schemas/Round'}, {$ref: '#/components/schemas/Square'}]}
";

/// Each of these unions has the variants and the mapping that it has alone.
#[test]
fn keywords_beside_a_union_keep_its_mapping() {
    let pair = "[{$ref: '#/components/schemas/Round'}, {$ref: '#/components/schemas/Square'}]";
    let kind = "required: [kind], properties: {kind: {type: string}}";
    let mapped = "discriminator: {propertyName: kind, mapping: {r: Round, s: '#/components/schemas/Square'}}";
    let mapped_values = ["r=ERound", "s=ESquare"];
    for (schema, expected) in [
        (format!("{{{kind}, oneOf: {pair}, {mapped}}}"), mapped_values),
        (format!("{{type: object, {kind}, anyOf: {pair}, {mapped}}}"), mapped_values),
        (
            format!("{{allOf: [{{$ref: '#/components/schemas/Kind'}}], oneOf: {pair}, {mapped}}}"),
            mapped_values,
        ),
        (format!("{{allOf: [{{{kind}}}, {{oneOf: {pair}, {mapped}}}]}}"), mapped_values),
        // The discriminator is in another part than the union.
        (format!("{{{kind}, {mapped}, allOf: [{{oneOf: {pair}}}]}}"), mapped_values),
        (format!("{{{kind}, {mapped}, allOf: [{{$ref: '#/components/schemas/Pair'}}]}}"), mapped_values),
        (
            format!("{{{kind}, oneOf: {pair}, discriminator: {{propertyName: kind}}}}"),
            ["Round=ERound", "Square=ESquare"],
        ),
        // References to references, and variants that extend a component.
        (
            format!(
                "{{{kind}, oneOf: [{{$ref: '#/components/schemas/Round'}}, {{$ref: '#/components/schemas/Alias'}}], {mapped}}}"
            ),
            ["r=ERound", "s=EAlias"],
        ),
        (
            format!(
                "{{{kind}, oneOf: [{{allOf: [{{$ref: '#/components/schemas/Round'}}, {{minProperties: 2}}]}}, {{allOf: [{{$ref: '#/components/schemas/Square'}}]}}], {mapped}}}"
            ),
            mapped_values,
        ),
    ] {
        for version in ["3.0.3", "3.1.0"] {
            let (api, report) = lowered(&with_schemas(version, &format!("{SHAPES}E: {schema}")));
            assert_eq!(
                (chosen(&api, "E"), report.as_str()),
                (expected.map(str::to_owned).to_vec(), ""),
                "{schema}"
            );
        }
    }
}

/// Of two unions in one schema, each has its own discriminator.
#[test]
fn each_union_has_its_own_discriminator() {
    let api = schemas(
        "3.1.0",
        &format!(
            "{SHAPES}
One: {{type: object, required: [k], properties: {{k: {{type: string}}}}}}
Two: {{type: object, required: [k], properties: {{k: {{type: string}}}}}}
E:
  allOf:
    - required: [kind]
      properties: {{kind: {{type: string}}}}
      anyOf: [{{$ref: '#/components/schemas/Round'}}, {{$ref: '#/components/schemas/Square'}}]
      discriminator: {{propertyName: kind, mapping: {{r: Round, s: Square}}}}
    - oneOf: [{{$ref: '#/components/schemas/One'}}, {{$ref: '#/components/schemas/Two'}}]
      discriminator: {{propertyName: k, mapping: {{one: One, two: Two}}}}
"
        ),
    );
    assert_eq!(chosen(&api, "E"), ["one=EOne", "two=ETwo"]);
    assert_eq!(chosen(&api, "EOne"), ["r=EOneRound", "s=EOneSquare"]);
}

/// Schemas that no component names have the values of the mapping.
#[test]
fn a_mapping_may_refer_to_any_schema() {
    let api = schemas(
        "3.1.0",
        "
E:
  required: [kind]
  properties: {kind: {type: string}}
  oneOf: [{$ref: '#/components/schemas/E/$defs/One'}, {$ref: '#/components/schemas/E/$defs/Two'}]
  discriminator:
    propertyName: kind
    mapping: {one: '#/components/schemas/E/$defs/One', two: '#/components/schemas/E/$defs/Two'}
  $defs:
    One: {type: object, properties: {a: {type: string}}}
    Two: {type: object, properties: {a: {type: string}}}
",
    );
    assert_eq!(chosen(&api, "E"), ["one=EOne", "two=ETwo"]);
}

/// A variant that extends the union is a component with the keywords beside the union, and not the union again.
#[test]
fn variants_may_extend_the_union() {
    let (api, report) = lowered(&with_schemas(
        "3.0.3",
        "
E:
  type: object
  required: [kind]
  properties: {kind: {type: string}}
  oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]
  discriminator: {propertyName: kind, mapping: {a: A, b: B}}
A: {allOf: [{$ref: '#/components/schemas/E'}, {type: object, properties: {x: {type: string}}}]}
B: {allOf: [{$ref: '#/components/schemas/E'}]}
C: {allOf: [{$ref: '#/components/schemas/A'}, {type: object, properties: {y: {type: string}}}]}
",
    ));
    assert_eq!(report, "");
    assert_eq!(chosen(&api, "E"), ["a=A", "b=B"]);
    assert_eq!(fields(&api, "A"), ["kind!: string", "x: string"]);
    assert_eq!(fields(&api, "B"), ["kind!: string"]);
    assert_eq!(fields(&api, "C"), ["kind!: string", "x: string", "y: string"]);
}
