//! `cargo xtask conformance`: runs schemathesis against the service.
//!
//! Schemathesis is independent of our generator.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, ensure};

use crate::{
    Outcome,
    demo::{self, Demo, Profile},
    project,
    python::{self, Program},
};

/// The examples in `--help`.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask conformance               test the release build with many values
  cargo xtask conformance --quick       test the dev build with few values, as CI does
  cargo xtask conformance --seed 7 -- --include-path /v1/resources --phases fuzzing
                                        use other values, test one path in one phase
  ASSET_SERVICE_DATABASE_URL=postgres://… ASSET_SERVICE_FILES=s3://bucket/a AWS_ENDPOINT_URL=… \\
  cargo xtask conformance --processes 3 send the requests to three processes in turns";

/// The version is pinned, because others may generate other values and run other checks.
const SCHEMATHESIS: Program = Program { name: "schemathesis", package: "schemathesis==4.32.5" };

/// The folder of the configuration and the exceptions, relative to the project's root.
const CONFIGURATION: &str = "tests/conformance";

/// The folder for all output of a run, relative to the project's root.
const FOLDER: &str = "target/conformance";

/// The base URL of results.
///
/// The service accepts it in URLs of media. It is never resolved.
const BASE_URL: &str = "https://assets.invalid";

/// The settings of the service.
///
/// A run is one client that sends requests as fast as possible, often with invalid keys, and must not get
/// 429. One worker thread leaves a processor free for it. Programs that are installed on this machine make no
/// difference: the exceptions describe the built-in engines.
const SETTINGS: &str = "\
local-programs = false

[worker]
threads = 1

[tiers.default]
burst = 1000000
per-second = 1000000.0

[authentication.failures]
burst = 1000000
per-second = 1000000.0
";

/// The maximum number of values per operation and phase, unless `--quick`.
const MANY: u32 = 50;
const FEW: u32 = 4;

#[derive(clap::Args)]
pub struct Arguments {
    /// Test the dev build with few values, as CI does
    #[arg(long)]
    quick: bool,
    /// Build the service with this profile; default: release, with --quick dev
    #[arg(long, value_enum)]
    profile: Option<Profile>,
    /// Generate at most this many values for an operation in each phase; default: 50, with --quick 4
    #[arg(long, value_name = "COUNT")]
    max_examples: Option<u32>,
    /// Generate the values from this seed
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Run this number of processes with separate folders; the environment has their database and their bucket
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    processes: usize,
    /// Pass these arguments to `schemathesis run`
    #[arg(last = true)]
    rest: Vec<String>,
}

/// Builds the service and runs schemathesis against it.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let default = if arguments.quick { Profile::Dev } else { Profile::Release };
    let profile = arguments.profile.unwrap_or(default);
    let program = demo::build(profile)?;
    try_service(&SCHEMATHESIS.install()?, &program, arguments)
}

/// Runs quickly against the service that `cargo test` has built.
///
/// Skips the run if schemathesis can't be installed. With `CI=true`, that is an error.
pub fn run_in_ci() -> Result<Outcome> {
    let Some(schemathesis) = python::for_ci(SCHEMATHESIS.install())? else { return Ok(Outcome::Skipped) };
    let rest = Vec::new();
    let quick = Arguments { quick: true, profile: None, max_examples: None, seed: 1, processes: 1, rest };
    try_service(&schemathesis, &demo::built(Profile::Dev)?, &quick)
}

fn try_service(schemathesis: &Path, program: &Path, arguments: &Arguments) -> Result<Outcome> {
    let Arguments { quick, processes, seed, rest, .. } = arguments;
    let processes = *processes;
    let max_examples = arguments.max_examples.unwrap_or(if *quick { FEW } else { MANY });
    let has_shared_database = std::env::var_os("ASSET_SERVICE_DATABASE_URL").is_some();
    ensure!(processes == 1 || has_shared_database, "several processes need ASSET_SERVICE_DATABASE_URL");
    let folder = project::root()?.join(FOLDER);
    let start = |number| {
        let folder = folder.join(format!("process-{number}"));
        Demo::start(program, &folder, SETTINGS, &["--base-url", BASE_URL])
    };
    let mut services = (1..=processes).map(start).collect::<Result<Vec<_>>>()?;
    let service = services.first().context("`--processes` must be above 0")?;
    let urls: Vec<&str> = services.iter().map(|service| service.url.as_str()).collect();
    let configuration = project::root()?.join(CONFIGURATION);
    let mut command = Command::new(schemathesis);
    command
        .current_dir(&folder)
        .env("CONFORMANCE_KEY", &service.key)
        .env("CONFORMANCE_URLS", urls.join(" "))
        .env("PYTHONPATH", &configuration)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg("--config-file")
        .arg(configuration.join("schemathesis.toml"))
        .args(["run", &format!("{}/openapi.yaml", service.url), "--url", &service.url])
        .args(["--max-examples", &max_examples.to_string()])
        .args(["--seed", &seed.to_string()])
        .args(rest);
    let checked = project::check(&mut command);
    // A service that has ended is the cause of all that schemathesis reports.
    services.iter_mut().try_for_each(Demo::is_running)?;
    let mut outcome = checked?;
    for service in &services {
        if service.outcome()? == Outcome::Failed {
            outcome = Outcome::Failed;
        }
    }
    Ok(outcome)
}
