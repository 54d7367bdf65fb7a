//! Every valid fixture's crates compile, pass clippy and are documented without a warning, under this project's lints.

use std::{collections::BTreeSet, env, fs, path::Path, process::Command};

use crate::support::{fixtures, read, root};

/// Where the fixtures' crates are written, relative to the project's root.
const WORKSPACE: &str = "target/fixtures";

/// Fixtures whose docs are made: those whose words or names try rustdoc.
const DOCUMENTED: [&str; 2] = ["docs", "naming"];

#[test]
fn fixtures_compile() {
    let workspace = root().join(WORKSPACE);
    let written = write_crates(&workspace);
    let lint =
        ["clippy", "--workspace", "--all-targets", "--all-features", "--quiet", "--", "-D", "warnings"];
    cargo(&workspace, &lint);
    let packages = DOCUMENTED.iter().filter(|name| written.contains(**name)).flat_map(|name| {
        ["models", "validation", "server", "client"].map(|kind| format!("--package=fixture-{name}-{kind}"))
    });
    let packages: Vec<String> = packages.collect();
    let mut document = vec!["doc", "--no-deps", "--all-features", "--quiet"];
    document.extend(packages.iter().map(String::as_str));
    cargo(&workspace, &document);
}

/// Writes the crates of every valid fixture, and the workspace that holds them. Unchanged files keep their time, so
/// that cargo compiles what changed.
fn write_crates(workspace: &Path) -> BTreeSet<String> {
    let mut written = BTreeSet::new();
    for fixture in fixtures("valid") {
        let generated = fixture.generate();
        let Some(files) = generated.files else { panic!("{}: {}", fixture.source, generated.report) };
        files.write_to(&workspace.join(&fixture.name)).expect("the fixture's crates can be written");
        written.insert(fixture.name);
    }
    for entry in fs::read_dir(workspace).expect("the workspace can be listed").flatten() {
        if entry.path().is_dir() && !written.contains(&*entry.file_name().to_string_lossy()) {
            fs::remove_dir_all(entry.path()).expect("the crates of a fixture that is gone can be removed");
        }
    }
    let members: Vec<String> = written.iter().map(|name| format!("\"{name}/*\"")).collect();
    let inherited = inherited(&read(&root().join("Cargo.toml")));
    let manifest =
        format!("[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n{inherited}", members.join(", "));
    fs::write(workspace.join("Cargo.toml"), manifest).expect("the workspace's manifest can be written");
    // The same versions as the project's, which are on this machine already.
    fs::copy(root().join("Cargo.lock"), workspace.join("Cargo.lock")).expect("the project has a Cargo.lock");
    fs::copy(root().join("clippy.toml"), workspace.join("clippy.toml"))
        .expect("the project has a clippy.toml");
    written
}

/// The sections of the project's manifest that members inherit.
fn inherited(manifest: &str) -> String {
    let mut wanted = false;
    let mut sections = String::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            wanted = line == "[workspace.package]" || line.starts_with("[workspace.lints");
        }
        if wanted {
            sections.push_str(line);
            sections.push('\n');
        }
    }
    sections
}

fn cargo(workspace: &Path, arguments: &[&str]) {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(workspace).args(["--offline"]).args(arguments).env("RUSTDOCFLAGS", "-D warnings");
    let output = command.output().expect("cargo can be run");
    assert!(
        output.status.success(),
        "`cargo {}` in {WORKSPACE} failed:\n{}{}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
}
