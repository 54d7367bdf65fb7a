//! Backups: a folder with a copy of the database, of the stored files and of the settings.
//!
//! The database comes first, as a consistent snapshot, and then the files. A stored file never changes. So every file
//! that the copied rows name exists, unless it was removed in between. The sweep therefore waits for the
//! backup. Files that were stored later belong to nothing in the copy; the sweep removes them after a restore.
//!
//! The list of all files with their hashes comes last, when everything else is on disk.

mod bucket;
mod copy;
mod manifest;
mod references;
mod settings;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::config;
use crate::files::Area;
use crate::private;
use crate::store::{POSTGRES_COPY, SQLITE_COPY};

use copy::Mode;
use manifest::{Writer, entries};

pub use bucket::BucketFiles;
pub use copy::Done;
pub use manifest::COMPLETE;
pub use references::{MissingFiles, NamedFiles};
pub use settings::write as write_settings;

/// A file of the data folder that a backup contains as it is, if it exists.
const APPS: &str = "apps.json";

/// The folder of stored files, in a data folder and in a backup.
const FILES: &str = "files";

/// The file of a data folder into which a restore has begun and not ended.
pub const RESTORING: &str = "restore-incomplete";

/// How many problems of a backup are listed.
const LISTED: usize = 20;

/// Why a backup can't be written, verified or restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The folder for the backup has contents.
    #[error("the folder {} is not empty; choose a new one for each backup", .0.display())]
    NotEmpty(PathBuf),
    /// The folder contains no complete backup.
    #[error("the folder {} contains no complete backup: it has no file {COMPLETE}, or only a part of it", .0.display())]
    Incomplete(PathBuf),
    /// The data folder has contents that a restore would mix with the backup.
    #[error("{} exists already; restore into a new data folder", .0.display())]
    Occupied(PathBuf),
    /// Files of the backup are missing or differ.
    #[error("the backup {} is damaged; use another one:\n  {problems}", folder.display())]
    Damaged {
        /// The folder of the backup.
        folder: PathBuf,
        /// A line for each problem.
        problems: String,
    },
    /// The copy of the database can't be read.
    #[error(transparent)]
    Store(#[from] crate::store::Error),
    /// The bucket can't be read or written.
    #[error(transparent)]
    Bucket(#[from] crate::files::FilesError),
    /// The copied settings can't be changed.
    #[error("can't adapt the copied settings {}: {why}; write a settings file into the new data folder first", file.display())]
    Settings {
        /// The settings file of the backup.
        file: PathBuf,
        /// The cause.
        why: String,
    },
    /// A file can't be copied.
    #[error("can't copy {} to {}: {source}", from.display(), to.display())]
    Copy {
        /// The source.
        from: PathBuf,
        /// The target.
        to: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file or folder can't be read or written.
    #[error("{what}: {source}")]
    Io {
        /// What failed.
        what: String,
        /// The cause.
        source: std::io::Error,
    },
}

impl BackupError {
    fn read(file: &Path) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::Io { what: format!("can't read {}", file.display()), source }
    }

    fn write(file: &Path) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::Io { what: format!("can't write {}", file.display()), source }
    }
}

/// Called after each file with the progress so far.
pub type Report<'a> = &'a mut dyn FnMut(Done);

/// Creates the folder of a backup.
///
/// # Errors
/// Fails if the folder has contents or can't be created.
pub fn begin(folder: &Path) -> Result<(), BackupError> {
    private::folder(folder).map_err(BackupError::write(folder))?;
    match std::fs::read_dir(folder).map_err(BackupError::read(folder))?.next() {
        None => Ok(()),
        Some(_) => Err(BackupError::NotEmpty(folder.to_owned())),
    }
}

/// Copies the stored files and settings of a data folder into a backup, and lists all files.
///
/// It is the last step of a backup, after the database.
///
/// # Errors
/// Fails if a file can't be copied or read.
pub fn finish(data_dir: &Path, folder: &Path, report: Report<'_>) -> Result<Done, BackupError> {
    let mut list = Writer::create(folder)?;
    for name in
        [SQLITE_COPY, POSTGRES_COPY, bucket::LIST].into_iter().filter(|name| folder.join(name).is_file())
    {
        let (hash, bytes) = copy::hash(&folder.join(name)).map_err(BackupError::read(&folder.join(name)))?;
        list.add(name, &hash, bytes)?;
    }
    for name in [config::FILE, APPS] {
        copy::file(data_dir, folder, name, Mode::Copy, &mut list)?;
    }
    // Rows name files of these areas only; a copy does not need other files. A bucket keeps its files itself.
    let areas: &[Area] = if folder.join(bucket::LIST).is_file() { &[] } else { &Area::ALL };
    for area in areas {
        copy::tree(data_dir, folder, &format!("{FILES}/{}", area.folder()), &mut list, report)?;
    }
    private::sync_all(folder).map_err(BackupError::write(folder))?;
    let done = list.complete()?;
    let parent = folder.canonicalize().ok().and_then(|folder| folder.parent().map(Path::to_owned));
    if let Some(parent) = parent {
        private::sync_folder(&parent).map_err(BackupError::write(&parent))?;
    }
    Ok(done)
}

