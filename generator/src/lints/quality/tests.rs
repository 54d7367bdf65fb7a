//! Each lint with documents that it reports and documents that it does not.

use std::collections::BTreeSet;

use super::LINTS;
use crate::{Code, Input, LintGroup, Lints, lint_with};

/// Returns a document with paths and components (in YAML's flow style).
fn document(paths: &str, components: &str) -> String {
    format!(
        "openapi: 3.1.0\ninfo: {{title: t, version: '1'}}\npaths: {{{paths}}}\ncomponents: {{{components}}}\n"
    )
}

/// Returns an operation with these fields, which responds with 204.
fn operation(path: &str, method: &str, fields: &str) -> String {
    format!("{path}: {{{method}: {{responses: {{'204': {{description: d}}}}, {fields}}}}}")
}

/// Returns a document with an operation whose request has this JSON body.
fn with_body(schema: &str) -> String {
    let body = format!("requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}");
    document(
        &operation("/a", "post", &body),
        "schemas: {Name: {type: string}, Loop: {properties: {a: {$ref: '#/components/schemas/Loop'}}}}",
    )
}

/// Returns a document with an operation that has this query parameter.
fn with_parameter(parameter: &str) -> String {
    let parameters = format!("parameters: [{{name: a, in: query, {parameter}}}]");
    document(&operation("/a", "get", &parameters), "")
}

/// Returns a document whose lists have these query parameters.
fn with_lists(lists: &[&[&str]]) -> String {
    let paths = lists.iter().enumerate().map(|(index, names)| {
        let parameter = |name: &&str| format!("{{name: {name}, in: query, schema: {{type: string}}}}");
        let parameters: Vec<String> = names.iter().map(parameter).collect();
        operation(&format!("/{index}"), "get", &format!("parameters: [{}]", parameters.join(", ")))
    });
    document(&paths.collect::<Vec<_>>().join(", "), "")
}

/// Returns a document with these paths, each with its methods: `/a get put`.
fn with_paths(paths: &[&str]) -> String {
    let items = paths.iter().map(|path| {
        let mut words = path.split(' ');
        let path = words.next().unwrap_or_default();
        let methods = words.map(|method| format!("{method}: {{responses: {{'204': {{description: d}}}}}}"));
        format!("'{path}': {{{}}}", methods.collect::<Vec<_>>().join(", "))
    });
    document(&items.collect::<Vec<_>>().join(", "), "")
}

/// Returns a document with a schema of these properties.
fn with_properties(names: &[&str]) -> String {
    let properties = names.iter().map(|name| format!("'{name}': {{type: integer}}"));
    let properties: Vec<String> = properties.collect();
    document("", &format!("schemas: {{A: {{properties: {{{}}}}}}}", properties.join(", ")))
}

/// Returns the messages of a lint.
fn found(code: Code, text: &str) -> Vec<String> {
    let lints = Lints::default().groups([LintGroup::Quality]);
    let report = lint_with(&Input::new("test.yaml", text), &lints);
    let is_broken = |code: Code| matches!(code, Code::Syntax | Code::WrongType | Code::DuplicateKey);
    assert!(report.diagnostics.iter().all(|diagnostic| !is_broken(diagnostic.code)), "{text}\n{report}");
    let found = report.diagnostics.into_iter().filter(|diagnostic| diagnostic.code == code);
    let found: Vec<String> = found.map(|diagnostic| diagnostic.message).collect();
    let off = lints.allow([code]);
    let report = lint_with(&Input::new("test.yaml", text), &off);
    assert!(report.diagnostics.iter().all(|diagnostic| diagnostic.code != code), "{code} is off");
    found
}

/// Checks documents, each with the beginnings of the messages.
fn check(code: Code, cases: &[(String, &[&str])]) {
    for (text, expected) in cases {
        let found = found(code, text);
        assert_eq!(found.len(), expected.len(), "{text}\n{found:?}");
        for (message, start) in found.iter().zip(*expected) {
            assert!(message.starts_with(start), "{text}\n{message}");
        }
    }
}

#[test]
fn every_lint_of_the_group_has_a_check() {
    let checked: BTreeSet<Code> = LINTS.iter().map(|lint| lint.code).collect();
    assert_eq!(checked, LintGroup::Quality.codes().collect());
    for code in LintGroup::Quality.codes() {
        assert!(code.name().starts_with("quality-"), "{code}");
    }
}

