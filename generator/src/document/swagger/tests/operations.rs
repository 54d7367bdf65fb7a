//! Parameters, bodies and responses.

use super::{check, parse, report, swagger};

/// Compares operations, each with its expected one. Both are under `paths: {/a: {post: …}}`.
fn operations(cases: &[(&str, &str)]) {
    for (operation, expected) in cases {
        let fields = format!("paths: {{/a: {{post: {{{operation}}}}}}}\n");
        check(&[(&fields, &format!("paths: {{/a: {{post: {{{expected}}}}}}}\n"))]);
    }
}

#[test]
fn parameters() {
    let array = "type: array, items: {type: string}";
    let schema = format!("schema: {{{array}}}");
    let cases = [
        (
            "in: query, type: integer, minimum: 1, exclusiveMinimum: true",
            "in: query, schema: {type: integer, exclusiveMinimum: 1}",
        ),
        (
            "in: header, type: string, description: D, x-example: e, x-a: 1",
            "in: header, description: D, example: e, x-a: 1, schema: {type: string}",
        ),
        (
            "in: query, type: string, allowEmptyValue: true, x-nullable: true",
            "in: query, allowEmptyValue: true, schema: {type: [string, 'null']}",
        ),
        (
            "in: query, type: string, x-examples: {one: 1}",
            "in: query, examples: {one: {value: 1}}, schema: {type: string}",
        ),
        (
            "in: query, enum: [a], x-enum-varnames: [A], type: string",
            "in: query, schema: {enum: [a], x-enum-varnames: [A], type: string}",
        ),
        ("in: query", "in: query, schema: {type: string}"),
        ("in: query, schema: {type: string}", "in: query, schema: {type: string}"),
        ("in: cookie, type: string", "in: cookie, schema: {type: string}"),
        ("in: query, unknown: 1, type: string", "in: query, schema: {type: string}"),
    ];
    let mut cases: Vec<(String, String)> =
        cases.into_iter().map(|(one, other)| (one.to_owned(), other.to_owned())).collect();
    for (location, format, style) in [
        ("query", "", "style: form, explode: false, "),
        ("query", "csv", "style: form, explode: false, "),
        ("query", "multi", "style: form, explode: true, "),
        ("query", "ssv", "style: spaceDelimited, explode: false, "),
        ("query", "pipes", "style: pipeDelimited, explode: false, "),
        ("query", "nonsense", "style: form, explode: false, "),
        ("path", "", ""),
        ("path", "csv", ""),
        ("header", "multi", ""),
    ] {
        let written = if format.is_empty() { String::new() } else { format!(", collectionFormat: {format}") };
        cases.push((format!("in: {location}, {array}{written}"), format!("in: {location}, {style}{schema}")));
    }
    for (location, format) in [("query", "tsv"), ("path", "ssv"), ("header", "pipes"), ("header", "tsv")] {
        cases.push((
            format!("in: {location}, {array}, maxItems: 2, collectionFormat: {format}"),
            format!("in: {location}, schema: {{type: string}}"),
        ));
    }
    cases.push((
        "in: query, type: array, collectionFormat: multi, items: {type: array, collectionFormat: csv, items: {type: integer}}".to_owned(),
        "in: query, style: form, explode: true, schema: {type: array, items: {type: string}}".to_owned(),
    ));
    for (parameter, expected) in cases {
        operations(&[(
            &format!("parameters: [{{name: p, {parameter}}}]"),
            &format!("parameters: [{{name: p, {expected}}}]"),
        )]);
    }
}

