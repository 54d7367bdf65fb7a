//! `cargo xtask conformance`: schemathesis, which knows nothing of our generator, against the running service.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{Outcome, project, python::Program};

/// What people do with it.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask conformance               the release build, many values
  cargo xtask conformance --quick       the dev build, few values: as CI does
  cargo xtask conformance --seed 7 -- --include-path /v1/resources --phases fuzzing
                                        other values, one path, one phase";

/// Another version may make other values and know other checks.
const SCHEMATHESIS: Program = Program { name: "schemathesis", package: "schemathesis==4.32.5" };

/// Where the run's configuration and its exceptions stand, relative to the project's root.
const CONFIGURATION: &str = "tests/conformance";

/// Everything that a run writes, relative to the project's root.
const FOLDER: &str = "target/conformance";

/// Where results are, as the service says it: of the form that it takes as a medium again, and never resolved.
const BASE_URL: &str = "https://assets.invalid";

/// The service's settings: a run is one client that calls as fast as it can, often with wrong keys, and must not be told
/// 429; tasks that it makes leave it a processor.
const SETTINGS: &str = "\
[worker]
threads = 1

[tiers.default]
burst = 1000000
per-second = 1000000.0

[authentication.failures]
burst = 1000000
per-second = 1000000.0
";

/// The most values made up for an operation, in each phase that makes them up.
const MANY: u32 = 50;
const FEW: u32 = 4;

#[derive(clap::Args)]
pub struct Arguments {
    /// What is soonest done: the dev build, few values
    #[arg(long)]
    quick: bool,
    /// How the service is built: release, unless quick
    #[arg(long, value_enum)]
    profile: Option<Profile>,
    /// The most values made up for an operation, in each phase that makes them up: 50, if quick 4
    #[arg(long, value_name = "COUNT")]
    max_examples: Option<u32>,
    /// What the values depend on
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Passed on to `schemathesis run`
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

    /// Its folder in the target folder.
    fn folder(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Dev => "debug",
        }
    }
}

/// Builds the service, and runs schemathesis against it.
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

/// A quick run against what `cargo test` has built. Without Python or a network it is left out, unless this is CI.
pub fn run_in_ci() -> Result<Outcome> {
    match SCHEMATHESIS.install_for_ci()? {
        Some(schemathesis) => try_service(&schemathesis, &built(Profile::Dev)?, FEW, 1, &[]),
        None => Ok(Outcome::Done),
    }
}

/// The service's program of a profile.
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
    let status = command.status().context("schemathesis can't be run")?;
    service.is_running()?;
    match status.code() {
        Some(0) => service.outcome(),
        Some(1) => Ok(Outcome::Findings),
        _ => bail!("`{}` failed with {status}", project::shown(&command)),
    }
}

/// The service, with an empty data folder and what `--demo` puts into it; ends with this value.
struct Service {
    process: Child,
    /// Kept open: a service whose stdout is gone fails when it prints.
    stdout: BufReader<ChildStdout>,
    log: PathBuf,
    url: String,
    key: String,
}

impl Service {
    fn start(program: &Path, folder: &Path) -> Result<Self> {
        let (data, log) = (folder.join("data"), folder.join("service.log"));
        if data.exists() {
            fs::remove_dir_all(&data).with_context(|| format!("{} can't be removed", data.display()))?;
        }
        let settings = data.join("asset-service.toml");
        fs::create_dir_all(&data)
            .and_then(|()| fs::write(&settings, SETTINGS))
            .with_context(|| format!("{} can't be written", settings.display()))?;
        let stderr = fs::File::create(&log).with_context(|| format!("{} can't be written", log.display()))?;
        let mut process = Command::new(program)
            .env("NO_COLOR", "1")
            .args(["serve", "--demo", "--listen", "127.0.0.1:0", "--base-url", BASE_URL, "--data-dir"])
            .arg(&data)
            .env("RUST_LOG", "warn")
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .with_context(|| format!("{} can't be run", program.display()))?;
        let stdout = process.stdout.take().context("the service has no stdout")?;
        let mut service =
            Self { process, stdout: BufReader::new(stdout), log, url: String::new(), key: String::new() };
        service.url = service.line("listening on ")?;
        service.key = service.line("API key: ")?;
        Ok(service)
    }

    /// What follows this in the first line of stdout that begins with it.
    fn line(&mut self, beginning: &str) -> Result<String> {
        let mut line = String::new();
        while self.stdout.read_line(&mut line)? > 0 {
            if let Some(rest) = line.strip_prefix(beginning) {
                return Ok(rest.trim_end().to_owned());
            }
            line.clear();
        }
        bail!("the service ended before it printed `{beginning}`; its log is {}", self.log.display())
    }

    /// What no client could see: an error that the service has logged, a panic of a worker.
    fn outcome(&self) -> Result<Outcome> {
        let log =
            fs::read_to_string(&self.log).with_context(|| format!("{} can't be read", self.log.display()))?;
        let is_fault = |line: &&str| line.contains(" ERROR ") || line.contains("panicked at");
        let Some(fault) = log.lines().find(is_fault) else { return Ok(Outcome::Done) };
        eprintln!("the service has logged an error ({}): {fault}", self.log.display());
        Ok(Outcome::Findings)
    }

    /// Errors if the service has ended by itself.
    fn is_running(&mut self) -> Result<()> {
        match self.process.try_wait().context("the service can't be asked whether it runs")? {
            None => Ok(()),
            Some(status) => bail!("the service ended with {status}; its log is {}", self.log.display()),
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It may have ended by itself, which was told.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
