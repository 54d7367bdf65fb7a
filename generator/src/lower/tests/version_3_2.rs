//! New features of OpenAPI 3.2.

use super::*;

/// Returns a document of OpenAPI 3.2 with these fields of the root.
fn document(fields: &str) -> String {
    format!("openapi: 3.2.0\ninfo: {{title: t, version: '1'}}\n{}", fields.trim_start())
}

#[test]
fn new_fields_are_known() {
    let (api, report) = lowered(&document(
        "
$self: https://example.com/api/openapi.yaml
jsonSchemaDialect: https://spec.openapis.org/oas/3.2/dialect/2025-09-17
servers: [{name: main, url: 'https://example.com'}]
tags:
  - {name: pets, summary: Animals., kind: nav}
  - {name: cats, parent: pets}
  - {name: beta, kind: badge}
paths:
  /a:
    get:
      operationId: a
      tags: [beta, cats]
      responses: {'200': {summary: It worked.}, '404': {}}
  /b: {get: {operationId: b, tags: [beta], responses: {'200': {}}}}
components:
  securitySchemes:
    Device:
      type: oauth2
      deprecated: true
      oauth2MetadataUrl: https://example.com/.well-known/oauth-authorization-server
      flows: {deviceAuthorization: {deviceAuthorizationUrl: 'https://e.com/d', tokenUrl: 'https://e.com/t', scopes: {}}}
",
    ));
    assert_eq!(report, "");
    let modules: Vec<&str> = api.tags.iter().map(|tag| tag.module.0.as_str()).collect();
    assert_eq!(modules, ["cats", "operations"], "badges are not modules");
    assert_eq!(operation(&api, "a").responses[0].description, "It worked.");
    assert!(api.security_schemes[0].deprecated);
}

#[test]
fn tags_have_parents() {
    for (tags, expected) in [
        ("[{name: a, parent: b}, {name: b}]", ""),
        ("[{name: a, parent: c}]", "unknown parent `c`"),
        ("[{name: a, parent: a}]", "the parents of this tag lead back to it"),
        ("[{name: a, parent: b}, {name: b, parent: a}]", "the parents of this tag lead back to it"),
        ("[{name: a}, {name: a}]", "duplicate tag `a`"),
        ("[{name: a, parent: 1}]", "`parent` must be a string"),
    ] {
        let (_, report) = lowered(&document(&format!("tags: {tags}\npaths: {{}}\n")));
        assert!(report.contains(expected) && report.is_empty() == expected.is_empty(), "{tags}: {report}");
    }
}

#[test]
fn a_requirement_may_be_a_uri() {
    let with = |requirement: &str| {
        let (api, report) = lowered(&document(&format!(
            "
$self: https://example.com/api
paths: {{/a: {{get: {{operationId: a, security: [{{'{requirement}': []}}], responses: {{'200': {{}}}}}}}}}}
components:
  securitySchemes:
    Key: {{type: apiKey, in: header, name: X-Key}}
    '#/components/securitySchemes/Key': {{type: http, scheme: basic}}
",
        )));
        let schemes = operation(&api, "a").security[0].iter().map(|one| one.scheme);
        let names: Vec<String> = schemes.map(|scheme| api.security_schemes[scheme].name.clone()).collect();
        (names, report)
    };
    for (requirement, expected) in [
        ("Key", "Key"),
        ("https://example.com/api#/components/securitySchemes/Key", "Key"),
        // The name of a component takes precedence.
        ("#/components/securitySchemes/Key", "#/components/securitySchemes/Key"),
    ] {
        assert_eq!(with(requirement), (vec![expected.to_owned()], String::new()), "{requirement}");
    }
    assert!(with("#/components/securitySchemes/Gone").1.contains("error[unknown-scheme]"));
}

#[test]
fn operations_of_any_method() {
    let (api, report) = lowered(&document(
        "
paths:
  /a/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    query:
      operationId: find
      requestBody: {content: {application/json: {schema: {type: string}}}}
      responses: {'200': {}}
    additionalOperations:
      COPY: {operationId: copy, responses: {'200': {}}}
      purge: {responses: {'200': {}}}
",
    ));
    assert!(
        report.contains("`purge /a/{id}` has no `operationId`, so it is named `purge_a_by_id`"),
        "{report}"
    );
    assert_eq!(report.matches("test.yaml:").count(), 1, "{report}");
    let methods: Vec<(&str, &str)> =
        api.operations.iter().map(|one| (one.method.as_str(), one.ident.0.as_str())).collect();
    assert_eq!(methods, [("QUERY", "find"), ("COPY", "copy"), ("purge", "purge_a_by_id")]);
    assert_eq!(fields(&api, "CopyInput"), ["id!: string"]);
    assert_eq!(fields(&api, "FindInput"), ["id!: string", "body: string"]);
}

