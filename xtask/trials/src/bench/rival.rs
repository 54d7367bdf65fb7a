//! `cargo xtask bench rival`: compares the processor time of our generated server with that of openapi-to-rust's.
//!
//! Both are generated from this project's spec. The program and its dependencies are in the target folder alone.

use std::process::Command;

use anyhow::Result;
use serde_json::Value;
use xtask::rival;

use super::generate::read;
use crate::{Outcome, files, project};

/// The source of the program, and of its rounds.
const SOURCE: &str = include_str!("../../programs/rival.rs");
const ROUNDS: &str = include_str!("../../../../tests/benches/server/rounds.rs");

/// The configuration of openapi-to-rust: only a server, with validation, which is its default.
///
/// It can't generate the whole spec. It rejects references to callbacks, query parameters with nested objects, and paths
/// that differ only in the text next to a parameter.
const CONFIG: &str = r#"[generator]
spec_path = "document.json"
output_dir = "src/api"
module_name = "api"

[features]
enable_async_client = false

[server]
framework = "axum"
operations = ["tag:voiceover"]
prune_models = true
"#;

const PACKAGE: &str = r#"[package]
name = "bench-rival"
version = "0.0.0"
edition = "2024"
publish = false

[workspace]

"#;

/// The dependencies of the program that openapi-to-rust does not list.
const DEPENDENCIES: &str = r#"
asset-api-models = { path = "../../../generated/models", default-features = false }
asset-api-server = { path = "../../../generated/server", default-features = false, features = ["voiceover"] }
http-body = "1"
openapi-crates-runtime = { path = "../../../runtime", features = ["server"] }
rustix = { version = "1", features = ["time"] }
tokio = { version = "1", features = ["rt"] }
tower-service = "0.3"
"#;

/// Generates the other server from the spec without callbacks, compiles the program and runs it.
pub fn run() -> Result<Outcome> {
    let root = project::root()?;
    let folder = root.join("target/rivals/bench");
    let mut document = read(&root.join(asset_api_spec::SPEC))?;
    remove_callbacks(&mut document);
    files::write(&folder.join("document.json"), document.to_string())?;
    files::write(&folder.join("openapi-to-rust.toml"), CONFIG)?;
    project::succeed(Command::new(rival::install()?).args(["generate", "--quiet"]).current_dir(&folder))?;

    let needed = files::read(&folder.join("src/api/REQUIRED_DEPS.toml"))?;
    files::write(&folder.join("Cargo.toml"), format!("{PACKAGE}{needed}{DEPENDENCIES}"))?;
    files::write(&folder.join("src/main.rs"), SOURCE)?;
    files::write(&folder.join("src/rounds.rs"), ROUNDS)?;
    // The dependencies of our server have the versions of the project.
    files::copy(&root.join("Cargo.lock"), &folder.join("Cargo.lock"))?;
    let mut program = project::cargo(&["run", "--release", "--quiet"])?;
    program.current_dir(&folder).env("CARGO_TARGET_DIR", folder.join("target"));
    Ok(if project::succeeds(&mut program)? { Outcome::Done } else { Outcome::Failed })
}

/// Removes the callbacks of all operations.
fn remove_callbacks(document: &mut Value) {
    for operation in document.get_mut("paths").into_iter().flat_map(fields).flat_map(fields) {
        operation.as_object_mut().and_then(|operation| operation.remove("callbacks"));
    }
}

fn fields(value: &mut Value) -> impl Iterator<Item = &mut Value> {
    value.as_object_mut().into_iter().flat_map(|fields| fields.values_mut())
}
