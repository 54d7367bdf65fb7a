//! What a process that died has left half written.

use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::time::{Millis, millis};

/// Removes unfinished files from a folder and the folders in it, if they were changed before then.
pub(super) fn remove(folder: &Path, before: Millis) -> io::Result<usize> {
    let mut removed = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if is_unfinished(&entry.file_name().to_string_lossy()) && changed(&entry)? < before {
                std::fs::remove_file(entry.path())?;
                removed += 1;
            }
        }
    }
    Ok(removed)
}

/// A file is written under its name, `#` and a number. No key of ours has a `#`.
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
    fn half_written_files_go_and_others_stay() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let inner = folder.path().join("results/ab");
        std::fs::create_dir_all(&inner)?;
        for name in ["1-0.wav", "1-0.wav#1", "2-0.wav#12", "odd#name"] {
            std::fs::write(inner.join(name), "x")?;
        }
        assert_eq!(remove(folder.path(), 0)?, 0);
        assert_eq!(remove(folder.path(), Millis::MAX)?, 2);
        assert!(inner.join("1-0.wav").exists() && inner.join("odd#name").exists());
        Ok(())
    }
}