#[test]
fn bodies() {
    let body = "parameters: [{name: b, in: body, required: true, description: D, schema: {type: object}}]";
    let json = "application/json: {schema: {type: object}}";
    operations(&[
        (body, &format!("requestBody: {{required: true, description: D, content: {{{json}}}}}")),
        (
            &format!("consumes: [text/xml, application/json], {body}"),
            &format!(
                "requestBody: {{required: true, description: D, content: {{text/xml: {{schema: {{type: object}}}}, {json}}}}}"
            ),
        ),
        (
            "parameters: [{name: b, in: body, schema: {type: string}, x-example: e}]",
            "requestBody: {content: {application/json: {schema: {type: string}, example: e}}}",
        ),
        (
            "consumes: [a/b, c/d], parameters: [{name: b, in: body, schema: {}, x-examples: {a/b: e}}]",
            "requestBody: {content: {a/b: {schema: {}, example: e}, c/d: {schema: {}}}}",
        ),
    ]);
    check(&[
        (
            "consumes: [a/b]\nparameters: {B: {name: b, in: body, schema: {type: string}}}\npaths: {/a: {put: {parameters: [{$ref: '#/parameters/B'}]}, post: {consumes: [], parameters: [{$ref: '#/parameters/B'}]}}}\n",
            "components: {requestBodies: {B: {content: {a/b: {schema: {type: string}}}}}}\npaths: {/a: {put: {requestBody: {$ref: '#/components/requestBodies/B'}}, post: {requestBody: {content: {application/json: {schema: {type: string}}}}}}}\n",
        ),
        (
            "paths: {/a: {parameters: [{name: b, in: body, schema: {type: string}}, {name: q, in: query, type: string}], get: {parameters: [{name: c, in: body, schema: {}}]}, put: {}}}\n",
            "paths: {/a: {parameters: [{name: q, in: query, schema: {type: string}}], get: {requestBody: {content: {application/json: {schema: {}}}}}, put: {requestBody: {content: {application/json: {schema: {type: string}}}}}}}\n",
        ),
    ]);
}

#[test]
fn forms() {
    let text = "{name: t, in: formData, type: string, required: true, description: D}";
    let file = "{name: f, in: formData, type: file}";
    let list = "{name: l, in: formData, type: array, items: {type: string}}";
    let form = "schema: {type: object, properties: {t: {type: string, description: D}}, required: [t]}";
    operations(&[
        (
            &format!("parameters: [{text}]"),
            &format!(
                "requestBody: {{content: {{application/x-www-form-urlencoded: {{{form}}}}}, required: true}}"
            ),
        ),
        (
            &format!("consumes: [multipart/form-data], parameters: [{text}]"),
            &format!("requestBody: {{content: {{multipart/form-data: {{{form}}}}}, required: true}}"),
        ),
        (
            &format!("consumes: [application/json], parameters: [{file}]"),
            "requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {f: {type: string, format: binary}}}}}}",
        ),
        (
            &format!(
                "consumes: [application/x-www-form-urlencoded, multipart/form-data], parameters: [{list}]"
            ),
            "requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {l: {type: array, items: {type: string}}}}, encoding: {l: {style: form, explode: false}}}, multipart/form-data: {schema: {type: object, properties: {l: {type: array, items: {type: string}}}}, encoding: {l: {style: form, explode: false}}}}}",
        ),
        (
            "parameters: [{name: l, in: formData, type: array, collectionFormat: multi, items: {type: string}}]",
            "requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {l: {type: array, items: {type: string}}}}}}}",
        ),
    ]);
    check(&[(
        "parameters: {F: {name: f, in: formData, type: file}}\npaths: {/a: {parameters: [{$ref: '#/parameters/F'}], put: {parameters: [{name: t, in: formData, type: string}]}}}\n",
        "paths: {/a: {put: {requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {t: {type: string}, f: {type: string, format: binary}}}}}}}}}\n",
    )]);
}

