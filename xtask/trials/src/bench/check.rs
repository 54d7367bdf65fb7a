//! What the compiler takes to check what a generator wrote, with the dependencies built.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail};

use super::spent::Spent;
use crate::{
    corpus::{Diagnostic, Limits, Message},
    project,
};

/// What a check may take: the machine is to survive it.
const LIMITS: Limits = Limits { time: Duration::from_secs(900), memory: 16 << 20 };

/// How a check went.
pub struct Checked {
    pub spent: Spent,
    pub errors: usize,
    pub warnings: usize,
}

/// Checks the package or workspace in `folder`, all features, without an incremental cache. What it depends on is built
/// before, while the packages are empty.
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
        bail!("what it depends on can't be built");
    }
    run(folder, target, log)
}

/// The folders `src` of the packages: of `folder` itself, or of those right below it.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{} can't be listed", folder.display()))?;
    let below = entries.flatten().map(|entry| entry.path());
    let sources: Vec<PathBuf> = std::iter::once(folder.to_owned())
        .chain(below)
        .filter(|package| package.join("Cargo.toml").is_file())
        .map(|package| package.join("src"))
        .filter(|source| source.join("lib.rs").is_file())
        .collect();
    if sources.is_empty() {
        bail!("{} holds no library", folder.display());
    }
    Ok(sources)
}

/// Puts an empty library in the place of a package's sources.
fn empty(source: &Path) -> Result<()> {
    let failed = || format!("{} can't be emptied", source.display());
    fs::rename(source, source.with_extension("kept")).with_context(failed)?;
    fs::create_dir(source).with_context(failed)?;
    fs::write(source.join("lib.rs"), "").with_context(failed)
}

/// Puts them back, as something new: cargo goes by the time of the last change.
fn restore(source: &Path) -> Result<()> {
    let failed = || format!("{} can't be restored", source.display());
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
        bail!("cargo: {}", ended.errors.lines().next().unwrap_or("it ended without a word"));
    }
    let said: Vec<&Diagnostic> = messages
        .iter()
        .filter_map(|message| match message {
            Message::Said { message, .. } if !message.is_summary() => Some(message),
            _ => None,
        })
        .collect();
    let warnings = said.iter().filter(|message| message.level == "warning").count();
    Ok(Checked { spent, errors: said.len() - warnings, warnings })
}
