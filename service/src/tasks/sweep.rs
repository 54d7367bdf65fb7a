//! The sweep: what is over goes away.
//!
//! Ended tasks go after the retention time, with their files unless the settings keep those; files that belong to no
//! task, or to an attempt that did not count, or that a completed task was given, go once nobody can be at work on them.
//!
//! Tasks are found by an index, files by a walk over all folders. A walk takes many sweeps, a part of the folders in each,
//! and as long altogether as a file has to be old to be an orphan: a day, unless the settings say otherwise.

use std::time::Duration;

use rand::RngExt;
use tokio::sync::watch;

use crate::files::{Area, Files, SHARDS, attempt_of};
use crate::store::{Piece, SharedStore, Task, TaskStatus};
use crate::time::{Clock, Millis, millis};

/// How many tasks one transaction of the sweep removes.
const BATCH: u32 = 500;

/// So few free bytes are too few: an operator is warned.
const LOW: u64 = 1024 * 1024 * 1024;

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
    // A process that is often restarted gets everywhere in the end.
    let mut walk = Walk::beginning_at(rand::rng().random());
    loop {
        warn_of_a_full_disk(&files);
        match once(&store, &files, &clock, &settings, &mut walk).await {
            Ok(swept) if swept == Swept::default() => {}
            Ok(swept) => tracing::info!(tasks = swept.tasks, files = swept.files, "swept"),
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
        tracing::warn!(
            mebibytes,
            "the disk of the data folder is nearly full: tasks fail when nothing is left"
        );
    }
}

/// Where the sweep is in its walk over the folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walk {
    next: u8,
}

impl Walk {
    /// A walk that begins at this shard.
    #[must_use]
    pub const fn beginning_at(shard: u8) -> Self {
        Self { next: shard }
    }

    /// The shards of one sweep.
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
    walk: &mut Walk,
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
    let before = now - millis(settings.orphan_age);
    for shard in walk.on(settings) {
        for area in [Area::Inputs, Area::Results] {
            swept.files += files.remove_unfinished(area, Some(shard), before).await?;
            swept.files += orphans(store, files, (area, shard), before, settings).await?;
        }
        // The catalogue has no orphans: its files are shared, and go by hand.
        if shard == 0 {
            swept.files += files.remove_unfinished(Area::Catalogue, None, before).await?;
        }
    }
    Ok(swept)
}