#[test]
fn additional_methods_have_no_field() {
    for (method, expected) in [
        ("GET", "belongs in a field of the path item"),
        ("A B", "is no HTTP method"),
        ("''", "is no HTTP method"),
    ] {
        let paths = format!("paths: {{/a: {{additionalOperations: {{{method}: {{}}}}}}}}\n");
        let (api, report) = lowered(&document(&paths));
        assert!(report.contains("error[bad-method]") && report.contains(expected), "{method}: {report}");
        assert!(api.operations.is_empty());
    }
}

#[test]
fn broken_templates_of_referenced_items_are_not_routed() {
    let (api, _) = lowered(&document(
        "
paths: {'/{': {$ref: '#/components/pathItems/A'}}
components: {pathItems: {A: {additionalOperations: {COPY: {operationId: copy, responses: {'200': {}}}}}}}
",
    ));
    assert!(!operation(&api, "copy").routable);
}

#[test]
fn media_types_are_components() {
    let (api, report) = lowered(&document(
        "
paths:
  /a:
    post:
      operationId: a
      parameters:
        - {name: q, in: query, content: {application/json: {$ref: '#/components/mediaTypes/Pet'}}}
      requestBody: {content: {application/json: {$ref: '#/components/mediaTypes/Pet'}}}
      responses:
        '200': {content: {application/json: {$ref: '#/components/mediaTypes/Pet'}}}
        '400': {content: {application/json: {$ref: '#/components/mediaTypes/Pett'}}}
        '401': {content: {application/json: {$ref: '#/components/schemas/Kind'}}}
components:
  schemas: {Kind: {type: string}}
  mediaTypes:
    Pet: {schema: {type: object, required: [name], properties: {name: {type: string}}}, example: {name: Tom}}
",
    ));
    assert!(report.contains("a component with a similar name exists: `Pet`"), "{report}");
    assert!(report.contains("the reference points to `components/schemas`, not to a media type"), "{report}");
    assert_eq!(report.matches("error[").count(), 2, "{report}");
    assert_eq!(fields(&api, "Pet"), ["name!: string"]);
    let example = serde_json::json!({"q": {"name": "Tom"}, "body": {"name": "Tom"}});
    assert_eq!(operation(&api, "a").example.as_ref(), Some(&example));
}

/// Returns the diagnostics of an operation with these fields, in YAML in one line.
fn report_of(operation: &str) -> String {
    let operation = format!("{{operationId: a, {operation}, responses: {{'200': {{}}}}}}");
    lowered(&document(&format!("paths: {{'/a/{{p}}': {{post: {operation}}}}}\n"))).1
}

#[test]
fn invalid_parameters_of_3_2() {
    let path = "{name: p, in: path, required: true, allowReserved: true, schema: {type: string}}";
    for (parameter, expected) in [
        ("{name: q, in: querystring, content: {text/plain: {schema: {type: string}}}}", ""),
        ("{name: q, in: querystring, schema: {type: string}}", "a query string needs `content`"),
        (
            "{name: q, in: querystring, content: {text/plain: {}}}, {name: r, in: query, schema: {type: string}}",
            "`q` is not the only parameter in the query",
        ),
        (
            "{name: q, in: querystring, content: {a/b: {}}}, {name: r, in: querystring, content: {a/b: {}}}",
            "`r` is not the only parameter in the query",
        ),
        (
            "{name: q, in: querystring, content: {application/x-www-form-urlencoded: {schema: {type: integer}}}}",
            "the schema of a form must be an object",
        ),
        (
            "{name: q, in: query, content: {a/b: {schema: {type: array, items: {type: string}}}}}",
            "unsupported schema for a parameter in `a/b`",
        ),
        ("{name: h, in: header, allowReserved: true, schema: {}}", "`allowReserved` has no effect here"),
        ("{name: c, in: cookie, style: cookie, schema: {type: string}}", ""),
        (
            "{name: c, in: cookie, style: cookie, allowReserved: true, schema: {type: string}}",
            "`allowReserved` has no effect here",
        ),
        ("{name: q, in: query, style: cookie, schema: {type: string}}", "unsupported style `cookie`"),
        (
            "{name: q, in: query, allowReserved: true, content: {application/json: {schema: {type: string}}}}",
            "`allowReserved` has no effect here",
        ),
    ] {
        let report = report_of(&format!("parameters: [{path}, {parameter}]"));
        assert!(
            report.contains(expected) && report.is_empty() == expected.is_empty(),
            "{parameter}: {report}"
        );
    }
}