#[test]
fn the_group_is_off_by_default() {
    let text = with_body("{type: string}");
    let report = crate::lint("test.yaml", &text).to_string();
    assert!(!report.contains("quality-"), "{report}");
    let portable = Lints::default().groups([LintGroup::Portable]);
    let report = lint_with(&Input::new("test.yaml", &text), &portable).to_string();
    assert!(!report.contains("quality-"), "{report}");
}

#[test]
fn examples_of_bodies() {
    let body: &[&str] = &["a body with this schema has no example"];
    let a: &[&str] = &["a body with this schema has no example, and `a` has none either"];
    let inner: &[&str] = &["a body with this schema has no example, and `a.b` has none either"];
    let cases: &[(&str, &[&str])] = &[
        ("{type: string}", body),
        ("{$ref: '#/components/schemas/Name'}", body),
        ("{type: array, items: {type: string}}", body),
        ("{properties: {a: {type: string}}}", a),
        ("{properties: {a: {type: [string, 'null']}}}", a),
        ("{properties: {a: {properties: {b: {type: string}}}}}", inner),
        ("{properties: {a: {type: array, items: {properties: {b: {type: string}}}}}}", inner),
        ("{allOf: [{properties: {a: {type: string}}}, {properties: {b: {type: integer}}}]}", a),
        ("{oneOf: [{properties: {a: {type: string}}}, {properties: {b: {type: string}}}]}", a),
        ("{additionalProperties: {type: string}}", body),
        ("{type: integer}", &[]),
        ("{}", &[]),
        ("{type: string, format: uuid}", &[]),
        ("{type: string, example: x}", &[]),
        ("{type: string, examples: [x]}", &[]),
        ("{type: string, enum: [x]}", &[]),
        ("{type: string, default: x}", &[]),
        ("{const: x}", &[]),
        ("{type: string, oneOf: [{const: x}, {const: y}]}", &[]),
        ("{properties: {a: {type: string}}, example: {a: x}}", &[]),
        ("{properties: {a: {type: string, example: x}, b: {type: boolean}}}", &[]),
        ("{allOf: [{$ref: '#/components/schemas/Name'}, {example: x}]}", &[]),
        ("{oneOf: [{properties: {a: {type: string}}}, {properties: {b: {type: number}}}]}", &[]),
        ("{$ref: '#/components/schemas/Loop'}", &[]),
    ];
    for (schema, expected) in cases {
        check(Code::QualityNoExample, &[(with_body(schema), expected)]);
    }
    let body = "requestBody: {content: {application/json: {schema: {type: string}, example: x}}}";
    check(Code::QualityNoExample, &[(document(&operation("/a", "post", body), ""), &[])]);
}

#[test]
fn a_cause_of_several_bodies_or_parameters_is_reported_once() {
    // The schemas of the bodies differ, and contain one that lacks examples.
    let list = "content: {application/json: {schema: {properties: {all: {items: {$ref: '#/components/schemas/A'}}}}}}";
    let content = "content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}";
    let paths = format!(
        "/a: {{post: {{requestBody: {{{content}}}, responses: {{'200': {{description: d, {list}}}, '400': {{description: d, {content}}}}}}}}}"
    );
    let properties =
        ["a", "b", "c", "d", "e", "f"].map(|name| format!("{name}: {{type: string}}")).join(", ");
    let text = document(&paths, &format!("schemas: {{A: {{properties: {{{properties}}}}}}}"));
    let lints = Lints::default().groups([LintGroup::Quality]).allow([Code::QualityNoBounds]);
    let report = lint_with(&Input::new("test.yaml", &text), &lints).to_string();
    assert_eq!(report.matches("warning[quality-no-example]").count(), 1, "{report}");
    assert!(
        report.contains(": 3 bodies with this schema have no example, and `a` has none either\n"),
        "{report}"
    );
    assert!(report.contains("= note: no example either: `b`, `c`, `d`, `e` and others\n"), "{report}");

    let lists = with_lists(&[&["page", "q"], &["page"], &["page"]]);
    let report = lint_with(&Input::new("test.yaml", &lists), &lints).to_string();
    assert_eq!(report.matches("warning[quality-no-example]").count(), 2, "{report}");
    let note = "= note: other parameters with this name and without an example: 2\n";
    assert!(report.contains(note), "{report}");
}

