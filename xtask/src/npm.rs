//! Packages of npm.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result};

use crate::project;

/// Installs the packages of a `package.json` into a folder, unless it has these versions.
///
/// # Errors
/// npm fails or is not installed, or a file can't be read or written.
pub fn install(wanted: &Path, modules: &Path) -> Result<()> {
    let installed = modules.join("installed.json");
    let read = |path: &Path| fs::read_to_string(path);
    let text = read(wanted).with_context(|| format!("cannot read {}", wanted.display()))?;
    if read(&installed).ok().as_ref() == Some(&text) {
        return Ok(());
    }
    // npm reads `package.json`, so another file marks the end of the installation.
    fs::create_dir_all(modules).with_context(|| format!("cannot create {}", modules.display()))?;
    let package = modules.join("package.json");
    fs::write(&package, &text).with_context(|| format!("cannot write {}", package.display()))?;
    let mut install = Command::new("npm");
    install.current_dir(modules).args([
        "install",
        "--silent",
        "--no-package-lock",
        "--no-audit",
        "--no-fund",
    ]);
    project::succeed(&mut install).context("the packages need npm")?;
    fs::write(&installed, text).with_context(|| format!("cannot write {}", installed.display()))
}
