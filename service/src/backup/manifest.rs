//! The list of a backup's files, which `sha256sum --check` reads as well.

use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::bucket::LIST;
use super::copy::Done;
use super::{APPS, BackupError, FILES};
use crate::files::Area;
use crate::store::{POSTGRES_COPY, SQLITE_COPY};
use crate::{config, private};

/// The file that is written last. A folder without it is not a complete backup.
pub const COMPLETE: &str = "backup-complete";

/// The name of the list while it is written.
const PART: &str = "backup-incomplete";

/// A listed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// The SHA-256 hash, as hexadecimal digits.
    pub(super) hash: String,
    /// The path in the backup.
    pub(super) path: String,
}

impl Entry {
    /// Returns whether a backup may contain this path. A manipulated list may name others.
    pub(super) fn is_of_a_backup(&self) -> bool {
        let names: Vec<&str> = self.path.split('/').collect();
        match names.as_slice() {
            [name] => [SQLITE_COPY, POSTGRES_COPY, LIST, config::FILE, APPS].contains(name),
            [FILES, area, inner @ ..] => {
                let is_area = Area::ALL.iter().any(|known| known.folder() == *area);
                let is_plain = |name: &&str| !matches!(*name, "" | "." | "..") && !name.contains('\\');
                is_area && !inner.is_empty() && inner.iter().all(is_plain)
            }
            _ => false,
        }
    }
}

/// Writes the list of a backup.
pub(super) struct Writer {
    folder: PathBuf,
    list: BufWriter<File>,
    done: Done,
}

impl Writer {
    pub(super) fn create(folder: &Path) -> Result<Self, BackupError> {
        let path = folder.join(PART);
        let file = private::file(&path).map_err(BackupError::write(&path))?;
        let mut writer =
            Self { folder: folder.to_owned(), list: BufWriter::new(file), done: Done::default() };
        writer.line(&format!("# asset-service {}", env!("CARGO_PKG_VERSION")))?;
        Ok(writer)
    }

    pub(super) fn add(&mut self, path: &str, hash: &str, bytes: u64) -> Result<(), BackupError> {
        self.done.add(bytes);
        self.line(&format!("{hash}  {path}"))
    }

    /// Returns the list so far.
    pub(super) const fn done(&self) -> Done {
        self.done
    }

    /// Ends the list and gives it its name.
    pub(super) fn complete(mut self) -> Result<Done, BackupError> {
        let Done { files, bytes } = self.done;
        self.line(&last(files, bytes))?;
        let complete = self.folder.join(COMPLETE);
        let written = self.list.into_inner().map_err(std::io::IntoInnerError::into_error).and_then(|file| {
            file.sync_all()?;
            std::fs::rename(self.folder.join(PART), &complete)?;
            private::sync_folder(&self.folder)
        });
        written.map_err(BackupError::write(&complete))?;
        Ok(self.done)
    }

    fn line(&mut self, text: &str) -> Result<(), BackupError> {
        writeln!(self.list, "{text}").map_err(BackupError::write(&self.folder.join(PART)))
    }
}

fn last(files: u64, bytes: u64) -> String {
    format!("# {files} files, {bytes} bytes")
}

/// Returns the entries of a backup's list; fails if its end is missing.
pub(super) fn entries(
    folder: &Path,
) -> Result<impl Iterator<Item = Result<Entry, BackupError>> + use<>, BackupError> {
    let path = folder.join(COMPLETE);
    let incomplete = || BackupError::Incomplete(folder.to_owned());
    let open = || File::open(&path).map(|file| BufReader::new(file).lines());
    let (mut files, mut end) = (0, String::new());
    for line in open().map_err(|_| incomplete())? {
        end = line.map_err(BackupError::read(&path))?;
        files += u64::from(entry(&end).is_some());
    }
    if !end.starts_with(&format!("# {files} files, ")) {
        return Err(incomplete());
    }
    let lines = open().map_err(BackupError::read(&path))?;
    Ok(lines
        .filter_map(move |line| line.map(|line| entry(&line)).map_err(BackupError::read(&path)).transpose()))
}

/// Returns the entry in a line, if it is one.
fn entry(line: &str) -> Option<Entry> {
    let (hash, path) = line.split_once("  ").filter(|(hash, _)| hash.len() == 64)?;
    Some(Entry { hash: hash.to_owned(), path: path.to_owned() })
}
