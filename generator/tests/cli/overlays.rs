//! Tests of `--overlay` and `overlays`.

use crate::support::{PETS, Scratch};

/// An overlay as JSON.
const NAMES: &str = r#"{"overlay": "1.0.0", "info": {"title": "Names", "version": "1"},
    "actions": [{"target": "$.paths['/pets'].post.operationId", "update": "addPet"}]}"#;

/// Returns an overlay with these actions.
fn overlay(actions: &str) -> String {
    format!("overlay: 1.1.0\ninfo: {{title: Changes, version: 1.0.0}}\nactions:\n{actions}")
}

#[test]
fn overlays_are_applied_in_order() {
    let scratch = Scratch::new();
    scratch.put("internal.yaml", &overlay("  - target: $.paths['/stores/{id}']\n    remove: true\n"));
    scratch.put("names.json", NAMES);
    let generate = ["generate", "pets.yaml", "--out", "out", "--name", "pets"];
    let both = ["--overlay", "internal.yaml", "--overlay", "names.json"];
    let ran = scratch.run(&[&generate[..], &both[..]].concat()).exits(0);
    assert_eq!(ran.err, "");
    assert!(ran.out.contains(" 2 operations, 0 warnings in "), "{ran:?}");
    assert!(!scratch.path("out/server/src/stores.rs").exists());
    assert!(scratch.read("out/client/src/pets.rs").contains("fn add_pet"));
    // The document itself is unchanged.
    assert_eq!(scratch.read("pets.yaml"), PETS);
    scratch.run(&[&generate[..], &both[..], &["--check"]].concat()).exits(0);
    scratch.run(&[&generate[..], &["--check"]].concat()).exits(1);
}

#[test]
fn settings_name_overlays() {
    let scratch = Scratch::new();
    scratch.put("api/pets.yaml", PETS);
    scratch.put("api/fixes/one.yaml", &overlay("  - target: $.paths['/pets'].post\n    remove: true\n"));
    scratch.put("api/two.yaml", &overlay("  - target: $.paths['/stores/{id}']\n    remove: true\n"));
    scratch.put(
        "api/openapi-crates.toml",
        "name = \"pets\"\nout = \"../out\"\noverlays = [\"fixes/one.yaml\", \"two.yaml\"]\n",
    );
    let ran = scratch.run(&["generate", "api/pets.yaml"]).exits(0);
    assert!(ran.out.contains(" 1 operation, 0 warnings in "), "{ran:?}");
    let ran = scratch.run(&["generate", "api/pets.yaml", "--overlay", "api/two.yaml"]).exits(0);
    assert!(ran.out.contains(" 2 operations, 0 warnings in "), "arguments override the file: {ran:?}");
    let ran = scratch.run(&["lint", "api/pets.yaml"]).exits(0);
    assert_eq!(ran.out, "api/pets.yaml with api/fixes/one.yaml, api/two.yaml: no errors or warnings\n");
}

#[test]
fn overlays_may_be_in_the_output_folder() {
    let scratch = Scratch::new();
    scratch.put("api/pets.yaml", PETS);
    scratch.put("api/fix.yaml", &overlay("  - target: $.paths['/pets'].post\n    remove: true\n"));
    let generate =
        ["generate", "api/pets.yaml", "--out", "api", "--name", "pets", "--overlay", "api/fix.yaml"];
    scratch.run(&generate).exits(0);
    assert!(scratch.path("api/models/Cargo.toml").exists() && scratch.path("api/fix.yaml").exists());
}

#[test]
fn lint_shows_the_overlay_and_the_document() {
    let scratch = Scratch::new();
    let actions = "  - target: $.components.schemas.Store.properties\n    update:\n      opened: {type: string, format: dat}\n";
    scratch.put("fix.yaml", &overlay(actions));
    let ran = scratch.run(&["lint", "pets.yaml", "--overlay", "fix.yaml"]).exits(0);
    let ran = ran
        .prints("fix.yaml:6:38: warning[unknown-format]")
        .prints("- added by this action\n")
        .prints("= note: pets.yaml:58:7: the action was applied to this node\n")
        .prints("= at: #/components/schemas/Store/properties/opened/format\n");
    ran.prints("\npets.yaml with fix.yaml: 1 warning\n");
    scratch.run(&["lint", "pets.yaml", "--overlay", "fix.yaml", "--strict"]).exits(1);
}

