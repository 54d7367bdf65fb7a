//! Tests that the crates of valid fixtures, and of documents in pages, compile without warnings.
//!
//! This includes clippy with this project's lints, and rustdoc for the fixtures that are difficult for it.
//! `tests/behaviour` also runs some of the crates.

use std::{collections::BTreeSet, fs, path::Path};

use support::nested_cargo::{DEPENDENCIES, write_dependencies, write_if_new};

use crate::support::{fixtures, read, root};

/// The folder of the fixtures' crates, relative to the project's root.
const WORKSPACE: &str = "target/fixtures";

/// Fixtures that rustdoc runs on: their texts or names are difficult for it.
const DOCUMENTED: [&str; 2] = ["docs", "naming"];

/// The crate of tests that run generated code.
const BEHAVIOUR: &str = "behaviour";

/// Its dependencies from the registry, with the versions and features of this crate.
const REGISTRY: &str = r#"axum = { version = "0.8", default-features = false, features = ["http1", "json", "tokio"] }
futures-util = { version = "0.3", default-features = false, features = ["std"] }
serde_json = "1"
tokio = { version = "1", features = ["io-util", "macros", "net", "rt-multi-thread", "sync", "time"] }
"#;

/// Invalid fixtures from which `generate` still makes crates, and whose mistakes affect them most.
const REPAIRED: [&str; 7] = [
    "duplicate-operation-id",
    "missing-fields",
    "path-templates",
    "several-mistakes",
    "unknown-ref",
    "unknown-security",
    "wrong-type",
];

#[test]
fn fixtures_compile() {
    let workspace = root().join(WORKSPACE);
    let written = write_crates(&workspace);
    // Crates that the tests of behaviour link are compiled once, with clippy as the compiler. The others are only checked.
    let linked = linked();
    let options = |option: &str| linked.iter().map(|name| format!("{option}={name}")).collect::<Vec<_>>();
    let check = ["clippy", "--workspace", "--all-features", "--quiet", "--exclude", BEHAVIOUR];
    cargo(
        &workspace,
        check.into_iter().map(str::to_owned).chain(options("--exclude")),
        &["--", "-D", "warnings"],
    );
    let packages = DOCUMENTED.iter().filter(|name| written.contains(**name)).flat_map(|name| {
        ["models", "validation", "server", "client"].map(|kind| format!("--package=fixture-{name}-{kind}"))
    });
    let document = ["doc", "--no-deps", "--all-features", "--quiet"].map(str::to_owned);
    cargo(&workspace, document.into_iter().chain(packages), &[]);
    let test =
        ["test", "--tests", "--all-features", "--quiet", "--package", BEHAVIOUR, "--package", DEPENDENCIES];
    let test = test.map(str::to_owned);
    cargo(&workspace, test.into_iter().chain(options("--package")), &[]);
}

/// Returns the fixtures' crates that the tests of behaviour link.
fn linked() -> BTreeSet<String> {
    let mut linked = BTreeSet::new();
    for name in mentioned() {
        let Some((fixture, kind)) = name.rsplit_once('-') else { continue };
        let used: &[&str] = match kind {
            "models" => &["models"],
            "validation" => &["models", "validation"],
            _ => &["models", "validation", kind],
        };
        linked.extend(used.iter().map(|kind| format!("fixture-{fixture}-{kind}")));
    }
    linked
}

/// Returns the names of the crates that occur in the tests of behaviour, without `fixture-`.
fn mentioned() -> BTreeSet<String> {
    let mut mentioned = BTreeSet::new();
    for entry in fs::read_dir(root().join("tests/behaviour")).expect("there are tests of behaviour").flatten()
    {
        let text = read(&entry.path());
        for word in text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_') {
            mentioned.extend(word.strip_prefix("fixture_").map(|rest| rest.replace('_', "-")));
        }
    }
    mentioned
}

