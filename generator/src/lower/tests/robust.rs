use super::*;
use crate::ir::Module;

/// Lowers any document. The test is that this terminates.
fn survives(text: &str) -> Api {
    let parsed = Document::parse("test.yaml", text);
    let Some(document) = parsed.document else { panic!("the document can be read") };
    let mut diagnostics = Diagnostics::default();
    let api = lower(&document, &Options::new("x", "x"), &mut diagnostics).api;
    let _ = diagnostics.report(&document).to_string();
    for (index, def) in api.types.iter().enumerate() {
        assert_eq!(def.id.0, index);
    }
    let mut names: Vec<(Module, &str)> =
        api.types.iter().map(|def| (def.module, def.name.0.as_str())).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "no two types of a module have one name");
    api
}

#[test]
fn wrong_values_of_every_field() {
    let values = [
        "null",
        "true",
        "5",
        "text",
        "[]",
        "{}",
        "[1, {}]",
        "{a: 1}",
        "{$ref: '#/nothing'}",
        "{$ref: 3}",
        "{$ref: '#'}",
    ];
    let positions = [
        "openapi: 3.0.3\ninfo: X",
        "openapi: 3.1.0\npaths: X",
        "openapi: 3.1.0\npaths: {/a: X}",
        "openapi: 3.1.0\npaths: {/a: {get: X, parameters: X}}",
        "openapi: 3.1.0\npaths: {/a: {get: {parameters: X, responses: X, requestBody: X, tags: X, security: X, callbacks: X, x-requires: X}}}",
        "openapi: 3.1.0\npaths: {/a: {get: {parameters: [X], responses: {'200': X}, callbacks: {a: X, b: {c: X}}}}}",
        "openapi: 3.1.0\npaths: {/a: {put: {requestBody: {content: X}, responses: {'200': {content: X, headers: X}}}}}",
        "openapi: 3.1.0\npaths: {/a: {put: {requestBody: {content: {a/b: X, application/json: {schema: X, encoding: X}}}}}}",
        "openapi: 3.1.0\ncomponents: X",
        "openapi: 3.1.0\ncomponents: {schemas: X, responses: X, securitySchemes: X}",
        "openapi: 3.1.0\ncomponents: {schemas: {A: X}, responses: {A: X}, securitySchemes: {A: X}}",
        "openapi: 3.0.3\ncomponents: {schemas: {A: {type: X, properties: X, required: X, enum: X, allOf: X, items: X, minimum: X, exclusiveMinimum: X}}}",
        "openapi: 3.1.0\ncomponents: {schemas: {A: {properties: {a: X}, oneOf: X, discriminator: X, additionalProperties: X, x-rules: X}}}",
        "openapi: 3.1.0\ncomponents: {schemas: {A: {oneOf: [X, X], discriminator: {propertyName: X, mapping: {a: X}}, allOf: [X, X]}}}",
        "openapi: 3.1.0\ncomponents: {schemas: {A: {properties: {a: {}}, x-rules: [X, {name: X, when: X, require: X}, {exactly_one: [X]}]}}}",
        "openapi: 3.1.0\ncomponents: {schemas: {A: {enum: [X, X], const: X, default: X, pattern: X, format: X, x-family: X}}}",
        "openapi: 3.1.0\nservers: X\ntags: X\nsecurity: X\nx-rejections: X\nwebhooks: X",
        "openapi: 3.1.0\nservers: [X]\ntags: [X]\nsecurity: [X]\nx-rejections: {kinds: X, reasons: X, no: X}",
        "openapi: 3.1.0\nservers: [{url: X, variables: {a: X}}]\nx-rejections: {kinds: {invalid: X}, reasons: {default: X}}",
    ];
    for position in positions {
        for value in values {
            survives(&position.replace('X', value));
        }
    }
}

