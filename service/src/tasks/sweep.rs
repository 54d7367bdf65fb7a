//! The sweep: what is over goes away.
//!
//! Ended tasks go after the retention time, with their files unless the settings keep those; files that belong to no
//! task, or to an attempt that did not count, go once nobody can be at work on them.

use std::time::Duration;

use tokio::sync::watch;

use crate::files::{Area, Files, attempt_of};
use crate::store::{Piece, SharedStore, Task, TaskStatus};
use crate::time::{Clock, Millis, millis};

/// How many tasks one transaction of the sweep removes.
const BATCH: u32 = 500;

/// What the sweep is told.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long ended tasks are kept.
    pub retention: Duration,
    /// Whether the files of results go with their tasks; otherwise they stay for good.
    pub remove_files: bool,
    /// How old a file is before it can be an orphan: longer than a request or an attempt takes.
    pub orphan_age: Duration,
    /// How often it sweeps.
    pub every: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        let day = 24 * 60 * 60;
        Self {
            retention: Duration::from_secs(30 * day),
            remove_files: false,
            orphan_age: Duration::from_secs(day),
            every: Duration::from_secs(3600),
        }
    }
}

/// Sweeps now and then until `stop` says true.
pub async fn run(
    store: SharedStore,
    files: Files,
    clock: Clock,
    settings: Settings,
    mut stop: watch::Receiver<bool>,
) {
    loop {
        match once(&store, &files, &clock, &settings).await {
            Ok(swept) if swept == Swept::default() => {}
            Ok(swept) => tracing::info!(tasks = swept.tasks, files = swept.files, "swept"),
            Err(error) => tracing::error!(%error, "the sweep failed"),
        }
        tokio::select! {
            () = tokio::time::sleep(settings.every) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
    }
}

/// What went away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Tasks.
    pub tasks: usize,
    /// Files, inputs and results.
    pub files: usize,
}

/// Why a sweep ended early.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The store.
    #[error(transparent)]
    Store(#[from] crate::store::Error),
    /// The file store.
    #[error(transparent)]
    Files(#[from] crate::files::FilesError),
}

/// Sweeps once.
///
/// # Errors
/// A store fails; what is left is swept the next time.
pub async fn once(
    store: &SharedStore,
    files: &Files,
    clock: &Clock,
    settings: &Settings,
) -> Result<Swept, SweepError> {
    let mut swept = Swept::default();
    let now = clock.now();
    loop {
        let folders = store.sweep_tasks(now - millis(settings.retention), now, BATCH).await?;
        swept.tasks += folders.len();
        for folder in &folders {
            files.remove_folder(Area::Inputs, folder).await?;
            if settings.remove_files {
                files.remove_folder(Area::Results, folder).await?;
            }
        }
        if folders.len() < BATCH as usize {
            break;
        }
    }
    swept.files += files.remove_unfinished(now - millis(settings.orphan_age)).await?;
    for area in [Area::Inputs, Area::Results] {
        swept.files += orphans(store, files, area, now - millis(settings.orphan_age), settings).await?;
    }
    Ok(swept)
}

/// Removes the files of an area that nobody will ever need.
async fn orphans(
    store: &SharedStore,
    files: &Files,
    area: Area,
    before: Millis,
    settings: &Settings,
) -> Result<usize, SweepError> {
    let folders = files.folders(area).await?;
    let mut removed = 0;
    for folders in folders.chunks(BATCH as usize) {
        // The files are listed first: a task that is ended in between shows what it has.
        let mut old = Vec::new();
        for folder in folders {
            old.extend(files.list(area, folder).await?.into_iter().filter(|file| file.put_at < before));
        }
        let known = store.folders(folders).await?;
        for file in old {
            let owner = known.iter().find(|(task, _)| file.key.starts_with(&task.folder));
            if is_orphan(area, &file.key, owner, settings) {
                files.remove(area, &file.key).await?;
                removed += 1;
            }
        }
    }
    Ok(removed)
}

/// `owner`: the task that the file's folder belongs to, and its attempts so far.
fn is_orphan(area: Area, key: &str, owner: Option<&(Task, u32)>, settings: &Settings) -> bool {
    let Some((task, attempts)) = owner else {
        return match area {
            // It was put for a task that was never accepted.
            Area::Inputs => true,
            // Its task is swept, and the settings say what becomes of it.
            Area::Results => settings.remove_files,
            Area::Catalogue => false,
        };
    };
    match (area, attempt_of(key)) {
        (Area::Results, Some(made)) => match task.status {
            TaskStatus::Completed => !shows(task, key),
            TaskStatus::Failed => true,
            TaskStatus::Created | TaskStatus::InProgress => made < *attempts,
        },
        // An icon that was rendered later, or an input: they go with their task.
        _ => false,
    }
}

fn shows(task: &Task, key: &str) -> bool {
    task.results.iter().any(|piece| matches!(piece, Piece::File(shown) if shown == key))
}
