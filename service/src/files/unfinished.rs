//! Deletes files that a process left unfinished when it died.

use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::time::{Millis, millis};

/// Deletes unfinished files that were last changed before `before`.
///
/// It walks the folder and its subfolders, ignores what disappears meanwhile, and returns the number of
/// deleted files.
pub(super) fn remove(folder: &Path, before: Millis) -> io::Result<usize> {
    let mut removed = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Some(entries) = if_there(std::fs::read_dir(&folder))? else { continue };
        for entry in entries {
            let entry = entry?;
            let Some(kind) = if_there(entry.file_type())? else { continue };
            if kind.is_dir() {
                folders.push(entry.path());
            } else if is_unfinished(&entry.file_name().to_string_lossy())
                && if_there(changed(&entry))?.is_some_and(|changed| changed < before)
                && if_there(std::fs::remove_file(entry.path()))?.is_some()
            {
                removed += 1;
            }
        }
    }
    Ok(removed)
}

fn if_there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns whether a file name belongs to an unfinished file.
///
/// A local store first writes a file under its name, `#` and a number. No key of the service contains a `#`.
fn is_unfinished(name: &str) -> bool {
    name.rsplit_once('#')
        .is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn changed(entry: &std::fs::DirEntry) -> io::Result<Millis> {
    let modified = entry.metadata()?.modified()?;
    Ok(modified.duration_since(UNIX_EPOCH).map_or(0, millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_files_are_removed_and_others_stay() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let inner = folder.path().join("results/ab");
        std::fs::create_dir_all(&inner)?;
        for name in ["1-0.wav", "1-0.wav#1", "2-0.wav#12", "odd#name"] {
            std::fs::write(inner.join(name), "x")?;
        }
        assert_eq!(remove(folder.path(), 0)?, 0);
        assert_eq!(remove(&folder.path().join("not there"), 0)?, 0);
        assert_eq!(remove(folder.path(), Millis::MAX)?, 2);
        assert!(inner.join("1-0.wav").exists() && inner.join("odd#name").exists());
        Ok(())
    }
}
