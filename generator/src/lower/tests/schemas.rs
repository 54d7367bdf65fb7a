use super::*;
use crate::ir::{Additional, CrossRule, IntegerRules, Literal, Module, NumberRules, TextFormat};

#[test]
fn properties_of_every_type() {
    let api = schemas(
        "3.0.3",
        "
All:
  type: object
  required: [id, type]
  properties:
    id: {type: string, format: uuid}
    type: {type: string, minLength: 1, maxLength: 5}
    at: {type: string, format: date-time}
    on: {type: string, format: date}
    data: {type: string, format: byte}
    raw: {type: string, format: binary}
    count: {type: integer, format: int32}
    big: {type: integer}
    flag: {type: boolean}
    ratio: {type: number, format: float}
    tags: {type: array, items: {type: string}}
    labels: {type: object, additionalProperties: {type: integer}}
    free: {type: object}
    anything: {}
    maybe: {type: string, nullable: true}
",
    );
    assert_eq!(
        fields(&api, "All"),
        [
            "id!: uuid",
            "r#type!: string",
            "at: timestamp",
            "on: date",
            "data: base64",
            "raw: bytes",
            "count: i32",
            "big: i64",
            "flag: boolean",
            "ratio: f64",
            "tags: [string]",
            "labels: {i64}",
            "free: {any}",
            "anything: any",
            "maybe: string?"
        ]
    );
}

#[test]
fn bounds_of_both_dialects() {
    for (version, exclusive) in
        [("3.0.3", "minimum: 0, exclusiveMinimum: true"), ("3.1.0", "exclusiveMinimum: 0")]
    {
        let api = schemas(
            version,
            &format!("A: {{type: integer, {exclusive}, maximum: 10}}\nB: {{type: number, {exclusive}}}"),
        );
        let expected =
            IntegerRules { exclusive_minimum: Some(0), maximum: Some(10), ..IntegerRules::default() };
        assert_eq!(alias_named(&api, "A").ty, Type::Integer(expected), "{version}");
        let expected = NumberRules { exclusive_minimum: Some(0.0), ..NumberRules::default() };
        assert_eq!(alias_named(&api, "B").ty, Type::Number(expected), "{version}");
    }
}

#[test]
fn every_spelling_of_nullable() {
    for (version, schema) in [
        ("3.0.3", "{type: string, nullable: true}"),
        ("3.1.0", "{type: [string, 'null']}"),
        ("3.1.0", "{oneOf: [{type: string}, {type: 'null'}]}"),
        ("3.1.0", "{anyOf: [{type: 'null'}, {type: string}]}"),
        ("3.1.0", "{type: ['null', string], minLength: 1}"),
        ("3.0.3", "{allOf: [{$ref: '#/components/schemas/Text'}], nullable: true}"),
        ("3.1.0", "{anyOf: [{$ref: '#/components/schemas/Text'}, {type: 'null'}]}"),
        ("3.0.3", "{$ref: '#/components/schemas/MaybeText'}"),
        ("3.0.3", "{type: string, enum: [a, null], nullable: true}"),
        ("3.1.0", "{enum: [a, null]}"),
        ("3.1.0", "{oneOf: [{const: a}, {const: null}]}"),
    ] {
        let document = format!(
            "Text: {{type: string}}\nMaybeText: {}\nHolder: {{type: object, properties: {{it: {schema}}}}}",
            if version == "3.0.3" { "{type: string, nullable: true}" } else { "{type: [string, 'null']}" }
        );
        let api = schemas(version, &document);
        let found = field(struct_named(&api, "Holder"), "it");
        assert!(found.schema.nullable, "{version} {schema}: {:?}", found.schema);
        assert!(!alias_named(&api, "MaybeText").nullable, "nullable stands where an alias is used");
    }
}

#[test]
fn enums() {
    let api = schemas(
        "3.1.0",
        "
Size: {type: string, enum: ['', '*', '1280*720', '-1', '3d-render', 720p, 720P]}
Level: {type: integer, enum: [1, 2, -1]}
Only: {const: fixed}
Flag: {type: boolean, enum: [true]}
Mixed: {enum: [a, 1, null]}
Step: {type: number, enum: [0.5, 1]}
",
    );
    assert_eq!(
        variants(&api, "Size"),
        [
            "Empty=",
            "Star=*",
            "N1280x720=1280*720",
            "Minus1=-1",
            "N3dRender=3d-render",
            "N720pLower=720p",
            "N720pUpper=720P"
        ]
    );
    assert_eq!(variants(&api, "Level"), ["N1=1", "N2=2", "Minus1=-1"]);
    assert_eq!(variants(&api, "Only"), ["Fixed=fixed"]);
    assert_eq!(alias_named(&api, "Flag").allowed, [Literal::Boolean(true)]);
    assert_eq!(
        alias_named(&api, "Mixed").allowed,
        [Literal::Text("a".into()), Literal::Integer(1), Literal::Null]
    );
    assert_eq!(alias_named(&api, "Step").allowed, [Literal::Number(0.5), Literal::Number(1.0)]);
}