/// Removes the files of a shard that nobody will ever need.
async fn orphans(
    store: &SharedStore,
    files: &Files,
    (area, shard): (Area, u8),
    before: Millis,
    settings: &Settings,
) -> Result<usize, SweepError> {
    let folders = files.folders(area, shard).await?;
    let mut removed = 0;
    for folders in folders.chunks(BATCH as usize) {
        // The files are listed first: a task that is ended in between shows what it has.
        let mut old = Vec::new();
        for folder in folders {
            old.extend(files.list(area, folder).await?.into_iter().filter(|file| file.put_at < before));
        }
        if old.is_empty() {
            continue;
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
        // A failed task may be tried again, a completed one needs it no more.
        (Area::Inputs, _) => task.status == TaskStatus::Completed,
        // An icon that was rendered later: it goes with its task.
        _ => false,
    }
}

fn shows(task: &Task, key: &str) -> bool {
    task.results.iter().any(|piece| matches!(piece, Piece::File(shown) if shown == key))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;

    use super::*;
    use crate::files::{random_folder, result_key};
    use crate::store::sqlite::Sqlite;
    use crate::store::{Claim, Created, Ended, FailureCause, NewTask};

    /// Files and a store, and a clock a day ahead, for which all that is there is old.
    struct Place {
        store: SharedStore,
        files: Files,
        clock: Clock,
        _folder: tempfile::TempDir,
    }

    impl Place {
        async fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let store: SharedStore = Arc::new(Sqlite::open(&folder.path().join("service.db")).await.unwrap());
            let files = Files::local(&folder.path().join("files")).unwrap();
            let clock = Clock::fixed(Clock::System.now() + 25 * 60 * 60 * 1000);
            Self { store, files, clock, _folder: folder }
        }

        /// A task whose input is kept, that ended so; returns its folder.
        async fn ended(&self, outcome: Result<Vec<Piece>, FailureCause>) -> String {
            let (id, folder) = (uuid::Uuid::now_v7(), random_folder());
            self.files
                .put(Area::Inputs, &format!("{folder}/0-0"), Bytes::from_static(b"given"))
                .await
                .unwrap();
            let now = self.clock.now();
            let task = Task {
                id,
                key_id: "AAAA0001".to_owned(),
                scope: "/v1/ai/image-to-prompt".to_owned(),
                status: TaskStatus::Created,
                results: Vec::new(),
                error: None,
                engine: "measured-description/1".to_owned(),
                folder: folder.clone(),
                work: "{}".to_owned(),
                webhook_url: None,
                created_at: now,
                updated_at: now,
            };
            let new = NewTask { task, idempotency: None, daily_quota: None };
            assert_eq!(self.store.create_task(&new).await.unwrap(), Created::New);
            let claim = Claim {
                owner: "me",
                now,
                lease_until: now + 1000,
                limit: 9,
                running_per_key: 9,
                max_attempts: 3,
            };
            let payload: crate::store::Payload = Arc::new(|_| String::new());
            let claimed = self.store.claim_tasks(&claim, &payload).await.unwrap();
            let ended = Ended { outcome, engine: None, now, payload: String::new() };
            assert!(self.store.end_task(&claimed[0].lease, &ended).await.unwrap());
            folder
        }

        async fn sweep(&self, settings: &Settings, walk: &mut Walk) -> Swept {
            once(&self.store, &self.files, &self.clock, settings, walk).await.unwrap()
        }

        async fn has_input(&self, folder: &str) -> bool {
            self.files.size(Area::Inputs, &format!("{folder}/0-0")).await.unwrap().is_some()
        }
    }

    #[tokio::test]
    async fn inputs_of_completed_tasks_go_and_those_of_failed_ones_stay() {
        let place = Place::new().await;
        let text = Piece::Text("a cat".to_owned());
        let completed = place.ended(Ok(vec![text])).await;
        let cause = FailureCause { code: "unsupported_media".to_owned(), message: String::new() };
        let failed = place.ended(Err(cause)).await;
        let settings = Settings { every: Duration::from_secs(24 * 60 * 60), ..Settings::default() };
        let swept = place.sweep(&settings, &mut Walk::beginning_at(7)).await;
        assert_eq!(swept, Swept { tasks: 0, files: 1 });
        assert!(!place.has_input(&completed).await && place.has_input(&failed).await);
    }

    #[tokio::test]
    async fn a_sweep_looks_at_a_part_and_a_day_of_them_at_all() {
        let place = Place::new().await;
        // Never accepted: the process died in between.
        for shard in 0..=u8::MAX {
            let key = result_key(&format!("{shard:02x}{}", &random_folder()[2..]), 0, 0, "png");
            place.files.put(Area::Inputs, &key, Bytes::from_static(b"orphan")).await.unwrap();
        }
        let settings = Settings::default();
        let mut walk = Walk::beginning_at(250);
        let first = place.sweep(&settings, &mut walk).await;
        assert_eq!(first, Swept { tasks: 0, files: 11 }, "a 24th of 256, rounded up");
        for _ in 1..24 {
            place.sweep(&settings, &mut walk).await;
        }
        for shard in 0..=u8::MAX {
            assert_eq!(place.files.folders(Area::Inputs, shard).await.unwrap(), [""; 0], "{shard:02x}");
        }
        let often = Settings { every: Duration::from_secs(1), orphan_age: Duration::ZERO, ..settings };
        assert_eq!(walk.on(&often).len(), 256, "an age of nothing: all of them each time");
    }
}