#[test]
fn responses() {
    let text = "{description: D, schema: {type: string}}";
    operations(&[
        ("responses: {'204': {description: D}}", "responses: {'204': {description: D}}"),
        (
            &format!("responses: {{default: {text}}}"),
            "responses: {default: {description: D, content: {application/json: {schema: {type: string}}}}}",
        ),
        (
            &format!("produces: [a/b, c/d], responses: {{'200': {text}, x-a: 1}}"),
            "responses: {'200': {description: D, content: {a/b: {schema: {type: string}}, c/d: {schema: {type: string}}}}, x-a: 1}",
        ),
        (
            "produces: [image/png], responses: {'200': {description: D, schema: {type: file}}}",
            "responses: {'200': {description: D, content: {image/png: {schema: {type: string, format: binary}}}}}",
        ),
        (
            "responses: {'200': {description: D, schema: {type: file}}}",
            "responses: {'200': {description: D, content: {application/octet-stream: {schema: {type: string, format: binary}}}}}",
        ),
        (
            "produces: [image/png], responses: {'400': {description: D, schema: {type: object}}}",
            "responses: {'400': {description: D, content: {application/json: {schema: {type: object}}}}}",
        ),
        (
            "responses: {'200': {description: D, schema: {type: string}, examples: {application/json: e, text/xml: f}}}",
            "responses: {'200': {description: D, content: {application/json: {schema: {type: string}, example: e}, text/xml: {schema: {type: string}, example: f}}}}",
        ),
        (
            "produces: [a/b], responses: {'200': {description: D, schema: {type: string}, examples: {application/json: e}}}",
            "responses: {'200': {description: D, content: {a/b: {schema: {type: string}}, application/json: {schema: {type: string}, example: e}}}}",
        ),
        (
            "responses: {'200': {description: D, headers: {H: {type: array, items: {type: integer}, description: E, x-a: 1}}}}",
            "responses: {'200': {description: D, headers: {H: {description: E, x-a: 1, schema: {type: array, items: {type: integer}}}}}}",
        ),
    ]);
}

#[test]
fn shared_responses_have_the_media_types_of_most_operations() {
    check(&[(
        "responses: {R: {description: D, schema: {type: string}}, N: {description: E}}\npaths: {/a: {get: {produces: [a/b], responses: {'200': {$ref: '#/responses/R'}, '404': {$ref: '#/responses/N'}}}, put: {produces: [a/b], responses: {'200': {$ref: '#/responses/R'}}}, post: {responses: {'200': {$ref: '#/responses/R'}}}}}\n",
        "components: {responses: {R: {description: D, content: {a/b: {schema: {type: string}}}}, N: {description: E}}}\npaths: {/a: {get: {responses: {'200': {$ref: '#/components/responses/R'}, '404': {$ref: '#/components/responses/N'}}}, put: {responses: {'200': {$ref: '#/components/responses/R'}}}, post: {responses: {'200': {description: D, content: {application/json: {schema: {type: string}}}}}}}}\n",
    )]);
}

#[test]
fn references_follow_their_targets() {
    check(&[(
        "x-schemas: {S: {type: string, x-nullable: true}}\npaths: {/a: {get: {parameters: [{name: q, in: query, type: array, items: {$ref: '#/x-schemas/S'}}], responses: {'200': {description: D, schema: {properties: {a: {type: string}}}}, '201': {description: D, schema: {$ref: '#/paths/~1a/get/responses/200/schema/properties/a'}}}}}}\n",
        "x-schemas: {S: {type: [string, 'null']}}\npaths: {/a: {get: {parameters: [{name: q, in: query, style: form, explode: false, schema: {type: array, items: {$ref: '#/x-schemas/S'}}}], responses: {'200': {description: D, content: {application/json: {schema: {properties: {a: {type: string}}}}}}, '201': {description: D, content: {application/json: {schema: {$ref: '#/paths/~1a/get/responses/200/content/application~1json/schema/properties/a'}}}}}}}}\n",
    )]);
}

#[test]
fn schemes_of_an_operation_are_servers() {
    check(&[(
        "host: a.b\nschemes: [https]\npaths: {/a: {get: {schemes: [wss]}, put: {schemes: [https]}, x-a: 1}, x-b: {get: {consumes: []}}}\n",
        "servers: [{url: 'https://a.b'}]\npaths: {/a: {get: {servers: [{url: 'wss://a.b'}]}, put: {}, x-a: 1}, x-b: {get: {consumes: []}}}\n",
    )]);
}

#[test]
fn a_media_type_as_a_string_is_a_list_for_shared_responses() {
    check(&[(
        "responses: {R: {description: D, schema: {type: string}}}\npaths: {/a: {get: {produces: text/xml, responses: {'200': {$ref: '#/responses/R'}}}}}\n",
        "components: {responses: {R: {description: D, content: {text/xml: {schema: {type: string}}}}}}\npaths: {/a: {get: {responses: {'200': {$ref: '#/components/responses/R'}}}}}\n",
    )]);
}

