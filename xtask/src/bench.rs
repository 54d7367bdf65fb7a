//! `cargo xtask bench`: measurements, as ratios to a floor within one run.

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::{Outcome, project};

#[derive(clap::Args)]
pub struct Arguments {
    /// What to measure
    subject: Subject,
    /// Passed on to the benchmark, for example a filter
    #[arg(last = true)]
    rest: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Subject {
    /// Decoding and validation, routing, and the whole generated server over loopback, each beside its hand-written floor
    Server,
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let bench = match arguments.subject {
        Subject::Server => "server",
    };
    let mut command = project::cargo(&["bench", "--package", "asset-api-tests", "--bench", bench, "--"])?;
    command.args(&arguments.rest);
    // cargo passes on what the benchmark exits with.
    let status = command.status().context("cargo can't be run")?;
    match status.code() {
        Some(0) => Ok(Outcome::Done),
        Some(1) => Ok(Outcome::Findings),
        _ => bail!("`{}` failed with {status}", project::shown(&command)),
    }
}
