use super::*;
use crate::ir::{ContentFormat, Errors, Location, Module, Status, StructRole, Style};

const COMPONENTS: &str = "
schemas:
  Pet: {type: object, required: [name], properties: {name: {type: string}, kind: {$ref: '#/components/schemas/Kind'}}}
  Kind: {type: string, enum: [cat, dog]}
  Query: {type: string, enum: [a, Unknown]}
  Problem: {type: object, properties: {message: {type: string}}}
responses:
  NotFound: {description: Not there., content: {application/json: {schema: {$ref: '#/components/schemas/Problem'}}}}
  Limited:
    description: Too many.
    headers: {Retry-After: {required: true, schema: {type: integer}}}
    content: {application/json: {schema: {type: object, properties: {wait: {type: integer}}}}}
  Unused: {description: Never.}
";

#[test]
fn inputs_outputs_and_shared_errors() {
    let (api, report) = lowered(&with_paths(
        "
/pets/{id}:
  parameters:
    - {name: id, in: path, required: true, schema: {type: string}}
    - {name: q, in: query, schema: {$ref: '#/components/schemas/Query'}}
  post:
    operationId: changePet
    tags: [pets]
    parameters:
      - {name: id, in: query, schema: {type: integer, default: 4}}
      - {name: body, in: header, schema: {type: string}}
    requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
    responses:
      '200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}
      '404': {$ref: '#/components/responses/NotFound'}
      '429': {$ref: '#/components/responses/Limited'}
  delete:
    operationId: deletePet
    tags: [pets]
    responses:
      '204': {description: gone}
      '410': {$ref: '#/components/responses/NotFound'}
      4XX: {$ref: '#/components/responses/NotFound'}
  patch:
    operationId: patchPet
    tags: [pets]
    responses:
      '204': {description: done}
      '404': {$ref: '#/components/responses/NotFound'}
      '410': {$ref: '#/components/responses/NotFound'}
",
        COMPONENTS,
    ));
    assert_eq!(report, "");
    let change = operation(&api, "changePet");
    assert_eq!(
        (change.ident.0.as_str(), change.constant.0.as_str(), change.method.as_str()),
        ("change_pet", "CHANGE_PET", "POST")
    );
    assert_eq!(
        fields(&api, "ChangePetInput"),
        ["path_id!: string", "q: Query", "query_id: i64", "header_body: string", "body!: Pet"]
    );
    let def = struct_named(&api, "ChangePetInput");
    assert_eq!(def.role, StructRole::Input);
    assert_eq!(field(def, "query_id").default_accessor.as_ref().unwrap().0, "query_id_or_default");
    assert_eq!(brief(&api, &change.output), "Pet");
    assert_eq!(
        change.example,
        Some(serde_json::json!({"path_id": "text", "query_id": 4, "body": {"name": "text"}}))
    );

    let shared = api.shared_errors.as_ref().unwrap();
    assert_eq!(api.type_def(shared.ty).unwrap().module, Module::Responses);
    assert_eq!(
        variants(&api, "ApiError"),
        ["NotFound(Problem)", "NotFoundAnyStatus(NotFoundAnyStatusResponse)", "Limited(LimitedResponse)"]
    );
    assert_eq!(fields(&api, "NotFoundAnyStatusResponse"), ["status!: u16", "body!: Problem"]);
    assert_eq!(fields(&api, "LimitedResponse"), ["retry_after!: i64", "body!: Limited"]);
    let statuses: Vec<Status> = shared.rows.iter().map(|row| row.status).collect();
    assert_eq!(statuses, [Status::Code(410), Status::Class(4), Status::Code(429)]);
    let delete = operation(&api, "deletePet");
    assert_eq!(brief(&api, &delete.output), "()");
    let Errors::Shared(uses) = &delete.errors else { panic!("all errors are shared") };
    let uses: Vec<(Status, usize)> = uses.iter().map(|one| (one.status, one.row)).collect();
    assert_eq!(uses, [(Status::Code(410), 0), (Status::Class(4), 1)]);
    // A `NotFound` would not determine whether the status is 404 or 410.
    assert!(matches!(operation(&api, "patchPet").errors, Errors::Own { .. }));
    assert_eq!(variants(&api, "PatchPetError"), ["NotFound(Problem)", "Gone(Problem)"]);
}

