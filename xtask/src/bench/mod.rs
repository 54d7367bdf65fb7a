//! `cargo xtask bench`: measurements, as ratios within one run.

mod service;

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{Outcome, project, trials};

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
    /// The running service under load, in SQLite and in PostgreSQL, each part beside its floor: the same by hand, the raw insert
    ///
    /// The service is a process of its own, with its settings as they are, but for the rate limits. What is measured takes
    /// turns with its floor; a rate is the median of the turns, a ratio the median of the rounds, with its quartiles.
    /// `processor` is the time of the service's process for each request, `memory` the most that it has had. The databases
    /// are made by the first run and kept in target/tmp/bench-service. Exits with 1 where a target is missed.
    #[command(after_help = service::EXAMPLES)]
    Service(service::Arguments),
    /// The generator's release build: time, memory and lines per document, beside other generators, and what it takes to
    /// compile what they wrote (more: `generate --help`)
    #[command(disable_help_flag = true)]
    Generate(trials::Arguments),
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    match &arguments.subject {
        Subject::Server { rest } => server(rest),
        Subject::Service(arguments) => service::run(arguments),
        Subject::Generate(arguments) => trials::run(&["bench", "generate"], arguments),
    }
}

fn server(rest: &[String]) -> Result<Outcome> {
    let mut command = project::cargo(&["bench", "--package", "asset-api-tests", "--bench", "server", "--"])?;
    run_bench(command.args(rest))
}

/// Runs a benchmark of the workspace. cargo passes on what it exits with.
fn run_bench(command: &mut Command) -> Result<Outcome> {
    let status = command.status().context("cargo can't be run")?;
    match status.code() {
        Some(0) => Ok(Outcome::Done),
        Some(1) => Ok(Outcome::Findings),
        _ => bail!("`{}` failed with {status}", project::shown(command)),
    }
}
