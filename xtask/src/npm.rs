//! Packages of npm.

use std::{path::Path, process::Command};

use anyhow::{Context, Result};

use crate::{files, project};

/// Installs the packages of a `package.json` into a folder, unless it has these versions.
///
/// # Errors
/// npm fails or is not installed, or a file can't be read or written.
pub fn install(wanted: &Path, modules: &Path) -> Result<()> {
    let installed = modules.join("installed.json");
    let text = files::read(wanted)?;
    if files::read(&installed).is_ok_and(|installed| installed == text) {
        return Ok(());
    }
    // npm reads `package.json`, so another file marks the end of the installation.
    files::write(&modules.join("package.json"), &text)?;
    let mut install = Command::new("npm");
    install.args(["install", "--silent", "--no-package-lock", "--no-audit", "--no-fund"]);
    project::succeed(install.current_dir(modules)).context("the packages need npm")?;
    files::write(&installed, text)
}
