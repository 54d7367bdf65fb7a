//! `cargo xtask bench`: measurements, as ratios to a floor within one run.

use anyhow::Result;
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
    project::succeed(&mut command)?;
    Ok(Outcome::Done)
}