#[test]
fn enum_values_are_converted_to_the_declared_type() {
    let (api, report) = lowered(&with_schemas(
        "3.0.3",
        "A: {type: string, enum: [1, true, x, x]}\nB: {type: string, enum: []}",
    ));
    assert_eq!(variants(&api, "A"), ["N1=1", "True=true", "X=x"]);
    assert_eq!(brief(&api, alias_named(&api, "B")), "string");
    assert_eq!(report.matches("warning[bad-enum]").count(), 4, "{report}");
}

#[test]
fn inline_types_are_named_by_their_position() {
    let api = schemas(
        "3.0.3",
        "
Pet:
  type: object
  properties:
    owner: {type: object, properties: {name: {type: string}, role: {type: string, enum: [a]}}}
    tags: {type: array, items: {type: object, properties: {x: {type: string}}}}
    extra: {type: object, additionalProperties: {type: object, properties: {y: {type: string}}}}
    clash: {type: object, properties: {z: {type: string}}}
PetClash: {type: object, properties: {own: {type: string}}}
",
    );
    assert_eq!(
        fields(&api, "Pet"),
        ["owner: PetOwner", "tags: [PetTagsItem]", "extra: {PetExtraValue}", "clash: PetClashField"]
    );
    assert_eq!(fields(&api, "PetOwner"), ["name: string", "role: PetOwnerRole"]);
    assert_eq!(type_named(&api, "PetOwnerRole").provenance.sentence(), "`owner.role` in schema `Pet`.");
    assert_eq!(type_named(&api, "Pet").provenance.sentence(), "Schema `Pet`.");
    let names: Vec<&str> = api.types.iter().map(|def| def.name.0.as_str()).collect();
    let expected =
        ["Pet", "PetOwner", "PetOwnerRole", "PetTagsItem", "PetExtraValue", "PetClashField", "PetClash"];
    assert_eq!(names, expected, "each type is followed by those within it");
}

#[test]
fn names_that_rust_needs_for_itself() {
    let api = schemas(
        "3.0.3",
        "
Box: {type: object, properties: {type: {type: string}, self: {type: string}, '+1': {type: string}, '': {type: string}}}
Option: {type: object, properties: {foo_bar: {type: string}, fooBar: {type: string}, '@id': {type: string}}}
Error: {type: object, properties: {additional_properties: {type: string}}, additionalProperties: {type: string}}
",
    );
    assert_eq!(
        fields(&api, "BoxModel"),
        ["r#type: string", "self_: string", "plus_1: string", "empty: string"]
    );
    assert_eq!(fields(&api, "OptionModel"), ["foo_bar: string", "foo_bar_camel: string", "at_id: string"]);
    let Additional::Kept { ident, .. } = &struct_named(&api, "Error").additional else {
        panic!("entries are kept")
    };
    assert_eq!(ident.0, "other_properties");
}

#[test]
fn all_of_merges_objects() {
    let api = schemas(
        "3.0.3",
        "
Base: {type: object, required: [id], properties: {id: {type: string}, size: {type: integer, minimum: 1}, in: {type: object, properties: {a: {type: string}}}}}
Cat:
  description: A cat.
  allOf:
    - $ref: '#/components/schemas/Base'
    - {type: object, required: [lives, size], properties: {lives: {type: integer}, size: {type: integer, maximum: 9}}}
",
    );
    assert_eq!(fields(&api, "Cat"), ["id!: string", "size!: i64", "r#in: BaseIn", "lives!: i64"]);
    let expected = IntegerRules { minimum: Some(1), maximum: Some(9), ..IntegerRules::default() };
    assert_eq!(field(struct_named(&api, "Cat"), "size").schema.ty, Type::Integer(expected));
    assert_eq!(type_named(&api, "Cat").docs.description.as_deref(), Some("A cat."));
}

#[test]
fn all_of_with_one_reference_adds_annotations() {
    let api = schemas(
        "3.0.3",
        "
Mode: {type: string, enum: [a, b], default: a}
Holder:
  type: object
  properties:
    plain: {allOf: [{$ref: '#/components/schemas/Mode'}], description: Words., default: b}
    bare: {$ref: '#/components/schemas/Mode'}
    odd: {allOf: [{$ref: '#/components/schemas/Mode'}], nullable: true}
",
    );
    assert_eq!(fields(&api, "Holder"), ["plain: Mode", "bare: Mode", "odd: Mode?"]);
    let def = struct_named(&api, "Holder");
    assert_eq!(field(def, "plain").docs.description.as_deref(), Some("Words."));
    assert_eq!(field(def, "plain").default, Some(Literal::Text("b".into())));
    assert_eq!(field(def, "plain").default_accessor.as_ref().unwrap().0, "plain_or_default");
    assert_eq!(field(def, "bare").default, Some(Literal::Text("a".into())));
    assert_eq!(field(def, "odd").default_accessor, None);
}

