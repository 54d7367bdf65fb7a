//! The verdicts of servers that another generator makes of the same groups: openapi-to-rust.
//!
//! That generator refuses a document as a whole, and so does the compiler with its output. Each group is therefore a
//! document of its own. Their modules are one program.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use openapi_crates_suite::workspace;
use serde_json::Value;

use crate::{crates::Generated, document::Document, files::Group, program, report::Report, verdicts};

/// The source of the program, next to the generated list of groups.
const SOURCE: &str = include_str!("../program/rival.rs");

/// The program's package. Its dependencies are those that the generator lists for its output, and those of the source.
const MANIFEST: &str = r#"[package]
name = "suite-rival"
version = "0.0.0"
edition = "2024"
publish = false

[workspace]

[dependencies]
async-trait = "0.1"
axum = { version = "0.8", default-features = false, features = ["json"] }
http-body-util = "0.1"
jsonschema = { version = "0.49", default-features = false }
mime = "0.3"
serde = { version = "1", features = ["derive"] }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt"] }
tower = { version = "0.5", features = ["util"] }
"#;

/// The configuration of the generator for a group: a server alone, with validation, which is its default.
const CONFIG: &str = r#"[generator]
spec_path = "document.json"
output_dir = "api"
module_name = "api"

[features]
enable_async_client = false

[server]
framework = "axum"
operations = ["tag:groups"]
"#;

/// The groups by the paths of their operations.
type Groups<'g> = BTreeMap<String, &'g Group>;

/// Why a group has no server, by path.
type Refused = BTreeMap<String, String>;

/// Generates and compiles a server for each group that our servers have, and sends the instances to it.
///
/// Returns the table of both reports, and a line for each reason why groups have no server. The report on the other
/// generator becomes a file.
pub fn report(generator: &Path, ours: &[Generated<'_>], report: &Report) -> String {
    let folder = workspace::root().join("target/rivals/suite");
    let groups = groups(ours);
    let mut refused = Refused::new();
    for (number, (path, group)) in groups.iter().enumerate() {
        if let Err(reason) = generate(generator, &folder.join("src").join(module(number)), number, group) {
            refused.insert(path.clone(), reason);
        }
    }
    let program = build(&folder, &groups, &mut refused);
    let reports = ours.iter().map(|ours| {
        verdicts::report(&theirs(ours, &refused), |lines| program::send(&mut Command::new(&program), lines))
    });
    let theirs = Report(reports.collect());
    let file = folder.join("verdicts.txt");
    fs::write(&file, theirs.to_string()).expect("the verdicts can be written");
    let table = report.beside(&theirs, ["openapi-crates", "openapi-to-rust"]);
    format!("{table}\n{}\nopenapi-to-rust, each wrong verdict: {}\n", reasons(&refused), file.display())
}

/// Returns the groups of all modes, each once.
fn groups<'g>(ours: &[Generated<'g>]) -> Groups<'g> {
    let mut groups = Groups::new();
    for group in ours.iter().flat_map(|mode| mode.groups.values()) {
        let other = groups.insert(group.path(), group);
        assert!(other.is_none_or(|other| other.schema == group.schema), "{}: two files", group.path());
    }
    groups
}

/// Returns the groups of a mode, with and without a server.
fn theirs<'g>(ours: &Generated<'g>, refused: &Refused) -> Generated<'g> {
    let mut theirs = Generated {
        mode: ours.mode,
        groups: ours.groups.clone(),
        left_out: ours.left_out.clone(),
        refused: Vec::new(),
    };
    theirs.groups.retain(|_, group| match refused.get(&group.path()) {
        Some(reason) => {
            theirs.refused.push((group, reason.clone()));
            false
        }
        None => true,
    });
    theirs
}

fn reasons(refused: &Refused) -> String {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, reason) in refused {
        reasons.entry(reason).or_default().push(path);
    }
    let line = |(reason, paths): (&&str, &Vec<&str>)| {
        format!("without a server: {} groups, {reason}: {}\n", paths.len(), paths.join(" "))
    };
    reasons.iter().map(line).collect()
}

fn module(number: usize) -> String {
    format!("g{number}")
}

/// Generates the server of a group.
///
/// # Errors
/// Returns the reason that the generator gives, without what it quotes from the document.
fn generate(generator: &Path, folder: &Path, number: usize, group: &Group) -> Result<(), String> {
    fs::create_dir_all(folder).expect("the folder can be made");
    for (file, text) in
        [("document.json", Document::of(&[(number, group)]).text.as_str()), ("openapi-to-rust.toml", CONFIG)]
    {
        fs::write(folder.join(file), text).expect("the document can be written");
    }
    let output = Command::new(generator).arg("generate").current_dir(folder).output();
    let output = output.expect("the generator can be run");
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("not generated: {}", unquoted(errors.lines().next().unwrap_or_default())));
    }
    let file = folder.join("api/server/api.rs");
    let text = fs::read_to_string(&file).expect("the generator writes the trait");
    fs::write(file, format!("{text}{}", handler(&text))).expect("the handler can be written");
    Ok(())
}

/// Returns a text without what it quotes.
fn unquoted(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join("…")
}

