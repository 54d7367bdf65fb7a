//! Folders and files that nobody but the service's own user may read: they hold what clients sent, and hashes of keys.
//!
//! On systems without Unix' permissions they are as the system makes them.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// Makes a folder, and those above it. One that is there stays as it is: its owner has decided who may look.
///
/// # Errors
/// It can't be made.
pub fn folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Opens a file of the service's own for writing, and makes it where it is not there. From then on it is private,
/// whatever it was.
///
/// # Errors
/// It can't be made or opened, or belongs to somebody else.
pub fn file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(file)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_is_made_is_private() {
        let place = tempfile::tempdir().unwrap();
        let made = place.path().join("a/b");
        folder(&made).unwrap();
        assert_eq!((mode(&made), mode(&place.path().join("a"))), (0o700, 0o700));
        file(&made.join("new")).unwrap();
        assert_eq!(mode(&made.join("new")), 0o600);
    }

    #[test]
    fn a_file_becomes_private_and_keeps_what_it_holds_and_a_folder_is_its_owners() {
        let place = tempfile::tempdir().unwrap();
        let known = place.path().join("known");
        std::fs::write(&known, "text").unwrap();
        std::fs::set_permissions(&known, PermissionsExt::from_mode(0o644)).unwrap();
        file(&known).unwrap();
        assert_eq!((mode(&known), std::fs::read_to_string(&known).unwrap().as_str()), (0o600, "text"));
        std::fs::set_permissions(place.path(), PermissionsExt::from_mode(0o750)).unwrap();
        folder(place.path()).unwrap();
        assert_eq!(mode(place.path()), 0o750);
    }
}
