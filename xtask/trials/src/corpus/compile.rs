//! Compiles generated crates, with many documents in one run of cargo.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Error, Result};
use openapi_crates::CrateKind;
use openapi_crates_suite::{batches, workspace};

use super::{
    Arguments, examples, find,
    messages::{Diagnostic, Message},
    round_trip,
    table::{Checked, Row},
};
use crate::{files, project};

/// The maximum number of errors, and of warnings, kept for a document.
const KEPT: usize = 5;

/// Checks the crates of all generated documents, small ones first.
pub fn check_all(rows: &mut [Row], folder: &Path, arguments: &Arguments) -> Result<()> {
    let (crates, target) = (folder.join("crates"), folder.join("target"));
    let mut waiting: Vec<(usize, String, usize)> = rows
        .iter()
        .enumerate()
        .filter_map(|(index, row)| {
            Some((index, row.source.prefix.clone(), row.generated.as_ref().ok()?.lines))
        })
        .collect();
    waiting.sort_by_key(|(_, _, lines)| *lines);
    let count = waiting.len();
    let mut done = 0;
    for batch in batches(&waiting, arguments.batch, |(_, _, lines)| *lines) {
        project::progress(&format!("checking {}..{} of {count}", done + 1, done + batch.len()));
        let prefixes: Vec<&str> = batch.iter().map(|(_, prefix, _)| prefix.as_str()).collect();
        let mut checked = check_batch(&crates, &target, &prefixes)?;
        let mut round_trip = if arguments.round_trip {
            let sound = |prefix: &&str| checked.get(*prefix).is_some_and(|checked| checked.errors.is_empty());
            let sound: Vec<&str> = prefixes.iter().copied().filter(sound).collect();
            round_trip::run(&crates, &target, &sound)?
        } else {
            BTreeMap::new()
        };
        for (index, prefix, _) in batch {
            if let Some(row) = rows.get_mut(*index) {
                row.checked = checked.remove(prefix);
                row.round_trip = round_trip.remove(prefix);
            }
            if !arguments.keep {
                files::remove(&crates.join(prefix))?;
            }
        }
        if !arguments.keep {
            workspace::sweep(&target, find::MARK)
                .map_err(Error::from_boxed)
                .with_context(|| format!("cannot remove build output from {}", target.display()))?;
        }
        done += batch.len();
    }
    project::progress("");
    Ok(())
}

/// Checks the crates of some documents in one run.
///
/// If cargo fails to start the build, checks each document alone.
fn check_batch(crates: &Path, target: &Path, prefixes: &[&str]) -> Result<BTreeMap<String, Checked>> {
    if let Ok(checked) = check(crates, target, prefixes)? {
        return Ok(checked);
    }
    let mut all = BTreeMap::new();
    for prefix in prefixes {
        match check(crates, target, &[prefix])? {
            Ok(checked) => all.extend(checked),
            Err(words) => {
                let failed = Checked { errors: vec![words], ..Checked::default() };
                all.insert((*prefix).to_owned(), failed);
            }
        }
    }
    Ok(all)
}

/// Checks the crates of some documents in one run.
///
/// Returns cargo's error if it failed to start the build.
fn check(
    crates: &Path,
    target: &Path,
    prefixes: &[&str],
) -> Result<Result<BTreeMap<String, Checked>, String>> {
    write_workspace(crates, prefixes)?;
    let started = Instant::now();
    let mut command = project::cargo(&["check", "--workspace", "--all-features"])?;
    command.arg(format!("--exclude=*-{}", examples::FOLDER));
    let seen = match run(command, crates, target)? {
        Ok(seen) => seen,
        Err(words) => return Ok(Err(words)),
    };
    let seconds = started.elapsed().as_secs_f64();
    let each = prefixes.iter().map(|prefix| {
        let mut checked = seen.documents.get(*prefix).cloned().unwrap_or_default();
        let built = seen.built.get(*prefix).map_or(0, BTreeSet::len);
        if built < CrateKind::ALL.len() && checked.errors.is_empty() {
            checked.errors.push("the compiler ended without a message".to_owned());
        }
        checked.seconds = (prefixes.len() == 1).then_some(seconds);
        ((*prefix).to_owned(), checked)
    });
    Ok(Ok(each.collect()))
}

/// Writes the workspace of some documents.
pub fn write_workspace(crates: &Path, prefixes: &[&str]) -> Result<()> {
    workspace::write_manifest(crates, prefixes.iter().map(|prefix| format!("{prefix}/*")))
        .map_err(Error::from_boxed)
        .with_context(|| format!("cannot write the workspace in {}", crates.display()))
}

/// Runs cargo in the workspace in `crates`.
///
/// Returns cargo's error if it failed to start the build.
pub fn run(mut command: Command, crates: &Path, target: &Path) -> Result<Result<Seen, String>> {
    command.args(["--keep-going", "--offline", "--quiet", "--message-format=json"]);
    command.current_dir(crates).env("CARGO_TARGET_DIR", target).env("CARGO_INCREMENTAL", "0");
    let output = command.stdin(Stdio::null()).output().context("cannot run cargo")?;
    let mut seen = Seen::default();
    let messages = String::from_utf8_lossy(&output.stdout);
    messages.lines().filter_map(Message::parse).for_each(|message| seen.take(message, crates));
    Ok(if seen.finished {
        Ok(seen)
    } else {
        Err(format!("cargo: {}", String::from_utf8_lossy(&output.stderr).trim()))
    })
}

/// The messages of cargo, by document.
#[derive(Default)]
pub struct Seen {
    /// The errors and warnings of each document.
    pub documents: BTreeMap<String, Checked>,
    /// The manifests of the built crates of each document.
    pub built: BTreeMap<String, BTreeSet<String>>,
    finished: bool,
}

impl Seen {
    fn take(&mut self, message: Message, crates: &Path) {
        match message {
            Message::Said { manifest_path, message } => {
                if let Some(prefix) = prefix_of(&manifest_path, crates) {
                    note(self.documents.entry(prefix).or_default(), &message);
                }
            }
            Message::Built { manifest_path } => {
                if let Some(prefix) = prefix_of(&manifest_path, crates) {
                    self.built.entry(prefix).or_default().insert(manifest_path);
                }
            }
            Message::Finished => self.finished = true,
            Message::Other => {}
        }
    }
}

fn note(checked: &mut Checked, message: &Diagnostic) {
    if message.is_summary() {
        return;
    }
    let list = if message.level == "warning" {
        checked.warning_count += 1;
        &mut checked.warnings
    } else {
        &mut checked.errors
    };
    if list.len() < KEPT {
        list.push(message.reported());
    }
}

/// Returns the document that a crate belongs to: the name of its folder in `crates`.
fn prefix_of(manifest: &str, crates: &Path) -> Option<String> {
    let inner = Path::new(manifest).strip_prefix(crates).ok()?;
    inner.components().next().map(|first| first.as_os_str().to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_belong_to_documents() {
        let crates = Path::new("/x/crates");
        assert_eq!(prefix_of("/x/crates/corpus-a/models/Cargo.toml", crates).as_deref(), Some("corpus-a"));
        assert_eq!(prefix_of("/x/runtime/Cargo.toml", crates), None);
    }
}
