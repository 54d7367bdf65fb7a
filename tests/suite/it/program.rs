//! The program that serves all modes, and its workspace in the target folder.

use std::{
    env, fs,
    io::Write,
    path::PathBuf,
    process::{Command, Stdio},
};

use openapi_crates_suite::workspace;

use crate::{crates::Generated, document, target};

/// The program's package.
const PROGRAM: &str = "suite-program";

/// Its source, next to the generated list of modes.
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

/// The output of the program for an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// The status of the response.
    pub status: u16,
    /// Whether the slow path of the runtime finds no violation.
    pub walked: bool,
}

/// Returns the folder of the workspace.
pub fn workspace() -> PathBuf {
    workspace::root().join("target/suite")
}

/// Writes the program and its workspace, and compiles them.
pub fn build(generated: &[Generated<'_>]) {
    let folder = workspace();
    let names: Vec<&str> = generated.iter().map(|generated| generated.mode.name).collect();
    let program = folder.join("program");
    fs::create_dir_all(program.join("src")).expect("the program's folder can be made");
    for (file, text) in
        [("src/main.rs", SOURCE), ("src/modes.rs", &modes(generated)), ("Cargo.toml", &manifest(&names))]
    {
        workspace::write_if_new(&program.join(file), text).expect("the program can be written");
    }
    let crates =
        names.iter().flat_map(|name| ["models", "validation", "server"].map(|kind| format!("{name}/{kind}")));
    let members = crates.chain(["program".to_owned()]);
    workspace::write(&folder, members).expect("the workspace can be written");
    workspace::build(&folder, &target(), PROGRAM).expect("the program compiles");
}

/// Sends instances to the operations of a mode. Each line is a path, a tab and a JSON text.
pub fn run(mode: &str, lines: &str) -> Vec<Seen> {
    let program = target().join("debug").join(format!("{PROGRAM}{}", env::consts::EXE_SUFFIX));
    send(Command::new(program).arg(mode), lines)
}

/// Sends the lines to a program, and reads what it prints for each.
pub fn send(program: &mut Command, lines: &str) -> Vec<Seen> {
    let mut child = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{program:?} can't be run: {error}"));
    // The program reads everything before it writes.
    let mut stdin = child.stdin.take().expect("it was piped");
    stdin.write_all(lines.as_bytes()).expect("the program reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success(), "{program:?}: {}", output.status);
    let text = String::from_utf8(output.stdout).expect("the program prints text");
    text.lines().map(Seen::parse).collect()
}

impl Seen {
    fn parse(line: &str) -> Self {
        let parsed = line.split_once(' ').and_then(|(status, walked)| {
            Some(Self { status: status.parse().ok()?, walked: walked.parse().ok()? })
        });
        parsed.unwrap_or_else(|| panic!("the program prints: {line}"))
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
