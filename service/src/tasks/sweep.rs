//! The sweep: removes expired tasks and orphaned files, and fails tasks that no process runs.
//!
//! A task waits while its engine is busy or unavailable, or while no process has it. After the waiting time, it fails.
//!
//! It removes ended tasks after the retention time, together with their inputs. The settings decide whether
//! result files go too. It also removes orphans: files of no task, files of attempts that did not count, and
//! inputs of completed tasks. An orphan must be older than any work on it. Files of removed catalogue
//! records go after the same time.
//!
//! The sweep finds tasks by an index, and files by a walk over all folders. Each sweep visits a part of the
//! folders. A full walk takes the minimum age of an orphan, a day by default.
//!
//! Ages depend on the clock, which can be wrong: `time` says when the sweep does not run.

mod catalogue;
#[cfg(test)]
mod tests;
mod time;
mod turn;

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use rand::RngExt;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::config::{as_days, as_seconds, days, seconds};
use crate::domain::{FolderOwner, TaskStatus};
use crate::files::{Area, FileUrls, Files, Listed, SHARDS, attempt_of};
use crate::store::SharedStore;
use crate::time::{Clock, Millis, millis};

use super::cancel;
use turn::Turns;

/// The maximum number of tasks that one transaction removes.
const BATCH: u32 = 500;

/// The number of orphans that are removed together.
const AT_ONCE: usize = 16;

/// The sweep warns if fewer bytes than this are free on the disk.
const LOW: u64 = 1024 * 1024 * 1024;

/// The settings of the sweep: the table `retention`.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Settings {
    /// How long a task may wait after it was accepted; one that is in progress then may end. Default: 7 days.
    #[serde(rename = "waiting-days", deserialize_with = "days", serialize_with = "as_days")]
    pub waiting: Duration,
    /// How long ended tasks are kept. Default: 30 days.
    #[serde(rename = "task-days", deserialize_with = "days", serialize_with = "as_days")]
    pub retention: Duration,
    /// Whether result files are removed with their tasks; otherwise they stay forever. Default: `false`.
    pub remove_files: bool,
    /// The minimum age of an orphan; longer than any request or attempt takes, and at least 600 seconds. Default: one day.
    #[serde(rename = "orphan-seconds", deserialize_with = "seconds", serialize_with = "as_seconds")]
    pub orphan_age: Duration,
    /// The time between sweeps. Default: an hour.
    #[serde(rename = "sweep-seconds", deserialize_with = "seconds", serialize_with = "as_seconds")]
    pub every: Duration,
    /// How long a backup may have to wait for a sweep.
    #[serde(skip)]
    pub turn: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        let day = 24 * 60 * 60;
        Self {
            waiting: Duration::from_secs(7 * day),
            retention: Duration::from_secs(30 * day),
            remove_files: false,
            orphan_age: Duration::from_secs(day),
            every: Duration::from_secs(3600),
            turn: Duration::from_secs(10),
        }
    }
}

/// Sweeps at the set interval until `stop` is true.
pub async fn run(
    store: SharedStore,
    files: Files,
    urls: FileUrls,
    clock: Clock,
    settings: Settings,
    mut stop: watch::Receiver<bool>,
) {
    // A random start lets a process that often restarts reach all folders in time.
    let mut walk = Walk::beginning_at(rand::rng().random());
    loop {
        crate::crash::point("sweep");
        warn_of_a_full_disk(&files);
        match trusted(&store, &files, &urls, &clock, &settings, &mut walk).await {
            Ok(swept) if swept == Swept::default() => {}
            Ok(Swept { given_up, tasks, files }) => tracing::info!(given_up, tasks, files, "swept"),
            Err(SweepError::Backup) => {
                metrics::gauge!("sweep_paused").set(1.0);
                tracing::info!("a backup is in progress; the next sweep continues");
            }
            Err(error) => {
                metrics::counter!("sweeps_failed_total").increment(1);
                tracing::error!(%error, "the sweep failed");
            }
        }
        tokio::select! {
            () = tokio::time::sleep(settings.every) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
    }
}

fn warn_of_a_full_disk(files: &Files) {
    if let Some(free) = files.free_space().filter(|free| *free < LOW) {
        let mebibytes = free / (1024 * 1024);
        tracing::warn!(mebibytes, "disk of the data folder is nearly full: tasks will fail; free some space");
    }
}

/// Sweeps once if the clocks can be trusted.
async fn trusted(
    store: &SharedStore,
    files: &Files,
    urls: &FileUrls,
    clock: &Clock,
    settings: &Settings,
    walk: &mut Walk,
) -> Result<Swept, SweepError> {
    let now = time::database_time(store, clock, settings.every).await?;
    metrics::gauge!("sweep_paused").set(if now.is_err() { 1.0 } else { 0.0 });
    match now {
        Ok(now) => once(store, files, urls, now, settings, walk).await,
        Err(distrust) => {
            tracing::error!("the sweep removes nothing: {distrust}");
            Ok(Swept::default())
        }
    }
}

/// The position in the walk over the folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walk {
    next: u8,
}

impl Walk {
    /// Starts a walk at this shard.
    #[must_use]
    pub const fn beginning_at(shard: u8) -> Self {
        Self { next: shard }
    }

    /// Returns the shards of the next sweep.
    fn on(&mut self, settings: &Settings) -> Vec<u8> {
        let whole = millis(settings.orphan_age).max(1);
        let part = millis(settings.every).saturating_mul(i64::from(SHARDS)).saturating_add(whole - 1) / whole;
        let count = part.clamp(1, i64::from(SHARDS));
        (0..count)
            .map(|_| {
                let shard = self.next;
                self.next = shard.wrapping_add(1);
                shard
            })
            .collect()
    }
}