#[test]
fn a_whole_query_excludes_an_api_key() {
    let report = |location: &str| {
        let text = format!(
            "
paths:
  /a:
    get:
      operationId: a
      parameters: [{{name: q, in: querystring, content: {{text/plain: {{schema: {{type: string}}}}}}}}]
      security: [{{Key: []}}]
      responses: {{'200': {{}}}}
components: {{securitySchemes: {{Key: {{type: apiKey, in: {location}, name: key}}}}}}
"
        );
        lowered(&document(&text)).1
    };
    assert_eq!(report("header"), "");
    let messages = report("query");
    assert!(
        messages.contains("no room for the API key `Key`") && messages.contains("bad-parameter"),
        "{messages}"
    );
}

#[test]
fn an_object_in_another_media_type_is_sent_as_json() {
    let body = "paths: {/a: {post: {operationId: a, requestBody: {content: {multipart/form-data: {schema: {type: object, properties: \
                {o: {type: object, properties: {x: {type: string}}}}}, encoding: {o: {contentType: text/xml}}}}}, responses: {'200': {}}}}}\n";
    let (api, report) = lowered(&document(body));
    assert!(
        report.contains("unsupported media type `text/xml` of an object; it is written as JSON"),
        "{report}"
    );
    let encodings = &operation(&api, "a").body.as_ref().unwrap().contents[0].encodings.named;
    assert_eq!(encodings[0].content_type.as_deref(), Some("application/json"));
}

/// An encoding belongs to one body, and a component to all that use it.
#[test]
fn an_encoding_changes_no_component_of_others() {
    let found = |more: &str| {
        let body = "requestBody: {content: {multipart/form-data: {schema: {$ref: '#/components/schemas/Upload'}, \
                    encoding: {f: {contentType: image/png}}}}}";
        let text = format!(
            "paths: {{/a: {{post: {{operationId: a, {body}, responses: {{'200': {{{more}}}}}}}}}}}\n\
             components: {{schemas: {{Upload: {{type: object, properties: {{f: {{}}}}}}}}}}\n"
        );
        let (api, report) = lowered(&document(&text));
        (fields(&api, "Upload").join(", "), report)
    };
    assert_eq!(found(""), ("f: file".to_owned(), String::new()));
    let other = "content: {application/json: {schema: {$ref: '#/components/schemas/Upload'}}}";
    let (fields, report) = found(other);
    assert!(fields == "f: any" && report.contains("`f` is not a file"), "{fields}: {report}");
}

