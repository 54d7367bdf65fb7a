//! `cargo xtask bench`: benchmarks. Results are ratios within one run.

mod service;

use anyhow::Result;

use crate::{Outcome, project, trials};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    subject: Subject,
}

#[derive(clap::Subcommand)]
enum Subject {
    /// Measure the generated server, each part against a hand-written floor
    ///
    /// The parts are decoding and validation, routing, and requests over loopback. Exits with 1 if a target is missed.
    ///
    /// Example: cargo xtask bench server -- routing
    Server {
        /// Measure only the rows whose names contain one of these texts
        #[arg(last = true)]
        rest: Vec<String>,
    },
    /// Measure the running service under load, each part against a hand-written floor
    ///
    /// The service is a separate process with default settings, except for the rate limits. Each part
    /// alternates with its floor: the same request handled by hand-written code, or the raw insert. A rate is
    /// the median of the turns; a ratio is the median of the rounds, with its quartiles. `processor` is the
    /// processor time of the service per request, `memory` is its peak memory. The first run creates the
    /// databases in target/tmp/bench-service, where they stay. Exits with 1 if a target is missed.
    #[command(after_help = service::EXAMPLES)]
    Service(service::Arguments),
    /// Measure what a client of the service sees while another one attacks it
    ///
    /// The client gets a task before and during each attack. None of its requests may fail, and its 99th percentile during
    /// the attack may be at most three times that before. The service may grow by less than 64 MiB. An attack that misses
    /// a target is measured up to three times. Exits with 1 if a target is still missed. `ASSET_SERVICE_ATTACK=uploads`
    /// measures only the attacks whose names contain that text.
    Fairness,
    /// Measure the release build of the generator: time, memory and lines per document (see `generate --help`)
    #[command(disable_help_flag = true)]
    Generate(trials::Arguments),
    /// Compare the compilation of generated models with that of the same types with serde's derives (see `codec --help`)
    #[command(disable_help_flag = true)]
    Codec(trials::Arguments),
    /// Compare the generated server with one that openapi-to-rust generates (see `rival --help`)
    #[command(disable_help_flag = true)]
    Rival(trials::Arguments),
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    match &arguments.subject {
        Subject::Server { rest } => server(rest),
        Subject::Service(arguments) => service::run(arguments),
        Subject::Fairness => fairness(),
        Subject::Generate(arguments) => trials::run(&["bench", "generate"], arguments),
        Subject::Codec(arguments) => trials::run(&["bench", "codec"], arguments),
        Subject::Rival(arguments) => trials::run(&["bench", "rival"], arguments),
    }
}

fn fairness() -> Result<Outcome> {
    let mut command = crate::soak::ignored("service::fairness", &["--release"])?;
    Ok(if project::succeeds(&mut command)? { Outcome::Done } else { Outcome::Failed })
}

fn server(rest: &[String]) -> Result<Outcome> {
    let mut command = project::cargo(&["bench", "--package", "asset-api-tests", "--bench", "server", "--"])?;
    project::check(command.args(rest))
}
