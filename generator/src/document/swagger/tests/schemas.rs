//! Schemas and components.

use super::{check, parse, report, rewritten, swagger};
use crate::{document::Document, tree::Node};

/// Returns the document with this definition, and the expected one.
fn definitions(cases: &[(&str, &str)]) {
    for (schema, expected) in cases {
        let fields = format!("definitions:\n  A: {schema}\n  B: {{type: string}}\n");
        let expected = format!("components:\n  schemas:\n    A: {expected}\n    B: {{type: string}}\n");
        check(&[(&fields, &expected)]);
    }
}

#[test]
fn keywords() {
    definitions(&[
        ("{type: integer, format: int64, minimum: 1}", "{type: integer, format: int64, minimum: 1}"),
        ("{minimum: 0, exclusiveMinimum: true}", "{exclusiveMinimum: 0}"),
        ("{exclusiveMaximum: false, maximum: 0}", "{maximum: 0}"),
        ("{exclusiveMinimum: true}", "{}"),
        (
            "{properties: {a: {readOnly: true, example: x, xml: {name: y}}}}",
            "{properties: {a: {readOnly: true, example: x, xml: {name: y}}}}",
        ),
        (
            "{additionalProperties: {$ref: '#/definitions/B'}}",
            "{additionalProperties: {$ref: '#/components/schemas/B'}}",
        ),
        (
            "{additionalProperties: false, items: {type: file}}",
            "{additionalProperties: false, items: {type: string, format: binary}}",
        ),
        (
            "{example: {$ref: '#/definitions/B'}, enum: [{$ref: x}]}",
            "{example: {$ref: '#/definitions/B'}, enum: [{$ref: x}]}",
        ),
        ("{x-more: {a: [1]}, x-example: 1}", "{x-more: {a: [1]}, example: 1}"),
        (
            "{$ref: '#/definitions/B', description: D, maxLength: 1, x-a: 1}",
            "{$ref: '#/components/schemas/B', description: D, x-a: 1}",
        ),
        (
            "{discriminator: kind, properties: {kind: {type: string}}}",
            "{discriminator: {propertyName: kind}, properties: {kind: {type: string}}}",
        ),
    ]);
}

#[test]
fn null() {
    definitions(&[
        ("{type: string, x-nullable: true}", "{type: [string, 'null']}"),
        ("{type: string, x-nullable: false}", "{type: string}"),
        ("{type: string, enum: [a], x-nullable: true}", "{type: [string, 'null'], enum: [a, null]}"),
        ("{enum: [a], x-nullable: true}", "{enum: [a, null]}"),
        ("{properties: {a: {}}, x-nullable: true}", "{type: [object, 'null'], properties: {a: {}}}"),
        ("{x-nullable: true}", "{}"),
        (
            "{$ref: '#/definitions/B', x-nullable: true}",
            "{anyOf: [{$ref: '#/components/schemas/B'}, {type: 'null'}]}",
        ),
        (
            "{description: D, allOf: [{$ref: '#/definitions/B'}], x-nullable: true}",
            "{description: D, anyOf: [{allOf: [{$ref: '#/components/schemas/B'}]}, {type: 'null'}]}",
        ),
    ]);
}

#[test]
fn keywords_of_later_versions_stay() {
    definitions(&[
        (
            "{oneOf: [{$ref: '#/definitions/B'}], nullable: true}",
            "{anyOf: [{oneOf: [{$ref: '#/components/schemas/B'}]}, {type: 'null'}]}",
        ),
        ("{type: [string, 'null'], exclusiveMinimum: 1}", "{type: [string, 'null'], exclusiveMinimum: 1}"),
        (
            "{items: [{type: string}, {$ref: '#/definitions/B'}], additionalItems: false}",
            "{prefixItems: [{type: string}, {$ref: '#/components/schemas/B'}], items: false}",
        ),
        ("{discriminator: {propertyName: a}}", "{discriminator: {propertyName: a}}"),
    ]);
    let found = report(&swagger(
        "definitions:\n  A: {oneOf: [{type: [string, 'null']}], nullable: true}\n  B: {items: [{}], exclusiveMinimum: 1}\n",
    ));
    assert_eq!(
        found,
        [
            "5:7: warning[not-in-swagger]: Swagger 2.0 has no `oneOf` in a schema; it is read as in OpenAPI 3",
            "5:16: warning[not-in-swagger]: Swagger 2.0 has no list of types in `type`; it is read as in OpenAPI 3.1",
            "5:42: warning[not-in-swagger]: Swagger 2.0 has no `nullable` in a schema; it is read as in OpenAPI 3",
            "6:7: warning[not-in-swagger]: Swagger 2.0 has no list of schemas in `items`; it is read as in JSON Schema",
            "6:38: warning[not-in-swagger]: `exclusiveMinimum` is a boolean beside `minimum` in Swagger 2.0; the number is read as in OpenAPI 3.1",
        ]
    );
}