/// Implements the generated trait, whose only method has an unknown type of body.
fn handler(text: &str) -> String {
    let (_, method) = text.split_once("async fn ").expect("the trait has a method");
    let (signature, _) = method.split_once(';').expect("the method has a signature");
    let (_, response) = signature.rsplit_once("-> ").expect("the method returns a response");
    format!(
        "\n#[derive(Clone)]\npub struct Handler;\n\n#[async_trait::async_trait]\nimpl GroupsApi for Handler {{\n    \
         async fn {signature} {{\n        {response}::NoContent\n    }}\n}}\n"
    )
}

/// Compiles the program, without the groups that don't compile.
fn build(folder: &Path, groups: &Groups<'_>, refused: &mut Refused) -> PathBuf {
    fs::write(folder.join("Cargo.toml"), MANIFEST).expect("the manifest can be written");
    fs::write(folder.join("src/main.rs"), SOURCE).expect("the program can be written");
    let target = folder.join("target");
    loop {
        let modules: Vec<String> = groups
            .keys()
            .enumerate()
            .filter(|(_, path)| !refused.contains_key(*path))
            .map(|(number, _)| module(number))
            .collect();
        fs::write(folder.join("src/groups.rs"), list(&modules)).expect("the list can be written");
        let mut cargo = support::nested_cargo::cargo();
        cargo.args(["build", "--quiet", "--message-format=json"]);
        let output = cargo.current_dir(folder).env("CARGO_TARGET_DIR", &target).output();
        let output = output.expect("cargo can be run");
        if output.status.success() {
            return target.join("debug/suite-rival").with_extension(std::env::consts::EXE_EXTENSION);
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let errors: BTreeMap<usize, String> = text.lines().filter_map(error).collect();
        let paths: Vec<&String> = groups.keys().collect();
        assert!(
            !errors.is_empty(),
            "no group has this error: {}\n{text}",
            String::from_utf8_lossy(&output.stderr)
        );
        refused.extend(errors.into_iter().map(|(number, reason)| (paths[number].clone(), reason)));
    }
}

/// Returns the list of modules, and a router over them.
fn list(modules: &[String]) -> String {
    let declared = modules.iter().map(|module| format!("#[path = \"{module}/api/mod.rs\"]\nmod {module};\n"));
    let merged = modules.iter().map(|module| {
        format!("\n        .merge({module}::server::groups_api_router({module}::server::Handler))")
    });
    format!(
        "//! The generated servers.\n\n{}\npub fn router() -> axum::Router {{\n    axum::Router::new(){}\n}}\n",
        declared.collect::<String>(),
        merged.collect::<String>()
    )
}

/// Returns the group of a compiler's error, and its code.
fn error(line: &str) -> Option<(usize, String)> {
    let message = &serde_json::from_str::<Value>(line).ok()?["message"];
    let mut spans = message["spans"].as_array()?.iter().filter(|span| span["is_primary"] == true);
    let file = spans.find_map(|span| span["file_name"].as_str()?.strip_prefix("src/g"))?;
    let number = file.split(['/', '\\']).next()?.parse().ok()?;
    if message["level"] != "error" {
        return None;
    }
    let code = message["code"]["code"].as_str().unwrap_or("syntax");
    Some((number, format!("not compiled: {code}, {}", unquoted(message["message"].as_str()?))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_handler_has_the_signature_of_the_trait() {
        let text = "pub trait GroupsApi {\n    async fn group3(\n        &self,\n        body: A3,\n    ) -> Group3Response;\n}\n";
        let handler = handler(text);
        let method = "async fn group3(\n        &self,\n        body: A3,\n    ) -> Group3Response {\n        Group3Response::NoContent\n    }";
        assert!(handler.contains(method), "{handler}");
    }

    #[test]
    fn an_error_of_the_compiler_belongs_to_a_group() {
        let message = |level: &str, file: &str| {
            let spans = [
                json!({ "is_primary": false, "file_name": "src/g1/api/types.rs" }),
                json!({ "is_primary": true, "file_name": file }),
            ];
            let text = "recursive type `Group3` has infinite size";
            let message =
                json!({ "level": level, "code": { "code": "E0072" }, "message": text, "spans": spans });
            json!({ "reason": "compiler-message", "message": message }).to_string()
        };
        let reason = "not compiled: E0072, recursive type … has infinite size".to_owned();
        assert_eq!(error(&message("error", "src/g3/api/types.rs")), Some((3, reason)));
        assert_eq!(error(&message("warning", "src/g3/api/types.rs")), None);
        assert_eq!(error(&message("error", "src/groups.rs")), None);
        assert_eq!(error(r#"{"reason":"build-finished","success":false}"#), None);
    }

    #[test]
    fn equal_reasons_are_one_line() {
        let refused: Refused = [("/a/0", "x"), ("/a/1", "y"), ("/b/0", "x")]
            .map(|(path, reason)| (path.to_owned(), reason.to_owned()))
            .into();
        assert_eq!(
            reasons(&refused),
            "without a server: 2 groups, x: /a/0 /b/0\nwithout a server: 1 groups, y: /a/1\n"
        );
    }
}
