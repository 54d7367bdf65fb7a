//! `cargo xtask features`: the server and the client of each tag compile alone, and the client for browsers.

use std::{collections::BTreeSet, path::Path, process::Stdio};

use anyhow::{Context, Result};
use asset_api_spec::GENERATED;

use crate::{Outcome, files, project};

/// The crates whose features are selected. Each feature also selects that of models and validation.
const SERVER_AND_CLIENT: [(&str, &str); 2] = [("server", "asset-api-server"), ("client", "asset-api-client")];

/// Crates that the other checks compile only with the runtime features of further crates.
const ALONE: [&str; 3] = ["asset-api-models", "asset-api-validation", "asset-api-server"];

/// The target of browsers.
const BROWSERS: &str = "wasm32-unknown-unknown";

/// Checks server and client with one feature at a time, and other crates alone with one tag.
///
/// Features that only one of the two has, such as `rustls`, check it alone.
pub fn run() -> Result<Outcome> {
    let (server, client) = (features_of("server")?, features_of("client")?);
    let tags = features_of("models")?;
    let tag = tags.first().context("the models have no feature for a tag")?;
    let mut all_compile = true;
    for package in ALONE {
        all_compile &= compiles(&[package], tag, &[])?;
    }
    let all: BTreeSet<&String> = server.iter().chain(&client).collect();
    for feature in &all {
        let having =
            SERVER_AND_CLIENT.iter().zip([&server, &client]).filter(|(_, known)| known.contains(*feature));
        let selected: Vec<&str> = having.map(|((_, package), _)| *package).collect();
        all_compile &= compiles(&selected, feature, &[])?;
    }
    if has_target(BROWSERS)? {
        let features = format!("{tag},mock,tracing");
        all_compile &= compiles(&["asset-api-client"], &features, &["--target", BROWSERS])?;
    } else {
        eprintln!("not checked: the client for browsers (`rustup target add {BROWSERS}`)");
    }
    project::progress("");
    println!("{} features, each alone", all.len());
    Ok(if all_compile { Outcome::Done } else { Outcome::Failed })
}

/// Returns whether the standard library of a target is installed.
fn has_target(target: &str) -> Result<bool> {
    let folder = project::output("rustc", &["--print", "target-libdir", "--target", target])?;
    Ok(Path::new(folder.trim()).is_dir())
}

/// Returns whether packages compile without warnings with these features.
fn compiles(packages: &[&str], feature: &str, more: &[&str]) -> Result<bool> {
    project::progress(&format!("{} --features {feature}", packages.join(" ")));
    // clippy's flags reach the packages of this workspace alone, so that dependencies stay as they are.
    let mut command = project::cargo(&["clippy", "--quiet", "--no-default-features"])?;
    command.args(packages.iter().flat_map(|package| ["--package", package]));
    command.args(["--features", feature]).args(more).args(["--", "-D", "warnings"]).stdout(Stdio::null());
    let succeeds = project::succeeds(&mut command)?;
    if !succeeds {
        eprintln!("`{}` failed", project::shown(&command));
    }
    Ok(succeeds)
}

/// Returns the features that a generated manifest declares in its section `[features]`.
fn features_of(folder: &str) -> Result<Vec<String>> {
    let manifest = files::read(&project::root()?.join(GENERATED).join(folder).join("Cargo.toml"))?;
    let section = manifest.lines().skip_while(|line| *line != "[features]").skip(1);
    let names = section
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name.trim_matches('"').to_owned())
        .filter(|name| name != "default" && name != "all");
    Ok(names.collect())
}
