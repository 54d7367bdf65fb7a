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
mod time;
mod turn;

use std::time::Duration;

use rand::RngExt;
use serde::Deserialize;
use tokio::sync::watch;

use crate::config::{days, seconds};
use crate::domain::{FolderOwner, TaskStatus};
use crate::files::{Area, Files, SHARDS, attempt_of};
use crate::store::SharedStore;
use crate::time::{Clock, Millis, millis};

use super::cancel;
use turn::Turns;

/// The maximum number of tasks that one transaction removes.
const BATCH: u32 = 500;

/// The sweep warns if fewer bytes than this are free on the disk.
const LOW: u64 = 1024 * 1024 * 1024;

/// The settings of the sweep: the table `retention`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Settings {
    /// How long a task may wait after it was accepted; one that is in progress then may end. Default: 7 days.
    #[serde(rename = "waiting-days", deserialize_with = "days")]
    pub waiting: Duration,
    /// How long ended tasks are kept. Default: 30 days.
    #[serde(rename = "task-days", deserialize_with = "days")]
    pub retention: Duration,
    /// Whether result files are removed with their tasks; otherwise they stay forever. Default: `false`.
    pub remove_files: bool,
    /// The minimum age of an orphan; longer than any request or attempt takes, and at least 600 seconds. Default: one day.
    #[serde(rename = "orphan-seconds", deserialize_with = "seconds")]
    pub orphan_age: Duration,
    /// The time between sweeps. Default: an hour.
    #[serde(rename = "sweep-seconds", deserialize_with = "seconds")]
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
    clock: Clock,
    settings: Settings,
    mut stop: watch::Receiver<bool>,
) {
    // A random start lets a process that often restarts reach all folders in time.
    let mut walk = Walk::beginning_at(rand::rng().random());
    loop {
        crate::crash::point("sweep");
        warn_of_a_full_disk(&files);
        match trusted(&store, &files, &clock, &settings, &mut walk).await {
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
    clock: &Clock,
    settings: &Settings,
    walk: &mut Walk,
) -> Result<Swept, SweepError> {
    let now = time::database_time(store, clock, settings.every).await?;
    metrics::gauge!("sweep_paused").set(if now.is_err() { 1.0 } else { 0.0 });
    match now {
        Ok(now) => once(store, files, now, settings, walk).await,
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
    now: Millis,
    settings: &Settings,
    walk: &mut Walk,
) -> Result<Swept, SweepError> {
    let mut swept = Swept { given_up: give_up(store, now, settings).await?, ..Swept::default() };
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
async fn give_up(store: &SharedStore, now: Millis, settings: &Settings) -> Result<usize, SweepError> {
    let mut given_up = 0;
    loop {
        let waiting = store.waiting_since(now - millis(settings.waiting), BATCH).await?;
        let mut ended = 0;
        for task in waiting {
            let (id, family) = (task.id, task.family.clone());
            if cancel::give_up(store, task, now).await? {
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
    let folders = files.folders(area, shard).await?;
    let mut removed = 0;
    for folders in folders.chunks(BATCH as usize) {
        // List files before reading tasks: a task that ends in between then shows its results.
        let mut old = Vec::new();
        for folder in folders {
            old.extend(files.list(area, folder).await?.into_iter().filter(|file| file.put_at < before));
        }
        if old.is_empty() {
            continue;
        }
        let known = turns.store.folders(folders).await?;
        for file in old {
            let owner = known.iter().find(|owner| file.key.starts_with(&owner.folder));
            if is_orphan(area, &file.key, owner, settings) {
                turns.take().await?;
                files.remove(area, &file.key).await?;
                removed += 1;
            }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;

    use super::*;
    use crate::domain::{
        Claim, Content, Created, Demand, Ended, Engines, FailureCause, NewTask, Only, Piece, Task,
    };
    use crate::files::{random_folder, result_key};
    use crate::store::sqlite::Sqlite;

    /// A store, its files, and a clock 25 hours ahead, so that all files are old.
    struct Fixture {
        store: SharedStore,
        files: Files,
        clock: Clock,
        _folder: tempfile::TempDir,
    }

    impl Fixture {
        async fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let store: SharedStore = Arc::new(Sqlite::open(&folder.path().join("service.db")).await.unwrap());
            let files = Files::local(&folder.path().join("files")).unwrap();
            let clock = Clock::fixed(Clock::System.now() + 25 * 60 * 60 * 1000);
            Self { store, files, clock, _folder: folder }
        }

        /// Creates a task.
        async fn created(&self) -> Task {
            let (id, folder) = (uuid::Uuid::now_v7(), random_folder());
            let now = self.clock.now();
            let task = Task {
                id,
                key_id: "AAAA0001".to_owned(),
                family: "image-to-prompt".to_owned(),
                model: None,
                status: TaskStatus::Created,
                results: Vec::new(),
                error: None,
                engine: "measured-description/1".to_owned(),
                folder: folder.clone(),
                webhook_url: None,
                app: None,
                ignored: Vec::new(),
                progress: None,
                created_at: now,
                updated_at: now,
            };
            let new = NewTask {
                task: task.clone(),
                work: "{}".to_owned(),
                demand: Demand { engines: Engines::built_in(["image-to-prompt"]), size: 10 },
                input_bytes: 0,
                idempotency: None,
                daily_quota: None,
                trace: None,
            };
            assert_eq!(self.store.create_task(&new).await.unwrap(), Created::New);
            task
        }

        /// Creates a task with a stored input, ends it, and returns its folder.
        async fn ended(&self, results: Vec<Piece>, error: Option<FailureCause>) -> String {
            let folder = self.created().await.folder;
            let input = format!("{folder}/0-0");
            self.files.put(Area::Inputs, &input, Bytes::from_static(b"given")).await.unwrap();
            let now = self.clock.now();
            let claim = Claim {
                owner: "me",
                now,
                lease_until: now + 1000,
                limit: 9,
                running_per_key: 9,
                max_attempts: 3,
                only: Only::default(),
            };
            let payload: crate::domain::Payload = Arc::new(|_| String::new());
            let claimed = self.store.claim_tasks(&claim, &payload).await.unwrap();
            let ended = Ended {
                results,
                error,
                engine: None,
                result_bytes: 0,
                engine_time: None,
                now,
                payload: String::new(),
            };
            assert!(self.store.end_task(&claimed[0].lease, &ended).await.unwrap());
            folder
        }

        async fn sweep(&self, settings: &Settings, walk: &mut Walk) -> Swept {
            once(&self.store, &self.files, self.clock.now(), settings, walk).await.unwrap()
        }

        async fn has_input(&self, folder: &str) -> bool {
            self.files.size(Area::Inputs, &format!("{folder}/0-0")).await.unwrap().is_some()
        }
    }

    #[tokio::test]
    async fn a_sweep_removes_inputs_of_completed_tasks_only() {
        let fixture = Fixture::new().await;
        let text = Content::Text("a cat".to_owned()).into();
        let completed = fixture.ended(vec![text], None).await;
        let cause = FailureCause { code: "unsupported_media".to_owned(), message: String::new() };
        let failed = fixture.ended(Vec::new(), Some(cause)).await;
        let settings = Settings { every: Duration::from_secs(24 * 60 * 60), ..Settings::default() };
        let swept = fixture.sweep(&settings, &mut Walk::beginning_at(7)).await;
        assert_eq!(swept, Swept { files: 1, ..Swept::default() });
        assert!(!fixture.has_input(&completed).await && fixture.has_input(&failed).await);
    }

    #[tokio::test]
    async fn a_task_that_no_process_runs_fails() {
        let fixture = Fixture::new().await;
        let id = fixture.created().await.id;
        let day = Duration::from_secs(24 * 60 * 60);
        let settings = Settings { waiting: 7 * day, every: day, ..Settings::default() };
        let sweep = async |now| {
            let mut walk = Walk::beginning_at(7);
            once(&fixture.store, &fixture.files, now, &settings, &mut walk).await.unwrap().given_up
        };
        let due = fixture.clock.now() + millis(7 * day);
        assert_eq!((sweep(due).await, sweep(due + 1).await, sweep(due + 2).await), (0, 1, 0));
        let task = fixture.store.any_task(id).await.unwrap().unwrap();
        let code = task.error.map(|cause| cause.code);
        assert_eq!((task.status, code.as_deref()), (TaskStatus::Failed, Some("engine_unavailable")));
    }

    #[tokio::test]
    async fn a_sweep_in_progress_removes_nothing_after_a_backup_has_begun() {
        let fixture = Fixture::new().await;
        let cause = FailureCause { code: "unsupported_media".to_owned(), message: String::new() };
        let mut folders = Vec::new();
        for _ in 0..20 {
            folders.push(fixture.ended(Vec::new(), Some(cause.clone())).await);
        }
        for shard in 0..=u8::MAX {
            for _ in 0..4 {
                let key = result_key(&format!("{shard:02x}{}", &random_folder()[2..]), 0, 0, "png");
                fixture.files.put(Area::Inputs, &key, Bytes::from_static(b"orphan")).await.unwrap();
            }
        }
        let settings = Settings {
            retention: Duration::ZERO,
            every: Duration::from_secs(24 * 60 * 60),
            turn: Duration::from_millis(100),
            ..Settings::default()
        };
        let (store, files, now) =
            (Arc::clone(&fixture.store), fixture.files.clone(), fixture.clock.now() + 1);
        let sweep = tokio::spawn(async move {
            once(&store, &files, now, &settings, &mut Walk::beginning_at(0)).await.err()
        });
        while fixture.has_input(&folders[0]).await {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let left = fixture.store.hold_sweep(60_000).await.unwrap();
        // On a busy machine, the turn may be over by now, and the sweep gets no other one.
        assert!(left <= 100, "{left}: a turn takes no longer");
        assert!(!fixture.store.sweep_turn(1000).await.unwrap());
        tokio::time::sleep(Duration::from_millis(u64::try_from(left).unwrap_or_default())).await;
        // Nothing is removed from here on, so that the copies of a backup are complete.
        let names = async || {
            let mut names = Vec::new();
            for shard in 0..=u8::MAX {
                names.extend(fixture.files.folders(Area::Inputs, shard).await.unwrap());
            }
            names
        };
        let there = names().await;
        let stopped = sweep.await.unwrap();
        assert!(matches!(stopped, Some(SweepError::Backup)), "{stopped:?}");
        assert_eq!(names().await, there);
        assert_eq!(fixture.store.hold_sweep(0).await.unwrap(), 0);
        assert!(fixture.store.sweep_turn(1000).await.unwrap());
    }

    #[tokio::test]
    async fn files_of_finished_steps_stay_as_long_as_the_task_shows_them() {
        let fixture = Fixture::new().await;
        let folder = fixture.ended(Vec::new(), None).await;
        let mut owner = fixture.store.folders(std::slice::from_ref(&folder)).await.unwrap().remove(0);
        let (needed, orphan) = (result_key(&folder, 1, 0, "png"), result_key(&folder, 1, 1, "png"));
        (owner.status, owner.attempts) = (TaskStatus::InProgress, 2);
        owner.work = format!(r#"{{"finished":[{{"pieces":[{{"file":"{needed}"}}]}}]}}"#);
        let is_orphan =
            |key: &str, owner: &FolderOwner| is_orphan(Area::Results, key, Some(owner), &Settings::default());
        assert!(!is_orphan(&needed, &owner) && is_orphan(&orphan, &owner));
        // A run whose later step has failed shows them.
        owner.status = TaskStatus::Failed;
        assert!(is_orphan(&needed, &owner));
        owner.results = format!(r#"[{{"file":"{needed}"}}]"#);
        assert!(!is_orphan(&needed, &owner) && is_orphan(&orphan, &owner));
    }

    #[tokio::test]
    async fn a_sweep_checks_some_shards_and_a_day_of_sweeps_checks_all() {
        let fixture = Fixture::new().await;
        // The inputs of submissions whose process died before the task was accepted.
        for shard in 0..=u8::MAX {
            let key = result_key(&format!("{shard:02x}{}", &random_folder()[2..]), 0, 0, "png");
            fixture.files.put(Area::Inputs, &key, Bytes::from_static(b"orphan")).await.unwrap();
        }
        let settings = Settings::default();
        let mut walk = Walk::beginning_at(250);
        let first = fixture.sweep(&settings, &mut walk).await;
        assert_eq!(first, Swept { files: 11, ..Swept::default() }, "a 24th of 256, rounded up");
        for _ in 1..24 {
            fixture.sweep(&settings, &mut walk).await;
        }
        for shard in 0..=u8::MAX {
            assert_eq!(fixture.files.folders(Area::Inputs, shard).await.unwrap(), [""; 0], "{shard:02x}");
        }
        let often = Settings { every: Duration::from_secs(1), orphan_age: Duration::ZERO, ..settings };
        assert_eq!(walk.on(&often).len(), 256, "without a minimum age, each sweep visits all shards");
    }
}
