//! Fallbacks after errors.

use super::*;
use crate::ir::SchemeKind;

#[test]
fn no_operation_is_public_by_mistake() {
    let (api, report) = lowered(
        "
openapi: 3.0.3
info: {title: Pets, version: '1'}
security: [{apikey: []}]
paths:
  /a: {get: {operationId: a, responses: {'204': {description: Yes.}}}}
  /b: {get: {operationId: b, security: {odd: []}, responses: {'204': {description: Yes.}}}}
  /c: {get: {operationId: c, security: [], responses: {'204': {description: Yes.}}}}
components:
  securitySchemes:
    api_key: {type: apiKey, in: header, name: X-Key}
    odd: {type: magic}
",
    );
    let schemes: Vec<_> =
        api.security_schemes.iter().map(|scheme| (scheme.name.as_str(), &scheme.kind)).collect();
    let key = SchemeKind::ApiKeyHeader("X-Key".to_owned());
    assert_eq!(schemes, [("api_key", &key), ("odd", &SchemeKind::Bearer), ("apikey", &SchemeKind::Bearer)]);
    let required =
        |id: &str| operation(&api, id).security.iter().flatten().map(|one| one.scheme).collect::<Vec<_>>();
    assert_eq!([required("a"), required("b"), required("c")], [vec![2], vec![1], vec![]]);
    assert!(report.contains("error[unknown-scheme]: unknown security scheme `apikey`"), "{report}");
    assert!(report.contains("help: a security scheme with a similar name exists: `api_key`"), "{report}");
}

#[test]
fn unroutable_operations_are_for_clients_only() {
    let (api, _) = lowered(
        "
openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /a/{x}: {get: {operationId: a, responses: {'204': {description: Yes.}}}}
  /a/{y}: {get: {operationId: b, responses: {'204': {description: Yes.}}}, put: {operationId: c, responses: {'204': {description: Yes.}}}}
  /d/{: {get: {operationId: d, responses: {'204': {description: Yes.}}}}
  '/e#f': {get: {operationId: e, responses: {'204': {description: Yes.}}}}
",
    );
    let routable = ["a", "b", "c", "d", "e"].map(|id| operation(&api, id).routable);
    assert_eq!(routable, [true, false, true, false, false]);
}

#[test]
fn misspelled_names_are_reported_with_a_suggestion() {
    let (_, report) = lowered(
        "openapi: 3.0.3
info: {title: t, version: '1'}
paths:
  /pets:
    get:
      operationId: a
      tags: [pets]
      responses: {'404': {$ref: '#/components/responses/NotFond'}, '200': {description: d}}
components:
  responses: {NotFound: {description: d}}
  schemas:
    Cat: {x-family: pet, type: object, required: [kind], properties: {kind: {type: string}}}
    Dog: {type: object, required: [kind, bark], properties: {kind: {type: string}, bark: {type: string}}}
    Pet:
      oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
      discriminator: {propertyName: kind, mapping: {cat: '#/components/schemas/Catt'}}
",
    );
    for near in ["NotFound", "pets", "Cat"] {
        assert!(report.contains(&format!("with a similar name exists: `{near}`")), "{near}: {report}");
    }
}

#[test]
fn mistakes_of_tags() {
    let (api, report) = lowered(
        "openapi: 3.0.3
info: {title: t, version: '1'}
tags: [dogs, {description: d}, {name: 5}, {name: cats, description: [], nmae: x, x-order: 1}]
paths: {/cats: {get: {operationId: a, tags: [cats], responses: {'204': {description: d}}}}}
",
    );
    let found: Vec<&str> = report.lines().filter_map(|line| line.strip_prefix("test.yaml:3:")).collect();
    assert_eq!(
        found,
        [
            "8: error[wrong-type]: a tag must be an object, not a string",
            "14: error[missing-field]: a tag needs a `name`",
            "39: error[wrong-type]: `name` must be a string, not `5`",
            "56: error[wrong-type]: `description` must be a string, not an array",
            "73: warning[unknown-field]: unknown field `nmae` in a tag",
        ]
    );
    let tags: Vec<_> = api.tags.iter().map(|tag| tag.name.as_str()).collect();
    assert_eq!(tags, ["cats"]);
}