#[test]
fn several_successes_own_errors_and_default() {
    let (api, report) = lowered(&with_paths(
        "
/a:
  get:
    operationId: getA
    responses:
      '200': {description: ok, content: {application/json: {schema: {type: object, properties: {x: {type: string}}}}}}
      '202': {description: later, headers: {Location: {schema: {type: string}}}}
      '304': {description: same}
      4XX: {description: bad, content: {application/json: {schema: {$ref: '#/components/schemas/Problem'}}}}
      '404': {$ref: '#/components/responses/NotFound'}
      default: {description: else, content: {text/plain: {schema: {type: string}}}}
/b:
  get:
    operationId: getB
    responses: {default: {description: all, content: {application/json: {schema: {type: integer}}}}}
/c:
  get:
    operationId: getC
    responses: {'200': {description: ok, content: {application/json: {schema: {type: string}}, text/plain: {schema: {type: string}}}}}
",
        COMPONENTS,
    ));
    assert_eq!(report.matches("no-operation-id").count(), 0, "{report}");
    assert_eq!(
        variants(&api, "GetAOutput"),
        ["Ok(GetAOkBody)", "Accepted(GetAAcceptedResponse)", "NotModified(())"]
    );
    assert_eq!(fields(&api, "GetAAcceptedResponse"), ["location: string"]);
    assert_eq!(
        variants(&api, "GetAError"),
        ["ClientError(GetAClientErrorResponse)", "NotFound(Problem)", "Default(GetADefaultResponse)"]
    );
    assert_eq!(fields(&api, "GetAClientErrorResponse"), ["status!: u16", "body!: Problem"]);
    assert!(matches!(operation(&api, "getA").errors, Errors::Own { .. }));
    assert_eq!(brief(&api, &operation(&api, "getB").output), "GetBOutput");
    assert_eq!(fields(&api, "GetBOutput"), ["status!: u16", "body: i64"]);
    assert_eq!(variants(&api, "GetBError"), ["Default(GetBDefaultResponse)"]);
    assert_eq!(fields(&api, "GetBDefaultResponse"), ["status!: u16", "body!: i64"]);
    assert_eq!(variants(&api, "GetCOutput"), ["Json(string)", "Text(string)"]);
}

#[test]
fn without_errors_an_operation_has_no_error_type() {
    let paths = "/a:
  get: {operationId: a, responses: {'200': {description: d}}}
  put: {operationId: b, responses: {'200': {description: d}, '404': {$ref: '#/components/responses/Gone'}}}";
    let (api, _) = lowered(&with_paths(paths, "responses: {Gone: {description: d}}"));
    assert_eq!(operation(&api, "a").errors, Errors::None);
    assert!(matches!(operation(&api, "b").errors, Errors::Shared(_)));
}

#[test]
fn without_shared_errors_there_is_no_error_type() {
    let (api, _) =
        lowered(&with_paths("/a: {get: {operationId: a, responses: {'200': {description: d}}}}", ""));
    assert_eq!(api.shared_errors, None);
    assert_eq!(operation(&api, "a").errors, Errors::None);
    assert_eq!(operation(&api, "a").input, None);
    assert!(api.types.is_empty());
}

