//! Documents in practice that the specification forbids or leaves undefined: variations of the fixture `in-practice`.

use super::*;

/// Returns the warnings with this code.
fn count(report: &str, code: &str) -> usize {
    report.matches(&format!("warning[{code}]")).count()
}

#[test]
fn bounds_outside_of_a_format_decide_the_type() {
    for (schema, expected, is_reported) in [
        ("minimum: 0, maximum: 4294967295", "i64", false),
        ("format: int32, minimum: 0, maximum: 4294967295", "u32", true),
        ("format: int32, minimum: -1, maximum: 4294967295", "i64", true),
        ("format: int32, maximum: 4294967295", "i64", true),
        ("format: int32, minimum: 0, maximum: 4294967296", "i64", true),
        ("format: int32, minimum: 0, maximum: 2147483647", "i32", false),
        ("format: int32, minimum: 0, maximum: 2147483648, exclusiveMaximum: true", "i32", false),
        ("format: int32, minimum: -2147483649", "i64", true),
        ("format: int64, minimum: 0, maximum: 18446744073709551615", "u64", true),
        ("format: int64, minimum: 0, maximum: 9223372036854776000", "i64", false),
        ("format: int64, minimum: -9223372036854776000", "i64", false),
        ("format: uint64, maximum: 18446744073709552000", "u64", false),
        ("format: uint32, minimum: -1", "i64", true),
        ("format: uint32, minimum: -1, exclusiveMinimum: true", "u32", false),
        ("format: int8, maximum: 200", "i32", true),
        ("format: uint8, maximum: 200", "u32", false),
        ("allOf: [{type: integer, format: int32}, {minimum: 0, maximum: 3000000000}]", "u32", true),
    ] {
        let property = format!("A: {{type: object, properties: {{a: {{type: integer, {schema}}}}}}}");
        let (api, report) = lowered(&with_schemas("3.0.3", &property));
        assert_eq!(fields(&api, "A"), [format!("a: {expected}")], "{schema}");
        assert_eq!(count(&report, "bad-bounds") > 0, is_reported, "{schema}: {report}");
    }
    let parameter = "
/a:
  get:
    operationId: a
    parameters: [{name: p, in: query, schema: {type: integer, format: int32, minimum: 0, maximum: 4294967295}}]
    responses: {'204': {description: d}}
";
    assert_eq!(fields(&lowered(&with_paths(parameter, "")).0, "AInput"), ["p: u32"]);
}

#[test]
fn null_is_read_beside_a_reference() {
    let text = "
B: {type: object, properties: {b: {type: string}}}
Through: {$ref: '#/components/schemas/B', nullable: true}
Kind: {type: string, enum: [a]}
A:
  type: object
  required: [required, through, kind]
  properties:
    required: {$ref: '#/components/schemas/B', nullable: true}
    through: {$ref: '#/components/schemas/Through'}
    kind: {$ref: '#/components/schemas/Kind', nullable: true}
    optional: {$ref: '#/components/schemas/B', x-nullable: true}
    list: {type: array, items: {$ref: '#/components/schemas/B', nullable: true}}
    map: {additionalProperties: {$ref: '#/components/schemas/B', nullable: true}}
    whole: {allOf: [{$ref: '#/components/schemas/B', nullable: true}]}
    union: {oneOf: [{$ref: '#/components/schemas/B', nullable: true}, {type: string}]}
    part: {$ref: '#/components/schemas/A/properties/kind', nullable: true}
    no: {$ref: '#/components/schemas/B', nullable: false}
    other: {$ref: '#/components/schemas/B', enum: [null]}
";
    let expected = [
        "required!: B?",
        "through!: Through?",
        "kind!: Kind?",
        "optional: B?",
        "list: [B?]",
        "map: {B?}",
        "whole: B?",
        "union: AUnion?",
        "part: Kind?",
        "no: B",
        "other: B",
    ];
    let (api, report) = lowered(&with_schemas("3.0.3", text));
    assert_eq!(fields(&api, "A"), expected);
    assert_eq!(
        report.matches("null is accepted here").count() + hidden(&report, "ref-sibling"),
        9,
        "{report}"
    );
    let (later, report) = lowered(&with_schemas("3.1.0", text));
    assert_eq!(fields(&later, "A")[..10], expected[..10]);
    assert_eq!(count(&report, "ref-sibling"), 0);
}

/// Returns the number of warnings with this code that a report only counts, and of those that are about other keywords.
fn hidden(report: &str, code: &str) -> usize {
    let more = report.lines().find_map(|line| line.strip_prefix("… and ")?.split_once(" more"));
    let is_counted = report.contains(&format!("with the code {code}"));
    more.filter(|_| is_counted).map_or(0, |(number, _)| number.parse().unwrap())
}

const COMPONENTS: &str = "
responses:
  Failed: {description: d, content: {application/json: {schema: {type: string}}}}
  Plain: {description: d}
";