/// Checks that a backup is complete and that the data folder has no files yet.
///
/// # Errors
/// Returns the files that are missing or in the way.
pub fn check(folder: &Path, data_dir: &Path) -> Result<(), BackupError> {
    drop(entries(folder)?);
    let files = data_dir.join(FILES);
    let is_empty = std::fs::read_dir(&files).map_or(true, |mut entries| entries.next().is_none());
    if is_empty { Ok(()) } else { Err(BackupError::Occupied(files)) }
}

/// Checks that all files of a backup exist and are unchanged.
///
/// # Errors
/// Returns which files are missing or changed.
pub fn verify(folder: &Path, report: Report<'_>) -> Result<Done, BackupError> {
    compare(folder, None, report)
}

/// Copies the stored files of a backup into a data folder, and checks all files of the backup.
///
/// The folder has the file [`RESTORING`] until [`complete`] removes it.
///
/// # Errors
/// Fails if a file is missing or changed, or can't be copied.
pub fn restore(folder: &Path, data_dir: &Path, report: Report<'_>) -> Result<Done, BackupError> {
    let marker = data_dir.join(RESTORING);
    let marked = std::fs::write(&marker, "").and_then(|()| private::sync_folder(data_dir));
    marked.map_err(BackupError::write(&marker))?;
    compare(folder, Some(data_dir), report)
}

/// Ends a restore, once everything is in place.
///
/// # Errors
/// Fails if the disk can't be written.
pub fn complete(data_dir: &Path) -> Result<(), BackupError> {
    // The files may lie on another disk, or in a bucket.
    let files = data_dir.join(FILES);
    for folder in [data_dir].into_iter().chain(files.is_dir().then_some(files.as_path())) {
        private::sync_all(folder).map_err(BackupError::write(folder))?;
    }
    let marker = data_dir.join(RESTORING);
    let removed = std::fs::remove_file(&marker).and_then(|()| private::sync_folder(data_dir));
    removed.map_err(BackupError::write(&marker))
}

/// Compares the list with the files on disk, and copies the stored ones into this data folder, if there is one.
///
/// It returns all problems at once.
fn compare(folder: &Path, data_dir: Option<&Path>, report: Report<'_>) -> Result<Done, BackupError> {
    let (mut done, mut problems, mut count) = (Done::default(), Vec::new(), 0_usize);
    let mut note = |problem: String| {
        count += 1;
        if problems.len() < LISTED {
            problems.push(problem);
        }
    };
    for entry in entries(folder)? {
        let entry = entry?;
        if !entry.is_of_a_backup() {
            note(format!("the list names {}, which is not a file of a backup", entry.path));
            continue;
        }
        let from = folder.join(&entry.path);
        let to =
            data_dir.filter(|_| entry.path.starts_with(FILES)).map(|data_dir| data_dir.join(&entry.path));
        let found = to.as_ref().map_or_else(|| copy::hash(&from), |to| copy::hashed(&from, to));
        match (found, to) {
            (Ok((hash, bytes)), _) if hash == entry.hash => {
                done.add(bytes);
                report(done);
            }
            (Ok((_, bytes)), _) => note(format!("{} has changed; it has {bytes} bytes now", entry.path)),
            (Err(error), _) if error.kind() == ErrorKind::NotFound => {
                note(format!("{} is missing", entry.path));
            }
            (Err(source), Some(to)) => return Err(BackupError::Copy { from, to, source }),
            (Err(source), None) => return Err(BackupError::read(&from)(source)),
        }
    }
    if count == 0 {
        return Ok(done);
    }
    if count > problems.len() {
        problems.push(format!("and {} more", count - problems.len()));
    }
    Err(BackupError::Damaged { folder: folder.to_owned(), problems: problems.join("\n  ") })
}

#[cfg(test)]
mod tests;