/// The number of removed items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Tasks that failed because no process ran them.
    pub given_up: usize,
    /// Removed tasks.
    pub tasks: usize,
    /// Removed files: inputs, results and unfinished writes.
    pub files: usize,
}

/// Why a sweep failed.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] crate::store::Error),
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] crate::files::FilesError),
    /// A backup has begun; the next sweep continues.
    #[error("a backup is in progress")]
    Backup,
}

/// Sweeps once; ages are measured at the time `now`.
///
/// # Errors
/// A store failed; the next sweep continues.
pub async fn once(
    store: &SharedStore,
    files: &Files,
    urls: &FileUrls,
    now: Millis,
    settings: &Settings,
    walk: &mut Walk,
) -> Result<Swept, SweepError> {
    let mut swept = Swept { given_up: give_up(store, urls, now, settings).await?, ..Swept::default() };
    let mut turns = Turns::new(store, settings.turn);
    loop {
        turns.take().await?;
        let before = now - millis(settings.retention);
        let folders = store.sweep_tasks(before, now, BATCH, !settings.remove_files).await?;
        swept.tasks += folders.len();
        for folder in &folders {
            turns.take().await?;
            files.remove_folder(Area::Inputs, folder).await?;
            if settings.remove_files {
                files.remove_folder(Area::Results, folder).await?;
            }
        }
        if folders.len() < BATCH as usize {
            break;
        }
    }
    if settings.remove_files {
        remove_retained(&mut turns, files).await?;
    }
    let before = now - millis(settings.orphan_age);
    for shard in walk.on(settings) {
        for area in [Area::Inputs, Area::Results] {
            swept.files += files.remove_unfinished(area, Some(shard), before).await?;
            swept.files += orphans(&mut turns, files, (area, shard), before, settings).await?;
        }
        if shard == 0 {
            swept.files += files.remove_unfinished(Area::Catalogue, None, before).await?;
        }
    }
    swept.files += catalogue::sweep(&mut turns, files, before).await?;
    Ok(swept)
}

/// Fails the tasks that have waited too long, and returns their number.
async fn give_up(
    store: &SharedStore,
    urls: &FileUrls,
    now: Millis,
    settings: &Settings,
) -> Result<usize, SweepError> {
    let mut given_up = 0;
    loop {
        let waiting = store.waiting_since(now - millis(settings.waiting), BATCH).await?;
        let mut ended = 0;
        for task in waiting {
            let (id, family) = (task.id, task.family.clone());
            if cancel::give_up(store, task, urls, now).await? {
                tracing::error!(task = %id, family, "failed a task that no process has run for too long");
                ended += 1;
            }
        }
        given_up += ended;
        if ended < BATCH as usize {
            return Ok(given_up);
        }
    }
}

/// Removes results that stayed after their task, under earlier settings.
async fn remove_retained(turns: &mut Turns<'_>, files: &Files) -> Result<(), SweepError> {
    loop {
        turns.take().await?;
        let folders = turns.store.sweep_retained(BATCH).await?;
        for folder in &folders {
            turns.take().await?;
            files.remove_folder(Area::Results, folder).await?;
        }
        if folders.len() < BATCH as usize {
            return Ok(());
        }
    }
}

/// Removes the orphaned files of a shard and returns their number.
async fn orphans(
    turns: &mut Turns<'_>,
    files: &Files,
    (area, shard): (Area, u8),
    before: Millis,
    settings: &Settings,
) -> Result<usize, SweepError> {
    let mut pages = files.shard(area, shard);
    let mut removed = 0;
    // List files before reading tasks: a task that ends in between then shows its results.
    while let Some(page) = pages.try_next().await? {
        let old: Vec<Listed> = page.into_iter().filter(|file| file.put_at < before).collect();
        let folders: BTreeSet<&str> =
            old.iter().filter_map(|file| Some(file.key.split_once('/')?.0)).collect();
        if folders.is_empty() {
            continue;
        }
        let folders: Vec<String> = folders.into_iter().map(str::to_owned).collect();
        let known = turns.store.folders(&folders).await?;
        let mut orphans = Vec::new();
        for file in old {
            let owner = known.iter().find(|owner| file.key.starts_with(&owner.folder));
            if is_orphan(area, &file.key, owner, settings) {
                orphans.push(file.key);
            }
        }
        for keys in orphans.chunks(AT_ONCE) {
            turns.take().await?;
            files.remove_all(area, keys.to_vec()).await?;
            removed += keys.len();
        }
    }
    Ok(removed)
}

/// Returns whether a file is an orphan.
fn is_orphan(area: Area, key: &str, owner: Option<&FolderOwner>, settings: &Settings) -> bool {
    let Some(FolderOwner { status, attempts, work, results, .. }) = owner else {
        return match area {
            // The submission stored it, but the task was never accepted.
            Area::Inputs => true,
            // Its task was swept, so the settings decide.
            Area::Results => settings.remove_files,
            Area::Catalogue => false,
        };
    };
    match (area, attempt_of(key)) {
        (Area::Results, Some(attempt)) => match status {
            // A failed run of an app shows the outputs of its earlier steps.
            TaskStatus::Completed | TaskStatus::Failed => !results.contains(key),
            // The work of later steps names the files of earlier ones.
            TaskStatus::Created | TaskStatus::InProgress => attempt < *attempts && !work.contains(key),
        },
        // A failed task may be retried; a completed task needs its inputs no more.
        (Area::Inputs, _) => *status == TaskStatus::Completed,
        // An icon that was rendered later; it is removed with its task.
        _ => false,
    }
}
