//! `cargo xtask features`: each cargo feature of each generated crate builds alone.

use std::{fs, process::Stdio};

use anyhow::{Context, Result};

use asset_api_spec::GENERATED;
use openapi_crates::CrateKind;

use crate::{Outcome, project};

pub fn run() -> Result<Outcome> {
    let mut checked = 0;
    let options = asset_api_spec::options();
    for kind in CrateKind::ALL {
        let package = options.crate_name(kind);
        for feature in features_of(kind.folder())? {
            project::progress(&format!("{package} --features {feature}"));
            let mut command = project::cargo(&["check", "--quiet", "--package", &package])?;
            command.args(["--no-default-features", "--features", &feature]).env("RUSTFLAGS", "-D warnings");
            command.stdout(Stdio::null());
            if let Err(error) = project::succeed(&mut command) {
                eprintln!("\n{error}");
                return Ok(Outcome::Findings);
            }
            checked += 1;
        }
    }
    project::progress("");
    println!("{checked} features build alone");
    Ok(Outcome::Done)
}

/// The features that a generated manifest declares, read from its `[features]` section.
fn features_of(folder: &str) -> Result<Vec<String>> {
    let path = project::root()?.join(GENERATED).join(folder).join("Cargo.toml");
    let manifest = fs::read_to_string(&path).with_context(|| format!("{} can't be read", path.display()))?;
    let section = manifest.lines().skip_while(|line| *line != "[features]").skip(1);
    let names = section
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name.trim_matches('"').to_owned())
        .filter(|name| name != "default");
    Ok(names.collect())
}