#[test]
fn deep_nesting_ends_in_any_value() {
    let mut schema = "{type: string}".to_owned();
    for _ in 0..60 {
        schema = format!("{{type: object, properties: {{p: {schema}}}}}");
    }
    let (api, report) = lowered(&with_schemas("3.0.3", &format!("A: {schema}")));
    assert!(report.contains("warning[too-deep]"), "{report}");
    assert!(api.types.len() < 60);
}

#[test]
fn long_chains_of_components() {
    let chain: String = (0..3000)
        .map(|index| format!("A{index}: {{allOf: [{{$ref: '#/components/schemas/A{}'}}, {{properties: {{p{index}: {{type: string}}}}}}]}}\n", index + 1))
        .take(300)
        .collect();
    survives(&with_schemas("3.0.3", &chain));
    let aliases: String = (0..5000)
        .map(|index| format!("A{index}: {{$ref: '#/components/schemas/A{}'}}\n", (index + 1) % 5000))
        .collect();
    survives(&with_schemas("3.0.3", &aliases));
}

#[test]
fn schemas_that_merge_themselves_over_and_over() {
    let unions: String = (0..8)
        .map(|index| {
            let branches: String = (0..8).map(|other| format!("{{$ref: '#/components/schemas/U{other}'}}, ")).collect();
            format!("U{index}: {{type: object, properties: {{p{index}: {{type: string}}}}, oneOf: [{branches}]}}\n")
        })
        .collect();
    survives(&with_schemas("3.0.3", &unions));
    let merged: String = (0..8)
        .map(|index| {
            let properties: String = (0..4).map(|other| format!("q{other}: {{$ref: '#/components/schemas/M{}'}}, ", (index + other) % 8)).collect();
            format!("M{index}: {{allOf: [{{$ref: '#/components/schemas/M{}'}}, {{properties: {{{properties}}}}}]}}\n", (index + 1) % 8)
        })
        .collect();
    survives(&with_schemas("3.0.3", &merged));
}

#[test]
fn schemas_of_many_parts_count_as_many() {
    let fans: String = (0..24)
        .map(|index| {
            let next = format!("{{$ref: '#/components/schemas/Fan{}'}}", index + 1);
            format!("Fan{index}: {{allOf: [{next}, {next}], properties: {{a: {next}, b: {next}}}}}\n")
        })
        .collect();
    // The number of nodes limits what is read.
    let nodes = 20_000;
    let filler = "0, ".repeat(nodes);
    let api = survives(&with_schemas("3.0.3", &format!("{fans}Fan24: {{x-filler: [{filler}]}}\n")));
    assert!(api.types.len() < nodes / 2, "{}", api.types.len());
}

/// Returns unions that each have all following ones as variants.
fn unions_in_unions(count: usize) -> String {
    let union = |index: usize| {
        let variant = |other: usize| format!("{{$ref: '#/components/schemas/U{other}'}}, ");
        let variants: String = (index + 1..count).map(variant).collect();
        format!(
            "U{index}: {{oneOf: [{variants}{{$ref: '#/components/schemas/S{index}'}}], discriminator: {{propertyName: u, mapping: {{s: S{}}}}}}}\n\
             S{index}: {{type: object, required: [u], properties: {{u: {{$ref: '#/components/schemas/U0'}}, p{index}: {{type: string}}}}}}\n",
            count - 1,
        )
    };
    (0..count).map(union).collect()
}

#[test]
fn unions_within_unions_are_visited_once() {
    let api = survives(&with_schemas("3.1.0", &unions_in_unions(60)));
    let Kind::Union(def) = &type_named(&api, "U0").kind else { panic!("U0 is a union") };
    let inner = &def.variants.first().unwrap().shape;
    assert!(inner.kinds.object && !inner.kinds.string);
    assert_eq!(inner.required, ["u"]);
    assert_eq!(inner.known.len(), 60, "u, and what each of the 59 has of its own");
    assert_eq!(def.discriminator.as_ref().map(|it| it.values[0].clone()), Some(("s".to_owned(), 0)));

    let (api, _) = lowered(&with_schemas("3.1.0", &unions_in_unions(100)));
    let Kind::Union(def) = &type_named(&api, "U0").kind else { panic!("U0 is a union") };
    let inner = &def.variants.first().unwrap().shape;
    assert!(inner.kinds.string && inner.required.is_empty(), "of more of them nothing is known");
}

