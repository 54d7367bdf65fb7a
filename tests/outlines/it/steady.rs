//! Outlines hold names, not positions: a new error or variant changes only the outlines of its own module.

use std::collections::BTreeMap;

use openapi_crates::{Options, generate};
use openapi_crates_outlines::{
    documents::{Files, text_files},
    outline,
};

/// Two tags with the same errors, and a union.
const DOCUMENT: &str = "
openapi: 3.1.0
info: { title: Steady, version: '1' }
tags: [{ name: cats }, { name: dogs }]
paths:
  /cats:
    get:
      operationId: list_cats
      tags: [cats]
      responses:
        '204': { description: Listed. }
        '404': { $ref: '#/components/responses/NotFound' }
        '503': { $ref: '#/components/responses/Unavailable' }
  /dogs:
    get:
      operationId: list_dogs
      tags: [dogs]
      responses:
        '200':
          description: Listed.
          content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } }
        '404': { $ref: '#/components/responses/NotFound' }
        '503': { $ref: '#/components/responses/Unavailable' }
components:
  responses:
    BadRequest: { description: The request is wrong. }
    NotFound: { description: There is none. }
    Unavailable: { description: Not now. }
  schemas:
    Bird: { type: object, required: [kind], properties: { kind: { type: string } } }
    Cat: { type: object, required: [kind], properties: { kind: { type: string } } }
    Dog: { type: object, required: [kind], properties: { kind: { type: string } } }
    Pet:
      oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
      discriminator: { propertyName: kind }
";

#[test]
fn a_new_error_changes_its_own_module() {
    let with = DOCUMENT.replacen(
        "        '404'",
        "        '400': { $ref: '#/components/responses/BadRequest' }\n        '404'",
        1,
    );
    let (before, after) = (files(DOCUMENT), files(&with));
    let table = "validation/src/dogs.rs";
    assert_eq!(before[table], after[table], "the rows of the other module name their errors");
    assert_eq!(changed(&before, &after), ["cats", "responses"]);
}

#[test]
fn a_new_variant_adds_lines_and_changes_none() {
    let with = DOCUMENT.replace("oneOf: [", "oneOf: [{ $ref: '#/components/schemas/Bird' }, ");
    let [before, after] = [DOCUMENT, &with].map(|text| union(&files(text)));
    let mut rest = after.iter();
    assert!(before.iter().all(|line| rest.any(|other| other == line)), "{before:#?} became {after:#?}");
    let added: Vec<_> = after.iter().filter(|line| !before.contains(line)).collect();
    assert!(!added.is_empty() && added.iter().all(|line| line.contains("Bird")), "{added:?}");
}

/// Returns the lines of the only union in the generated code.
fn union(files: &Files) -> Vec<String> {
    let text = files.values().find(|text| text.contains("rt::union! {")).expect("there is a union");
    let lines = text.lines().skip_while(|line| !line.starts_with("rt::union! {"));
    lines.take_while(|line| *line != "}").map(str::to_owned).collect()
}

fn files(text: &str) -> Files {
    let generated =
        generate("steady.yaml", text, &Options::new("steady", "steady.yaml")).expect("it is Rust");
    text_files(&generated.files.unwrap_or_else(|| panic!("{}", generated.report)))
}

fn outlines(files: &Files) -> BTreeMap<String, String> {
    let outline = outline(files, "steady").expect("it is Rust");
    outline.modules().into_iter().map(|(module, text)| (module.to_owned(), text)).collect()
}

/// Returns the modules whose outlines differ.
fn changed(before: &Files, after: &Files) -> Vec<String> {
    let (before, after) = (outlines(before), outlines(after));
    assert_eq!(
        before.keys().collect::<Vec<_>>(),
        after.keys().collect::<Vec<_>>(),
        "no module comes or goes"
    );
    before.into_iter().filter(|(module, text)| after[module] != *text).map(|(module, _)| module).collect()
}
