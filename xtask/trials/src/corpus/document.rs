//! Generates one document in a child process. Contains both sides.

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use openapi_crates::{Generated, Level, Options, Runtime, Strictness, generate};
use serde::{Deserialize, Serialize};

use super::{
    child::{self, Ended, Exit, Limits},
    examples,
    find::Source,
};
use crate::{Outcome, files, project};

#[derive(clap::Args)]
pub struct Arguments {
    /// Generate this document
    document: PathBuf,
    /// Show this name in diagnostics
    #[arg(long)]
    pub(super) name: String,
    /// Prefix the names of the crates
    #[arg(long)]
    pub(super) prefix: String,
    /// Write the crates to this folder; default: don't write
    #[arg(long)]
    out: Option<PathBuf>,
    /// Also write the program for the round trip of the examples
    #[arg(long, requires = "out")]
    examples: bool,
}

/// The result for a document, as the child process prints it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// The first errors. If there are any, nothing was generated.
    pub errors: Vec<String>,
    /// The number of warnings by code.
    pub warnings: BTreeMap<String, usize>,
    /// The number of lines of generated Rust.
    pub lines: usize,
    /// The time to parse and generate, in seconds.
    pub seconds: f64,
    /// The peak memory in kilobytes.
    pub memory: u64,
}

/// The maximum number of errors reported for a document.
const REPORTED: usize = 3;

/// Generates the document and prints a [`Report`]. The child process runs this.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let text = files::read_lossy(&arguments.document)?;
    let options = Options::new(arguments.prefix.clone(), arguments.name.clone())
        .runtime(Runtime::Path(runtime()?))
        .command("cargo xtask corpus")
        .strictness(Strictness::Lenient);
    let started = Instant::now();
    let Generated { files, report, .. } = generate(&arguments.name, &text, &options)?;
    let seconds = started.elapsed().as_secs_f64();
    let memory = child::peak_memory("self").unwrap_or_default();
    let mut reported = Report {
        errors: Vec::new(),
        warnings: BTreeMap::new(),
        lines: files.iter().flat_map(|files| files.iter()).map(|(path, text)| lines(path, text)).sum(),
        seconds,
        memory,
    };
    for diagnostic in &report.diagnostics {
        if diagnostic.level == Level::Warning {
            *reported.warnings.entry(diagnostic.code.name().to_owned()).or_default() += 1;
        } else if reported.errors.len() < REPORTED {
            let location = diagnostic.range.map_or(String::new(), |range| format!("{}:", range.start.line));
            reported.errors.push(format!("{location} [{}] {}", diagnostic.code.name(), diagnostic.message));
        }
    }
    if let (Some(files), Some(out)) = (&files, &arguments.out) {
        files.write_to(out).context("cannot write the crates")?;
        if arguments.examples {
            examples::write(arguments, &text, &options, out)?;
        }
    }
    println!("{}", serde_json::to_string(&reported)?);
    Ok(Outcome::Done)
}

fn lines(path: &str, text: &str) -> usize {
    if path.ends_with(".rs") { text.lines().count() } else { 0 }
}

/// Returns the folder of the runtime.
pub fn runtime() -> Result<String> {
    Ok(project::root()?.join("runtime").display().to_string())
}

/// Generates a document in a child process, a release build of this program.
///
/// With `--check`, the crates are written to `crates`. While the process runs, its output is there, too.
pub fn generate_by(
    program: &Path,
    source: &Source,
    crates: &Path,
    arguments: &super::Arguments,
) -> Result<Report, Failure> {
    let limits = Limits { time: Duration::from_secs(arguments.timeout), memory: arguments.memory * 1024 };
    let folder = crates.join(&source.prefix);
    let mut command = Command::new(program);
    command.arg("corpus-document").arg(&source.path);
    command.args(["--name", &source.name, "--prefix", &source.prefix]);
    if arguments.check {
        command.arg("--out").arg(&folder).args(arguments.round_trip.then_some("--examples"));
    }
    let ended = child::run(&mut command, &folder, limits).map_err(|error| Failure {
        reason: format!("{error:#}"),
        seconds: 0.0,
        memory: 0,
    })?;
    let reason = match reported(&ended, limits) {
        Ok(report) if report.errors.is_empty() => return Ok(report),
        Ok(report) => format!("refused: {}", report.errors.join("; ")),
        Err(reason) => reason,
    };
    Err(Failure { reason, seconds: ended.time.as_secs_f64(), memory: ended.memory })
}

/// The reason why a document was not generated.
#[derive(Debug)]
pub struct Failure {
    /// The reason.
    pub reason: String,
    /// The time in seconds.
    pub seconds: f64,
    /// The peak memory in kilobytes.
    pub memory: u64,
}

fn reported(ended: &Ended, limits: Limits) -> Result<Report, String> {
    match &ended.exit {
        Exit::TimedOut => Err(format!("timeout: stopped after {} s", limits.time.as_secs())),
        Exit::OutOfMemory => Err(format!("out of memory: stopped at {} MB", ended.memory / 1024)),
        Exit::Exited(status) if status.success() => serde_json::from_str(&ended.output)
            .map_err(|error| format!("cannot parse the report of the process ({error}): {}", ended.output)),
        Exit::Exited(status) => {
            let error_lines: Vec<&str> =
                ended.errors.lines().filter(|line| !line.trim().is_empty()).take(4).collect();
            Err(format!("{status}: {}", error_lines.join(" ")))
        }
    }
}

/// Builds this program with a profile, `release` or `checked`, and returns its path.
pub fn build(profile: &str) -> Result<PathBuf> {
    let build = ["build", "--quiet", "--package", "xtask-trials", "--profile", profile];
    project::succeed(&mut project::cargo_of_xtask(&build)?)?;
    let this = env::current_exe().context("cannot find this program")?;
    let folder = this.parent().and_then(Path::parent).context("this program is not in a target folder")?;
    Ok(folder.join(profile).join(this.file_name().unwrap_or_default()))
}