#[test]
fn siblings_of_references_count_in_3_1_alone() {
    let text = "Name: {type: string}\nHolder: {type: object, properties: {it: {$ref: '#/components/schemas/Name', maxLength: 3}}}";
    let api = schemas("3.1.0", text);
    assert!(
        matches!(&field(struct_named(&api, "Holder"), "it").schema.ty, Type::Text(rules) if rules.max_length == Some(3))
    );
    let (api, report) = lowered(&with_schemas("3.0.3", text));
    assert_eq!(fields(&api, "Holder"), ["it: Name"]);
    assert!(report.contains("warning[ref-sibling]"), "{report}");
}

#[test]
fn additional_properties_are_ignored_forbidden_or_kept() {
    let api = schemas(
        "3.0.3",
        "
Open: {type: object, properties: {a: {type: string}}}
Closed: {type: object, properties: {a: {type: string}}, additionalProperties: false}
Kept: {type: object, properties: {a: {type: string}}, additionalProperties: {type: integer}}
Empty: {type: object, additionalProperties: false}
Free: {type: object, additionalProperties: true, maxProperties: 3}
",
    );
    assert_eq!(struct_named(&api, "Open").additional, Additional::Ignored);
    assert_eq!(struct_named(&api, "Closed").additional, Additional::Forbidden);
    let Additional::Kept { ident, schema, .. } = &struct_named(&api, "Kept").additional else {
        panic!("entries are kept")
    };
    assert_eq!((ident.0.as_str(), brief(&api, schema).as_str()), ("additional_properties", "i64"));
    assert_eq!(fields(&api, "Empty"), [""; 0]);
    assert_eq!(brief(&api, alias_named(&api, "Free")), "{any}");
}

#[test]
fn defaults_that_fit_and_that_do_not() {
    let (api, report) = lowered(&with_schemas(
        "3.0.3",
        "
A:
  type: object
  required: [needed]
  properties:
    ratio: {type: number, default: 1}
    count: {type: integer, default: 5, maximum: 3}
    name: {type: string, default: 3}
    long: {type: string, default: 3, minLength: 2}
    version: {$ref: '#/components/schemas/Version'}
    versions: {type: array, items: {$ref: '#/components/schemas/Version'}, default: [1.0, 1.10]}
    other: {type: array, items: {type: string}, default: [{}]}
    list: {type: array, items: {type: string}, default: []}
    needed: {type: string, default: x}
Version: {type: string, enum: [1.0, '1.10', 0x10], default: 1.10}
",
    ));
    let def = struct_named(&api, "A");
    assert_eq!(field(def, "ratio").default, Some(Literal::Number(1.0)));
    assert_eq!(field(def, "count").default, None);
    assert_eq!(field(def, "name").default, Some(Literal::Text("3".to_owned())));
    assert_eq!(field(def, "long").default, None);
    assert_eq!(field(def, "version").default, Some(Literal::Text("1.10".to_owned())));
    assert_eq!(field(def, "versions").default, Some(Literal::Json(serde_json::json!(["1.0", "1.10"]))));
    assert_eq!(field(def, "other").default, None);
    assert_eq!(field(def, "list").default, Some(Literal::Json(serde_json::json!([]))));
    assert_eq!(field(def, "list").default_accessor.as_ref().unwrap().0, "list_or_default");
    assert_eq!(field(def, "needed").default, None);
    assert_eq!(report.matches("the default does not match").count(), 3, "{report}");
    assert_eq!(report.matches("it is converted to that type").count(), 3 + 2, "{report}");
}

#[test]
fn rules_over_several_fields() {
    let schema = |rules: &str| {
        with_schemas(
            "3.0.3",
            &format!(
                "A:\n  type: object\n  x-rules: {rules}\n  properties: {{a: {{type: integer}}, b: {{type: boolean}}}}"
            ),
        )
    };
    let (api, report) = lowered(&schema(
        "[{name: a, exactly_one: [a, b]}, {name: b, when: {a: 1}, require: {b: true}}, {name: a, at_least_one: [a], above: 0}]",
    ));
    assert_eq!(report, "");
    let expected = [
        CrossRule::ExactlyOne { name: "a".into(), fields: vec!["a".into(), "b".into()] },
        CrossRule::When {
            name: "b".into(),
            when: vec![("a".into(), Literal::Integer(1))],
            require: vec![("b".into(), Literal::Boolean(true))],
        },
        CrossRule::AtLeastOne { name: "a".into(), fields: vec!["a".into()], above: Some(0.0) },
    ];
    assert_eq!(struct_named(&api, "A").rules, expected);
    for wrong in [
        "[{name: a, exactly_one: [a, c]}]",
        "[{name: a, exactly_one: a}]",
        "[{exactly_one: [a]}]",
        "[{name: a, when: {a: 1}}]",
        "[{name: a, when: {c: 1}, require: {b: true}}]",
        "[{name: a, no_such_rule: [a]}]",
        "[{name: a, not_together: [a, b], above: 0}]",
    ] {
        let (_, report) = lowered(&schema(wrong));
        assert!(report.contains("error[bad-extension]"), "{wrong}: {report}");
    }
}

