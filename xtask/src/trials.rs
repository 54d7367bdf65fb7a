//! Runs the tasks of the package `xtask-trials`, which is built on first use.

use std::{env, ffi::OsString};

use anyhow::{Context, Result, bail};

use crate::{Outcome, project};

#[derive(clap::Args)]
pub struct Arguments {
    /// Pass these arguments to the task
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<OsString>,
}

pub fn run(task: &[&str], arguments: &Arguments) -> Result<Outcome> {
    let manifest = project::root()?.join("xtask/Cargo.toml");
    let mut command = project::cargo(&["run", "--quiet", "--package", "xtask-trials", "--manifest-path"])?;
    command.arg(manifest).arg("--").args(task).args(&arguments.rest);
    // Paths among the arguments are relative to the caller's folder.
    command.current_dir(env::current_dir().context("the current folder is unknown")?);
    let status = command.status().context("cargo can't be run")?;
    match status.code() {
        Some(0) => Ok(Outcome::Done),
        Some(1) => Ok(Outcome::Failed),
        // The program has reported why.
        Some(code) => std::process::exit(code),
        None => bail!("`{}` failed with {status}", project::shown(&command)),
    }
}