#[test]
fn http_gives_some_responses_no_body() {
    for (status, output) in [
        ("'204'", "()"),
        ("'205'", "()"),
        ("'304'", "()"),
        ("'101'", "()"),
        ("1XX", "AOutput"),
        ("'200'", "string"),
        ("'201'", "string"),
    ] {
        let is_empty = output != "string";
        for response in [
            "$ref: '#/components/responses/Failed'",
            "description: d, content: {application/json: {schema: {type: string}}}",
        ] {
            let text = format!("/a: {{get: {{operationId: a, responses: {{{status}: {{{response}}}}}}}}}");
            let (api, report) = lowered(&with_paths(&text, COMPONENTS));
            let operation = operation(&api, "a");
            assert_eq!(brief(&api, &operation.output), output, "{status}: {response}");
            assert_eq!(operation.responses[0].contents.is_empty(), is_empty, "{status}: {response}");
            assert_eq!(count(&report, "no-body"), usize::from(is_empty), "{report}");
        }
    }
    let head = "/a: {head: {operationId: a, responses: {'200': {$ref: '#/components/responses/Failed'}, \
                '404': {$ref: '#/components/responses/Failed'}, default: {$ref: '#/components/responses/Plain'}}}}";
    let (api, report) = lowered(&with_paths(head, COMPONENTS));
    assert_eq!(variants(&api, "AError"), ["NotFound(())", "Default(ADefaultResponse)"]);
    assert_eq!(fields(&api, "ADefaultResponse"), ["status!: u16"]);
    assert_eq!(count(&report, "no-body"), 2, "{report}");
}

#[test]
fn json_types_with_equal_schemas_are_one() {
    let body = |contents: &str| {
        let text = format!(
            "/a: {{post: {{operationId: a, requestBody: {{content: {{{contents}}}}}, responses: {{'204': {{description: d}}}}}}}}"
        );
        let (api, report) = lowered(&with_paths(&text, "schemas: {S: {type: object}}"));
        let body = operation(&api, "a").body.clone().unwrap();
        let types: Vec<String> = body
            .contents
            .iter()
            .map(|it| [&[it.media_type.clone()][..], &it.also].concat().join("+"))
            .collect();
        (types.join(" "), count(&report, "bad-content"))
    };
    let reference = "{schema: {$ref: '#/components/schemas/S'}}";
    let all = |types: &[&str], schema: &str| {
        types.iter().map(|media_type| format!("{media_type}: {schema}")).collect::<Vec<_>>().join(", ")
    };
    for schema in [reference, "{schema: {type: object, properties: {a: {type: string}}}}", "{}"] {
        for (types, expected) in [
            (&["text/json", "application/json"][..], "text/json+application/json"),
            (&["'application/*+json'", "application/json"], "application/json+application/*+json"),
            (
                &["application/json", "application/json;v=1", "application/x+json"],
                "application/json+application/x+json",
            ),
            (&["application/x-ndjson", "application/jsonl"], "application/x-ndjson+application/jsonl"),
            (&["application/json", "application/jsonl"], "application/json application/jsonl"),
            (&["image/png", "image/jpeg"], "image/png image/jpeg"),
            (
                &["application/json", "application/x-www-form-urlencoded"],
                "application/json application/x-www-form-urlencoded",
            ),
        ] {
            if schema.contains("$ref") || !types[0].starts_with("image") {
                assert_eq!(body(&all(types, schema)).0, expected, "{schema}");
            }
        }
    }
    // Plain text beside JSON is JSON, if it can't be the text of a string.
    for schema in
        [reference, "{schema: {type: array, items: {type: string}}}", "{schema: {type: [integer, 'null']}}"]
    {
        let both = body(&all(&["text/plain", "application/json", "text/json"], schema)).0;
        assert_eq!(both, "application/json+text/plain+text/json", "{schema}");
        assert_eq!(body(&all(&["text/html", "application/json"], schema)).0, "text/html application/json");
    }
    for schema in ["{schema: {type: string}}", "{schema: {type: [string, 'null']}}", "{}"] {
        assert_eq!(body(&all(&["text/plain", "application/json"], schema)).0, "text/plain application/json");
    }
    let other = "{schema: {type: string}}";
    let differ = format!("application/json: {reference}, text/json: {other}, application/json;v=2: {other}");
    assert_eq!(body(&differ), ("application/json text/json".to_owned(), 1));
}