/// Returns a document with these schemas, and with an operation whose request has this JSON body.
fn with_schemas(body: &str, schemas: &str) -> String {
    let body = format!("requestBody: {{content: {{application/json: {{schema: {body}}}}}}}");
    document(&operation("/a", "post", &body), &format!("schemas: {{{schemas}}}"))
}

#[test]
fn a_schema_of_several_variants_counts_in_each() {
    let schemas = "A: {properties: {s: {type: string}}}, B: {properties: {n: {type: integer}}}";
    let (a, b) = ("{$ref: '#/components/schemas/A'}", "{$ref: '#/components/schemas/B'}");
    let s: &[&str] = &["a body with this schema has no example, and `s` has none either"];
    check(
        Code::QualityNoExample,
        &[
            (with_schemas(&format!("{{oneOf: [{a}, {b}]}}"), schemas), &[]),
            // The schema of a variant that is not chosen is also used elsewhere.
            (with_schemas(&format!("{{properties: {{x: {{oneOf: [{a}, {b}]}}, y: {a}}}}}"), schemas), s),
            (with_schemas(&format!("{{properties: {{x: {a}, y: {{oneOf: [{a}, {b}]}}}}}}"), schemas), s),
            // Both variants contain it.
            (
                with_schemas(
                    &format!("{{oneOf: [{{properties: {{x: {a}}}}}, {{properties: {{y: {a}}}}}]}}"),
                    schemas,
                ),
                s,
            ),
        ],
    );
}

#[test]
fn unions_within_unions_end_the_search_for_examples() {
    let reported = |depth: usize| {
        let union = |index: usize| {
            let next = format!("{{$ref: '#/components/schemas/S{}'}}", index + 1);
            format!("S{index}: {{oneOf: [{{properties: {{a: {next}}}}}, {{properties: {{b: {next}}}}}]}}")
        };
        let mut schemas: Vec<String> = (0..depth).map(union).collect();
        schemas.push(format!("S{depth}: {{properties: {{s: {{type: string}}}}}}"));
        let text = with_schemas("{$ref: '#/components/schemas/S0'}", &schemas.join(", "));
        found(Code::QualityNoExample, &text).len()
    };
    assert_eq!([4, 30].map(reported), [1, 0]);
}

#[test]
fn at_most_five_strings_of_a_body_are_named() {
    let string = |name: &&str| format!("{name}: {{type: string}}");
    let properties = |names: &[&str]| names.iter().map(string).collect::<Vec<_>>().join(", ");
    let lints = Lints::default().groups([LintGroup::Quality]).allow([Code::QualityNoBounds]);
    let union = format!(
        "{}, x: {{oneOf: [{{properties: {{{}}}}}]}}",
        properties(&["a", "b", "c", "d"]),
        properties(&["e", "f", "g"])
    );
    for (properties, note) in [
        (properties(&["a", "b"]), "`b`\n"),
        (properties(&["a", "b", "c", "d", "e"]), "`b`, `c`, `d`, `e`\n"),
        (properties(&["a", "b", "c", "d", "e", "f"]), "`b`, `c`, `d`, `e` and others\n"),
        (union, "`b`, `c`, `d`, `x.e` and others\n"),
    ] {
        let text = with_body(&format!("{{properties: {{{properties}}}}}"));
        let report = lint_with(&Input::new("test.yaml", &text), &lints).to_string();
        assert!(report.contains(&format!("= note: no example either: {note}")), "{report}");
    }
}

#[test]
fn examples_of_parameters() {
    let missing: &[&str] = &["parameter `a` has no example"];
    check(
        Code::QualityNoExample,
        &[
            (with_parameter("schema: {type: string}"), missing),
            (with_parameter("schema: {type: array, items: {type: string}}"), missing),
            (with_parameter("schema: {type: string}, example: x"), &[]),
            (with_parameter("schema: {type: string}, examples: {x: {value: x}}"), &[]),
            (with_parameter("schema: {type: string, format: date}"), &[]),
            (with_parameter("schema: {type: array, items: {type: string, enum: [x]}}"), &[]),
            (with_parameter("schema: {type: integer}"), &[]),
        ],
    );
}

