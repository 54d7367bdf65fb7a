//! `cargo xtask bench`: measurements, as ratios within one run.

mod check;
mod cut;
mod generate;
mod programs;
mod spent;
mod table;

use anyhow::{Context, Result, bail};

use crate::{Outcome, project};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    subject: Subject,
}

#[derive(clap::Subcommand)]
enum Subject {
    /// Decoding and validation, routing, and the whole generated server over loopback, each beside its hand-written floor
    Server {
        /// Passed on to the benchmark, for example a filter
        #[arg(last = true)]
        rest: Vec<String>,
    },
    /// The generator's release build: time, memory and lines per document, beside other generators, and what it takes to
    /// compile what they wrote
    #[command(after_help = generate::EXAMPLES)]
    Generate(generate::Arguments),
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    match &arguments.subject {
        Subject::Server { rest } => server(rest),
        Subject::Generate(arguments) => generate::run(arguments),
    }
}

fn server(rest: &[String]) -> Result<Outcome> {
    let mut command = project::cargo(&["bench", "--package", "asset-api-tests", "--bench", "server", "--"])?;
    command.args(rest);
    // cargo passes on what the benchmark exits with.
    let status = command.status().context("cargo can't be run")?;
    match status.code() {
        Some(0) => Ok(Outcome::Done),
        Some(1) => Ok(Outcome::Findings),
        _ => bail!("`{}` failed with {status}", project::shown(&command)),
    }
}