#[test]
fn examples_of_unions_within_unions() {
    let schemas = with_schemas("3.1.0", &unions_in_unions(60));
    let schemas =
        schemas.replace("U0: {", "U0: {example: {u: {u: {u: {u: 1}}}}, ").replace("mapping", "x-no");
    survives(&schemas);
}

#[test]
fn long_lists_are_compared_in_one_pass() {
    let values = |from: usize| (from..30_000).map(|value| format!("v{value}, ")).collect::<String>();
    let parts: String = (0..5).map(|from| format!("{{type: string, enum: [{}]}}, ", values(from))).collect();
    let api = survives(&with_schemas("3.1.0", &format!("A: {{allOf: [{parts}]}}")));
    let Kind::StringEnum(def) = &type_named(&api, "A").kind else { panic!("A is an enum") };
    assert_eq!(def.variants.len(), 30_000 - 4);
}

#[test]
fn examples_of_types_that_need_two_of_each_other() {
    let body = |schema: &str| {
        format!(
            "openapi: 3.1.0\npaths: {{/a: {{put: {{requestBody: {{required: true, content: {{application/json: {{schema: {schema}}}}}}}, responses: {{'204': {{description: Done.}}}}}}}}}}\n"
        )
    };
    let fan = |next: &dyn Fn(usize) -> String| {
        let schemas: String = (0..40).map(|index| format!("A{index}: {}\n", next(index + 1))).collect();
        let schemas = with_schemas("3.1.0", &format!("{schemas}A40: {{type: string}}"));
        let components = schemas.split_once("components:").unwrap().1.to_owned();
        survives(&format!("{}components:{components}", body("{$ref: '#/components/schemas/A0'}")))
    };
    fan(&|next| {
        format!(
            "{{type: object, required: [a, b], properties: {{a: &x {{$ref: '#/components/schemas/A{next}'}}, b: *x}}}}"
        )
    });
    fan(&|next| format!("{{type: array, minItems: 3, items: {{$ref: '#/components/schemas/A{next}'}}}}"));
    fan(&|next| {
        format!(
            "{{type: object, minProperties: 3, additionalProperties: {{$ref: '#/components/schemas/A{next}'}}}}"
        )
    });
    for rule in ["{at_least_one: [a], above: 1e308}", "{total_items: [b], minimum: 18446744073709551615}"] {
        let schema = format!(
            "{{type: object, properties: {{a: {{type: integer}}, b: {{type: array, items: {{}}}}}}, x-rules: [{rule}]}}"
        );
        survives(&body(&schema));
    }
}

#[test]
fn the_same_document_gives_the_same_names_in_any_order() {
    let schemas = [
        "A: {type: object, properties: {b: {type: string, enum: [x]}}}",
        "AB: {type: string, enum: [y]}",
        "A_b: {type: string, enum: [z]}",
        "a: {type: string, enum: [w]}",
    ];
    let names = |order: &[usize]| {
        let text: Vec<&str> = order.iter().map(|index| schemas[*index]).collect();
        let (api, _) = lowered(&with_schemas("3.0.3", &text.join("\n")));
        let mut names: Vec<(String, String)> =
            api.types.iter().map(|def| (def.provenance.to_string(), def.name.0.clone())).collect();
        names.sort();
        names
    };
    assert_eq!(names(&[0, 1, 2, 3]), names(&[3, 2, 1, 0]));
    assert_eq!(names(&[0, 1, 2, 3]), names(&[1, 3, 0, 2]));
}