#[test]
fn bounds_of_requests() {
    let string: &[&str] = &["this string of a request has no `maxLength`"];
    let array: &[&str] = &["this array of a request has no `maxItems`"];
    let integer: &[&str] = &["this integer of a request has no `maximum`"];
    let cases: &[(&str, &[&str])] = &[
        ("{type: string}", string),
        ("{type: [string, 'null']}", string),
        ("{type: string, minLength: 1}", string),
        ("{type: string, format: uri}", string),
        ("{type: string, pattern: '^a+$'}", string),
        ("{type: string, pattern: 'a{1,3}'}", string),
        ("{$ref: '#/components/schemas/Name'}", string),
        (
            "{properties: {a: {type: string}, b: {$ref: '#/components/schemas/Name'}}}",
            &[string[0], string[0]],
        ),
        ("{additionalProperties: {type: string}}", string),
        ("{oneOf: [{type: string}, {type: integer, maximum: 1}]}", string),
        ("{allOf: [{type: string}, {minLength: 1}]}", string),
        ("{type: array, items: {type: boolean}}", array),
        ("{type: array, maxItems: 2, items: {type: string}}", string),
        ("{type: array, items: {type: string, enum: [a, b]}}", array),
        ("{type: integer}", integer),
        ("{type: integer, minimum: 0}", integer),
        ("{type: string, maxLength: 5}", &[]),
        ("{type: string, enum: [a]}", &[]),
        ("{type: string, oneOf: [{const: x}, {const: y}]}", &[]),
        ("{type: string, format: uuid}", &[]),
        ("{type: string, format: binary}", &[]),
        ("{type: string, contentEncoding: binary}", &[]),
        ("{type: string, pattern: '^[a-z]{1,20}$'}", &[]),
        ("{type: string, pattern: '^(a|bc)?$'}", &[]),
        ("{allOf: [{$ref: '#/components/schemas/Name'}, {maxLength: 5}]}", &[]),
        ("{$ref: '#/components/schemas/Name', maxLength: 5}", &[]),
        ("{maxLength: 5, oneOf: [{type: string}, {type: boolean}]}", &[]),
        ("{type: array, maxItems: 2, items: {type: boolean}}", &[]),
        ("{type: array, uniqueItems: true, items: {type: string, enum: [a, b]}}", &[]),
        ("{type: array, prefixItems: [{type: boolean}], items: false}", &[]),
        ("{type: array, prefixItems: [{type: boolean}], items: true}", array),
        ("{type: integer, maximum: 5}", &[]),
        ("{type: integer, exclusiveMaximum: 5}", &[]),
        ("{type: integer, format: int32}", &[]),
        ("{type: integer, format: unix-time}", &[]),
        ("{type: number}", &[]),
        ("{properties: {a: {type: string, readOnly: true}}}", &[]),
        ("{$ref: '#/components/schemas/Loop'}", &[]),
    ];
    for (schema, expected) in cases {
        check(Code::QualityNoBounds, &[(with_body(schema), expected)]);
    }
    check(
        Code::QualityNoBounds,
        &[
            (with_parameter("schema: {type: string}"), string),
            (with_parameter("content: {application/json: {schema: {type: string}}}"), string),
        ],
    );
    let file = "requestBody: {content: {image/png: {schema: {type: string}}}}";
    check(Code::QualityNoBounds, &[(document(&operation("/a", "put", file), ""), &[])]);
    // A response, and the request of a callback, which the server sends.
    let content = "description: d, content: {application/json: {schema: {type: string}}}";
    let callback = format!("callbacks: {{c: {{'{{$url}}': {{post: {{requestBody: {{{content}}}}}}}}}}}");
    let paths = format!("/a: {{get: {{responses: {{'200': {{{content}}}}}, {callback}}}}}");
    check(Code::QualityNoBounds, &[(document(&paths, ""), &[])]);
}

