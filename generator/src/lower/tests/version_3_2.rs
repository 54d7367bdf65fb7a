//! What is new in OpenAPI 3.2.

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
    let modules: Vec<&str> = api.families.iter().map(|family| family.module.0.as_str()).collect();
    assert_eq!(modules, ["cats", "operations"], "badges are no modules");
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
