//! `cargo xtask conformance`: runs schemathesis against the service.
//!
//! Schemathesis is independent of our generator.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{Outcome, background::Background, project, python::Program};

/// The examples in `--help`.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask conformance               test the release build with many values
  cargo xtask conformance --quick       test the dev build with few values, as CI does
  cargo xtask conformance --seed 7 -- --include-path /v1/resources --phases fuzzing
                                        use other values, test one path in one phase";

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
    /// Pass these arguments to `schemathesis run`
    #[arg(last = true)]
    rest: Vec<String>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Profile {
    Release,
    Dev,
}

impl Profile {
    fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Dev => "dev",
        }
    }

    /// Returns the name of its folder in the target folder.
    fn folder(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Dev => "debug",
        }
    }
}

/// Builds the service and runs schemathesis against it.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let default = if arguments.quick { Profile::Dev } else { Profile::Release };
    let profile = arguments.profile.unwrap_or(default);
    let build = ["build", "--package", "asset-service", "--profile", profile.name()];
    project::succeed(&mut project::cargo(&build)?)?;
    let schemathesis = SCHEMATHESIS.install()?;
    let few_or_many = if arguments.quick { FEW } else { MANY };
    let max_examples = arguments.max_examples.unwrap_or(few_or_many);
    try_service(&schemathesis, &built(profile)?, max_examples, arguments.seed, &arguments.rest)
}

/// Runs quickly against the service that `cargo test` has built.
///
/// Skips the run if schemathesis can't be installed. With `CI=true`, that is an error.
pub fn run_in_ci() -> Result<Outcome> {
    match SCHEMATHESIS.install_for_ci()? {
        Some(schemathesis) => try_service(&schemathesis, &built(Profile::Dev)?, FEW, 1, &[]),
        None => Ok(Outcome::Skipped),
    }
}

/// Returns the path of the service's executable for a profile.
fn built(profile: Profile) -> Result<PathBuf> {
    let root = project::root()?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |path| root.join(path));
    let name = format!("asset-service{}", std::env::consts::EXE_SUFFIX);
    Ok(target.join(profile.folder()).join(name))
}

fn try_service(
    schemathesis: &Path,
    program: &Path,
    max_examples: u32,
    seed: u64,
    rest: &[String],
) -> Result<Outcome> {
    let folder = project::root()?.join(FOLDER);
    let mut service = Service::start(program, &folder)?;
    let configuration = project::root()?.join(CONFIGURATION);
    let mut command = Command::new(schemathesis);
    command
        .current_dir(&folder)
        .env("CONFORMANCE_KEY", &service.key)
        .env("PYTHONPATH", &configuration)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg("--config-file")
        .arg(configuration.join("schemathesis.toml"))
        .args(["run", &format!("{}/openapi.yaml", service.url), "--url", &service.url])
        .args(["--max-examples", &max_examples.to_string()])
        .args(["--seed", &seed.to_string()])
        .args(rest);
    let status = command.status().context("cannot run schemathesis")?;
    service.is_running()?;
    match status.code() {
        Some(0) => service.outcome(),
        Some(1) => Ok(Outcome::Failed),
        _ => bail!("`{}` failed with {status}", project::shown(&command)),
    }
}

/// The running service, with the demo content in a new data folder.
struct Service {
    process: Background,
    /// Kept open, because the service fails to print if its stdout is closed.
    stdout: BufReader<ChildStdout>,
    log: PathBuf,
    url: String,
    key: String,
}

impl Service {
    fn start(program: &Path, folder: &Path) -> Result<Self> {
        let (data, log) = (folder.join("data"), folder.join("service.log"));
        if data.exists() {
            fs::remove_dir_all(&data).with_context(|| format!("cannot remove {}", data.display()))?;
        }
        let settings = data.join("asset-service.toml");
        fs::create_dir_all(&data)
            .and_then(|()| fs::write(&settings, SETTINGS))
            .with_context(|| format!("cannot write {}", settings.display()))?;
        let stderr = fs::File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let mut serve = Command::new(program);
        serve
            .env("NO_COLOR", "1")
            .args(["serve", "--demo", "--listen", "127.0.0.1:0", "--base-url", BASE_URL, "--data-dir"])
            .arg(&data)
            .env("RUST_LOG", "warn")
            .stdout(Stdio::piped())
            .stderr(stderr);
        let mut process = Background::start("the service", &mut serve)?;
        let stdout = process.process().stdout.take().context("the service has no stdout")?;
        let mut service =
            Self { process, stdout: BufReader::new(stdout), log, url: String::new(), key: String::new() };
        service.url = service.line("listening on ")?;
        service.key = service.line("API key: ")?;
        Ok(service)
    }

    /// Reads stdout up to a line that starts with `beginning`, and returns its rest.
    fn line(&mut self, beginning: &str) -> Result<String> {
        let mut line = String::new();
        while self.stdout.read_line(&mut line)? > 0 {
            if let Some(rest) = line.strip_prefix(beginning) {
                return Ok(rest.trim_end().to_owned());
            }
            line.clear();
        }
        bail!("the service ended before it printed `{beginning}`; see its log, {}", self.log.display())
    }

    /// Checks the service's log for problems that a client can't see.
    fn outcome(&self) -> Result<Outcome> {
        let log =
            fs::read_to_string(&self.log).with_context(|| format!("cannot read {}", self.log.display()))?;
        let is_fault = |line: &&str| line.contains(" ERROR ") || line.contains("panicked at");
        let Some(fault) = log.lines().find(is_fault) else { return Ok(Outcome::Done) };
        eprintln!("the service logged an error ({}): {fault}", self.log.display());
        Ok(Outcome::Failed)
    }

    /// Returns an error if the service has ended.
    fn is_running(&mut self) -> Result<()> {
        self.process.is_running().with_context(|| format!("see its log, {}", self.log.display()))
    }
}