#[test]
fn bodies_of_several_media_types() {
    let (api, report) = lowered(&with_paths(
        "
/a:
  post:
    operationId: send
    requestBody:
      content:
        application/json; charset=utf-8: {schema: {type: object, properties: {x: {type: string}}}}
        multipart/form-data:
          schema: {type: object, properties: {file: {type: string, format: binary}, files: {type: array, items: {type: string, format: binary}}}}
          encoding: {file: {contentType: image/png}}
        text/csv: {schema: {type: string}}
        image/*: {}
    responses: {'200': {description: d, content: {application/octet-stream: {}}}}
",
        "",
    ));
    assert_eq!(report, "");
    assert_eq!(
        variants(&api, "SendBody"),
        ["Json(SendJsonBody)", "Multipart(SendMultipartBody)", "TextCsv(string)", "Image(bytes*)"]
    );
    assert_eq!(fields(&api, "SendMultipartBody"), ["file: file", "files: [file]"]);
    let send = operation(&api, "send");
    let body = send.body.as_ref().unwrap();
    let formats: Vec<ContentFormat> = body.contents.iter().map(|content| content.format).collect();
    assert_eq!(
        formats,
        [ContentFormat::Json, ContentFormat::Multipart, ContentFormat::Text, ContentFormat::Bytes]
    );
    assert_eq!(body.contents[0].media_type, "application/json");
    assert_eq!(body.contents[1].encodings.named[0].content_type.as_deref(), Some("image/png"));
    assert_eq!(fields(&api, "SendInput"), ["body: SendBody"]);
    assert_eq!(brief(&api, &send.output), "bytes*");
}

#[test]
fn plain_text_of_aliases() {
    for target in ["{type: string, enum: [a, b]}", "{type: integer, enum: [1, 2]}", "{type: string}"] {
        let components = format!(
            "
schemas:
  Target: {target}
  Alias: {{$ref: '#/components/schemas/Target'}}
  Mode: {{$ref: '#/components/schemas/Alias'}}
"
        );
        let (api, report) = lowered(&with_paths(
            "
/a:
  post:
    operationId: send
    requestBody: {content: {text/plain: {schema: {$ref: '#/components/schemas/Mode'}}}}
    responses:
      '204':
        description: d
        headers: {X-Mode: {content: {text/plain: {schema: {$ref: '#/components/schemas/Mode'}}}}}
",
            &components,
        ));
        assert_eq!(report, "", "{target}");
        let send = operation(&api, "send");
        let body = &send.body.as_ref().unwrap().contents[0];
        assert_eq!((body.format, brief(&api, &body.schema)), (ContentFormat::Text, "Mode".to_owned()));
        let header = &send.responses[0].headers[0];
        assert_eq!(
            (header.content, brief(&api, &header.schema)),
            (Some(ContentFormat::Text), "Mode".to_owned())
        );
    }
}

#[test]
fn parameters_in_all_locations_and_styles() {
    let (api, report) = lowered(&with_paths(
        "
/a/{p}:
  get:
    operationId: get
    parameters:
      - {name: p, in: path, required: true, style: matrix, schema: {type: array, items: {type: string}}}
      - {name: filter, in: query, style: deepObject, explode: true, schema: {type: object, properties: {a: {type: string}}}}
      - {name: list, in: query, style: pipeDelimited, schema: {type: array, items: {type: string}}}
      - {name: X-H, in: header, schema: {type: string}}
      - {name: c, in: cookie, schema: {type: string}}
      - {name: json, in: query, content: {application/json: {schema: {type: object, properties: {b: {type: string}}}}}}
      - {name: kind, in: query, schema: {type: string, enum: [x, y]}}
    responses: {'200': {description: d}}
",
        "",
    ));
    assert_eq!(report, "");
    let parameters = &operation(&api, "get").parameters;
    let seen: Vec<(Location, Style, bool)> =
        parameters.iter().map(|one| (one.location, one.style, one.explode)).collect();
    assert_eq!(
        seen,
        [
            (Location::Path, Style::Matrix, false),
            (Location::Query, Style::DeepObject, true),
            (Location::Query, Style::PipeDelimited, false),
            (Location::Header, Style::Simple, false),
            (Location::Cookie, Style::Form, true),
            (Location::Query, Style::Form, true),
            (Location::Query, Style::Form, true),
        ]
    );
    assert_eq!(parameters[5].content, Some(ContentFormat::Json));
    assert_eq!(
        fields(&api, "GetInput"),
        [
            "p!: [string]",
            "filter: GetFilter",
            "list: [string]",
            "x_h: string",
            "c: string",
            "json: GetJson",
            "kind: GetKind"
        ]
    );
}

#[test]
fn enums_that_only_requests_contain_are_closed() {
    let (api, _) = lowered(&with_paths(
        "
/a:
  post:
    operationId: a
    parameters: [{name: q, in: query, schema: {$ref: '#/components/schemas/Query'}}]
    responses: {'200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}
",
        COMPONENTS,
    ));
    let open = |name: &str| match &type_named(&api, name).kind {
        Kind::StringEnum(def) => def.open.as_ref().map(|ident| ident.0.clone()),
        other => panic!("{other:?}"),
    };
    assert_eq!(open("Query"), None);
    assert_eq!(open("Kind").as_deref(), Some("Unknown"));
    let (api, _) = lowered(&with_schemas("3.0.3", "E: {type: string, enum: [a, unknown]}"));
    assert!(
        matches!(&type_named(&api, "E").kind, Kind::StringEnum(def) if def.open.as_ref().unwrap().0 == "Unlisted")
    );
}

#[test]
fn operations_without_a_name_and_with_one_name() {
    let (api, report) = lowered(&with_paths(
        "
/v1/icons/{id}: {get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], responses: {'200': {description: d}}}}
/a: {get: {operationId: same, responses: {'200': {description: d}}}}
/b: {get: {operationId: same, responses: {'200': {description: d}}}}
/c: {get: {operationId: call, responses: {'200': {description: d}}}}
",
        "",
    ));
    let idents: Vec<&str> = api.operations.iter().map(|operation| operation.ident.0.as_str()).collect();
    assert_eq!(idents, ["get_v1_icons_by_id", "get_a", "get_b", "call_operation"]);
    assert_eq!(report.matches("warning[no-operation-id]").count(), 1, "{report}");
    assert_eq!(report.matches("error[duplicate-operation-id]").count(), 2, "{report}");
    assert_eq!(api.tags[0].module.0, "operations");
}

#[test]
fn mistakes_are_all_reported_in_one_run() {
    let (api, report) = lowered(&with_paths(
        "
/a/{id}/{gone}:
  get:
    operationId: a
    security: [{Nobody: []}]
    parameters:
      - {name: id, in: path, schema: {type: string}}
      - {name: extra, in: path, required: true, schema: {type: string}}
      - {name: q, in: query, schema: {type: string}}
      - {name: q, in: query, schema: {type: string}}
      - {name: z, in: body, schema: {type: string}}
      - {in: query}
      - {$ref: '#/components/parameters/Nothing'}
    requestBody: {content: {application/json: {}}}
    responses:
      '200': {content: {application/json: {schema: {$ref: '#/components/schemas/Pett'}}}}
      '999': {description: d}
    x-body-limit: much
    typo: true
",
        COMPONENTS,
    ));
    for code in [
        "error[unknown-scheme]",
        "error[path-parameter]",
        "error[duplicate-parameter]",
        "error[bad-parameter]",
        "error[missing-field]",
        "error[unknown-ref]",
        "warning[bad-content]",
        "warning[missing-field]",
        "error[invalid-status]",
        "error[bad-extension]",
        "warning[unknown-field]",
    ] {
        assert!(report.contains(code), "{code} is missing in {report}");
    }
    assert!(report.contains("help: a schema with a similar name exists: `Pet`"), "{report}");
    assert_eq!(fields(&api, "AInput"), ["id!: string", "q: string", "gone!: string"]);
}

#[test]
fn families_and_what_they_need() {
    let (api, report) = lowered(&with_paths(
        "
/a: {get: {operationId: a, tags: [one], responses: {'200': {description: d, content: {application/json: {schema: {$ref: '#/components/schemas/Two'}}}}}}}
/b: {get: {operationId: b, tags: [all, one], responses: {'200': {description: d}}}}
",
        "schemas:\n  Two: {type: object, x-family: all, properties: {x: {type: string}}}\n  Three: {type: string, x-family: three}",
    ));
    let tags: Vec<(&str, Vec<usize>)> = api
        .tags
        .iter()
        .map(|tag| (tag.module.0.as_str(), tag.needs.iter().map(|need| need.0).collect()))
        .collect();
    assert_eq!(tags, [("one", vec![1]), ("all_tag", vec![])]);
    assert!(report.contains("error[bad-extension]") && report.contains("`three`"), "{report}");
}

#[test]
fn security_and_callbacks() {
    let (api, report) = lowered(&with_paths(
        "
/a:
  post:
    operationId: a
    security: [{Key: []}, {OAuth: [read], Key: []}, {}]
    callbacks:
      done:
        '{$request.body#/url}':
          parameters: [{name: X-Id, in: header, schema: {type: string, pattern: '^a'}}]
          post:
            operationId: done
            requestBody: {content: {application/json: {schema: {type: object, properties: {x: {type: string, enum: [a]}}}}}}
            responses: {'200': {description: d, content: {application/json: {schema: {type: object, properties: {y: {type: string}}}}}}}
    responses: {'200': {description: d}}
",
        "securitySchemes:\n  Key: {type: apiKey, in: header, name: X-Key}\n  OAuth: {type: oauth2, flows: {}}",
    ));
    assert_eq!(report, "");
    let security: Vec<Vec<(usize, usize)>> = operation(&api, "a")
        .security
        .iter()
        .map(|all| all.iter().map(|one| (one.scheme, one.scopes.len())).collect())
        .collect();
    assert_eq!(security, [vec![(0, 0)], vec![(1, 1), (0, 0)], vec![]]);
    let callback = &operation(&api, "a").callbacks[0];
    let names = (callback.id.as_deref(), callback.expression.as_deref(), callback.method.as_str());
    assert_eq!(names, (Some("done"), Some("{$request.body#/url}"), "POST"));
    assert_eq!(brief(&api, &callback.body.as_ref().unwrap().schema), "ADoneBody");
    assert!(matches!(&type_named(&api, "ADoneBodyX").kind, Kind::StringEnum(def) if def.open.is_some()));
    assert_eq!(brief(&api, &callback.responses[0].contents[0].schema), "ADoneOkBody");
    // No table has the header, so a static of its pattern would be unused.
    let [header] = callback.parameters.as_slice() else { panic!("{:?}", callback.parameters) };
    assert!(
        matches!(&header.schema.ty, Type::Text(rules) if rules.stated.is_some() && rules.pattern.is_none())
    );
    assert!(api.patterns.is_empty());
}

#[test]
fn made_up_examples_satisfy_conditions() {
    for (keywords, expected) in [
        ("anyOf: [{required: [a, k]}, {required: [b]}]", r#"{"a": "text", "c": 1, "k": "x"}"#),
        ("oneOf: [{required: [b]}, {required: [c]}]", r#"{"c": 1}"#),
        ("not: {properties: {c: {enum: [1]}}}", r#"{"c": 1}"#),
        ("not: {anyOf: [{required: [a]}, {required: [b]}]}, default: {}", r#"{"c": 1}"#),
        ("dependentRequired: {c: [b], a: [k]}", r#"{"b": "text", "c": 1}"#),
        ("dependentSchemas: {c: {required: [k], properties: {k: {const: y}}}}", r#"{"c": 1, "k": "y"}"#),
        ("if: {required: [c]}, then: {required: [a]}, else: {required: [b]}", r#"{"a": "text", "c": 1}"#),
        (
            "allOf: [{if: {properties: {c: {const: 2}}}, then: false, else: {required: [b]}}]",
            r#"{"b": "text", "c": 1}"#,
        ),
        (
            "allOf: [{required: [a]}, {dependentRequired: {a: [b]}, not: {required: [a, c]}}]",
            r#"{"a": "text", "b": "text", "c": 1}"#,
        ),
        (
            "minProperties: 1, required: [c, k], properties: {k: {type: string, enum: [y]}}",
            r#"{"c": 1, "k": "y"}"#,
        ),
    ] {
        let paths = "
/a:
  post:
    operationId: a
    requestBody:
      required: true
      content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}
    responses: {'200': {description: d}}
";
        let components = format!(
            "schemas:\n  Base: {{type: object, required: [c], properties: {{a: {{type: string}}, b: {{type: string}}, c: {{type: integer}}, k: {{type: string, enum: [x, y]}}}}}}\n  A: {{allOf: [{{$ref: '#/components/schemas/Base'}}, {{type: object, {keywords}}}]}}\n"
        );
        let (api, _) = lowered(&with_paths(paths, &components).replace("3.0.3", "3.1.0"));
        let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
        assert_eq!(operation(&api, "a").example.as_ref().unwrap()["body"], expected, "{keywords}");
    }
}

#[test]
fn made_up_examples_fit_their_schemas() {
    let (api, report) = lowered(&with_paths(
        "
/a:
  post:
    operationId: a
    requestBody:
      required: true
      content:
        application/json:
          schema:
            type: object
            required: [at, id, mail, size, code, list, step, pet, kind, ratio]
            x-rules: [{name: u, exactly_one: [u, v]}]
            properties:
              at: {type: string, format: date-time}
              id: {type: string, format: uuid}
              mail: {type: string, format: email}
              size: {type: integer, minimum: 10, multipleOf: 4}
              code: {type: string, pattern: '^#[0-9A-Fa-f]{6}$'}
              list: {type: array, minItems: 2, uniqueItems: true, items: {type: string, minLength: 6}}
              step: {type: integer, maximum: -3}
              pet: {$ref: '#/components/schemas/Pet'}
              kind: {$ref: '#/components/schemas/Kind'}
              ratio: {type: number, minimum: 0.05, maximum: 0.4}
              u: {type: string}
              v: {type: string}
    responses: {'200': {description: d}}
",
        COMPONENTS,
    ));
    assert_eq!(report, "");
    let example = operation(&api, "a").example.clone().unwrap();
    let expected = serde_json::json!({"body": {
        "at": "2026-01-01T12:00:00Z", "id": "046b6c7f-0b8a-43b9-b35d-6489e6daee91", "mail": "someone@example.com",
        "size": 12, "code": "#000000", "list": ["texttt", "texttt2"], "step": -3, "pet": {"name": "text"},
        "kind": "cat", "ratio": 0.225, "u": "text",
    }});
    assert_eq!(example, expected);
}

#[test]
fn references_in_place_of_operations_are_followed() {
    let (api, report) = lowered(
        "openapi: 3.0.3
info: {title: t, version: '1'}
paths:
  /a: {get: {$ref: '#/x-operations/list'}, delete: {$ref: '#/x-operations/gone'}}
x-operations:
  list: {operationId: listPets, tags: [pets], responses: {'204': {description: ok}}}
",
    );
    let ids: Vec<_> = api.operations.iter().map(|operation| operation.id.as_str()).collect();
    assert_eq!(ids, ["listPets"]);
    assert_eq!(api.tags[0].module.0, "pets");
    assert!(
        report.contains("warning[unknown-field]: OpenAPI has no `$ref` in place of an operation"),
        "{report}"
    );
    assert!(report.contains("error[unknown-ref]"), "{report}");
}