#[test]
fn names_that_are_no_keys() {
    check(&[(
        "definitions:\n  Page«B»: {properties: {more: {$ref: '#/definitions/Page«B»'}}}\n  a/b: {}\n  a_b: {}\n  C: {items: {$ref: '#/definitions/a~1b'}}\n",
        "components:\n  schemas:\n    Page_B: {properties: {more: {$ref: '#/components/schemas/Page_B'}}}\n    a_b_xe2480c78: {}\n    a_b: {}\n    C: {items: {$ref: '#/components/schemas/a_b_xe2480c78'}}\n",
    )]);
    let (document, _) = parse(&swagger("definitions:\n  Page«B»: {properties: {b: {type: string}}}\n"));
    assert!(document.written_definition("Page«B»").is_some_and(Node::is_object));
    assert!(document.written("#/definitions/Page«B»/properties/b").is_some_and(Node::is_object));
    assert!(document.written("#/definitions/Page").is_none());
}

#[test]
fn discriminators_name_definitions() {
    let base = "{discriminator: kind, properties: {kind: {type: string}}}";
    let new = "discriminator: {propertyName: kind";
    check(&[
        (
            &format!("definitions:\n  A: {base}\n  B: {{allOf: [{{$ref: '#/definitions/A'}}]}}\n"),
            &format!(
                "components:\n  schemas:\n    A: {{{new}}}, properties: {{kind: {{type: string}}}}}}\n    B: {{allOf: [{{$ref: '#/components/schemas/A'}}]}}\n"
            ),
        ),
        (
            &format!("definitions:\n  A: {base}\n  «B»: {{allOf: [{{$ref: '#/definitions/A'}}]}}\n"),
            &format!(
                "components:\n  schemas:\n    A: {{{new}, mapping: {{A: '#/components/schemas/A', «B»: '#/components/schemas/B'}}}}, properties: {{kind: {{type: string}}}}}}\n    B: {{allOf: [{{$ref: '#/components/schemas/A'}}]}}\n"
            ),
        ),
        (
            &format!(
                "definitions:\n  A: {base}\n  B: {{x-ms-discriminator-value: '#b', allOf: [{{$ref: '#/definitions/A'}}]}}\n"
            ),
            &format!(
                "components:\n  schemas:\n    A: {{{new}, mapping: {{A: '#/components/schemas/A', '#b': '#/components/schemas/B'}}}}, properties: {{kind: {{type: string}}}}}}\n    B: {{x-ms-discriminator-value: '#b', allOf: [{{$ref: '#/components/schemas/A'}}]}}\n"
            ),
        ),
    ]);
}

#[test]
fn security_schemes() {
    let scopes = "scopes: {r: Read.}";
    let (authorize, token) = ("authorizationUrl: 'https://a/x'", "tokenUrl: 'https://a/y'");
    let cases = [
        (
            "{type: basic, description: D}".to_owned(),
            "{type: http, scheme: basic, description: D}".to_owned(),
        ),
        (
            "{type: apiKey, name: k, in: query, x-a: 1}".to_owned(),
            "{type: apiKey, name: k, in: query, x-a: 1}".to_owned(),
        ),
        (
            format!("{{type: oauth2, flow: implicit, {authorize}, {scopes}}}"),
            format!("{{type: oauth2, flows: {{implicit: {{{authorize}, {scopes}}}}}}}"),
        ),
        (
            format!("{{type: oauth2, flow: password, {token}, {scopes}}}"),
            format!("{{type: oauth2, flows: {{password: {{{token}, {scopes}}}}}}}"),
        ),
        (
            format!("{{type: oauth2, flow: application, {token}, {scopes}}}"),
            format!("{{type: oauth2, flows: {{clientCredentials: {{{token}, {scopes}}}}}}}"),
        ),
        (
            format!("{{type: oauth2, flow: accessCode, {authorize}, {token}, {scopes}}}"),
            format!("{{type: oauth2, flows: {{authorizationCode: {{{authorize}, {token}, {scopes}}}}}}}"),
        ),
        ("{type: digest}".to_owned(), "{type: http, scheme: bearer}".to_owned()),
        ("{type: oauth2}".to_owned(), "{type: http, scheme: bearer}".to_owned()),
    ];
    for (scheme, expected) in cases {
        check(&[(
            &format!("securityDefinitions: {{a b: {scheme}}}\nsecurity: [{{a b: [r]}}]\n"),
            &format!("components: {{securitySchemes: {{a_b: {expected}}}}}\nsecurity: [{{a_b: [r]}}]\n"),
        )]);
    }
}

