//! Another generator of Rust servers, openapi-to-rust, for comparisons.

use std::{path::PathBuf, process::Command};

use anyhow::Result;

use crate::project;

const NAME: &str = "openapi-to-rust";

/// The version. It is fixed, so that a run is repeatable.
const VERSION: &str = "0.23.0";

/// Installs the generator in `target/rivals` unless it is installed, and returns its path.
///
/// # Errors
/// Returns an error if it can't be downloaded or compiled.
pub fn install() -> Result<PathBuf> {
    let root = project::root()?.join("target/rivals");
    let program = root.join("bin").join(NAME).with_extension(std::env::consts::EXE_EXTENSION);
    let version = Command::new(&program).arg("--version").output();
    if version.is_ok_and(|output| output.stdout.trim_ascii() == format!("{NAME} {VERSION}").as_bytes()) {
        return Ok(program);
    }
    let mut install = project::cargo(&["install", NAME, "--version", VERSION, "--locked", "--root"])?;
    project::succeed(install.arg(root))?;
    Ok(program)
}