#[test]
fn cases_of_names() {
    let camel: &[&str] = &["property `fooBar` is not in snake_case, as 3 others are"];
    check(
        Code::QualityNameCase,
        &[
            (with_properties(&["a_b", "c_d", "e_f", "fooBar", "g"]), camel),
            (
                with_properties(&["aB", "cD", "eF", "foo_bar", "g"]),
                &["property `foo_bar` is not in camelCase"],
            ),
            (with_properties(&["a-b", "c-d", "e-f", "fooBar"]), &["property `fooBar` is not in kebab-case"]),
            (
                with_properties(&["FooBar", "CreatedAt", "Size", "name"]),
                &["property `name` is not in PascalCase"],
            ),
            (with_properties(&["a_b", "c_d", "e_f", "Foo_bar"]), &["property `Foo_bar`"]),
            (with_properties(&["a_b", "c_d", "e_f", "filter[fooBar]"]), &["property `filter[fooBar]`"]),
            // No case prevails, or too few names show one.
            (with_properties(&["a_b", "c_d", "e_f", "aB", "cD", "eF"]), &[]),
            (with_properties(&["a_b", "c_d", "fooBar"]), &[]),
            (with_properties(&["name", "id", "size", "Kind"]), &[]),
            // Names without a case, and prefixes.
            (
                with_properties(&[
                    "a_b", "c_d", "e_f", "+1", "größe", "g h", "_links", "$ref", "@type", "2nd",
                ]),
                &[],
            ),
        ],
    );
    let parameters = |names: &[(&str, &str)]| {
        let one = |(name, location): &(&str, &str)| {
            format!("{{name: {name}, in: {location}, required: true, schema: {{type: integer}}}}")
        };
        let parameters: Vec<String> = names.iter().map(one).collect();
        document(&operation("/a", "get", &format!("parameters: [{}]", parameters.join(", "))), "")
    };
    let query = [("a_b", "query"), ("c_d", "query"), ("e_f", "query"), ("fooBar", "query")];
    let headers = [("a_b", "query"), ("c_d", "query"), ("e_f", "query"), ("X-Foo", "header")];
    let reported: &[&str] = &["query parameter `fooBar` is not in snake_case, as 3 others are"];
    check(Code::QualityNameCase, &[(parameters(&query), reported), (parameters(&headers), &[])]);
}

#[test]
fn paging_parameters() {
    let page: &[&str] = &["page", "per_page"];
    check(
        Code::QualityPaging,
        &[
            (
                with_lists(&[page, page, page, &["page", "limit"]]),
                &["the size of a page is set by `limit` here, and by `per_page` in 3 of 4 lists"],
            ),
            (
                with_lists(&[page, page, page, &["after", "before", "per_page"]]),
                &["the page is selected by `after` and `before` here, and by `page` in 3 of 4 lists"],
            ),
            (with_lists(&[page, page, page, &["per_page"], &["page"], &["sort"]]), &[]),
            // The usual parameter, and others beside it.
            (with_lists(&[page, page, page, &["page", "cursor"]]), &[]),
            // Not about pages: there is no size.
            (with_lists(&[page, page, page, &["after", "before"]]), &[]),
            // No set of names prevails.
            (with_lists(&[page, page, page, &["cursor"], &["cursor"], &["cursor"]]), &[]),
            (with_lists(&[page, page, &["cursor", "limit"]]), &[]),
        ],
    );
}

