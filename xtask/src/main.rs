//! The project's tasks: `cargo xtask <task>`.
//!
//! Exit codes: 0 done, 1 findings or drift, 2 usage or I/O.

mod bench;
mod ci;
mod conformance;
mod features;
mod lint;
mod regen;
mod trials;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::{Outcome, exit_code, project};

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
    /// Run everything that CI runs: formatting, freshness, clippy, features, docs, conformance, tests
    Ci(ci::Arguments),
    /// Run schemathesis against the running service: every check, every operation
    ///
    /// Builds asset-service, starts it on a free port with what `serve --demo` makes in an empty data folder, installs
    /// schemathesis from PyPI into a virtual environment, and runs it on the description that the service itself serves.
    /// Needs `python3`; all that is written is in target/conformance, the service's log as well. No check is switched off:
    /// the exceptions stand one by one, with their reasons, in tests/conformance/exceptions.py, and the end of the output tells
    /// how often each was used. Exits with 1 if there is a failure.
    #[command(after_help = conformance::EXAMPLES)]
    Conformance(conformance::Arguments),
    /// Check that each cargo feature of each generated crate builds alone
    Features,
    /// Measure, as ratios to a hand-written floor within one run
    Bench(bench::Arguments),
    /// Run the generator over a folder of documents, and compile what it makes of them (more: `corpus --help`)
    #[command(disable_help_flag = true)]
    Corpus(trials::Arguments),
    /// Run the generator over mutants of documents, and tell what makes it fail (more: `fuzz --help`)
    #[command(disable_help_flag = true)]
    Fuzz(trials::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Regen(arguments) => regen::run(&arguments),
        Task::Lint(arguments) => lint::run(&arguments),
        Task::Ci(arguments) => ci::run(&arguments),
        Task::Conformance(arguments) => conformance::run(&arguments),
        Task::Features => features::run(),
        Task::Bench(arguments) => bench::run(&arguments),
        Task::Corpus(arguments) => trials::run(&["corpus"], &arguments),
        Task::Fuzz(arguments) => trials::run(&["fuzz"], &arguments),
    };
    exit_code(outcome)
}