#[test]
fn every_dropped_part_of_an_encoding_is_reported() {
    const SCHEMA: &str = "schema: {type: object, properties: {a: {type: array, items: {type: string}}, \
         o: {type: object, properties: {x: {type: string}}}, f: {}, g: {type: array, items: {}}}}";
    let path = "parameters: [{name: p, in: path, required: true, schema: {type: string}}]";
    let report = |media_type: &str, more: &str| {
        report_of(&format!("{path}, requestBody: {{content: {{{media_type}: {{{SCHEMA}, {more}}}}}}}"))
    };
    let (form, multipart) = ("application/x-www-form-urlencoded", "multipart/form-data");
    for (media_type, more, expected) in [
        (form, "encoding: {a: {explode: false}}", ""),
        (multipart, "encoding: {o: {style: deepObject}}", ""),
        (
            form,
            "encoding: {a: {contentType: text/plain, explode: false}}",
            "`contentType` has no effect next to `explode`",
        ),
        (form, "encoding: {a: {headers: {X-A: {schema: {}}}}}", "`headers` has no effect"),
        (
            multipart,
            "encoding: {a: {style: form, headers: {X-A: {schema: {}}}}}",
            "`headers` has no effect for a property with a style",
        ),
        (
            multipart,
            "encoding: {a: {headers: {Content-Disposition: {schema: {type: string}}}}}",
            "`Content-Disposition` has no effect here",
        ),
        (
            multipart,
            "encoding: {a: {headers: {X-A: {schema: false}}}}",
            "a part with the header `x-a` is not rejected",
        ),
        (multipart, "encoding: {a: {contentType: multipart/mixed}}", "must be an array"),
        (multipart, "encoding: {o: {contentType: 'text/xml, application/json'}}", ""),
        (
            multipart,
            "encoding: {o: {contentType: text/xml}}",
            "unsupported media type `text/xml` of an object",
        ),
        (multipart, "encoding: {o: {encoding: {x: {}}}}", "because the part is not multipart"),
        ("multipart/mixed", "prefixEncoding: [{}]", "`prefixEncoding` has no effect without `itemSchema`"),
        ("multipart/mixed", "encoding: {a: {}}", "unsupported `encoding`; the body is raw bytes"),
        ("application/json", "itemEncoding: {}", "which is not multipart"),
        ("application/json", "encoding: {a: {}}", "`encoding` has no effect for `application/json`"),
    ] {
        let report = report(media_type, more);
        let is_said = report.contains(expected) && (report.is_empty() == expected.is_empty());
        assert!(is_said, "{media_type} {more}: {report}");
    }

    let body = format!(
        "paths: {{/a: {{post: {{operationId: a, requestBody: {{content: {{{multipart}: {{{SCHEMA}, encoding: \
         {{f: {{contentType: 'image/png, image/jpeg'}}, g: {{contentType: image/*}}}}}}}}}}, responses: \
         {{'200': {{}}}}}}}}}}\n"
    );
    let (api, report) = lowered(&document(&body));
    assert_eq!(report, "");
    let fields = fields(&api, "ABody");
    assert!(fields.contains(&"f: file".to_owned()) && fields.contains(&"g: [file]".to_owned()), "{fields:?}");
}

/// Returns the type of a body of parts with these fields, its encodings, and the report.
fn parts(media_type: &str, fields: &str) -> (String, crate::ir::Encodings, String) {
    let (api, report) = lowered(&document(&format!(
        "paths: {{/a: {{post: {{operationId: a, requestBody: {{content: {{{media_type}: {{{fields}}}}}}}, \
         responses: {{'200': {{}}}}}}}}}}\n\
         components: {{headers: {{No: {{schema: false}}}}, schemas: {{S: {{type: object, properties: {{x: {{type: \
         string}}}}}}}}}}\n"
    )));
    let content = &operation(&api, "a").body.as_ref().unwrap().contents[0];
    (brief(&api, &content.schema), content.encodings.clone(), report)
}

#[test]
fn parts_without_names_are_an_array() {
    const S: &str = "{$ref: '#/components/schemas/S'}";
    for (fields, expected) in [
        ("schema: {type: array, items: {}}".to_owned(), "[file]"),
        ("schema: {items: {type: string}}".to_owned(), "[string]"),
        (format!("itemSchema: {S}"), "S*"),
        ("itemSchema: {}, itemEncoding: {contentType: image/jpg}".to_owned(), "file*"),
        ("itemSchema: {}, itemEncoding: {contentType: application/json}".to_owned(), "any*"),
        ("itemSchema: {}, itemEncoding: {contentType: text/csv}".to_owned(), "string*"),
        ("itemSchema: {type: string}, itemEncoding: {contentType: 'text/css,text/html'}".to_owned(), "ABodyItemPart*"),
        (
            "itemSchema: {type: string, format: binary}, itemEncoding: {headers: {X-A: {schema: {}}}}".to_owned(),
            "ABodyItemPart*",
        ),
        (format!("schema: {{type: array, items: false, minItems: 2, prefixItems: [{S}, {{}}]}}"), "(S, file)"),
        (format!("schema: {{minItems: 2, maxItems: 2, prefixItems: [{S}, {{type: integer}}]}}"), "(S, i64)"),
        ("schema: {prefixItems: [{type: string}], items: {type: string}}".to_owned(), "[string]"),
        (
            "schema: {type: array, items: {type: array, items: {}}}, itemEncoding: {contentType: multipart/mixed}"
                .to_owned(),
            "[[file]]",
        ),
        (
            format!("schema: {{type: array, items: {S}}}, itemEncoding: {{contentType: multipart/form-data}}"),
            "[S]",
        ),
    ] {
        let (found, _, report) = parts("multipart/mixed", &fields);
        assert_eq!((found.as_str(), report.as_str()), (expected, ""), "{fields}");
    }
}

