//! Copies files and computes their hashes on the way.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::Path;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::manifest::Writer;
use super::{BackupError, Report};
use crate::private;

/// The number of bytes that are read at a time.
const PIECE: usize = 1024 * 1024;

/// How to copy a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// As a second name of the same file, where the disk allows that: stored files never change.
    Link,
    /// As an independent copy.
    Copy,
}

/// The number of files that were handled, and their size.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Done {
    /// The number of files.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

impl Done {
    pub(super) fn add(&mut self, bytes: u64) {
        self.files += 1;
        self.bytes += bytes;
    }
}

/// Copies a folder of a data folder with its subfolders, and lists the files.
pub(super) fn tree(
    data_dir: &Path,
    folder: &Path,
    below: &str,
    list: &mut Writer,
    report: Report<'_>,
) -> Result<(), BackupError> {
    let from = data_dir.join(below);
    let failed = BackupError::read(&from);
    let entries = match std::fs::read_dir(&from) {
        Ok(entries) => entries,
        // The service has removed the folder meanwhile, or never had one.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    let to = folder.join(below);
    private::folder(&to).map_err(BackupError::write(&to))?;
    for entry in entries {
        let entry = entry.map_err(&failed)?;
        let (name, kind) = (entry.file_name(), entry.file_type().map_err(&failed)?);
        // `#` marks a file that is being written. The service gives no file another name.
        let Some(name) = name.to_str().filter(|name| !name.contains(['#', '\n', '\\'])) else { continue };
        let path = format!("{below}/{name}");
        if kind.is_dir() {
            tree(data_dir, folder, &path, list, report)?;
        } else if kind.is_file() {
            file(data_dir, folder, &path, Mode::Link, list)?;
            report(list.done());
        }
    }
    Ok(())
}

/// Copies a file and lists it, unless it does not exist.
pub(super) fn file(
    data_dir: &Path,
    folder: &Path,
    path: &str,
    mode: Mode,
    list: &mut Writer,
) -> Result<(), BackupError> {
    let (from, to) = (data_dir.join(path), folder.join(path));
    let is_linked = mode == Mode::Link && std::fs::hard_link(&from, &to).is_ok();
    let copied = if is_linked { hash(&to) } else { hashed(&from, &to) };
    match copied {
        Ok((hash, bytes)) => list.add(path, &hash, bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(source) => Err(BackupError::Copy { from, to, source }),
    }
}

/// Copies a file, which becomes private; returns its hash and its size.
pub(super) fn hashed(from: &Path, to: &Path) -> io::Result<(String, u64)> {
    let source = open(from)?;
    if let Some(parent) = to.parent() {
        private::folder(parent)?;
    }
    let mut target = private::file(to)?;
    target.set_len(0)?;
    pass(source, |piece| target.write_all(piece))
}

/// Returns the hash of a file, as hexadecimal digits, and its size.
pub(super) fn hash(file: &Path) -> io::Result<(String, u64)> {
    pass(open(file)?, |_| Ok(()))
}

/// Opens a file. Opening a pipe would wait for its writer.
fn open(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"));
    }
    File::open(path)
}

fn pass(mut from: File, mut to: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<(String, u64)> {
    let (mut hash, mut bytes, mut piece) = (Sha256::new(), 0, vec![0; PIECE]);
    loop {
        let read = from.read(&mut piece)?;
        let Some(filled) = piece.get(..read).filter(|filled| !filled.is_empty()) else { break };
        hash.update(filled);
        to(filled)?;
        bytes += read as u64;
    }
    Ok((hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect(), bytes))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_pipe_in_a_backup_is_not_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(hash(&pipe).unwrap_err().kind(), ErrorKind::InvalidInput);
        assert_eq!(hashed(&pipe, &folder.path().join("copy")).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}
