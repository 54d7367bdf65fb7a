//! Backups: a folder with a copy of the database, of the stored files and of the settings.
//!
//! The database comes first, as of one moment, and then the files. A stored file never changes. So every file
//! that the copied rows name is there, unless it was removed in between. The sweep therefore waits for the
//! backup. Files that were stored later belong to nothing in the copy; the sweep removes them after a restore.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::config;
use crate::files::Files;
use crate::private;

/// Files of the data folder that a backup contains, if they exist.
const BESIDE: &[&str] = &[config::FILE, "apps.json"];

/// The folder of stored files, in a data folder and in a backup.
const FILES: &str = "files";

/// The file that is written last. A folder without it is no complete backup.
const COMPLETE: &str = "backup-complete";

/// Why a backup can't be written or restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The folder for the backup has contents.
    #[error("the folder {} is not empty; choose a new one for each backup", .0.display())]
    NotEmpty(PathBuf),
    /// The folder contains no complete backup.
    #[error("the folder {} contains no complete backup: it has no file {COMPLETE}", .0.display())]
    Incomplete(PathBuf),
    /// The data folder has contents that a restore would mix with the backup.
    #[error("{} exists already; restore into a new data folder", .0.display())]
    Occupied(PathBuf),
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
}

/// How to copy a stored file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// As a second name of the same file, where the disk allows that: stored files never change.
    Link,
    /// As an independent copy.
    Copy,
}

/// Creates the folder of a backup.
///
/// # Errors
/// Fails if the folder has contents or can't be created.
pub fn begin(folder: &Path) -> Result<(), BackupError> {
    let failed = |source| BackupError::Copy { from: PathBuf::new(), to: folder.to_owned(), source };
    private::folder(folder).map_err(failed)?;
    match std::fs::read_dir(folder).map_err(failed)?.next() {
        None => Ok(()),
        Some(_) => Err(BackupError::NotEmpty(folder.to_owned())),
    }
}

/// Copies the stored files and settings of a data folder into a backup; returns the number of stored files.
///
/// It is the last step of a backup, after the database.
///
/// # Errors
/// Fails if a file can't be copied.
pub fn finish(data_dir: &Path, folder: &Path) -> Result<usize, BackupError> {
    let copied = copy_tree(&data_dir.join(FILES), &folder.join(FILES), How::Link)?;
    for name in BESIDE {
        copy(&data_dir.join(name), &folder.join(name), How::Copy)?;
    }
    let complete = folder.join(COMPLETE);
    let written = std::fs::write(&complete, format!("asset-service {}\n", env!("CARGO_PKG_VERSION")));
    written.map_err(|source| BackupError::Copy { from: PathBuf::new(), to: complete, source })?;
    Ok(copied)
}

/// Checks that a backup is complete and that the data folder has no files yet.
///
/// # Errors
/// Returns what is missing or in the way.
pub fn check(folder: &Path, data_dir: &Path) -> Result<(), BackupError> {
    if !folder.join(COMPLETE).is_file() {
        return Err(BackupError::Incomplete(folder.to_owned()));
    }
    let files = data_dir.join(FILES);
    let is_empty = std::fs::read_dir(&files).map_or(true, |mut entries| entries.next().is_none());
    if is_empty { Ok(()) } else { Err(BackupError::Occupied(files)) }
}

/// Copies the stored files of a backup into a data folder, and the settings that it does not have.
///
/// Returns the number of stored files.
///
/// # Errors
/// Fails if a file can't be copied.
pub fn restore(folder: &Path, data_dir: &Path) -> Result<usize, BackupError> {
    for name in BESIDE.iter().filter(|name| !data_dir.join(name).exists()) {
        copy(&folder.join(name), &data_dir.join(name), How::Copy)?;
    }
    copy_tree(&folder.join(FILES), &data_dir.join(FILES), How::Copy)
}

/// Copies a folder with its subfolders; returns the number of files.
fn copy_tree(from: &Path, to: &Path, how: How) -> Result<usize, BackupError> {
    let failed = |source| BackupError::Copy { from: from.to_owned(), to: to.to_owned(), source };
    let entries = match std::fs::read_dir(from) {
        Ok(entries) => entries,
        // The service has removed the folder meanwhile, or never had one.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(failed(error)),
    };
    private::folder(to).map_err(failed)?;
    let mut copied = 0;
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let (name, kind) = (entry.file_name(), entry.file_type().map_err(failed)?);
        let (from, to) = (entry.path(), to.join(&name));
        if kind.is_dir() {
            copied += copy_tree(&from, &to, how)?;
        // `#` marks a file that is being written.
        } else if !name.to_string_lossy().contains('#') {
            // An operator may edit the id, which must not change it in the backup.
            let how = if name == Files::ID { How::Copy } else { how };
            copied += usize::from(copy(&from, &to, how)?);
        }
    }
    Ok(copied)
}

/// Copies a file; returns `false` if it does not exist.
fn copy(from: &Path, to: &Path, how: How) -> Result<bool, BackupError> {
    if how == How::Link && std::fs::hard_link(from, to).is_ok() {
        return Ok(true);
    }
    match std::fs::copy(from, to) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(source) => Err(BackupError::Copy { from: from.to_owned(), to: to.to_owned(), source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_is_complete_or_refused() {
        let place = tempfile::tempdir().unwrap();
        let (data, folder, new) =
            (place.path().join("data"), place.path().join("backup"), place.path().join("new"));
        std::fs::create_dir_all(data.join("files/results/ab")).unwrap();
        for (name, text) in [
            ("files/store-id", "one"),
            ("files/results/ab/1-0.png", "picture"),
            ("files/results/ab/2-0.png#1", "half"),
            ("apps.json", "[]"),
        ] {
            std::fs::write(data.join(name), text).unwrap();
        }
        begin(&folder).unwrap();
        assert!(matches!(check(&folder, &new), Err(BackupError::Incomplete(_))));
        assert_eq!(finish(&data, &folder).unwrap(), 2);
        assert!(matches!(begin(&folder), Err(BackupError::NotEmpty(_))));
        std::fs::write(data.join("files/store-id"), "edited").unwrap();
        std::fs::remove_dir_all(data.join("files/results")).unwrap();

        check(&folder, &new).unwrap();
        std::fs::create_dir_all(&new).unwrap();
        assert_eq!(restore(&folder, &new).unwrap(), 2);
        assert_eq!(std::fs::read_to_string(new.join("files/store-id")).unwrap(), "one");
        assert_eq!(std::fs::read_to_string(new.join("files/results/ab/1-0.png")).unwrap(), "picture");
        assert!(!new.join("files/results/ab/2-0.png#1").exists() && new.join("apps.json").exists());
        assert!(matches!(check(&folder, &new), Err(BackupError::Occupied(_))));
    }
}