#[test]
fn many_form_fields_are_read_in_time() {
    let fields = |from: usize| {
        let fields =
            (from..from + 20_000).map(|number| format!("{{name: f{number}, in: formData, type: string}}"));
        fields.collect::<Vec<_>>().join(", ")
    };
    let text = swagger(&format!(
        "paths: {{/a: {{parameters: [{}], put: {{parameters: [{}]}}}}}}\n",
        fields(10_000),
        fields(0)
    ));
    let start = std::time::Instant::now();
    let (document, _) = parse(&text);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    let pointer = [
        "paths",
        "/a",
        "put",
        "requestBody",
        "content",
        "application/x-www-form-urlencoded",
        "schema",
        "properties",
    ];
    let properties = pointer.iter().try_fold(document.root(), |node, name| node.get(name));
    assert_eq!(properties.map(|properties| properties.entries().len()), Some(30_000));
}

#[test]
fn objects_are_json_where_only_files_are_produced() {
    let response = "{description: D, schema: {type: object}}";
    let json = "{description: D, content: {application/json: {schema: {type: object}}}}";
    for produces in [
        "application/vnd.docker.raw-stream, application/vnd.docker.multiplexed-stream",
        "application/x-tar",
        "application/vnd.ms-excel",
        "Application/Octet-Stream",
        "image/png",
        "application/zip; a=b",
    ] {
        operations(&[(
            &format!("produces: ['{}'], responses: {{'404': {response}}}", produces.replace(", ", "', '")),
            &format!("responses: {{'404': {json}}}"),
        )]);
    }
    for produces in ["text/plain", "application/xml", "image/svg+xml", "'*/*'", "application/x-ndjson", "xml"]
    {
        operations(&[(
            &format!("produces: [{produces}], responses: {{'404': {response}}}"),
            &format!(
                "responses: {{'404': {{description: D, content: {{{produces}: {{schema: {{type: object}}}}}}}}}}"
            ),
        )]);
    }
}

#[test]
fn encrypted_schemes_are_the_first_servers() {
    check(&[
        (
            "host: a.b\nschemes: [http, https]\npaths: {/a: {get: {schemes: [https, http]}, put: {schemes: [http]}}}\n",
            "servers: [{url: 'https://a.b'}, {url: 'http://a.b'}]\npaths: {/a: {get: {}, put: {servers: [{url: 'http://a.b'}]}}}\n",
        ),
        ("host: a.b\nschemes: [ws, wss]\n", "servers: [{url: 'wss://a.b'}, {url: 'ws://a.b'}]\n"),
        (
            "host: a.b\nschemes: [https, https]\npaths: {/a: {get: {schemes: [https]}, put: {schemes: [ftp]}}}\n",
            "servers: [{url: 'https://a.b'}]\npaths: {/a: {get: {}, put: {}}}\n",
        ),
    ]);
}

#[test]
fn a_document_that_grows_too_much_is_refused() {
    let types: Vec<String> = (0..400).map(|number| format!("a/b{number}")).collect();
    let items = "{type: array, items: ".repeat(50) + "{}" + &"}".repeat(50);
    let operations: Vec<String> = (0..200)
        .map(|number| {
            format!("/a{number}: {{put: {{parameters: [{{name: b, in: body, schema: {items}}}]}}}}")
        })
        .collect();
    let text = swagger(&format!("consumes: [{}]\npaths: {{{}}}\n", types.join(", "), operations.join(", ")));
    let found = report(&text);
    assert_eq!(
        found,
        [
            "1:1: error[syntax]: the document becomes too large in OpenAPI 3, because its media types repeat its schemas"
        ]
    );
}

#[test]
fn a_long_chain_of_references_is_read_in_time() {
    let start = std::time::Instant::now();
    let chain = (0..4000).map(|number| format!("  P{number}: {{$ref: '#/parameters/P{}'}}\n", number + 1));
    let last = "  P4000: {name: n, in: query, type: string}\n";
    let (document, _) = parse(&swagger(&format!("parameters:\n{}{last}", chain.collect::<String>())));
    assert!(document.lookup("#/components/parameters/P0").is_ok());
    assert!(start.elapsed().as_secs() < 8, "{:?}", start.elapsed());
}
