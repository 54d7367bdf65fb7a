//! Measures `cargo check` of generated code, with its dependencies already built.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail};

use super::spent::Spent;
use crate::{
    corpus::{Diagnostic, Limits, Message},
    files, project,
};

/// The limits of a check, which protect the machine.
const LIMITS: Limits = Limits { time: Duration::from_secs(900), memory: 16 << 20 };

/// The result of a check.
pub struct Checked {
    pub spent: Spent,
    pub errors: usize,
    pub warnings: usize,
}

/// Checks the package or workspace in `folder` with all features, not incrementally.
///
/// A first run builds the dependencies, while the sources of the packages are replaced by empty libraries.
pub fn check(folder: &Path, target: &Path, log: &Path) -> Result<Checked> {
    let sources = sources(folder)?;
    for path in &sources {
        empty(path)?;
    }
    let built = run(folder, target, log);
    for path in &sources {
        restore(path)?;
    }
    let built = built?;
    if built.errors > 0 {
        bail!("cannot build the dependencies");
    }
    run(folder, target, log)
}

/// Returns the `src` folders of the packages in `folder` and directly below it.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let sources: Vec<PathBuf> = std::iter::once(folder.to_owned())
        .chain(files::list(folder)?)
        .filter(|package| package.join("Cargo.toml").is_file())
        .map(|package| package.join("src"))
        .filter(|source| source.join("lib.rs").is_file())
        .collect();
    if sources.is_empty() {
        bail!("no library in {}", folder.display());
    }
    Ok(sources)
}

/// Replaces the sources of a package by an empty library.
fn empty(source: &Path) -> Result<()> {
    let failed = || format!("cannot replace {} by an empty library", source.display());
    fs::rename(source, source.with_extension("kept")).with_context(failed)?;
    fs::create_dir(source).with_context(failed)?;
    fs::write(source.join("lib.rs"), "").with_context(failed)
}

/// Restores the sources of a package.
///
/// They get a new modification time, so that cargo compiles them again.
fn restore(source: &Path) -> Result<()> {
    let failed = || format!("cannot restore {}", source.display());
    fs::remove_dir_all(source).with_context(failed)?;
    fs::rename(source.with_extension("kept"), source).with_context(failed)?;
    let library = source.join("lib.rs");
    let text = fs::read(&library).with_context(failed)?;
    fs::write(&library, text).with_context(failed)
}

fn run(folder: &Path, target: &Path, log: &Path) -> Result<Checked> {
    let mut command = project::cargo(&["check", "--workspace", "--all-features"])?;
    command.args(["--keep-going", "--quiet", "--message-format=json"]);
    command.current_dir(folder).env("CARGO_TARGET_DIR", target).env("CARGO_INCREMENTAL", "0");
    let (spent, ended) = Spent::on(&mut command, log, LIMITS)?;
    let messages: Vec<Message> = ended.output.lines().filter_map(Message::parse).collect();
    if !messages.iter().any(|message| matches!(message, Message::Finished)) {
        bail!("cargo: {}", ended.errors.lines().next().unwrap_or("ended without a message"));
    }
    let problems: Vec<&Diagnostic> = messages
        .iter()
        .filter_map(|message| match message {
            Message::Said { message, .. } if !message.is_summary() => Some(message),
            _ => None,
        })
        .collect();
    let warnings = problems.iter().filter(|message| message.level == "warning").count();
    Ok(Checked { spent, errors: problems.len() - warnings, warnings })
}
