//! The project's tasks: `cargo xtask <task>`.
//!
//! Exit codes: 0 done, 1 findings or drift, 2 usage or I/O.

mod bench;
mod ci;
mod features;
mod lint;
mod project;
mod regen;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The project's tasks.
///
/// `spec/openapi.yaml` describes the API; `regen` turns it into the crates under `generated/`; `ci` proves that
/// everything holds.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Generate the crates under generated/ from spec/openapi.yaml
    ///
    /// Writes what changed, removes what is no longer produced, and says which files those are. Mistakes of the spec are
    /// told with their places, all at once, and then nothing is written.
    Regen(regen::Arguments),
    /// Check spec/openapi.yaml and write nothing
    ///
    /// Every finding is told as `path:line:column: level[code]: message`. Exits with 1 if there is an error.
    Lint(lint::Arguments),
    /// Run everything that CI runs: formatting, freshness, clippy, features, docs, tests
    Ci(ci::Arguments),
    /// Check that each cargo feature of each generated crate builds alone
    Features,
    /// Measure, as ratios to a hand-written floor within one run
    Bench(bench::Arguments),
}

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    /// There were findings or drift; they were told.
    Findings,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Regen(arguments) => regen::run(&arguments),
        Task::Lint(arguments) => lint::run(&arguments),
        Task::Ci(arguments) => ci::run(&arguments),
        Task::Features => features::run(),
        Task::Bench(arguments) => bench::run(&arguments),
    };
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
