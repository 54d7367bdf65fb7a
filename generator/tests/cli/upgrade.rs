//! Tests of `upgrade`.

use crate::support::Scratch;

const SWAGGER: &str = "swagger: '2.0'
info: {title: Pets, version: 1.0.0}
host: pets.example.com
paths:
  /pets:
    get:
      operationId: list_pets
      tags: [pets]
      parameters: [{name: ids, in: query, type: array, items: {type: integer}, collectionFormat: pipes}]
      responses: {'200': {description: Pets., schema: {$ref: 'pet.yaml#/Pets'}}}
";

const PET: &str = "Pets: {type: array, items: {$ref: '#/Pet'}}\nPet: {type: object, properties: {name: {type: string, x-nullable: true}}}\n";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.put("api.yaml", SWAGGER);
    scratch.put("pet.yaml", PET);
    scratch
}

#[test]
fn both_documents_give_the_same_crates() {
    let scratch = scratch();
    scratch
        .run(&["generate", "api.yaml", "--out", "old", "--name", "pets", "--runtime", "published"])
        .exits(0);
    // The folder of a file must exist.
    scratch.put("new/readme", "");
    let files = |folder: &str| {
        let path = scratch.path(folder);
        let files = scratch.files(folder).into_iter();
        files
            .map(|(file, text)| (file.strip_prefix(&path).unwrap_or(&file).to_owned(), text))
            .collect::<Vec<_>>()
    };
    for (name, out) in [("new/api.yaml", "yaml"), ("new/api.json", "json")] {
        let ran = scratch.run(&["upgrade", "api.yaml", "--output", name]).exits(0);
        assert_eq!(ran.err, format!("api.yaml: written as OpenAPI 3.1 to {name}; no errors or warnings\n"));
        scratch.run(&["generate", name, "--out", out, "--name", "pets", "--runtime", "published"]).exits(0);
        assert_eq!(files(out), files("old"));
    }
    assert!(scratch.read("new/api.json").starts_with("{\n  \"openapi\": \"3.1.0\","));
}

#[test]
fn the_document_is_printed_in_its_own_format() {
    let scratch = scratch();
    let ran = scratch.run(&["upgrade", "api.yaml"]).exits(0);
    assert!(
        ran.out.starts_with("openapi: '3.1.0'\n") && ran.out.contains("style: pipeDelimited\n"),
        "{ran:?}"
    );
    let text = "{\"swagger\": \"2.0\", \"info\": {\"title\": \"T\", \"version\": \"1\"}, \"paths\": {}}";
    let ran = scratch.run_with(&["upgrade", "-"], text).exits(0);
    assert!(ran.out.starts_with("{\n  \"openapi\": \"3.1.0\""), "{ran:?}");
    let overlay = "overlay: 1.1.0\ninfo: {title: O, version: '1'}\nactions: [{target: $.paths, update: {/b: {get: {responses: {}}}}}]\n";
    scratch.put("fix.yaml", overlay);
    let ran = scratch.run(&["upgrade", "api.yaml", "--overlay", "fix.yaml"]).exits(0);
    assert!(ran.out.contains("  /b:\n"), "{ran:?}");
}

#[test]
fn other_documents_are_refused() {
    let scratch = scratch();
    scratch.put("new.yaml", "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {}\n");
    scratch.run(&["upgrade", "new.yaml"]).exits(1).reports("the document is OpenAPI 3 already");
    scratch.put("bad.yaml", "swagger: '2.0'\na: b: c\n");
    scratch.run(&["upgrade", "bad.yaml"]).exits(1).reports("error[syntax]").reports("nothing was written");
    scratch.run(&["upgrade", "api.yaml", "--output", "no/such/folder.yaml"]).exits(2).reports("cannot write");
    scratch.put("doubtful.yaml", &SWAGGER.replace("pipes", "tsv"));
    let ran = scratch
        .run(&["upgrade", "doubtful.yaml"])
        .exits(0)
        .reports("doubtful.yaml:9:98: warning[unsupported]");
    assert!(ran.out.starts_with("openapi: "), "{ran:?}");
}
