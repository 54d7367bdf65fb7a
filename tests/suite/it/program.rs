//! The program that serves all modes, and its workspace in the target folder.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{crates::Generated, document};

/// The program's package.
const PROGRAM: &str = "suite-program";

/// Its source, beside the generated list of modes.
const SOURCE: &str = include_str!("../program/main.rs");

/// Its dependencies from the registry and the runtime.
///
/// Versions and features are those of the fixtures' tests (`tests/it/compile.rs`), so that both share the compiled
/// dependencies.
const DEPENDENCIES: &str = r#"axum = { version = "0.8", default-features = false, features = ["http1", "json", "tokio"] }
futures-util = { version = "0.3", default-features = false, features = ["std"] }
openapi-crates-runtime = { path = "../../../runtime", features = ["client", "rustls", "server"] }
serde_json = "1"
tokio = { version = "1", features = ["io-util", "macros", "net", "rt-multi-thread", "sync", "time"] }
"#;

/// What the program prints for an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// The status of the response.
    pub status: u16,
    /// Whether the slow walk of the runtime finds no violation.
    pub walked: bool,
}

/// Returns the folder of the workspace.
pub fn workspace() -> PathBuf {
    root().join("target/suite")
}

/// Writes the program and its workspace, and compiles them.
pub fn build(generated: &[Generated<'_>]) {
    let workspace = workspace();
    let names: Vec<&str> = generated.iter().map(|generated| generated.mode.name).collect();
    let folder = workspace.join("program");
    fs::create_dir_all(folder.join("src")).expect("the program's folder can be made");
    write_if_new(&folder.join("src/main.rs"), SOURCE);
    write_if_new(&folder.join("src/modes.rs"), &modes(generated));
    write_if_new(&folder.join("Cargo.toml"), &manifest(&names));
    let members = names
        .iter()
        .flat_map(|name| ["models", "validation", "server"].map(|kind| format!("\"{name}/{kind}\", ")));
    // Without debug information, the profile of dependencies is that of the project.
    let root_manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{}\"program\"]\n\n[profile.dev]\ndebug = false\n",
        members.collect::<String>()
    );
    write_if_new(&workspace.join("Cargo.toml"), &root_manifest);
    // The project's lock file, whose versions are already downloaded.
    fs::copy(root().join("Cargo.lock"), workspace.join("Cargo.lock")).expect("the project has a Cargo.lock");
    cargo(&workspace, &["build", "--quiet", "--package", PROGRAM]);
}

/// Sends instances to the operations of a mode. Each line is a path, a tab and a JSON text.
pub fn run(mode: &str, lines: &str) -> Vec<Seen> {
    let program = target().join("debug").join(format!("{PROGRAM}{}", env::consts::EXE_SUFFIX));
    let mut child = Command::new(&program)
        .arg(mode)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{} can't be run: {error}", program.display()));
    // The program reads everything before it writes.
    let mut stdin = child.stdin.take().expect("it was piped");
    stdin.write_all(lines.as_bytes()).expect("the program reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success(), "{PROGRAM} {mode}: {}", output.status);
    let text = String::from_utf8(output.stdout).expect("the program prints text");
    text.lines().map(Seen::parse).collect()
}

impl Seen {
    fn parse(line: &str) -> Self {
        let parsed = line.split_once(' ').and_then(|(status, walked)| {
            Some(Self { status: status.parse().ok()?, walked: walked.parse().ok()? })
        });
        parsed.unwrap_or_else(|| panic!("{PROGRAM} prints: {line}"))
    }
}

/// Returns the text that lists the operations of all modes.
fn modes(generated: &[Generated<'_>]) -> String {
    let mut text = String::from("//! The operations of each mode.\n\ncrate::modes! {\n");
    for Generated { mode, groups, .. } in generated {
        let krate = format!("suite_{}", mode.name);
        text.push_str(&format!("    {} {krate}_server {krate}_validation {{\n", mode.name));
        for number in groups.keys() {
            text.push_str(&format!("        {} Group{number}Input,\n", document::operation(*number)));
        }
        text.push_str("    }\n");
    }
    text + "}\n"
}

fn manifest(names: &[&str]) -> String {
    let crates = names.iter().flat_map(|name| {
        ["server", "validation"]
            .map(|kind| format!("suite-{name}-{kind} = {{ path = \"../{name}/{kind}\" }}\n"))
    });
    format!(
        "[package]\nname = \"{PROGRAM}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\n{DEPENDENCIES}{}",
        crates.collect::<String>()
    )
}

fn cargo(workspace: &Path, arguments: &[&str]) {
    let mut command = nested_cargo::cargo();
    command.current_dir(workspace).arg("--offline").args(arguments).env("CARGO_TARGET_DIR", target());
    let status = command.status().expect("cargo can be run");
    assert!(status.success(), "`cargo {}` failed in {}", arguments.join(" "), workspace.display());
}

/// Returns the target folder, which has the dependencies that the project's own build has compiled.
fn target() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    folder.expect("the folder for temporary files is in the target folder").to_owned()
}

fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("this package is two folders deep")
}

fn write_if_new(path: &Path, text: &str) {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).unwrap_or_else(|error| panic!("{} can't be written: {error}", path.display()));
    }
}