/// An overlay that can't be applied must not be left out: it may remove what is not public.
#[test]
fn nothing_is_generated_without_an_overlay() {
    let scratch = Scratch::new();
    let generate = ["generate", "pets.yaml", "--out", "out", "--name", "pets", "--overlay", "fix.yaml"];
    scratch.run(&generate).exits(2).reports("cannot read `fix.yaml`");
    let no_match = overlay("  - target: $.paths['/pet']\n    remove: true\n");
    for (text, code) in [
        ("a: b: c", "error[syntax]"),
        ("actions: []", "error[bad-overlay]"),
        (&overlay("  - target: $.paths./pets\n    remove: true\n"), "error[invalid-json-path]"),
        (&overlay("  - target: $.info\n    update: x\n"), "error[overlay-conflict]"),
    ] {
        scratch.put("fix.yaml", text);
        let ran = scratch.run(&generate).exits(1).reports("fix.yaml:").reports(code);
        assert!(ran.err.contains("; nothing was generated"), "{ran:?}");
    }
    scratch.put("fix.yaml", &no_match);
    scratch.run(&generate).exits(0).reports("fix.yaml:4:13: warning[overlay-no-match]").reports("`/pets`");
    scratch.run(&[&generate[..], &["--strict"]].concat()).exits(1).reports("error[overlay-no-match]");
}

/// A document with the mistakes of one that is in use.
const MISTAKES: &str = "openapi: 3.0.2
info: {title: Hooks, version: 1.0.0}
tags: [{name: apps}]
paths:
  /apps/{app_id}:
    get:
      operationId: apps.get
      tags: [apps]
      responses: {'200': {description: The app., content: {application/json: {schema: {$ref: '#/components/schemas/App'}}}}}
    delete:
      operationId: apps.delete
      tags: [apps]
      responses: {'401': {description: Who are you?}}
  /health:
    get: {operationId: health, tags: [apps], responses: {'204': {description: Well.}}}
    head: {operationId: health, tags: [apps], responses: {'204': {description: Well.}}}
  /health/ping:
    get: {tags: [apps], responses: {'204': {description: Well.}}}
components:
  schemas:
    App:
      type: object
      properties:
        rate: {$ref: '#/components/schemas/Rate', nullable: true}
        uid: {type: string, maxLength: 3, example: too long}
    Rate: {type: integer}
";

/// Mends all of them. Nothing beside a reference has an effect in OpenAPI 3.0.
const REPAIRS: &str = "  - target: $.paths['/apps/{app_id}']
    update: {parameters: [{name: app_id, in: path, required: true, schema: {type: string}}]}
  - target: $.paths[?@.delete].delete.responses
    update: {'204': {description: It is gone.}}
  - target: $.paths['/health'].head.operationId
    update: health-head
  - target: $.paths['/health/ping'].get
    update: {operationId: ping}
  - target: $..[?@['$ref'] && @.nullable].nullable
    remove: true
  - target: $..uid.example
    update: abc
";

#[test]
fn an_overlay_repairs_a_document() {
    let scratch = Scratch::new();
    scratch.put("hooks.yaml", MISTAKES);
    scratch.put("repair.yaml", &overlay(REPAIRS));
    let before = scratch.run(&["lint", "hooks.yaml"]).exits(1);
    let mistakes = [
        "hooks.yaml:6:5: error[path-parameter]: missing parameter for `{app_id}`",
        "hooks.yaml:10:5: error[path-parameter]: missing parameter for `{app_id}`",
        "hooks.yaml:10:5: warning[no-success]",
        "error[duplicate-operation-id]: duplicate `operationId` `health`",
        "hooks.yaml:18:5: warning[no-operation-id]",
        "warning[ref-sibling]: OpenAPI 3.0 ignores `nullable` next to `$ref`",
        "warning[bad-example]: the example does not match its schema",
    ];
    let before = mistakes.iter().fold(before, |ran, mistake| ran.prints(mistake));
    before.prints("\nhooks.yaml: 4 errors, 4 warnings\n");
    let after = scratch.run(&["lint", "hooks.yaml", "--strict", "--overlay", "repair.yaml"]).exits(0);
    assert_eq!(
        (after.err.as_str(), after.out.as_str()),
        ("", "hooks.yaml with repair.yaml: no errors or warnings\n")
    );
    let generate = ["generate", "hooks.yaml", "--out", "out", "--name", "hooks"];
    let ran = scratch.run(&[&generate[..], &["--overlay", "repair.yaml"]].concat()).exits(0);
    assert!(ran.out.contains(" 5 operations, 0 warnings in "), "{ran:?}");
    assert!(scratch.read("out/client/src/apps.rs").contains("fn ping("));
}