#[test]
fn encodings_of_parts_have_positions() {
    let types = |rows: &[crate::ir::Encoding]| {
        rows.iter().map(|row| row.content_type.clone().unwrap_or_default()).collect::<Vec<_>>().join(" ")
    };
    for (fields, prefix, item) in [
        (
            "itemSchema: {}, prefixEncoding: [{contentType: a/b}], itemEncoding: {contentType: c/d}",
            "a/b",
            "c/d",
        ),
        ("itemSchema: {}, prefixEncoding: [{contentType: a/b}, {}]", "a/b a/b", "a/b"),
        (
            "schema: {minItems: 2, items: false, prefixItems: [{}, {}]}, prefixEncoding: [{contentType: a/b}], \
             itemEncoding: {contentType: c/d}",
            "a/b c/d",
            "",
        ),
        (
            "schema: {prefixItems: [{}], items: {}}, prefixEncoding: [{contentType: a/b}, {contentType: x/y}], \
             itemEncoding: {contentType: c/d}",
            "a/b",
            "c/d",
        ),
    ] {
        let (_, rows, report) = parts("multipart/mixed", fields);
        let last = rows.item.as_deref().map(std::slice::from_ref).unwrap_or_default();
        assert_eq!((types(&rows.prefix).as_str(), types(last).as_str()), (prefix, item), "{fields}");
        assert_eq!(report, "", "{fields}");
    }
    let (_, rows, _) = parts(
        "multipart/form-data",
        "schema: {items: {}}, itemEncoding: {headers: {Content-Disposition: {schema: {type: string}}}}",
    );
    assert_eq!(rows.item.map(|row| row.headers[0].name.clone()).as_deref(), Some("content-disposition"));
}

#[test]
fn unsupported_fields_of_parts_are_reported() {
    for (fields, found, expected) in [
        (
            "schema: {prefixItems: [{}, {type: string}]}",
            "(file, string)",
            "exactly 2 parts are read and written",
        ),
        (
            "schema: {prefixItems: [{type: string}], items: {}}",
            "bytes*",
            "whose types differ; the body is raw bytes",
        ),
        (
            "schema: {type: array, uniqueItems: true, items: {}}",
            "[file]",
            "`uniqueItems` of an array of parts",
        ),
        (
            "schema: {type: object}, itemEncoding: {}",
            "bytes*",
            "without `itemSchema` or an array as `schema`",
        ),
        ("itemSchema: {}, encoding: {a: {}}, itemEncoding: {}", "file*", "no effect for parts without names"),
        (
            "itemSchema: {}, itemEncoding: {style: form}",
            "file*",
            "`style` has no effect for parts without names",
        ),
        ("itemSchema: {}, itemEncoding: {itemEncoding: {}}", "file*", "because the part is not multipart"),
        ("itemSchema: {}, itemEncoding: {contentType: 'multipart/*'}", "file*", "list of media types"),
        ("itemSchema: {}, itemEncoding: {contentType: multipart/mixed}", "file*", "must be an array"),
        ("itemSchema: {}, prefixEncoding: {}", "file*", "`prefixEncoding` must be an array"),
        (
            "itemSchema: {}, prefixEncoding: [{}, {headers: {A: {schema: {}}}}]",
            "file*",
            "several parts with one type",
        ),
        (
            "itemSchema: {}, itemEncoding: {headers: {A: {$ref: '#/components/headers/No'}}}",
            "file*",
            "a part with the header `a` is not rejected",
        ),
        (
            "schema: {minItems: 1, type: array, items: {}}, itemSchema: {}",
            "file*",
            "`minItems` is not checked",
        ),
    ] {
        let (shown, _, report) = parts("multipart/mixed", fields);
        assert!(shown == found && report.contains(expected), "{fields}: {shown} {report}");
    }
    let (api, report) = lowered(
        "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {/a: {post: {operationId: a, requestBody: {content: \
         {multipart/mixed: {schema: {type: array, items: {}}, itemEncoding: {}}}}, responses: {'200': {description: a}}}}}\n",
    );
    assert!(report.contains("no effect before OpenAPI 3.2"), "{report}");
    assert_eq!(brief(&api, &operation(&api, "a").body.as_ref().unwrap().schema), "bytes*");
}

