use super::*;

const USER: &str = "{type: object, required: [login], properties: {login: {type: string, pattern: '^[a-z]+$'}, \
                    role: {type: string, enum: [admin, guest]}}}";

/// Returns the aliases among these types: `IssueUser = IssueAuthor`.
fn aliases(api: &Api) -> Vec<String> {
    let of = |def: &TypeDef| match &def.kind {
        Kind::Alias(schema) => Some(format!("{} = {}", def.name, brief(api, schema))),
        _ => None,
    };
    api.types.iter().filter_map(of).collect()
}

#[test]
fn equal_schemas_are_one_type_with_a_name_for_each_position() {
    let api = schemas(
        "3.0.3",
        &format!(
            "Issue: {{properties: {{author: {USER}, assignees: {{type: array, items: {USER}}}}}}}
Comment: {{properties: {{author: {{nullable: true, description: Who wrote it., {}}}}}",
            &USER[1..]
        ),
    );
    assert_eq!(
        aliases(&api),
        [
            "IssueAssigneesItem = IssueAuthor",
            "IssueAssigneesItemRole = IssueAuthorRole",
            "CommentAuthor = IssueAuthor",
            "CommentAuthorRole = IssueAuthorRole",
        ]
    );
    // Each position keeps its own name and documentation.
    assert_eq!(fields(&api, "Issue"), ["author: IssueAuthor", "assignees: [IssueAssigneesItem]"]);
    assert_eq!(fields(&api, "Comment"), ["author: CommentAuthor?"]);
    assert_eq!(type_named(&api, "CommentAuthor").docs.description.as_deref(), Some("Who wrote it."));
    let patterns: Vec<_> = api.patterns.iter().map(|pattern| pattern.constant.0.as_str()).collect();
    assert_eq!(patterns, ["ISSUE_AUTHOR_LOGIN_PATTERN"], "patterns of aliases are not emitted");
}

#[test]
fn schemas_with_equal_json_schemas_are_one_type() {
    let union = |limit: u64| {
        format!(
            "{{anyOf: [{{type: integer, maximum: {limit}}}, {{type: number}}, {{type: string, pattern: a}}]}}"
        )
    };
    let holder = |inner: &str, absent: &str| {
        format!(
            "{{type: object, properties: {{of: {inner}}}, minProperties: 1, not: {{required: [{absent}]}}}}"
        )
    };
    let body = "/a:\n  post:\n    operationId: a\n    requestBody: {content: {application/json: {schema: \
                {$ref: '#/components/schemas/A'}}}}\n    responses: {'200': {description: d}}";
    let (one, other) = (union(5), union(6));
    let components = format!(
        "schemas:\n  A: {{properties: {{one: {one}, same: {one}, other: {other}, in: {}, also: {}, but: {}}}}}",
        holder(&one, "x"),
        holder(&one, "x"),
        holder(&one, "y")
    );
    let (api, report) = lowered(&with_paths(body, &components));
    assert_eq!(report, "");
    assert_eq!(
        aliases(&api),
        ["ASame = AOne", "AInOf = AOne", "AAlso = AIn", "AAlsoOf = AOne", "AButOf = AOne"]
    );
    let json_schemas: Vec<_> = api.json_schemas.iter().map(|def| def.constant.0.as_str()).collect();
    assert_eq!(
        json_schemas,
        ["A_ONE_JSON_SCHEMA", "A_OTHER_JSON_SCHEMA", "A_IN_JSON_SCHEMA", "A_BUT_JSON_SCHEMA"]
    );
    let patterns: Vec<_> = api.patterns.iter().map(|pattern| pattern.constant.0.as_str()).collect();
    assert_eq!(
        patterns,
        [
            "A_ONE_STRING_PATTERN",
            "A_OTHER_STRING_PATTERN",
            "A_IN_OF_STRING_PATTERN",
            "A_BUT_OF_STRING_PATTERN"
        ]
    );
}

#[test]
fn schemas_that_differ_in_a_keyword_are_not_shared() {
    for other in [
        "{type: object, properties: {name: {type: string, description: Its name.}}}",
        "{type: object, properties: {name: {type: string, maxLength: 3}}}",
        "{type: object, properties: {name: {type: string, pattern: b}}}",
        "{type: object, required: [name], properties: {name: {type: string, pattern: a}}}",
        "{type: object, properties: {name: {type: string, pattern: a}}, additionalProperties: false}",
    ] {
        let one = "{type: object, properties: {name: {type: string, pattern: a}}}";
        let api = schemas("3.0.3", &format!("A: {{properties: {{one: {one}, other: {other}}}}}"));
        assert_eq!(aliases(&api), [""; 0], "{other}");
    }
}

#[test]
fn components_and_tags_share_no_types() {
    let enumeration = "{type: string, enum: [on, off]}";
    let operation = |id: &str, tag: &str| {
        format!(
            "get:\n    operationId: {id}\n    tags: [{tag}]\n    parameters: [{{name: a, in: query, schema: {enumeration}}}, \
             {{name: b, in: query, schema: {enumeration}}}]\n    responses: {{'200': {{description: d}}}}"
        )
    };
    let paths = format!("/a:\n  {}\n/b:\n  {}", operation("one", "x"), operation("two", "y"));
    let components = format!(
        "schemas:\n  A: {enumeration}\n  B: {enumeration}\n  C: {{properties: {{a: {enumeration}, b: {enumeration}}}}}"
    );
    let (api, report) = lowered(&with_paths(&paths, &components));
    assert_eq!(report, "");
    assert_eq!(aliases(&api), ["CB = CA", "OneB = OneA", "TwoB = TwoA"]);
}

#[test]
fn a_position_keeps_its_name_after_additions() {
    let before =
        "B: {properties: {x: {type: string, enum: [on]}}}\nC: {properties: {x: {type: string, enum: [on]}}}";
    let added = format!("A: {{properties: {{x: {{type: string, enum: [on]}}}}}}\n{before}");
    let names = |api: &Api| api.types.iter().map(|def| def.name.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(&schemas("3.0.3", before)), ["B", "BX", "C", "CX"]);
    assert_eq!(names(&schemas("3.0.3", &added)), ["A", "AX", "B", "BX", "C", "CX"]);
}

#[test]
fn recursive_types() {
    let api = schemas(
        "3.1.0",
        "A: {properties: {next: {properties: {id: {type: string}, next: {$ref: '#/components/schemas/A/properties/next'}}}}}
B: {properties: {next: {properties: {id: {type: string}, next: {$ref: '#/components/schemas/B/properties/next'}}}}}",
    );
    assert_eq!(fields(&api, "ANext"), ["id: string", "next: box ANext"]);
    assert_eq!(fields(&api, "BNext"), ["id: string", "next: box BNext"]);
}

#[test]
fn a_shared_body_of_several_media_types_is_one_type() {
    let operation = "{patch: {requestBody: {$ref: '#/components/requestBodies/Change'}, responses: {'204': {description: ok}}}}";
    let (api, _) = lowered(&format!(
        "openapi: 3.0.3
info: {{title: t, version: '1'}}
paths: {{/a: {operation}, /b: {operation}, /c: {operation}}}
components:
  requestBodies:
    Change:
      content:
        application/json: {{schema: {{type: string}}}}
        application/cbor: {{schema: {{type: string}}}}
"
    ));
    let choices = api.types.iter().filter(|def| matches!(def.kind, Kind::Choice(_)));
    assert_eq!(choices.map(|def| def.name.0.as_str()).collect::<Vec<_>>(), ["ChangeBody"]);
}
