//! Tests of the sweep.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt as _;

use super::*;
use crate::domain::{
    Claim, Content, Created, Demand, Ended, Engines, FailureCause, NewTask, Only, Piece, Task,
};
use crate::files::{random_folder, result_key};
use crate::store::sqlite::Sqlite;

/// The work of a task whose first step has ended.
const WORK: &str = r#"{"steps":[],"finished":[{"engine":"e","pieces":[{"text":"a cat"}],"bytes":3}],"seed":1,"most_bytes":9}"#;

fn urls() -> FileUrls {
    FileUrls::new("https://assets.example.com")
}

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
            work: WORK.to_owned(),
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
            owner: "me".to_owned(),
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
        once(&self.store, &self.files, &urls(), self.clock.now(), settings, walk).await.unwrap()
    }

    /// Returns all stored inputs.
    async fn inputs(&self) -> Vec<String> {
        let shards = (0..=u8::MAX).map(|shard| self.files.shard(Area::Inputs, shard));
        let pages: Vec<Vec<Listed>> =
            futures_util::stream::iter(shards).flatten().try_collect().await.unwrap();
        pages.into_iter().flatten().map(|file| file.key).collect()
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
        once(&fixture.store, &fixture.files, &urls(), now, &settings, &mut walk).await.unwrap().given_up
    };
    let due = fixture.clock.now() + millis(7 * day);
    assert_eq!((sweep(due).await, sweep(due + 1).await, sweep(due + 2).await), (0, 1, 0));
    let task = fixture.store.any_task(id).await.unwrap().unwrap();
    let code = task.error.map(|cause| cause.code);
    assert_eq!((task.status, code.as_deref()), (TaskStatus::Failed, Some("engine_unavailable")));
    let earlier: Piece = Content::Text("a cat".to_owned()).into();
    assert_eq!(task.results, [earlier], "the results of earlier steps are lost");
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
    let (store, files, now) = (Arc::clone(&fixture.store), fixture.files.clone(), fixture.clock.now() + 1);
    let sweep = tokio::spawn(async move {
        once(&store, &files, &urls(), now, &settings, &mut Walk::beginning_at(0)).await.err()
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
    let there = fixture.inputs().await;
    let stopped = sweep.await.unwrap();
    assert!(matches!(stopped, Some(SweepError::Backup)), "{stopped:?}");
    assert_eq!(fixture.inputs().await, there);
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
    assert_eq!(fixture.inputs().await, [""; 0]);
    let often = Settings { every: Duration::from_secs(1), orphan_age: Duration::ZERO, ..settings };
    assert_eq!(walk.on(&often).len(), 256, "without a minimum age, each sweep visits all shards");
}
