//! Tests of documents in several files.

use crate::{compile::cargo, support::Scratch};

const MAIN: &str = "\
openapi: 3.1.0
info: {title: Zoo, version: 1.0.0}
paths:
  /animals: {$ref: paths/animals.yaml}
  /animals/{id}: {$ref: 'paths/animals.yaml#/x-one'}
components:
  schemas:
    Keeper:
      type: object
      properties:
        name: {type: string}
        minds: {type: array, items: {$ref: 'schemas/animals.json#/Animal'}}
    Cage: {$ref: ./schemas/Cage.yaml}
";

const PATHS: &str = "\
get:
  operationId: listAnimals
  tags: [animals]
  responses:
    '200':
      description: All of them.
      content:
        application/json: {schema: {type: array, items: {$ref: '../schemas/animals.json#/Animal'}}}
    default: {$ref: '../responses.yaml#/Failed'}
x-one:
  parameters:
    - {$ref: '../responses.yaml#/Id'}
  get:
    operationId: getAnimal
    tags: [animals]
    responses:
      '200':
        description: One of them.
        content:
          application/json: {schema: {$ref: '../schemas/animals.json#/Animal'}}
      default: {$ref: '../responses.yaml#/Failed'}
";

const ANIMALS: &str = r##"{
  "Animal": {
    "oneOf": [{"$ref": "#/Cat"}, {"$ref": "#/Dog"}],
    "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/Cat", "dog": "#/Dog"}}
  },
  "Cat": {"type": "object", "required": ["kind"], "properties": {
    "kind": {"type": "string"}, "cage": {"$ref": "Cage.yaml"}, "keeper": {"$ref": "../zoo.yaml#/components/schemas/Keeper"}}},
  "Dog": {"type": "object", "required": ["kind"], "properties": {
    "kind": {"type": "string"}, "chases": {"$ref": "#/Animal"}}}
}"##;

const CAGE: &str = "\
type: object
required: [number]
properties:
  number: {type: integer}
  holds: {type: array, items: {$ref: 'animals.json#/Animal'}}
";

const RESPONSES: &str = "\
Id: {name: id, in: path, required: true, schema: {type: string}}
Failed:
  description: It failed.
  content:
    application/json: {schema: {type: object, properties: {message: {type: string}}}}
";

fn zoo() -> Scratch {
    let scratch = Scratch::new();
    for (path, text) in [
        ("zoo/zoo.yaml", MAIN),
        ("zoo/paths/animals.yaml", PATHS),
        ("zoo/schemas/animals.json", ANIMALS),
        ("zoo/schemas/Cage.yaml", CAGE),
        ("zoo/responses.yaml", RESPONSES),
    ] {
        scratch.put(path, text);
    }
    scratch
}

#[test]
fn several_files_are_one_document() {
    let scratch = zoo();
    let ran = scratch.run(&["generate", "zoo/zoo.yaml", "--out", "out", "--name", "files-zoo"]).exits(0);
    assert_eq!(ran.err, "");
    assert!(ran.out.contains(" 2 operations, 0 warnings in "), "{ran:?}");
    let models = scratch.read("out/models/src/common.rs");
    for item in [
        "pub struct Keeper {",
        "pub struct Cage {",
        "pub enum Animal {",
        "pub struct Cat {",
        "pub struct Dog {",
    ] {
        assert_eq!(models.matches(item).count(), 1, "{item}\n{models}");
    }
    assert!(
        models.contains("pub cage: Option<Cage>") || models.contains("pub cage: Option<Box<Cage>>"),
        "{models}"
    );
    cargo(&scratch.path("out"), &["check", "--offline", "--quiet", "--workspace"]);
}

#[test]
fn the_path_to_the_document_does_not_change_the_output() {
    let scratch = zoo();
    scratch.run(&["generate", "zoo/zoo.yaml", "--out", "out", "--name", "zoo"]).exits(0);
    let path = scratch.path("zoo/zoo.yaml");
    for path in [path.to_str().expect("the path is UTF-8"), "./zoo/zoo.yaml", "zoo/paths/../zoo.yaml"] {
        scratch.run(&["generate", path, "--out", "out", "--name", "zoo", "--check"]).exits(0);
    }
}

#[test]
fn mistakes_are_reported_where_they_are() {
    let scratch = zoo();
    scratch.put("zoo/schemas/Cage.yaml", &CAGE.replace("type: integer", "type: integr"));
    scratch.put("zoo/responses.yaml", &RESPONSES.replace("Failed:", "Faild:"));
    let ran = scratch.run(&["lint", "zoo/zoo.yaml"]).exits(1);
    let ran = ran.prints("zoo/schemas/Cage.yaml:4:18: error[wrong-type]");
    ran.prints(
        "zoo/paths/animals.yaml:9:21: error[unknown-ref]: unknown reference `zoo/responses.yaml#/Failed`",
    );
    scratch.run_with(&["lint", "-"], "openapi: 3.1.0\ninfo: {title: x, version: '1'}\ncomponents: {schemas: {A: {$ref: 'pets.yaml#/components/schemas/Kind'}}}\n").exits(0);
}
