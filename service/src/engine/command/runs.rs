//! The private folders of runs: `programs/<name>` in the data folder, each with a lock `programs/<name>.lock` beside it.
//!
//! The service and the supervisor share the lock of their run until they end, so that a sweep of another process on the
//! same data folder leaves the run alone. The lock is not in the folder, where the program could replace it.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::watch;

use crate::files::random_folder;
use crate::private;

/// The folder of all runs, in the data folder.
pub(crate) const RUNS: &str = "programs";

/// The end of the name of a lock.
const LOCK: &str = "lock";

/// How often another name is tried.
const TRIES: usize = 8;

/// The private folder of a run, removed with this value.
pub(super) struct Run {
    folder: PathBuf,
    _lock: File,
}

impl Run {
    /// Creates a folder among these.
    pub(super) fn new(runs: &Path) -> io::Result<Self> {
        private::folder(runs)?;
        for _ in 0..TRIES {
            let folder = runs.join(random_folder());
            let path = folder.with_extension(LOCK);
            let lock = private::file(&path)?;
            // A sweep may have removed the file before it was locked.
            if lock.try_lock_shared().is_ok() && path.exists() {
                fs::DirBuilder::new().mode(0o700).create(&folder)?;
                return Ok(Self { folder, _lock: lock });
            }
        }
        Err(io::Error::other("a sweep removes each new folder"))
    }

    pub(super) fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // The sweep removes what stays.
        let _ = remove(&self.folder);
    }
}

/// Shares the lock of a run with the process that has created it.
pub(super) fn lock(folder: &Path) -> io::Result<File> {
    let lock = File::open(folder.with_extension(LOCK))?;
    lock.lock_shared()?;
    Ok(lock)
}

/// Removes the folder of a run, and then its lock.
///
/// It needs neither deep paths nor a deep stack, because a program may have nested its folders deeply.
///
/// # Errors
/// Something can't be removed.
pub(super) fn remove(folder: &Path) -> io::Result<()> {
    let (mark, mut moved) = (random_folder(), 0_u64);
    loop {
        let before = moved;
        for entry in entries(folder)? {
            if !is_folder(&entry)? {
                if_there(fs::remove_file(entry.path()))?;
                continue;
            }
            let path = entry.path();
            open_up(&path);
            for inner in entries(&path)? {
                if is_folder(&inner)? {
                    open_up(&inner.path());
                    if_there(fs::rename(inner.path(), folder.join(format!("{mark}-{moved}"))))?;
                    moved += 1;
                } else {
                    if_there(fs::remove_file(inner.path()))?;
                }
            }
            if_there(fs::remove_dir(path))?;
        }
        if moved == before {
            break;
        }
    }
    if_there(fs::remove_dir(folder))?;
    if_there(fs::remove_file(folder.with_extension(LOCK)))
}

/// Allows this user what a program may have forbidden. A failure shows when the folder is read.
fn open_up(folder: &Path) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
}

/// Returns what is in a folder; nothing if it is missing.
fn entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn is_folder(entry: &fs::DirEntry) -> io::Result<bool> {
    match entry.file_type() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        kind => Ok(kind?.is_dir()),
    }
}

/// Accepts that somebody else has removed it.
fn if_there(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
}

/// Removes the folders of runs whose process has died, now and then at this interval, until `stop` is true.
pub(crate) async fn sweep(runs: PathBuf, every: Duration, mut stop: watch::Receiver<bool>) {
    loop {
        let folder = runs.clone();
        let swept = tokio::task::spawn_blocking(move || sweep_once(&folder)).await;
        match swept.unwrap_or_else(|panic| Err(panic.into())) {
            Ok(0) => {}
            Ok(folders) => {
                tracing::info!(folders, "removed private folders of programs that a killed process had left")
            }
            Err(error) => {
                tracing::error!(%error, "can't remove private folders of programs in {}", runs.display())
            }
        }
        tokio::select! {
            () = tokio::time::sleep(every) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
    }
}

/// Removes the folders of runs whose process has died; returns their number.
fn sweep_once(runs: &Path) -> io::Result<usize> {
    let mut removed = 0;
    for entry in entries(runs)? {
        let folder = entry.path().with_extension("");
        let lock = match File::open(folder.with_extension(LOCK)) {
            Ok(lock) => Some(lock),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if lock.is_none_or(|lock| lock.try_lock().is_ok()) {
            removed += usize::from(folder.exists());
            remove(&folder)?;
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_removes_what_the_dead_have_left() {
        let data = tempfile::tempdir().unwrap();
        let runs = data.path().join(RUNS);
        assert_eq!(sweep_once(&runs).unwrap(), 0);
        let run = Run::new(&runs).unwrap();
        fs::write(run.path().join("medium-0.mp4"), "film").unwrap();
        let dead = runs.join(random_folder());
        fs::create_dir_all(dead.join("inner")).unwrap();
        fs::write(dead.join("inner/medium-0.mp4"), "film").unwrap();
        fs::write(dead.with_extension(LOCK), "").unwrap();
        fs::create_dir(runs.join(random_folder())).unwrap();
        assert_eq!(sweep_once(&runs).unwrap(), 2);
        assert!(run.path().join("medium-0.mp4").exists());
        drop(run);
        assert_eq!(entries(&runs).unwrap().len(), 0);
    }

    #[test]
    fn folders_without_end_are_removed() {
        let data = tempfile::tempdir().unwrap();
        let run = Run::new(data.path()).unwrap();
        // Longer than a path can be. A program makes them from within.
        let name = "n".repeat(200);
        let mut inner = run.path().join(&name);
        fs::create_dir(&inner).unwrap();
        for number in 0..100 {
            fs::write(inner.join("file"), "text").unwrap();
            let outer = run.path().join(format!("{number}"));
            fs::create_dir(&outer).unwrap();
            fs::rename(&inner, outer.join(&name)).unwrap();
            inner = outer;
        }
        std::os::unix::fs::symlink(data.path(), run.path().join("link")).unwrap();
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o000)).unwrap();
        assert!(inner.components().count() < 20);
        drop(run);
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0);
    }
}
