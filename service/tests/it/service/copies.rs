//! A restored copy and its original run at the same time: the copy never does the original's work.

mod beside;
mod moved;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use asset_api_client::models::common::TaskStatus;
use asset_api_client::models::sound_effects::SoundEffectRequest;
use asset_service::settings::Settings;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use sqlx::{Connection as _, PgConnection, SqliteConnection};
use uuid::Uuid;

use super::backups::run;
use super::running::{Database, Running, on_both_databases};
use super::waiting::eventually;
use crate::service::http_client;
use crate::store::cluster::Cluster;

on_both_databases! {
    a_restored_copy_never_does_the_work_of_its_original
    a_damaged_backup_is_found
}

const SETTINGS: &str = "base-url = \"https://assets.example.com\" # public\n[retention]\nsweep-seconds = 1\n\
                        [tiers.default]\nburst = 10000\nper-second = 10000.0\n";

/// A receiver of webhooks that counts the deliveries of each event.
#[derive(Clone, Default)]
struct Receiver {
    delivered: Arc<Mutex<BTreeMap<String, u32>>>,
    refuses: Arc<AtomicBool>,
    url: String,
}

impl Receiver {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let receiver = Self { url, ..Self::default() };
        let app = axum::Router::new().fallback(deliver).with_state(receiver.clone());
        tokio::spawn(axum::serve(listener, app).into_future());
        receiver
    }

    fn delivered(&self) -> BTreeMap<String, u32> {
        self.delivered.lock().unwrap().clone()
    }
}

async fn deliver(State(receiver): State<Receiver>, headers: HeaderMap) -> StatusCode {
    if receiver.refuses.load(Ordering::SeqCst) {
        return StatusCode::INTERNAL_SERVER_ERROR;
    }
    let event = headers["webhook-id"].to_str().unwrap().to_owned();
    *receiver.delivered.lock().unwrap().entry(event).or_default() += 1;
    StatusCode::OK
}

async fn status(running: &Running, task: Uuid) -> TaskStatus {
    running.client().get_sound_effect(task).await.unwrap().data.status
}

async fn completed(running: &Running, task: Uuid) {
    eventually("the task is completed", async || {
        (status(running, task).await == TaskStatus::Completed).then_some(())
    })
    .await;
}

