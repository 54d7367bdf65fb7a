//! The private folders of runs: `programs/<name>` in the data folder, each with a lock `programs/<name>.lock` next to it.
//!
//! The service and the supervisor share the lock of their run until they end, so that a sweep of another process on the
//! same data folder leaves the run alone. The lock is not in the folder, where the program could replace it.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use tokio::sync::watch;

use crate::files::random_folder;
use crate::private;

/// The folder of all runs, in the data folder.
pub(crate) const RUNS: &str = "programs";

/// The end of the name of a lock.
const LOCK: &str = "lock";

/// The maximum number of names that are tried.
const TRIES: usize = 8;

/// The private folder of a run, removed with this value.
///
/// A program decides how many files are in it, so that a blocking thread removes them.
pub(super) struct Run {
    folder: PathBuf,
    lock: Option<File>,
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
                return Ok(Self { folder, lock: Some(lock) });
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
        let (folder, lock) = (std::mem::take(&mut self.folder), self.lock.take());
        let removal = move || {
            // The sweep removes what stays.
            let _ = remove(&folder);
            drop(lock);
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(removal)),
            Err(_) => removal(),
        }
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
    open_up(folder);
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
    if_there(fs::remove_file(folder.with_extension(LOCK))).map(drop)
}

/// Allows this user what a program may have forbidden. A failure shows when the folder is read.
pub(super) fn open_up(folder: &Path) {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // A program that still runs may put a link to another folder here.
    let opened = rustix::fs::open(folder, flags, Mode::empty());
    let _ = opened.map(|folder| {
        let path = format!("/proc/self/fd/{}", folder.as_raw_fd());
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))
    });
}

/// Returns the entries of a folder; none if it is missing.
fn entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    if_there(fs::read_dir(folder))?.into_iter().flatten().collect()
}

fn is_folder(entry: &fs::DirEntry) -> io::Result<bool> {
    Ok(if_there(entry.file_type())?.is_some_and(|kind| kind.is_dir()))
}

/// Returns `None` if it is missing: another process may have removed it.
fn if_there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

/// Removes the folders of runs whose process has died, at this interval, until `stop` is true.
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
///
/// # Errors
/// Returns the first error, after it has tried all folders.
fn sweep_once(runs: &Path) -> io::Result<usize> {
    let (mut removed, mut failed) = (0, Ok(0));
    for entry in entries(runs)? {
        match remove_dead(&entry.path().with_extension("")) {
            Ok(is_removed) => removed += usize::from(is_removed),
            Err(error) => failed = failed.and(Err(error)),
        }
    }
    failed.map(|_| removed)
}

/// Removes the folder of a run if its process has died; returns whether there was one.
fn remove_dead(folder: &Path) -> io::Result<bool> {
    let lock = if_there(File::open(folder.with_extension(LOCK)))?;
    // The lock holds until the folder is removed: otherwise, a new run of the same name could begin meanwhile.
    if lock.as_ref().is_some_and(|lock| lock.try_lock().is_err()) {
        return Ok(false);
    }
    let is_there = folder.exists();
    remove(folder)?;
    Ok(is_there)
}

#[cfg(test)]
mod tests {
    use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

    use super::*;

    #[test]
    fn a_sweep_removes_folders_of_dead_processes() {
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

    /// Does something as a user without rights of root. Only this thread loses them.
    fn as_any_user(act: impl FnOnce() + Send + 'static) {
        let thread = std::thread::spawn(move || {
            let mut own = capabilities(None).unwrap();
            own.effective -= CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
            set_capabilities(None, own).unwrap();
            act();
        });
        thread.join().unwrap();
    }

    #[test]
    fn a_folder_that_forbids_everything_is_removed() {
        let data = tempfile::tempdir().unwrap();
        let runs = data.path().to_owned();
        let close = |folder: &Path| fs::set_permissions(folder, fs::Permissions::from_mode(0o000)).unwrap();
        as_any_user(move || {
            let run = Run::new(&runs).unwrap();
            fs::write(run.path().join("medium-0.mp4"), "film").unwrap();
            close(run.path());
            drop(run);
            assert_eq!(entries(&runs).unwrap().len(), 0);
            for _ in 0..3 {
                let dead = runs.join(random_folder());
                fs::create_dir(&dead).unwrap();
                close(&dead);
            }
            assert_eq!(sweep_once(&runs).unwrap(), 3);
        });
    }

    #[test]
    fn a_sweep_continues_after_an_error() {
        let data = tempfile::tempdir().unwrap();
        // `remove` takes no file for a folder.
        for _ in 0..3 {
            fs::write(data.path().join(random_folder()), "").unwrap();
            fs::create_dir(data.path().join(random_folder())).unwrap();
        }
        assert!(sweep_once(data.path()).is_err());
        let left = entries(data.path()).unwrap();
        assert!(left.len() == 3 && !left.iter().any(|entry| is_folder(entry).unwrap()), "{left:?}");
    }

    #[test]
    fn a_sweep_has_the_lock_until_the_folder_is_removed() {
        let data = tempfile::tempdir().unwrap();
        let dead = data.path().join(random_folder());
        fs::create_dir(&dead).unwrap();
        // Many files, so that the removal takes a while.
        let files: Vec<PathBuf> = (0..5000).map(|number| dead.join(number.to_string())).collect();
        files.iter().for_each(|file| fs::write(file, "").unwrap());
        fs::write(dead.with_extension(LOCK), "").unwrap();
        let lock = File::open(dead.with_extension(LOCK)).unwrap();
        let folder = dead.clone();
        let sweep = std::thread::spawn(move || remove_dead(&folder).unwrap());
        while !sweep.is_finished() {
            let has_begun = files.iter().step_by(100).any(|file| !file.exists());
            assert!(!has_begun || lock.try_lock_shared().is_err() || !dead.exists());
        }
        assert!(sweep.join().unwrap());
    }
}
