//! Outlines hold names, not positions: a small change of the document is a small change of the outline.

use std::collections::BTreeMap;

use openapi_crates::{Input, Options, Outline, outline};

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
    assert_eq!(changed(&with), ["cats", "responses"]);
}

#[test]
fn a_new_variant_is_one_line() {
    let with = DOCUMENT.replace("oneOf: [", "oneOf: [{ $ref: '#/components/schemas/Bird' }, ");
    let [before, mut after] = [DOCUMENT, &with].map(|text| lines_of(text, "union Pet"));
    after.retain(|line| line != "    Bird(Bird): object {kind} tagged \"Bird\"");
    assert_eq!(before, after);
    assert_eq!(lines_of(&with, "union Pet").len(), before.len() + 1);
}

#[test]
fn a_new_rule_changes_one_line() {
    let with = DOCUMENT.replace("Bird: { type: object,", "Bird: { type: object, minProperties: 2,");
    let [before, after] = [DOCUMENT, &with].map(|text| outlined(text).to_string());
    assert_eq!(before.replace("struct Bird\n", "struct Bird minProperties 2\n"), after);
}

#[test]
fn documentation_changes_nothing() {
    let with = DOCUMENT.replace("description: Listed.", "description: They are listed.").replace(
        "Bird: { type: object,",
        "Bird: { type: object, description: It flies., title: B, example: {},",
    );
    assert_eq!(changed(&with), Vec::<String>::new());
}

fn outlined(text: &str) -> Outline {
    let outlined = outline(&Input::new("steady.yaml", text), &Options::new("steady", "steady.yaml"));
    outlined.outline.unwrap_or_else(|| panic!("{}", outlined.report))
}

/// Returns the lines of a declaration.
fn lines_of(text: &str, head: &str) -> Vec<String> {
    let outline = outlined(text).to_string();
    let lines = outline.lines().skip_while(|line| !line.starts_with(head));
    lines.take_while(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Returns the modules whose outlines differ from those of [`DOCUMENT`].
fn changed(text: &str) -> Vec<String> {
    let [before, after] = [DOCUMENT, text].map(|text| {
        let outline = outlined(text);
        outline.sections().map(|(name, text)| (name.to_owned(), text.to_owned())).collect::<BTreeMap<_, _>>()
    });
    assert!(before.keys().eq(after.keys()), "no module comes or goes");
    before.into_iter().filter(|(module, text)| after[module] != *text).map(|(module, _)| module).collect()
}
