//! Checks against what is published: names, and the last release.

use std::{env, process::Command};

use anyhow::{Context, Result};

use super::{Candidate, PUBLISHED, State};
use crate::project;

/// A package that exists. If it is not found, the registry can't be reached.
const KNOWN: &str = "serde";

/// Installs the version of cargo-semver-checks that reads what the pinned toolchain writes.
pub(super) const INSTALL_SEMVER: &str = "cargo install --locked cargo-semver-checks@0.51.0";

/// Fails if the name of a new package is taken, or if the version of a known one is published.
pub fn names(candidate: &Candidate) -> Result<State> {
    let not_checked = || State::Open("not checked: the registry can't be reached".to_owned());
    if is_taken(KNOWN)? != Some(true) {
        return Ok(not_checked());
    }
    let version = candidate.last_release()?.map(|_| candidate.version()).transpose()?;
    let mut taken = Vec::new();
    for name in PUBLISHED {
        let wanted = version.map_or_else(|| (*name).to_owned(), |version| format!("{name}@{version}"));
        match is_taken(&wanted)? {
            Some(false) => {}
            Some(true) => taken.push(wanted),
            None => return Ok(not_checked()),
        }
    }
    Ok(if taken.is_empty() {
        let free = if version.is_some() { "the version is free" } else { "free" };
        State::Passed(format!("{free}: the registry has none of the {}", PUBLISHED.len()))
    } else {
        State::Failed(format!("the registry has {}", taken.join(", ")))
    })
}

/// Returns whether the registry has a package, or a version of it (`serde@1.0.0`), or `None` if it can't be asked.
fn is_taken(package: &str) -> Result<Option<bool>> {
    let mut command = Command::new("cargo");
    // In the workspace, cargo would describe its own packages. Without network, it would find none.
    command.current_dir(env::temp_dir()).args(["--config", "net.offline=false", "info", "--quiet", package]);
    let output = command.output().context("cargo can't be run")?;
    if output.status.success() {
        return Ok(Some(true));
    }
    let is_unknown = String::from_utf8_lossy(&output.stderr).contains(&format!("could not find `{package}`"));
    Ok(is_unknown.then_some(false))
}

/// Compares the public items with those of the last release.
pub fn semver(candidate: &Candidate) -> Result<State> {
    let Some(last) = candidate.last_release()? else {
        return Ok(State::Passed("no release yet, so nothing to compare with".to_owned()));
    };
    let mut version = project::cargo(&["semver-checks", "--version"])?;
    if !version.output().is_ok_and(|output| output.status.success()) {
        return Ok(State::Open(format!(
            "not compared with {last}: run `{INSTALL_SEMVER}` and this command again"
        )));
    }
    let mut command = project::cargo(&["semver-checks", "--baseline-rev", last, "--all-features"])?;
    command.args(PUBLISHED.iter().flat_map(|name| ["--package", name]));
    Ok(if project::succeeds(&mut command)? {
        State::Passed(format!("no breaking change since {last} that the version does not allow"))
    } else {
        State::Failed(format!("`{}` fails", project::shown(&command)))
    })
}