#[test]
fn undescribed_tasks_and_pages() {
    let responses = |status: u16, schema: &str| {
        format!(
            "responses: {{'{status}': {{description: A., content: {{application/json: {{schema: {schema}}}}}}}}}"
        )
    };
    let operation = |path: &str, method: &str, fields: String| format!("{path}: {{{method}: {{{fields}}}}}");
    let list = |more: &str, schema: &str| {
        let page = "parameters: [{name: page, in: query, schema: {type: integer}}]";
        document(&operation("/a", "get", format!("{more}{page}, {}", responses(200, schema))), "")
    };
    let task = |more: &str, status: u16, path: &str, schema: &str| {
        let post = operation("/a", "post", format!("{more}{}", responses(status, "{type: object}")));
        let id = "parameters: [{name: id, in: path, required: true, schema: {type: string}}]";
        let get = operation(&format!("'{path}'"), "get", format!("{id}, {}", responses(200, schema)));
        document(&format!("{post}, {get}"), "")
    };
    let array = "{type: array, items: {type: string}}";
    let in_data = format!("{{type: object, properties: {{data: {array}}}}}");
    let paged: &[&str] = &["`GET /a` returns pages (`page`) and doesn't describe them"];
    let created: &[&str] = &["`POST /a` creates a task, which `GET /a/{id}` gets, and doesn't describe it"];
    let job = "{allOf: [{type: object, properties: {status: {type: string, enum: [in_progress, FAILED]}}}]}";
    let in_job = format!("{{type: object, properties: {{job: {job}}}}}");
    let text = "{type: object, properties: {state: {type: string}}}";
    let article = "{type: object, properties: {status: {type: string, enum: [draft, done]}}}";
    check(
        Code::QualityUndescribed,
        &[
            (list("", array), paged),
            (list("", &in_data), paged),
            (list("", "{type: object}"), &[]),
            (list("x-pagination: false, ", array), &[]),
            (task("", 200, "/a/{id}", job), created),
            (task("", 200, "/a/{id}", &in_job), created),
            (task("", 202, "/a/{id}", text), created),
            (task("", 200, "/a/{id}", text), &[]),
            (task("", 200, "/a/{id}", article), &[]),
            (task("", 200, "/a/{id}/b", job), &[]),
            (task("x-ms-long-running-operation: true, ", 200, "/a/{id}", job), &[]),
        ],
    );
}

#[test]
fn unused_components() {
    let paths = operation("/a", "post", "requestBody: {$ref: '#/components/requestBodies/B'}");
    let bodies =
        "requestBodies: {B: {content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}";
    let reported: &[&str] = &["no operation and no webhook uses `C` of `schemas`"];
    let with = |schemas: &str| document(&paths, &format!("{bodies}, schemas: {{{schemas}}}"));
    let base = "A: {properties: {kind: {type: string}}, discriminator: {propertyName: kind}}";
    check(
        Code::QualityUnusedComponent,
        &[
            (with("A: {type: object}, C: {type: object}"), reported),
            (with("A: {type: object}, C: {properties: {c: {$ref: '#/components/schemas/C'}}}"), reported),
            (with("A: {properties: {c: {$ref: '#/components/schemas/C'}}}, C: {type: object}"), &[]),
            (with(&format!("{base}, C: {{allOf: [{{$ref: '#/components/schemas/A'}}]}}")), &[]),
            // A library of components.
            (document("", "schemas: {C: {type: object}}"), &[]),
        ],
    );
    let with = |more: &str| with("A: {type: object}, C: {type: object}") + more;
    let hook = "webhooks: {w: {post: {parameters: [{name: c, in: query, schema: {$ref: '#/components/schemas/C'}}]}}}\n";
    let extension = "x-more: {schema: {$ref: '#/components/schemas/C'}}\n";
    check(Code::QualityUnusedComponent, &[(with(hook), &[]), (with(extension), &[])]);
    let example = document(
        &operation("/a", "get", ""),
        "examples: {E: {value: 1}}, securitySchemes: {S: {type: http, scheme: basic}}",
    );
    check(
        Code::QualityUnusedComponent,
        &[(example, &["no operation and no webhook uses `E` of `examples`"])],
    );
}

#[test]
fn responses_for_errors_of_clients() {
    let reported: &[&str] = &["`GET /a` describes no response with a status 4xx"];
    let with = |item: &str, status: &str, fields: &str, root: &str| {
        let responses = format!("responses: {{'204': {{description: d}}, '{status}': {{description: d}}}}");
        document(&format!("/a: {{{item} get: {{{responses}, {fields}}}}}"), "") + root
    };
    let parameter = "parameters: [{name: a, in: query, schema: {type: string}}]";
    let shared = format!("{parameter},");
    check(
        Code::QualityNoClientError,
        &[
            (with("", "500", parameter, ""), reported),
            (with(&shared, "500", "", ""), reported),
            (with("", "500", "security: [{}, {s: []}]", ""), reported),
            (with("", "500", "", "security: [{s: []}]\n"), reported),
            (with("", "404", parameter, ""), &[]),
            (with("", "4XX", parameter, ""), &[]),
            (with("", "default", parameter, ""), &[]),
            // Nothing in the request can be wrong.
            (with("", "500", "", ""), &[]),
            (with("", "500", "security: []", "security: [{s: []}]\n"), &[]),
            (with("", "500", "security: [{}]", ""), &[]),
        ],
    );
}

