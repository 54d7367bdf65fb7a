//! The oracle: its programs compile and use everything, and its outcomes of single changes are written down.

mod everything;
pub(crate) mod folder;
pub(crate) mod rules;

use openapi_crates_outlines::documents::{fixtures, spec};
use openapi_crates_suite::oracle::{Document, Oracle, Pair};

use crate::target;

const BASE: &str = "
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get:
      operationId: listPets
      tags: [pets]
      parameters: [{name: page, in: query, schema: {type: integer}}]
      responses:
        '200':
          description: Pets.
          content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}
    post:
      operationId: createPet
      tags: [pets]
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewPet'}}}}
      responses:
        '201':
          description: The pet.
          content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}
components:
  schemas:
    NewPet:
      type: object
      required: [name]
      properties:
        name: {type: string}
        kind: {$ref: '#/components/schemas/Kind'}
    Pet:
      type: object
      required: [id, name]
      properties:
        id: {type: integer}
        name: {type: string}
        age: {type: integer}
    Kind: {type: string, enum: [cat, dog, bird]}
";

/// Changes of the document: the name, the text that is replaced, its replacement, and which programs still compile.
const CHANGES: &[(&str, &str, &str, [bool; 2])] = &[
    ("nothing changed", "", "", [true, true]),
    ("a property of a response removed", "        age: {type: integer}\n", "", [false, false]),
    (
        "a required parameter added",
        "parameters: [",
        "parameters: [{name: shop, in: query, required: true, schema: {type: string}}, ",
        [false, true],
    ),
    ("a value of an enum removed", "[cat, dog, bird]", "[cat, dog]", [false, false]),
    ("a value of an enum added", "[cat, dog, bird]", "[cat, dog, bird, fish]", [true, false]),
    (
        "an optional property of a request added",
        "        kind: {",
        "        tag: {type: string}\n        kind: {",
        [true, true],
    ),
    (
        "an optional property of a request made required",
        "required: [name]",
        "required: [name, kind]",
        [false, false],
    ),
    (
        "an operation added",
        "components:",
        "  /pets/all: {delete: {operationId: deletePets, tags: [pets], responses: {'204': {description: Gone.}}}}\ncomponents:",
        [true, true],
    ),
    ("an operation renamed", "listPets", "allPets", [false, false]),
    ("a type changed", "id: {type: integer}", "id: {type: string}", [false, false]),
    (
        "a second status of a success added",
        "        '201':",
        "        '202': {description: Later.}\n        '201':",
        [false, false],
    ),
    (
        "the first error added",
        "        '201':",
        "        '400': {description: No., content: {text/plain: {schema: {type: string}}}}\n        '201':",
        [false, false],
    ),
    (
        "security added",
        "components:",
        "security: [{key: []}]\ncomponents:\n  securitySchemes: {key: {type: http, scheme: bearer}}",
        [true, false],
    ),
];

#[test]
fn programs_compile_with_their_own_crates() {
    let fixtures = fixtures("valid").into_iter().map(|it| {
        let (overlays, options) = (it.overlays(), it.options());
        (it.name, Document { text: it.text, overlays, options })
    });
    let options = asset_api_spec::options();
    let spec = Document { text: spec(), overlays: Vec::new(), options };
    let documents = fixtures.chain([("this project's spec".to_owned(), spec)]);
    let pairs: Vec<Pair> = documents.map(|(name, old)| Pair { name, old, new: None }).collect();
    let outcomes = Oracle::new("own", &target()).judge(&pairs).expect("the programs compile");
    assert_eq!(outcomes.len(), pairs.len());
}

#[test]
fn outcomes_of_single_changes() {
    let texts: Vec<String> = CHANGES.iter().map(|(_, old, new, _)| BASE.replacen(old, new, 1)).collect();
    let pairs: Vec<(&str, &str, &str)> =
        CHANGES.iter().zip(&texts).map(|((name, ..), text)| (*name, BASE, text.as_str())).collect();
    let outcomes = Oracle::new("changes", &target()).compile(&pairs).expect("the pairs can be judged");
    for ((name, _, _, expected), outcome) in CHANGES.iter().zip(outcomes) {
        let found = [&outcome.client, &outcome.server].map(|verdict| verdict.compiles());
        assert_eq!(found, *expected, "{name}: {outcome:#?}");
    }
}