/// Writes the crates of every valid fixture, and their workspace.
///
/// Unchanged files keep their modification time, so that cargo compiles only what changed.
fn write_crates(workspace: &Path) -> BTreeSet<String> {
    let mut written = BTreeSet::new();
    for fixture in fixtures("valid").into_iter().chain(fixtures("shown")) {
        let generated = fixture.generate();
        let Some(files) = generated.files else { panic!("{}: {}", fixture.source, generated.report) };
        files.write_to(&workspace.join(&fixture.name)).expect("the fixture's crates can be written");
        written.insert(fixture.name);
    }
    for fixture in fixtures("invalid").into_iter().filter(|fixture| REPAIRED.contains(&fixture.name.as_str()))
    {
        let generated = fixture.generate_leniently();
        let Some(files) = generated.files else { panic!("{}: {}", fixture.source, generated.report) };
        files.write_to(&workspace.join(&fixture.name)).expect("the fixture's crates can be written");
        written.insert(fixture.name);
    }
    write_behaviour(&workspace.join(BEHAVIOUR));
    write_dependencies(&workspace.join(DEPENDENCIES)).expect("cargo lists dependencies");
    written.extend([BEHAVIOUR, DEPENDENCIES].map(str::to_owned));
    for entry in fs::read_dir(workspace).expect("the workspace can be listed").flatten() {
        if entry.path().is_dir() && !written.contains(&*entry.file_name().to_string_lossy()) {
            fs::remove_dir_all(entry.path()).expect("the crates of a fixture that is gone can be removed");
        }
    }
    let others = [BEHAVIOUR, DEPENDENCIES];
    written.retain(|name| !others.contains(&name.as_str()));
    let crates = written.iter().map(|name| format!("\"{name}/*\""));
    let members: Vec<String> = crates.chain(others.map(|name| format!("{name:?}"))).collect();
    let inherited = inherited(&read(&root().join("Cargo.toml")));
    let manifest =
        format!("[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n{inherited}", members.join(", "));
    fs::write(workspace.join("Cargo.toml"), manifest).expect("the workspace's manifest can be written");
    // The project's lock file, whose versions are already downloaded.
    fs::copy(root().join("Cargo.lock"), workspace.join("Cargo.lock")).expect("the project has a Cargo.lock");
    fs::copy(root().join("clippy.toml"), workspace.join("clippy.toml"))
        .expect("the project has a clippy.toml");
    written
}

/// Writes the crate of `tests/behaviour`, with a manifest that names the fixtures' crates it uses.
fn write_behaviour(folder: &Path) {
    fs::create_dir_all(folder.join("src")).expect("the crate's folder can be made");
    for entry in fs::read_dir(root().join("tests/behaviour")).expect("there are tests of behaviour").flatten()
    {
        write_if_new(&folder.join("src").join(entry.file_name()), &read(&entry.path()))
            .expect("a test can be copied");
    }
    let runtime = "openapi-crates-runtime = { path = \"../../../runtime\", features = [\"validation\"] }";
    let dependencies = mentioned().into_iter().filter_map(|name| {
        let (fixture, kind) = name.rsplit_once('-')?;
        Some(format!("fixture-{name} = {{ path = \"../{fixture}/{kind}\" }}\n"))
    });
    let manifest = format!(
        "[package]\nname = \"{BEHAVIOUR}\"\nversion.workspace = true\nedition.workspace = true\n\n[lints]\nworkspace = true\n\n[dev-dependencies]\n{runtime}\n{REGISTRY}{}",
        dependencies.collect::<String>()
    );
    write_if_new(&folder.join("Cargo.toml"), &manifest).expect("the manifest can be written");
}

/// Returns the sections of the project's manifest that members inherit.
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

fn cargo(workspace: &Path, arguments: impl IntoIterator<Item = String>, passed: &[&str]) {
    let arguments: Vec<String> = arguments.into_iter().collect();
    let mut command = support::nested_cargo::cargo();
    command.current_dir(workspace).arg("--offline").args(&arguments).args(passed);
    command.env("RUSTDOCFLAGS", "-D warnings");
    if arguments.iter().any(|argument| argument == "test") {
        support::nested_cargo::compile_with_clippy(&mut command);
    }
    // The target folder has the dependencies that this project's own build has compiled.
    command.env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap_or(workspace));
    let output = command.output().expect("cargo can be run");
    assert!(
        output.status.success(),
        "`cargo {}` in {WORKSPACE} failed:\n{}{}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
}
