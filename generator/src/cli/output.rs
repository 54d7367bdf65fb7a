//! Writes or compares the generated files, and prints the differences.

use std::{
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

use openapi_crates::{Drift, DriftKind, FileTree};

use super::{Failure, Outcome, count, print_stderr, print_stdout};

/// The maximum number of changed files to list. More are only counted.
const NAMED: usize = 30;

/// Lists the files in the folder that differ from `files`.
///
/// `generated` is the number of files of the crates.
pub fn check(files: &FileTree, generated: &str, folder: &Path, source: &str) -> Result<Outcome, Failure> {
    let drifts = files.compare_with(folder)?;
    if drifts.is_empty() {
        let folder = folder.display();
        print_stdout(format_args!("{folder}: up to date with {source} ({generated})"));
        return Ok(Outcome::Done);
    }
    let (count, files) = (drifts.len(), if drifts.len() == 1 { "file is" } else { "files are" });
    for mut drift in drifts {
        drift.path = folder.join(&drift.path).display().to_string();
        print_stderr(drift);
    }
    print_stderr(format_args!("{count} {files} out of date with {source}; run without --check to update"));
    Ok(Outcome::Failed)
}

/// Writes a file that the caller names.
pub fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|source| Failure::Write { path: path.to_owned(), source })
}

/// Writes the files.
///
/// Fails if that would overwrite hand-written files, or if the folder contains other files.
///
/// `own` lists files that may be in a folder that has no generated files yet.
pub fn write(files: &FileTree, folder: &Path, own: &[&PathBuf]) -> Result<(), Failure> {
    let is_output = FileTree::is_output(folder)?;
    if !is_output && !is_empty(folder, own)? {
        return Err(Failure::ForeignFolder(folder.to_owned()));
    }
    let hand_written = files.hand_written(folder)?;
    if !hand_written.is_empty() {
        let paths: Vec<String> =
            hand_written.iter().map(|path| folder.join(path).display().to_string()).collect();
        return Err(Failure::HandWritten(paths.join("\n")));
    }
    let changes = files.write_to(folder)?;
    if is_output {
        print_changes(&changes, folder);
    }
    Ok(())
}

fn print_changes(changes: &[Drift], folder: &Path) {
    if changes.len() > NAMED {
        print_stdout(format_args!("{} changed", count(changes.len(), "file")));
        return;
    }
    for Drift { path, kind, .. } in changes {
        let done = match kind {
            DriftKind::Missing => "new",
            DriftKind::Stale => "changed",
            DriftKind::Orphan => "removed",
        };
        print_stdout(format_args!("{}: {done}", folder.join(path).display()));
    }
}

/// Returns whether the folder is empty or does not exist.
///
/// Hidden files (`.git`) and `own` files don't count.
fn is_empty(folder: &Path, own: &[&PathBuf]) -> Result<bool, Failure> {
    let failed = |source| Failure::Read { path: folder.to_owned(), source };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(failed(error)),
    };
    let own: Vec<PathBuf> = own.iter().filter_map(|path| path.canonicalize().ok()).collect();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let is_hidden = |name: &OsStr| name.to_string_lossy().starts_with('.');
        let is_own = || entry.path().canonicalize().is_ok_and(|path| own.contains(&path));
        if !is_hidden(&entry.file_name()) && !is_own() {
            return Ok(false);
        }
    }
    Ok(true)
}
