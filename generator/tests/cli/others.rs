//! Tests of `lint`, `explain` and `--help`.

use crate::support::{PETS, Scratch};

#[test]
fn lint_reports_everything_and_writes_nothing() {
    let scratch = Scratch::new();
    let ran = scratch.run(&["lint", "pets.yaml"]).exits(0);
    assert_eq!((&*ran.out, &*ran.err), ("pets.yaml: no errors or warnings\n", ""));

    let odd: String =
        (0..9).map(|number| format!("    Odd{number}: {{type: string, format: odd{number}}}\n")).collect();
    scratch.put("odd.yaml", &format!("{PETS}{odd}"));
    let ran = scratch.run(&["lint", "odd.yaml"]).exits(0);
    assert!(ran.out.ends_with("\nodd.yaml: 9 warnings\n") && ran.err.is_empty(), "{ran:?}");
    assert_eq!(ran.out.matches("odd.yaml:66:").count(), 1, "{ran:?}");
    assert_eq!(ran.out.matches(" warning[unknown-format]: ").count(), 9, "{ran:?}");
    let ran = scratch.run(&["lint", "odd.yaml", "--strict"]).exits(1);
    ran.prints(" error[unknown-format]: ").prints("\nodd.yaml: 9 errors\n");

    let wrong = PETS.replace("schemas/Kind'", "schemas/Kin'");
    scratch
        .run_with(&["lint", "-"], &wrong)
        .exits(1)
        .prints("<stdin>:")
        .prints("error[unknown-ref]")
        .prints("`Kind`");
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
        scratch.run(&["lint", "pets.yaml"]).exits(1).prints(&format!(" error[{code}]: "));
        let generate = ["generate", "pets.yaml", "--out", "out", "--name", "pets"];
        scratch.run(&generate).exits(0).reports(&format!(" warning[{code}]: "));
    }
}

/// A group of lints is off unless the arguments or the settings turn it on.
#[test]
fn groups_of_lints() {
    let scratch = Scratch::new();
    let odd = format!(
        "{PETS}    Odd: {{type: object, properties: {{id: {{type: integer}}, size: {{type: string, enum: [s, S]}}}}}}\n"
    );
    scratch.put("odd.yaml", &odd);
    let width = " warning[portable-integer-width]: ";
    let case = " warning[portable-enum-case]: ";
    scratch.run(&["lint", "odd.yaml"]).exits(0).omits("portable-");
    scratch.run(&["lint", "odd.yaml", "--lints", "portable"]).exits(0).prints(width).prints(case);
    scratch
        .run(&["lint", "odd.yaml", "--lints", "portable", "--strict"])
        .exits(1)
        .prints(" error[portable-enum-case]: ");
    let allow = ["lint", "odd.yaml", "--lints", "portable", "--allow", "portable-enum-case"];
    scratch.run(&allow).exits(0).prints(width).omits("portable-enum-case");

    scratch.put("openapi-crates.toml", "lints = [\"portable\"]\nallow = [\"portable-integer-width\"]\n");
    scratch.run(&["lint", "odd.yaml"]).exits(0).prints(case).omits("portable-integer-width");
    let other = ["lint", "odd.yaml", "--allow", "portable-enum-case"];
    scratch.run(&other).exits(0).prints(width).omits("portable-enum-case");
    let generate = ["generate", "odd.yaml", "--out", "out", "--name", "odd", "--strict"];
    scratch.run(&generate).exits(0).omits("portable-");

    // The settings allow a lint of another group.
    let quality = ["lint", "odd.yaml", "--lints", "quality"];
    scratch.run(&quality).exits(0).prints(" warning[quality-no-bounds]: ").omits("portable-");
    let both = ["lint", "odd.yaml", "--lints", "quality,portable", "--allow", "quality-no-bounds"];
    scratch
        .run(&both)
        .exits(0)
        .prints(case)
        .prints(" warning[quality-unused-component]: ")
        .omits("no-bounds");
    let allowed = odd.replace(
        "    Odd: {",
        "    Odd: {x-lint-allow: {quality-unused-component: A later version uses it.}, ",
    );
    scratch.put("odd.yaml", &allowed);
    scratch.run(&both).exits(0).prints(case).omits("quality-unused-component");
}

#[test]
fn mistakes_in_groups_of_lints() {
    let scratch = Scratch::new();
    scratch.run(&["lint", "pets.yaml", "--lints", "portabel"]).exits(2).reports("'portable'");
    let allow = ["lint", "pets.yaml", "--allow", "portable-rules"];
    scratch
        .run(&allow)
        .exits(2)
        .reports("`allow` contains `portable-rules`, whose group is off; add `--lints portable`");
    scratch.run(&["lint", "pets.yaml", "--lints", "portable", "--allow", "unknown-ref"]).exits(2);
    scratch.put("openapi-crates.toml", "allow = [\"portable-rules\"]\n");
    scratch.run(&["lint", "pets.yaml"]).exits(2).reports("`lints = [\"portable\"]`");
    scratch.put("openapi-crates.toml", "lints = [\"portable\"]\nallow = [\"portable-rule\"]\n");
    scratch
        .run(&["lint", "pets.yaml"])
        .exits(2)
        .reports("openapi-crates.toml:2:9: unknown lint `portable-rule`");
}

#[test]
fn versions() {
    let scratch = Scratch::new();
    let with = |version: &str| PETS.replacen("3.0.3", version, 1);
    scratch.run_with(&["lint", "-"], &with("3.1.1")).exits(0);
    scratch.run_with(&["lint", "-"], &with("3.2.0")).exits(0);
    scratch.run_with(&["lint", "-"], &with("4.0.0")).exits(1).prints("error[unsupported-version]");
    scratch.run_with(&["lint", "-"], "").exits(1).prints("`openapi: 3.0.3` or `openapi: 3.1.0`");
}

#[test]
fn codes_are_explained() {
    let scratch = Scratch::new();
    let ran = scratch.run(&["explain", "unknown-ref"]).exits(0);
    assert!(ran.out.starts_with("unknown-ref: A `$ref` names something"), "{ran:?}");
    let all = scratch.run(&["explain"]).exits(0);
    assert!(all.out.lines().count() > 25 && all.out.contains("\nunknown-ref "), "{all:?}");
    let lint = scratch.run(&["explain", "portable-rules"]).exits(0);
    assert!(lint.out.contains("in the group `portable`, which is off by default"), "{lint:?}");
    scratch.run(&["explain", "unknown-reff"]).exits(2).reports("did you mean `unknown-ref`?");
}

#[test]
fn help_has_examples_and_exit_codes() {
    let scratch = Scratch::new();
    let help = scratch.run(&["--help"]).exits(0).out;
    assert!(
        help.contains("generate petstore.yaml --out petstore --name petstore") && help.contains("Exit codes"),
        "{help}"
    );
    let help = scratch.run(&["generate", "--help"]).exits(0).out;
    assert!(help.contains("--crates models") && help.contains("--check"), "{help}");
    let help = scratch.run(&["upgrade", "--help"]).exits(0).out;
    assert!(help.contains("upgrade swagger.json --output openapi.yaml"), "{help}");
    for command in ["diff", "explain", "lint", "outline"] {
        let help = scratch.run(&[command, "--help"]).exits(0).out;
        let example = format!("\nExamples:\n  openapi-crates {command} ");
        assert!(help.contains(&example) && help.contains("\nExit codes: 0 "), "{help}");
    }
    scratch.run(&["generat"]).exits(2).reports("generate");
}