#[test]
fn servers() {
    for (fields, urls) in [
        (
            "host: a.b:8080\nbasePath: /v1/\nschemes: [https, http]\n",
            "https://a.b:8080/v1 http://a.b:8080/v1",
        ),
        ("host: a.b\n", "https://a.b"),
        ("basePath: /v1\nschemes: [http]\n", "/v1"),
        ("basePath: v1\n", "/v1"),
        ("basePath: /\n", ""),
        ("schemes: [https]\n", ""),
        ("host: ''\nschemes: [https]\n", ""),
        ("host: http://a.b/c/\nbasePath: /\n", "http://a.b/c"),
        ("host: '{x}.a.b'\nschemes: [wss, ftp]\n", "wss://%7Bx%7D.a.b"),
    ] {
        let found = rewritten(fields);
        let found: Vec<&str> = found.lines().filter_map(|line| line.strip_prefix("- url: ")).collect();
        assert_eq!(found.join(" ").replace('\'', ""), urls, "{fields}");
    }
    let text = swagger("host: a.b\nbasePath: /v1\n");
    let document = crate::document::Document::parse("http://c.d/swagger.yaml", &text).document.unwrap();
    let server = document.lookup("#/servers/0/url").unwrap();
    assert_eq!(server.as_str(), Some("http://a.b/v1"));
}

/// Returns definitions of which each extends the one before it.
fn chain(length: usize, name: impl Fn(usize) -> String) -> String {
    let definitions = (0..length).map(|number| {
        let base = number.checked_sub(1).map(|base| format!("{{$ref: '#/definitions/{}'}}", name(base)));
        format!("  {}: {{discriminator: k, allOf: [{}]}}\n", name(number), base.unwrap_or_default())
    });
    format!("definitions:\n{}", definitions.collect::<String>())
}

#[test]
fn a_long_chain_of_discriminators_is_read_in_time() {
    let start = std::time::Instant::now();
    let (document, _) = parse(&swagger(&chain(2000, |number| format!("D{number}"))));
    let last = format!(
        "{}  'L«x»': {{allOf: [{{$ref: '#/definitions/D99'}}]}}\n",
        chain(100, |number| format!("D{number}"))
    );
    let (small, _) = parse(&swagger(&last));
    let mapping = |document: &Document, name: &str| {
        let path = ["components", "schemas", name, "discriminator", "mapping"];
        path.iter().try_fold(document.root(), |node, name| node.get(name)).map(|node| node.entries().len())
    };
    assert_eq!(mapping(&document, "D0"), None);
    assert_eq!(
        [mapping(&small, "D0"), mapping(&small, "D99"), mapping(&small, "L_x")],
        [Some(101), Some(2), None]
    );
    assert!(start.elapsed().as_secs() < 8, "{:?}", start.elapsed());
}

#[test]
fn mappings_that_grow_too_much_are_refused_as_such() {
    let start = std::time::Instant::now();
    let found = report(&swagger(&chain(2000, |number| format!("D«{number}»"))));
    assert_eq!(
        found,
        [
            "1:1: error[syntax]: the document becomes too large in OpenAPI 3, because the mapping of each discriminator lists all schemas that extend its own"
        ]
    );
    assert!(start.elapsed().as_secs() < 8, "{:?}", start.elapsed());
}