#[test]
fn ambiguous_paths() {
    let shared: &[&str] = &["a request for `/a/b` matches this path and `/{x}/b`; neither is more specific"];
    let same: &[&str] = &["`/a/{y}` is the same path as `/a/{x}`, with other parameter names"];
    let cases: &[(&[&str], &[&str])] = &[
        (&["/{x}/b get", "/a/{y} get"], shared),
        (&["/{x}/b get put", "/a/{y} put post"], shared),
        (&["/a/{x} get", "/a/{y} put"], same),
        (
            &["/{x}.json get", "/a.{y} get"],
            &["a request for `/a.{y}.json` matches this path and `/{x}.json`; neither"],
        ),
        (&["/{x}-{z}b get", "/a{y} get"], &["a request for `/a{y}{x}-{z}b` matches this path"]),
        (&["/{x}/b/{z} get", "/a/{y}/{z} get"], &["a request for `/a/b/{z}` matches this path"]),
        // Equal templates with the same method are a `path-conflict`.
        (&["/a/{x} get", "/a/{y} get"], &[]),
        (&["/{x}/b get", "/a/{y} put"], &[]),
        (&["/a/{x} get", "/a/b get"], &[]),
        (&["/{x}/{y} get", "/a/{y} get", "/a/b get"], &[]),
        (&["/{x}/b get", "/a/c get"], &[]),
        (&["/{x}/b get", "/a/{y}/c get"], &[]),
        (&["/{x}.json get", "/{x} get"], &[]),
        (&["/{x}.json get", "/{x}.xml get"], &[]),
        (&["/a{x} get", "/a get"], &[]),
        (&["/{x=a/*}/b get", "/a/{y} get"], &[]),
        (&["/{x/b get", "/a/{y} get"], &[]),
    ];
    for (paths, expected) in cases {
        check(Code::QualityAmbiguousPath, &[(with_paths(paths), expected)]);
    }
}

#[test]
fn a_path_that_is_ambiguous_with_several_is_reported_once() {
    let text = with_paths(&["/{x}/b get", "/{x}/c get", "/a/{y} get", "/{x}/d get"]);
    let report = lint_with(&Input::new("test.yaml", &text), &Lints::default().groups([LintGroup::Quality]));
    let report = report.to_string();
    assert_eq!(report.matches("warning[quality-ambiguous-path]").count(), 1, "{report}");
    assert!(report.contains("= note: it is ambiguous with `/{x}/c`, `/{x}/d`, too\n"), "{report}");
}

#[test]
fn paths_whose_shared_requests_are_refused_are_not_ambiguous() {
    let with = |literal: &str, x: &str, y: &str| {
        let parameter = |name: &str, schema: &str| {
            format!("parameters: [{{name: {name}, in: path, required: true, schema: {schema}}}]")
        };
        let x = operation("'/{x}/b'", "get", &parameter("x", x));
        let y = operation(&format!("'/{literal}/{{y}}'"), "get", &parameter("y", y));
        document(&format!("{x}, {y}"), "")
    };
    for (x, y, count) in [
        ("{type: integer}", "{type: integer}", 0),
        ("{type: number}", "{type: string, format: uuid}", 0),
        ("{type: string, enum: [x]}", "{type: string, pattern: '^[0-9]+$'}", 0),
        ("{type: integer}", "{type: string}", 1),
        ("{type: string, enum: [x, a]}", "{type: integer}", 1),
        ("{type: integer}", "{type: string, pattern: '^[a-z]$'}", 1),
    ] {
        assert_eq!(found(Code::QualityAmbiguousPath, &with("a", x, y)).len(), count, "{x} {y}");
    }
    for (literal, x, count) in [
        ("1", "{type: integer, enum: [1, 2]}", 1),
        ("3", "{type: integer, enum: [1, 2]}", 0),
        ("true", "{type: boolean, enum: [true]}", 1),
        ("1.5", "{type: number}", 1),
        ("inf", "{type: number}", 0),
        ("nan", "{type: integer}", 0),
    ] {
        let document = with(literal, x, "{type: integer}");
        assert_eq!(found(Code::QualityAmbiguousPath, &document).len(), count, "{literal} {x}");
    }
}