#[test]
fn operations_have_the_nearest_server() {
    let server = |document: &str, path: &str, own: &str| {
        let text =
            format!("/a: {{{path} get: {{operationId: a, {own} responses: {{'204': {{description: d}}}}}}}}");
        let text = with_paths(&text, "") + document;
        operation(&lowered(&text).0, "a").server.clone()
    };
    const OWN: &str = "servers: [{url: 'https://a.example'}],";
    const PATH: &str = "servers: [{url: 'https://b.example'}, {url: 'https://c.example'}],";
    for (path, own, expected) in [
        ("", "", None),
        (PATH, "", Some("https://b.example")),
        (PATH, OWN, Some("https://a.example")),
        (PATH, "servers: [],", Some("https://b.example")),
        ("", "servers: [{url: /v2}],", Some("/v2")),
        (
            "",
            "servers: [{url: 'https://{h}.example', variables: {h: {default: x}}}],",
            Some("https://x.example"),
        ),
        ("", "servers: [{url: 'https://{h}.example'}],", None),
        ("", "servers: [{url: 'https://a.example?b'}],", None),
    ] {
        assert_eq!(server("", path, own).as_deref(), expected, "{path} {own}");
    }
    let document = "servers: [{url: 'https://a.example'}]\n";
    assert_eq!(server(document, PATH, OWN), None, "it is the document's");
    assert_eq!(server(document, PATH, "").as_deref(), Some("https://b.example"));
}

#[test]
fn credentials_for_a_server_without_encryption_are_reported() {
    for (document, own, security, expected) in [
        ("https", "http", "[{key: []}]", 1),
        ("https", "https", "[{key: []}]", 0),
        ("http", "http", "[{key: []}]", 0),
        ("https", "http", "[]", 0),
    ] {
        let path = format!(
            "/a: {{get: {{operationId: a, security: {security}, servers: [{{url: '{own}://b.example'}}], responses: {{'204': {{description: d}}}}}}}}"
        );
        let schemes = "components: {securitySchemes: {key: {type: apiKey, in: header, name: key}}}\n";
        let text =
            with_paths(&path, "") + &format!("servers: [{{url: '{document}://a.example'}}]\n") + schemes;
        let report = lowered(&text).1;
        assert_eq!(count(&report, "bad-server"), expected, "{document} {own} {security}: {report}");
    }
}

#[test]
fn a_name_in_a_template_ends_at_its_pattern() {
    for (path, is_routed) in [
        ("/v1/{name=projects/*}", false),
        ("/v1/{name=**}:cancel", false),
        ("/v1/{name=*}", false),
        ("/v1/{+name}", false),
        ("/v1/{name}?a=1", false),
        ("/v1/{name}#a", false),
        ("/v1/{name}", true),
        ("/v1/x=1/{name}", true),
    ] {
        let text = format!(
            "'{path}': {{get: {{operationId: a, parameters: [{{name: name, in: path, required: true, schema: {{type: integer}}}}], \
             responses: {{'204': {{description: d}}}}}}}}"
        );
        let (api, report) = lowered(&with_paths(&text, ""));
        assert_eq!(fields(&api, "AInput"), ["name!: i64"], "{path}: {report}");
        assert_eq!(operation(&api, "a").routable, is_routed, "{path}");
        assert_eq!(count(&report, "path-conflict"), usize::from(!is_routed), "{path}: {report}");
    }
}

/// A `+` before the name says that the value can contain slashes.
#[test]
fn reserved_expansions_are_patterns() {
    for name in ["name", "+name"] {
        let text = format!(
            "/v1/{{+name}}:cancel: {{get: {{parameters: [{{name: {name}, in: path, required: true, schema: {{type: string}}}}], \
             responses: {{'204': {{description: d}}}}}}}}"
        );
        let (api, report) = lowered(&with_paths(&text, ""));
        assert_eq!(fields(&api, "GetV1ByNameCancelInput"), ["name!: string"], "{report}");
        assert_eq!(operation(&api, "get_v1_by_name_cancel").path, "/v1/{name=**}:cancel");
        assert_eq!(count(&report, "path-parameter"), 0, "{report}");
    }
}

#[test]
fn a_file_that_may_be_null_is_optional() {
    let body = |others: &str, contents: &str| {
        let text = format!(
            "/a: {{post: {{operationId: a, requestBody: {{content: {{{contents}}}}}, responses: {{'204': {{description: d}}}}}}}}"
        );
        let components = "
schemas:
  Form:
    type: object
    required: [a, b, c]
    properties:
      a: {type: string, format: binary, nullable: true}
      b: {type: array, nullable: true, items: {type: string, format: binary, nullable: true}}
      c: {type: string, nullable: true}
";
        fields(&lowered(&with_paths(&text, &format!("{components}{others}"))).0, "Form")
    };
    let files = ["a: file", "b: [file]", "c!: string?"];
    assert_eq!(body("", "multipart/form-data: {schema: {$ref: '#/components/schemas/Form'}}"), files);
    let alias = "  Upload: {$ref: '#/components/schemas/Form'}\n";
    assert_eq!(body(alias, "multipart/form-data: {schema: {$ref: '#/components/schemas/Upload'}}"), files);
    let both = "multipart/form-data: {schema: {$ref: '#/components/schemas/Form'}}, \
                application/json: {schema: {$ref: '#/components/schemas/Form'}}";
    assert_eq!(body("", both), ["a!: file?", "b!: [file?]?", "c!: string?"], "JSON has null");
}
