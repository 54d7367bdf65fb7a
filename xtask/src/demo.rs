//! The service with the content of `serve --demo`, for tools that call it.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{Outcome, background::Background, files, project};

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum Profile {
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

/// Builds the service and returns the path of its executable.
pub fn build(profile: Profile) -> Result<PathBuf> {
    let build = ["build", "--package", "asset-service", "--profile", profile.name()];
    project::succeed(&mut project::cargo(&build)?)?;
    built(profile)
}

/// Returns the path of the service's executable for a profile.
pub fn built(profile: Profile) -> Result<PathBuf> {
    let root = project::root()?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |path| root.join(path));
    let name = format!("asset-service{}", std::env::consts::EXE_SUFFIX);
    Ok(target.join(profile.folder()).join(name))
}

/// A running service, with the demo content in a new data folder.
pub struct Demo {
    process: Background,
    /// Kept open, because the service fails to print if its stdout is closed.
    stdout: BufReader<ChildStdout>,
    log: PathBuf,
    pub url: String,
    pub key: String,
    /// The secret that signs the key's webhooks.
    pub secret: String,
    /// The id of an icon.
    pub icon: String,
}

impl Demo {
    /// Starts a service whose data and log are in this folder, with these settings and arguments.
    ///
    /// # Errors
    /// The service ends before it listens, or a file can't be written.
    pub fn start(program: &Path, folder: &Path, settings: &str, arguments: &[&str]) -> Result<Self> {
        let (data, log) = (folder.join("data"), folder.join("service.log"));
        files::remove(&data)?;
        files::write(&data.join("asset-service.toml"), settings)?;
        let mut serve = Command::new(program);
        files::log_to(&log, &mut serve)?
            .env("NO_COLOR", "1")
            .args(["serve", "--demo", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(&data)
            .args(arguments)
            .env("RUST_LOG", "warn")
            .stdout(Stdio::piped());
        let mut process = Background::start("the service", &mut serve)?;
        let stdout = process.process().stdout.take().context("the service has no stdout")?;
        let [url, key, secret, icon] = [const { String::new() }; 4];
        let mut service = Self { process, stdout: BufReader::new(stdout), log, url, key, secret, icon };
        service.url = service.line("listening on ")?;
        service.key = service.line("API key: ")?;
        service.secret = service.line("Webhook secret: ")?;
        let example = service.line("  curl ")?;
        service.icon = example.rsplit('/').next().unwrap_or_default().to_owned();
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
    pub fn outcome(&self) -> Result<Outcome> {
        let log = files::read(&self.log)?;
        let is_fault = |line: &&str| line.contains(" ERROR ") || line.contains("panicked at");
        let Some(fault) = log.lines().find(is_fault) else { return Ok(Outcome::Done) };
        eprintln!("the service logged an error ({}): {fault}", self.log.display());
        Ok(Outcome::Failed)
    }

    /// Returns an error if the service has ended.
    pub fn is_running(&mut self) -> Result<()> {
        self.process.is_running().with_context(|| format!("see its log, {}", self.log.display()))
    }
}
