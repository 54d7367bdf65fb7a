//! Private folders and files, which only the service's own user may read.
//!
//! They hold what clients sent, and hashes of keys.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt};
use std::path::Path;

/// Creates a private folder and its missing parents.
///
/// An existing folder keeps its permissions, because its owner has decided who may read it.
///
/// # Errors
/// Fails if the folder can't be created.
pub fn folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Opens a private file for writing and creates it if it is missing.
///
/// An existing file becomes private and keeps its contents.
///
/// # Errors
/// Fails if the file can't be created or opened, or if it belongs to another user.
pub fn file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
    file.set_permissions(PermissionsExt::from_mode(0o600))?;
    Ok(file)
}

/// Waits until the names in a folder are on disk.
///
/// # Errors
/// Fails if the folder can't be opened or written.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Waits until everything in a folder is on disk, with all its subfolders.
///
/// Linux writes the whole file system at once, which is far faster than one file after another.
///
/// # Errors
/// Fails if something can't be opened or written.
pub fn sync_all(path: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    return Ok(rustix::fs::syncfs(File::open(path)?)?);
    #[cfg(not(target_os = "linux"))]
    {
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                sync_all(&entry.path())?;
            } else {
                File::open(entry.path())?.sync_all()?;
            }
        }
        sync_folder(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn created_files_and_folders_are_private() {
        let temporary = tempfile::tempdir().unwrap();
        let created = temporary.path().join("a/b");
        folder(&created).unwrap();
        assert_eq!((mode(&created), mode(&temporary.path().join("a"))), (0o700, 0o700));
        file(&created.join("new")).unwrap();
        assert_eq!(mode(&created.join("new")), 0o600);
    }

    #[test]
    fn a_file_becomes_private_with_its_contents_and_so_does_a_folder() {
        let temporary = tempfile::tempdir().unwrap();
        let known = temporary.path().join("known");
        std::fs::write(&known, "text").unwrap();
        std::fs::set_permissions(&known, PermissionsExt::from_mode(0o644)).unwrap();
        file(&known).unwrap();
        assert_eq!((mode(&known), std::fs::read_to_string(&known).unwrap().as_str()), (0o600, "text"));
        std::fs::set_permissions(temporary.path(), PermissionsExt::from_mode(0o750)).unwrap();
        folder(temporary.path()).unwrap();
        assert_eq!(mode(temporary.path()), 0o750);
    }
}
