//! `cargo xtask regen`: generates the crates under `generated/` from the spec.

use std::time::Instant;

use anyhow::{Context, Result};
use asset_api_spec::{GENERATED, SPEC};
use openapi_crates::{Drift, DriftKind, FileTree, Generated, generate};

use crate::{Outcome, project};

#[derive(clap::Args)]
pub struct Arguments {
    /// Write nothing; list the files that are missing, stale or no longer generated, and exit with 1 if there
    /// are any
    #[arg(long)]
    check: bool,
}

impl Arguments {
    /// `--check`.
    pub const CHECK: Self = Self { check: true };
    /// No `--check`.
    pub const WRITE: Self = Self { check: false };
}

pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let started = Instant::now();
    let Some(files) = generated_files()? else {
        return Ok(Outcome::Failed);
    };
    let folder = project::root()?.join(GENERATED);
    if arguments.check {
        let drifts = files.compare_with(&folder).context("cannot compare the generated files")?;
        return Ok(reported(&drifts, files.iter().len()));
    }
    let changes = files.write_to(&folder).context("cannot write the generated files")?;
    for Drift { path, kind, .. } in &changes {
        let done = match kind {
            DriftKind::Missing => "new",
            DriftKind::Stale => "changed",
            DriftKind::Orphan => "removed",
        };
        println!("{GENERATED}/{path}: {done}");
    }
    println!(
        "{} files from {SPEC}, {} changed, in {:.2?}",
        files.iter().len(),
        changes.len(),
        started.elapsed()
    );
    if !changes.is_empty() {
        println!("to see what changes in the API of the crates: cargo xtask outlines");
    }
    Ok(Outcome::Done)
}

/// Generates the files and prints the diagnostics.
///
/// Returns `None` if the spec has errors.
pub fn generated_files() -> Result<Option<FileTree>> {
    let Generated { files, report, .. } = generate(SPEC, &project::spec_text()?, &asset_api_spec::options())?;
    eprint!("{report}");
    if files.is_none() {
        eprintln!("{SPEC}: {}; nothing was generated", report.summary());
    }
    Ok(files)
}

fn reported(drifts: &[Drift], files: usize) -> Outcome {
    if drifts.is_empty() {
        println!("{files} generated files are up to date with {SPEC}");
        return Outcome::Done;
    }
    for drift in drifts {
        eprintln!("{GENERATED}/{drift}");
    }
    let (count, files) = (drifts.len(), if drifts.len() == 1 { "file is" } else { "files are" });
    eprintln!("{count} generated {files} out of date with {SPEC}; run `cargo xtask regen`");
    Outcome::Failed
}