#[test]
fn read_only_properties_are_required_in_responses() {
    let api = schemas(
        "3.0.3",
        "A: {type: object, required: [id, name], properties: {id: {type: string, readOnly: true}, name: {type: string}}}",
    );
    // A type that no operation uses is treated like a response.
    assert_eq!(fields(&api, "A"), ["id!: string", "name!: string"]);
}

#[test]
fn more_than_seven_required_fields_have_a_struct() {
    let properties: String = (0..8).map(|index| format!("f{index}: {{type: string}}, ")).collect();
    let required: String = (0..8).map(|index| format!("f{index}, ")).collect();
    let api = schemas(
        "3.0.3",
        &format!("A: {{type: object, required: [{required}], properties: {{{properties}}}}}"),
    );
    assert_eq!(struct_named(&api, "A").fields_struct.as_ref().unwrap().0, "AFields");
}

#[test]
fn arguments_that_could_be_mistaken_have_a_struct() {
    let document = with_schemas(
        "3.0.3",
        "
A: {type: object, required: [a, b], properties: {a: {type: string}, b: {type: string, maxLength: 1}}}
B: {type: object, required: [a, b], properties: {a: {type: string}, b: {type: boolean}}}
C: {type: object, required: [a, b, c], properties: {a: {type: string}, b: {type: integer}, c: {type: string}}}
D: {type: object, required: [a], properties: {a: {type: boolean}}}
",
    );
    let with_struct = |options: &Options| {
        let (api, _) = lowered_with(&document, options);
        let has_one = |name: &&str| struct_named(&api, name).fields_struct.is_some();
        ["A", "B", "C", "D"].into_iter().filter(has_one).collect::<Vec<_>>()
    };
    let options = Options::new("x", "x");
    assert_eq!(with_struct(&options), [""; 0]);
    assert_eq!(with_struct(&options.constructors(Constructors::Named)), ["A", "B"]);
}

#[test]
fn references_below_components() {
    let api = schemas(
        "3.0.3",
        "
User: {$ref: '#/components/schemas/Team/properties/lead'}
Team: {type: object, properties: {lead: {type: object, properties: {name: {type: string}}}, other: {$ref: '#/components/schemas/Team/properties/lead'}}}
",
    );
    assert_eq!(fields(&api, "Team"), ["lead: TeamLead", "other: TeamLead"]);
    assert_eq!(brief(&api, alias_named(&api, "User")), "TeamLead");
}

#[test]
fn formats_and_families() {
    let text = "openapi: 3.0.3
info: {title: t, version: '1'}
paths:
  /a: {get: {operationId: a, tags: [Pet Store], responses: {'200': {description: d, content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}}}
components:
  schemas:
    A: {type: object, x-family: Pet Store, properties: {u: {type: string, format: uri}, e: {type: string, format: email}}}
    B: {type: string}
";
    let (api, report) = lowered(text);
    assert_eq!(report, "");
    assert!(matches!(type_named(&api, "A").module, Module::Tag(_)));
    assert_eq!(type_named(&api, "B").module, Module::Common);
    let tag = &api.tags[0];
    assert_eq!((tag.module.0.as_str(), tag.api_trait.0.as_str()), ("pet_store", "PetStoreApi"));
    let Type::Text(rules) = &field(struct_named(&api, "A"), "u").schema.ty else { panic!("a string") };
    assert_eq!(rules.format, Some(TextFormat::Uri));
}

#[test]
fn dynamic_ref_beside_ref_is_reported() {
    let schemas = |a: &str| format!("A: {a}\nB: {{type: string}}\nC: {{type: integer}}");
    let report = |a: &str| lowered(&with_schemas("3.1.0", &schemas(a))).1;
    for both in [
        "{$ref: '#/components/schemas/B', $dynamicRef: '#/components/schemas/C'}",
        "{$dynamicRef: '#/components/schemas/C', $ref: '#/components/schemas/B'}",
    ] {
        assert!(report(both).contains("unsupported keyword `$dynamicRef`"), "{}", report(both));
    }
    assert!(!report("{$dynamicRef: '#/components/schemas/C'}").contains("unsupported"));
}
