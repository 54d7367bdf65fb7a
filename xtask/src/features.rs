//! `cargo xtask features`: checks each cargo feature of each generated crate alone.

use std::{fs, process::Stdio};

use anyhow::{Context, Result};

use crate::{
    Outcome,
    project::{self, CRATES, GENERATED},
};

pub fn run() -> Result<Outcome> {
    let mut checked = 0;
    for (folder, package) in CRATES {
        for feature in features_of(folder)? {
            project::progress(&format!("{package} --features {feature}"));
            let mut command = project::cargo(&["check", "--quiet", "--package", package])?;
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
    println!("{checked} features compile alone");
    Ok(Outcome::Done)
}

/// Returns the features that a generated manifest declares, except `default`.
fn features_of(folder: &str) -> Result<Vec<String>> {
    let path = project::root()?.join(GENERATED).join(folder).join("Cargo.toml");
    let manifest = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let section = manifest.lines().skip_while(|line| *line != "[features]").skip(1);
    let names = section
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name.trim_matches('"').to_owned())
        .filter(|name| name != "default");
    Ok(names.collect())
}