/// The headers of a part change the type of a property, which can't be done for a component with other uses.
#[test]
fn headers_of_parts_change_no_component_of_others() {
    let found = |schema: &str, more: &str| {
        let text = format!(
            "paths: {{/a: {{post: {{operationId: a, requestBody: {{content: {{multipart/form-data: {{schema: \
             {{$ref: '#/components/schemas/Upload'}}, encoding: {{f: {{contentType: 'text/a, text/b', headers: {{X-A: \
             {{schema: {{type: string}}}}}}}}}}}}}}}}, responses: {{'200': {{{more}}}}}}}}}}}\n\
             components: {{schemas: {{Upload: {schema}}}}}\n"
        );
        let (api, report) = lowered(&document(&text));
        (fields(&api, "Upload").join(", "), report)
    };
    let schema = "{type: object, properties: {f: {type: string, default: a}}";
    assert_eq!(found(&format!("{schema}}}"), ""), ("f: UploadFPart".to_owned(), String::new()));
    let other = "content: {application/json: {schema: {$ref: '#/components/schemas/Upload'}}}";
    let (fields, report) = found(&format!("{schema}}}"), other);
    assert!(
        fields.starts_with("f: string") && report.contains("unsupported `headers` of a part"),
        "{fields}: {report}"
    );
    assert!(report.contains("callers can't choose the media type of `f`"), "{report}");
    let (fields, report) = found(&format!("{schema}, not: {{required: [g]}}}}"), "");
    assert!(
        fields.starts_with("f: string") && report.contains("constraints of the body depend"),
        "{fields}: {report}"
    );
}

#[test]
fn examples_are_data_or_text() {
    let example = |example: &str| {
        let path = "parameters: [{name: p, in: path, required: true, schema: {type: string}}]";
        let content = format!("application/json: {{schema: {{type: integer}}, examples: {{e: {example}}}}}");
        report_of(&format!("{path}, requestBody: {{content: {{{content}}}}}"))
    };
    for (text, expected) in [
        ("{dataValue: 1, serializedValue: '1'}", ""),
        ("{dataValue: {$ref: '#/none'}}", "the example does not match its schema"),
        ("{dataValue: x}", "the example does not match its schema"),
        ("{serializedValue: '\"x\"'}", "the example does not match its schema"),
        ("{serializedValue: '{'}", "`serializedValue` is not JSON"),
        ("{dataValue: 1, serializedValue: '2'}", "`serializedValue` is not the same value as `dataValue`"),
        ("{dataValue: 1, value: 1}", "an example has either `value`, or `dataValue` and `serializedValue`"),
        ("{serializedValue: '1', externalValue: a}", "an example has either `externalValue`"),
    ] {
        let report = example(text);
        assert!(report.contains(expected) && report.is_empty() == expected.is_empty(), "{text}: {report}");
    }
}

#[test]
fn a_default_mapping_is_a_variant() {
    let union = |default: &str| {
        lowered(&document(&format!(
            "
paths: {{}}
components:
  schemas:
    A: {{type: object, required: [kind], properties: {{kind: {{type: string}}}}}}
    b.json: {{type: object, properties: {{size: {{type: integer}}}}}}
    AOrB:
      oneOf: [{{$ref: '#/components/schemas/A'}}, {{$ref: '#/components/schemas/b.json'}}]
      discriminator: {{propertyName: kind, mapping: {{x: b.json}}, defaultMapping: {default}}}
"
        )))
    };
    let default_of = |api: &Api| match &type_named(api, "AOrB").kind {
        crate::ir::Kind::Union(def) => def.default_variant,
        _ => panic!("no union"),
    };
    for default in ["b.json", "'#/components/schemas/b.json'"] {
        let (api, report) = union(default);
        assert_eq!((default_of(&api), report.as_str()), (Some(1), ""), "{default}");
    }
    let (api, report) = union("Bb");
    assert_eq!(default_of(&api), None);
    assert!(report.contains("any other value is mapped to a schema that is not a variant"), "{report}");
}
