//! Tests of `lint`, `explain` and `--help`.

use crate::support::{PETS, Scratch};

#[test]
fn lint_tells_everything_and_writes_nothing() {
    let scratch = Scratch::new();
    let ran = scratch.run(&["lint", "pets.yaml"]).exits(0);
    assert_eq!((&*ran.out, &*ran.err), ("pets.yaml: no errors or warnings\n", ""));

    let odd: String =
        (0..9).map(|number| format!("    Odd{number}: {{type: string, format: odd{number}}}\n")).collect();
    scratch.put("odd.yaml", &format!("{PETS}{odd}"));
    let ran = scratch.run(&["lint", "odd.yaml"]).exits(0);
    assert_eq!(ran.out, "odd.yaml: 9 warnings\n");
    assert_eq!(ran.err.matches("odd.yaml:66:").count(), 1, "{ran:?}");
    assert_eq!(ran.err.matches(" warning[unknown-format]: ").count(), 9, "{ran:?}");
    let ran = scratch.run(&["lint", "odd.yaml", "--strict"]).exits(1).tells(" error[unknown-format]: ");
    assert_eq!(ran.out, "odd.yaml: 9 errors\n");

    let wrong = PETS.replace("schemas/Kind'", "schemas/Kin'");
    scratch
        .run_with(&["lint", "-"], &wrong)
        .exits(1)
        .tells("<stdin>:")
        .tells("error[unknown-ref]")
        .tells("`Kind`");
    assert_eq!(scratch.files(".").len(), 2);
}

/// A violation of the specification is an error in `lint`, a warning in `generate`.
#[test]
fn broken_musts_are_errors_of_lint_alone() {
    let scratch = Scratch::new();
    let undeclared = PETS.replace(
        "        - {name: id, in: path, required: true, schema: {type: string, format: uuid}}\n",
        "        []\n",
    );
    for (text, code) in [
        (PETS.replace("operationId: getStore", "operationId: createPet"), "duplicate-operation-id"),
        (undeclared, "path-parameter"),
    ] {
        scratch.put("pets.yaml", &text);
        scratch.run(&["lint", "pets.yaml"]).exits(1).tells(&format!(" error[{code}]: "));
        let generate = ["generate", "pets.yaml", "--out", "out", "--name", "pets"];
        scratch.run(&generate).exits(0).tells(&format!(" warning[{code}]: "));
    }
}

#[test]
fn versions() {
    let scratch = Scratch::new();
    let with = |version: &str| PETS.replacen("3.0.3", version, 1);
    scratch.run_with(&["lint", "-"], &with("3.1.1")).exits(0);
    scratch.run_with(&["lint", "-"], &with("3.2.0")).exits(0);
    scratch.run_with(&["lint", "-"], &with("4.0.0")).exits(1).tells("error[unsupported-version]");
    scratch.run_with(&["lint", "-"], "").exits(1).tells("`openapi: 3.0.3` or `openapi: 3.1.0`");
}

#[test]
fn codes_are_explained() {
    let scratch = Scratch::new();
    let ran = scratch.run(&["explain", "unknown-ref"]).exits(0);
    assert!(ran.out.starts_with("unknown-ref: A `$ref` names something"), "{ran:?}");
    let all = scratch.run(&["explain"]).exits(0);
    assert!(all.out.lines().count() > 25 && all.out.contains("\nunknown-ref "), "{all:?}");
    scratch.run(&["explain", "unknown-reff"]).exits(2).tells("did you mean `unknown-ref`?");
}

#[test]
fn help_teaches() {
    let scratch = Scratch::new();
    let help = scratch.run(&["--help"]).exits(0).out;
    assert!(
        help.contains("generate petstore.yaml --out petstore --name petstore") && help.contains("Exit codes"),
        "{help}"
    );
    let help = scratch.run(&["generate", "--help"]).exits(0).out;
    assert!(help.contains("--crates models") && help.contains("--check"), "{help}");
    scratch.run(&["generat"]).exits(2).tells("generate");
}