async fn text(running: &Running, path: &str) -> (u16, String) {
    let response = http_client::get(format!("{}{path}", running.url)).await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

/// Makes a backup, and restores it into another data folder and another database.
async fn copy(database: Database, original: &Running, temporary: &Path, arguments: &[&str]) -> Output {
    let (folder, copy) = (temporary.join("backup"), temporary.join("copy"));
    let (folder, url) = (folder.to_str().unwrap(), empty_database_url(database).await);
    let backup = run(original.data(), &["backup", folder]);
    assert!(backup.status.success(), "{backup:?}");
    let url: Vec<&str> = url.iter().flat_map(|url| ["--database-url", url]).collect();
    let restored = run(&copy, &[&["restore", folder], arguments, &url].concat());
    assert!(restored.status.success(), "{restored:?}");
    restored
}

/// Returns the URL of an empty database, if it is not the embedded one.
async fn empty_database_url(database: Database) -> Option<String> {
    match database {
        Database::Sqlite => None,
        Database::Postgres => Some(Cluster::shared().unwrap().database().await),
    }
}

async fn a_restored_copy_never_does_the_work_of_its_original(database: Database) {
    let Some(mut original) = database.start(SETTINGS, &["--threads", "1"]).await else { return };
    let receiver = Receiver::start().await;
    receiver.refuses.store(true, Ordering::SeqCst);
    let done = original.click(Some(receiver.url.clone())).await;
    completed(&original, done).await;
    // A process without engines leaves the other tasks to a process that joins it.
    original.kill_and_restart(&["--threads", "0"]);
    let mut waiting = Vec::new();
    for _ in 0..4 {
        waiting.push(original.click(Some(receiver.url.clone())).await);
    }
    let temporary = tempfile::tempdir().unwrap();
    let restored = copy(database, &original, temporary.path(), &[]).await;
    let data = temporary.path().join("copy");
    // The next attempts are minutes away, after several failures.
    receiver.refuses.store(false, Ordering::SeqCst);
    deliver_now(original.data()).await;
    let there = original.start_on(&data, &[]);
    eventually("the original delivers its pending event", async || {
        (!receiver.delivered().is_empty()).then_some(())
    })
    .await;
    // A copy that works has time to do it.
    deliver_now(&data).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    for task in &waiting {
        for process in [&original, &there] {
            assert_eq!(status(process, *task).await, TaskStatus::Created);
        }
    }
    assert_eq!(status(&there, done).await, TaskStatus::Completed);
    assert_eq!(receiver.delivered().values().copied().collect::<Vec<_>>(), [1]);
    assert!(String::from_utf8_lossy(&restored.stdout).contains("quiesced"), "{restored:?}");
    is_quiesced(&there, &data).await;
    can_not_join(&original, &data);

    original.kill_and_restart(&["--threads", "1"]);
    for task in &waiting {
        completed(&original, *task).await;
    }
    let store = original.store().await;
    eventually("the original delivers all events", async || {
        (store.undelivered().await.unwrap().count == 0).then_some(())
    })
    .await;
    let resumed = run(&data, &["resume", "--cancel-tasks", "--drop-webhooks"]);
    let output = String::from_utf8_lossy(&resumed.stdout).into_owned();
    assert!(
        output.contains("cancelled 4 tasks") && output.contains("gave up 5 webhook events"),
        "{resumed:?}"
    );
    let audit = run(&data, &["audit"]);
    assert!(String::from_utf8_lossy(&audit.stdout).contains("give up events"), "{audit:?}");
    eventually("the copy is ready", async || (text(&there, "/readyz").await.0 == 200).then_some(())).await;
    let own = there.click(None).await;
    completed(&there, own).await;
    eventually("the sweep of the copy runs", async || {
        there.metrics().await.contains("\nsweep_paused 0\n").then_some(())
    })
    .await;
    let again = run(&data, &["resume"]);
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    assert!(receiver.delivered().values().all(|count| *count == 1), "{:?}", receiver.delivered());
}

/// Makes all pending events due.
async fn deliver_now(data: &Path) {
    execute(data, "UPDATE events SET due_at = 0 WHERE state = 0").await;
}

/// Runs a statement on the database of a data folder.
async fn execute(data: &Path, update: &'static str) {
    let settings = Settings::load(None, data).unwrap();
    if let Some(url) = settings.database_url {
        let mut db = PgConnection::connect(&url).await.unwrap();
        sqlx::query(update).execute(&mut db).await.unwrap();
    } else {
        let url = format!("sqlite://{}", data.join("service.db").display());
        let mut db = SqliteConnection::connect(&url).await.unwrap();
        sqlx::query(update).execute(&mut db).await.unwrap();
    }
}

/// A copy says that it is quiesced, refuses tasks, and has no address of its original.
async fn is_quiesced(there: &Running, data: &Path) {
    let settings = std::fs::read_to_string(data.join("asset-service.toml")).unwrap();
    let url = "# of the original: base-url = \"https://assets.example.com\" # public";
    assert!(settings.contains(url), "{settings}");
    let (status, why) = text(there, "/readyz").await;
    assert!(status == 503 && why.starts_with("quiesced"), "{why}");
    let metrics = there.metrics().await;
    assert!(metrics.contains("\nquiesced 1\n"), "{metrics}");
    let refused = there.impatient_client().create_sound_effect(SoundEffectRequest::new("click", 0.5)).await;
    assert!(refused.unwrap_err().to_string().contains("quiesced"));
}

/// The folder of a copy is refused by the database of its original with any settings.
fn can_not_join(original: &Running, data: &Path) {
    let settings = std::fs::read_to_string(original.data().join("asset-service.toml")).unwrap();
    let Some((_, url)) = settings.split_once("database-url = \"") else { return };
    let url = url.split('"').next().unwrap();
    let joined = run(data, &["serve", "--listen", "127.0.0.1:0", "--database-url", url]);
    let why = String::from_utf8_lossy(&joined.stderr).into_owned();
    assert!(joined.status.code() == Some(2) && why.contains("in another folder"), "{joined:?}");
    // Nor is a plain copy of the folder of the original.
    let plain = data.parent().unwrap().join("plain");
    let copied =
        std::process::Command::new("cp").arg("-a").arg(original.data()).arg(&plain).status().unwrap();
    assert!(copied.success());
    for _ in 0..2 {
        let joined = run(&plain, &["serve", "--listen", "127.0.0.1:0"]);
        let why = String::from_utf8_lossy(&joined.stderr).into_owned();
        assert!(joined.status.code() == Some(2) && why.contains("is a copy of"), "{joined:?}");
    }
    // A restore refuses settings that would lead there.
    let temporary = tempfile::tempdir().unwrap();
    std::fs::write(temporary.path().join("asset-service.toml"), &settings).unwrap();
    let backup = data.parent().unwrap().join("backup");
    let arguments = ["restore", backup.to_str().unwrap(), "--database-url", "postgres://localhost/another"];
    let refused = run(temporary.path(), &arguments);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("another `database-url`"), "{refused:?}");
}

