//! Compiles a generated workspace.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::support::Scratch;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Runs cargo in a generated workspace and returns its output.
///
/// Copies this project's lock file, whose packages are already downloaded, and shares this project's target folder, so that
/// dependencies are not compiled again.
pub fn cargo(workspace: &Path, arguments: &[&str]) -> String {
    fs::copy(root().join("Cargo.lock"), workspace.join("Cargo.lock")).expect("cannot copy Cargo.lock");
    let output = support::nested_cargo::cargo()
        .current_dir(workspace)
        .args(arguments)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join(".."))
        .output()
        .expect("cannot run cargo");
    let text =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success(), "`cargo {}` failed:\n{text}", arguments.join(" "));
    text
}

#[test]
fn a_generated_workspace_compiles() {
    let scratch = Scratch::new();
    scratch.run(&["generate", "pets.yaml", "--out", "out", "--name", "cli-pets"]).exits(0);
    let workspace = scratch.path("out");
    let warnings = cargo(&workspace, &["check", "--offline", "--quiet", "--workspace"]);
    assert_eq!(warnings, "");
    cargo(&workspace, &["fmt", "--all", "--check"]);
    let tree = cargo(&workspace, &["tree", "--offline", "--package", "cli-pets-models", "--prefix", "none"]);
    assert!(
        !tree.contains("http") && !tree.contains("tokio"),
        "models must not depend on HTTP crates:\n{tree}"
    );
    let status = scratch.run(&["generate", "pets.yaml", "--out", "out", "--name", "cli-pets", "--check"]);
    status.exits(0);
}
