//! Documents in several files, and overlays.

use std::collections::HashMap;

use crate::{
    Input, Source,
    document::{Document, DocumentFormat},
};

const MAIN: &str = "swagger: '2.0'
info: {title: T, version: '1'}
produces: [text/csv]
paths:
  /a: {$ref: 'paths/a.yaml'}
  /b:
    get:
      parameters: [{$ref: 'common.json#/parameters/Limit'}, {$ref: 'common.json#/parameters/Body'}]
      responses: {default: {$ref: 'common.json#/responses/Bad'}}
definitions:
  Own: {properties: {other: {$ref: 'common.json#/definitions/Other'}}}
";

const PATH: &str = "
get:
  parameters: [{name: f, in: formData, type: file}]
  responses:
    '200': {description: D, schema: {$ref: '../spec.yaml#/definitions/Own'}}
    '400': {$ref: '../common.json#/responses/Bad'}
";

const COMMON: &str = r##"{
  "swagger": "2.0",
  "parameters": {
    "Limit": {"name": "limit", "in": "query", "type": "integer"},
    "Body": {"name": "b", "in": "body", "schema": {"$ref": "#/definitions/Other"}}
  },
  "responses": {"Bad": {"description": "Bad.", "schema": {"$ref": "#/definitions/Other"}}},
  "definitions": {"Other": {"type": "object", "x-nullable": true, "properties": {"me": {"$ref": "#/definitions/Other"}}}}
}"##;

const EXPECTED: &str = "openapi: '3.1.0'
info:
  title: T
  version: '1'
paths:
  /a:
    get:
      requestBody:
        content:
          multipart/form-data:
            schema:
              type: object
              properties:
                f:
                  type: string
                  format: binary
      responses:
        '200':
          description: D
          content:
            text/csv:
              schema:
                $ref: '#/components/schemas/Own'
        '400':
          $ref: '#/components/responses/Bad'
  /b:
    get:
      parameters:
      - $ref: '#/components/parameters/Limit'
      requestBody:
        content:
          application/json:
            schema:
              $ref: '#/components/schemas/Other'
      responses:
        default:
          $ref: '#/components/responses/Bad'
components:
  schemas:
    Own:
      properties:
        other:
          $ref: '#/components/schemas/Other'
    Other:
      type:
      - object
      - 'null'
      properties:
        me:
          $ref: '#/components/schemas/Other'
  responses:
    Bad:
      description: Bad.
      content:
        text/csv:
          schema:
            $ref: '#/components/schemas/Other'
  parameters:
    Limit:
      name: limit
      in: query
      schema:
        type: integer
";

#[test]
fn targets_in_other_files_are_rewritten_in_place() {
    let texts = HashMap::from([("paths/a.yaml", PATH), ("common.json", COMMON)]);
    let load =
        |path: &str| texts.get(path).map(|text| (*text).to_owned()).ok_or_else(|| "no such file".to_owned());
    let parsed = Document::parse_with("spec.yaml", MAIN, &[], Some(&load));
    assert_eq!(parsed.report().to_string(), "");
    let bundle = parsed.document.unwrap().bundle();
    assert_eq!(DocumentFormat::Yaml.write(&bundle), EXPECTED);
}

#[test]
fn diagnostics_show_the_file_that_they_are_about() {
    let common = COMMON.replace("\"integer\"", "\"intger\"").replace("\"object\"", "\"objct\"");
    let texts = HashMap::from([("paths/a.yaml", PATH), ("common.json", common.as_str())]);
    let load =
        |path: &str| texts.get(path).map(|text| (*text).to_owned()).ok_or_else(|| "no such file".to_owned());
    let report = crate::lint_from(&Input::new("spec.yaml", MAIN).load(&load)).to_string();
    for expected in [
        "common.json:4:55: error[wrong-type]: `type` must be",
        "common.json:8:37: error[wrong-type]: `type` must be",
    ] {
        assert_eq!(report.matches(expected).count(), 1, "{expected} is not in\n{report}");
    }
}

#[test]
fn overlays_change_the_document_as_it_is_written() {
    let text =
        "swagger: '2.0'\ninfo: {title: T, version: '1'}\npaths: {}\ndefinitions: {A: {type: object}}\n";
    let overlay = "overlay: 1.1.0\ninfo: {title: O, version: '1'}\nactions:\n- target: $.definitions.A\n  update: {properties: {b: {type: wrong}}}\n- target: $.paths\n  update: {/b: {get: {responses: {'200': {description: D, schema: {type: objct}}}}}}\n";
    let overlays = [Source::new("fix.yaml", overlay)];
    let report = crate::lint_from(&Input::new("api.yaml", text).overlays(&overlays)).to_string();
    for expected in [
        "fix.yaml:5:35: error[wrong-type]: `type` must be",
        "= at: #/definitions/A/properties/b/type\n",
        "= at: #/paths/~1b/get/responses/200/schema/type, in GET /b\n",
    ] {
        assert!(report.contains(expected), "{expected} is not in\n{report}");
    }
}

#[test]
fn sections_of_other_files_are_written_into_the_document() {
    let main = "swagger: '2.0'\ninfo: {title: T, version: '1'}\npaths:\n  /a: {get: {produces: [a/b], responses: {$ref: 'r.yaml'}}}\ndefinitions: {$ref: 'd.yaml'}\n";
    let texts = HashMap::from([
        ("r.yaml", "'200': {description: D, schema: {$ref: 'd.yaml#/A'}}\n"),
        ("d.yaml", "A: {type: string, x-nullable: true}\nB: {$ref: '#/A'}\n"),
    ]);
    let load =
        |path: &str| texts.get(path).map(|text| (*text).to_owned()).ok_or_else(|| "no such file".to_owned());
    let parsed = Document::parse_with("spec.yaml", main, &[], Some(&load));
    assert_eq!(parsed.report().to_string(), "");
    let text = DocumentFormat::Yaml.write(&parsed.document.unwrap().bundle());
    for expected in ["          a/b:\n", "    A:\n      type:\n      - string\n      - 'null'\n"] {
        assert!(text.contains(expected), "{expected} is not in\n{text}");
    }
}