async fn a_damaged_backup_is_found(database: Database) {
    let Some(running) = database.start(SETTINGS, &[]).await else { return };
    let task = running.click(None).await;
    completed(&running, task).await;
    let temporary = tempfile::tempdir().unwrap();
    let (folder, second) = (temporary.path().join("backup"), temporary.path().join("second"));
    let (name, second) = (folder.to_str().unwrap(), second.to_str().unwrap());
    assert!(run(running.data(), &["backup", name]).status.success());
    execute(running.data(), "UPDATE tasks SET results = 'nonsense'").await;
    assert!(run(running.data(), &["backup", second]).status.success());
    let unread = run(temporary.path(), &["restore", second, "--verify"]);
    assert_eq!(unread.status.code(), Some(1), "{unread:?}");
    assert!(
        String::from_utf8_lossy(&unread.stderr).contains("1 row of the database can't be read"),
        "{unread:?}"
    );

    let verify = || run(temporary.path(), &["restore", name, "--verify"]);
    let intact = verify();
    assert!(String::from_utf8_lossy(&intact.stdout).contains("is complete and intact"), "{intact:?}");

    let list = std::fs::read_to_string(folder.join("backup-complete")).unwrap();
    let result = list.lines().find(|line| line.contains("files/results/")).unwrap();
    let path = folder.join(result.split_once("  ").unwrap().1);
    std::fs::remove_file(&path).unwrap();
    let missing = verify();
    assert!(String::from_utf8_lossy(&missing.stderr).contains("is missing"), "{missing:?}");
    // A list without the file, as if it had been removed during the backup: the rows still name it.
    let files: u64 = list.rsplit_once("# ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
    let without = list.replace(&format!("{result}\n"), "");
    let without = without.replace(&format!("# {files} files"), &format!("# {} files", files - 1));
    std::fs::write(folder.join("backup-complete"), without).unwrap();
    let unnamed = verify();
    assert_eq!(unnamed.status.code(), Some(1), "{unnamed:?}");
    assert!(String::from_utf8_lossy(&unnamed.stderr).contains("rows of the database name"), "{unnamed:?}");

    let copy =
        ["service.db", "database.dump"].map(|name| folder.join(name)).into_iter().find(|copy| copy.exists());
    let copy = copy.unwrap();
    let mut bytes = std::fs::read(&copy).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&copy, bytes).unwrap();
    let changed = verify();
    assert!(String::from_utf8_lossy(&changed.stderr).contains("has changed"), "{changed:?}");
    let refused = run(&temporary.path().join("new"), &["restore", name]);
    assert!(!refused.status.success(), "{refused:?}");
}
