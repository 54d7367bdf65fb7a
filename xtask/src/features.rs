//! `cargo xtask features`: the server and the client of each tag compile alone.

use std::{collections::BTreeSet, fs, process::Stdio};

use anyhow::{Context, Result};
use asset_api_spec::GENERATED;

use crate::{Outcome, project};

/// The crates whose features are selected. Each of their features selects the same one of models and validation.
const SERVER_AND_CLIENT: [(&str, &str); 2] = [("server", "asset-api-server"), ("client", "asset-api-client")];

/// Checks the server and the client with one feature at a time.
pub fn run() -> Result<Outcome> {
    let (server, client) = (features_of("server")?, features_of("client")?);
    let all: BTreeSet<&String> = server.iter().chain(&client).collect();
    for feature in &all {
        let having =
            SERVER_AND_CLIENT.iter().zip([&server, &client]).filter(|(_, known)| known.contains(*feature));
        let selected: Vec<&str> = having.map(|((_, package), _)| *package).collect();
        project::progress(&format!("{} --features {feature}", selected.join(" ")));
        // clippy's flags reach the packages of this workspace alone, so that dependencies stay as they are.
        let mut command = project::cargo(&["clippy", "--quiet", "--no-default-features"])?;
        command.args(selected.iter().flat_map(|package| ["--package", package]));
        command.args(["--features", feature, "--", "-D", "warnings"]).stdout(Stdio::null());
        if !project::succeeds(&mut command)? {
            eprintln!("`{}` failed", project::shown(&command));
            return Ok(Outcome::Findings);
        }
    }
    project::progress("");
    println!("{} features compile alone", all.len());
    Ok(Outcome::Done)
}

/// Returns the features that a generated manifest declares in its section `[features]`.
fn features_of(folder: &str) -> Result<Vec<String>> {
    let path = project::root()?.join(GENERATED).join(folder).join("Cargo.toml");
    let manifest = fs::read_to_string(&path).with_context(|| format!("{} can't be read", path.display()))?;
    let section = manifest.lines().skip_while(|line| *line != "[features]").skip(1);
    let names = section
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name.trim_matches('"').to_owned())
        .filter(|name| name != "default" && name != "all");
    Ok(names.collect())
}
