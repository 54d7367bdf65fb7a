//! Diagnostics: in the words of Swagger 2.0, at the lines of the original.

use super::{report, swagger};

#[test]
fn mistakes_are_reported_where_they_are() {
    let text = swagger(
        "consumes: json
schemes: [ftp]
paths:
  /a:
    trace: {responses: {'200': {description: D}}}
    post:
      operationId: a
      parameters:
      - {name: b, in: body, schema: {}}
      - {name: c, in: body, schema: {}}
      - {name: f, in: formData, type: string}
      - {name: q, in: query, type: file}
      - {name: r, in: query, type: array}
      - {$ref: '#/definitions/A'}
      - {$ref: '#/parameters/Gone'}
      - {name: s, in: path, required: true, type: array, items: {type: string}, collectionFormat: multi}
      responses:
        '200': {description: D, shema: {}, examples: {a/b: 1}}
        '201': {$ref: '#/parameters/P'}
      requestBody: {content: {}}
parameters: {P: {name: p, in: query, type: string, default: x, schem: 1}}
securityDefinitions:
  a: {type: oauth2, flow: code}
  b: {type: bearer}
  c: {type: http, scheme: bearer}
definitions: {A: {$ref: '#/definitions/B', minLength: 1}}
unknown: 1
",
    );
    let expected = [
        "3:11: error[wrong-type]: `consumes` must be an array, not a string",
        "4:11: warning[bad-server]: `schemes` can have `http`, `https`, `ws` and `wss`, so this item has no effect",
    ];
    let found = report(&text);
    assert_eq!(found.get(..2).unwrap_or_default(), expected);
    let found = found.join("\n");
    for expected in [
        "7:5: warning[not-in-swagger]: Swagger 2.0 has no `trace` in a path item; it is read as in OpenAPI 3",
        "12:9: error[bad-parameter]: an operation has only one parameter `in: body`, so this one is left out",
        "13:9: error[bad-parameter]: `in: formData` can't be next to `in: body`, so this parameter is left out",
        "14:36: warning[bad-parameter]: parameter `q` can't be a file; only a parameter `in: formData` can",
        "15:9: warning[missing-field]: missing field `items` in parameter `r`",
        "16:16: error[wrong-type]: the reference points to `definitions`, not to a parameter",
        "17:16: error[unknown-ref]: unknown parameter reference `#/parameters/Gone`",
        "18:99: warning[bad-parameter]: `collectionFormat: multi` is only for `in: query` and `in: formData`; `csv` is used",
        "20:33: warning[unknown-field]: unknown field `shema` in a response",
        "20:44: warning[bad-example]: a response without `schema` has no content, so its `examples` have no effect",
        "21:23: error[wrong-type]: the reference points to `parameters`, not to a response",
        "22:7: warning[not-in-swagger]: Swagger 2.0 has no `requestBody` in an operation; it is read as in OpenAPI 3",
        "23:64: warning[unknown-field]: unknown field `schem` in a parameter",
        "25:27: error[missing-field]: an OAuth 2.0 scheme needs the `flow` `implicit`, `password`, `application` or `accessCode`",
        "26:13: error[wrong-type]: a security scheme needs the `type` `basic`, `apiKey` or `oauth2`",
        "27:13: warning[not-in-swagger]: Swagger 2.0 has no security scheme of type `http`",
        "28:25: error[unknown-ref]: unknown schema reference `#/definitions/B`",
        "28:44: warning[ref-sibling]: Swagger 2.0 ignores `minLength` next to `$ref`",
        "29:1: warning[unknown-field]: unknown field `unknown` in a document",
    ] {
        assert!(found.contains(expected), "{expected} is not in\n{found}");
    }
    assert!(!found.contains("components") && !found.contains("openapi"), "{found}");
}

#[test]
fn one_mistake_is_reported_once() {
    let text = swagger(
        "produces: [application/json, text/json]
parameters: {F: {name: f, in: formData, type: string, default: {}}}
paths:
  /a:
    get: {operationId: a, parameters: [{$ref: '#/parameters/F'}], responses: {'200': {description: D, schema: {type: objct}}}}
    put: {operationId: b, parameters: [{$ref: '#/parameters/F'}], responses: {'200': {description: D, schema: {type: objct}}}}
",
    );
    let found = report(&text);
    let types: Vec<&String> = found.iter().filter(|line| line.contains("wrong-type")).collect();
    assert_eq!(types.len(), 2, "{found:#?}");
    let defaults: Vec<&String> = found.iter().filter(|line| line.contains("bad-default")).collect();
    assert_eq!(defaults.len(), 1, "{found:#?}");
}

#[test]
fn other_versions_are_refused() {
    for (text, expected) in [
        (
            "swagger: '1.2'\n",
            ["1:10: error[unsupported-version]: unsupported Swagger version `1.2`"].as_slice(),
        ),
        ("swagger: 2.0\ninfo: {title: T, version: '1'}\npaths: {}\n", &[]),
        (
            "swagger: '2.0'\nopenapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {}\n",
            &["1:1: warning[unknown-field]: unknown field `swagger` in a document"],
        ),
    ] {
        assert_eq!(report(text), expected, "{text}");
    }
}
