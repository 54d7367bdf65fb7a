//! A backup of a running service, restored elsewhere.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use asset_api_client::models::common::{Task, TaskStatus};
use asset_api_client::models::sound_effects::{ListSoundEffectsInput, SoundEffectRequest};
use uuid::Uuid;

use super::running::{Database, Running, binary};

async fn create(running: &Running) -> Uuid {
    running.client().create_sound_effect(SoundEffectRequest::new("click", 0.5)).await.unwrap().data.task_id
}

async fn completed(running: &Running, id: Uuid) -> Task {
    for _ in 0..600 {
        let task = running.client().get_sound_effect(id).await.unwrap().data;
        if task.status == TaskStatus::Completed {
            return task;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{id} is not completed");
}

/// Returns PATH with the folder of PostgreSQL's programs.
fn path() -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = crate::store::cluster::programs().into_iter().chain(std::env::split_paths(&path));
    std::env::join_paths(folders).unwrap()
}

fn run(data: &Path, arguments: &[&str]) -> std::process::Output {
    let mut command: Command = binary();
    command.args(arguments).arg("--data-dir").arg(data).env("PATH", path()).output().unwrap()
}

async fn is_restored(database: Database) {
    const UNLIMITED: &str =
        "[tiers.default]\nburst = 10000\nper-second = 10000.0\n[retention]\nsweep-seconds = 1\n";
    let Some(setting) = database.setting().await else { return };
    let settings = format!("{setting}{UNLIMITED}");
    let running = Running::start_with(&settings, &[], &[]);
    let done = create(&running).await;
    completed(&running, done).await;

    // Clients create tasks meanwhile.
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("backup");
    let (data, into) = (running.data().to_owned(), folder.clone());
    let backup = tokio::task::spawn_blocking(move || run(&data, &["backup", into.to_str().unwrap()]));
    while !backup.is_finished() {
        create(&running).await;
    }
    let backup = backup.await.unwrap();
    assert!(backup.status.success(), "{backup:?}");
    let again = run(running.data(), &["backup", folder.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&again.stderr).contains("is not empty"), "{again:?}");
    let occupied = run(running.data(), &["restore", folder.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&occupied.stderr).contains("exists already"), "{occupied:?}");

    let data = place.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let elsewhere = database.setting().await.unwrap();
    std::fs::write(data.join("asset-service.toml"), format!("drain-seconds = 0\n{elsewhere}{UNLIMITED}"))
        .unwrap();
    let restored = run(&data, &["restore", folder.to_str().unwrap()]);
    assert!(restored.status.success(), "{restored:?}");
    drop(running.command(&["keys", "revoke", running.key_id()]));
    let mut there = running.elsewhere(&data);
    let task = completed(&there, done).await;
    let file = reqwest::get(&task.generated[0]).await.unwrap();
    assert!(file.status() == 200 && task.generated[0].starts_with(&there.url));
    // What was accepted before the backup ends after the restore.
    let listed =
        async || there.client().list_sound_effects(ListSoundEffectsInput::default()).await.unwrap().data;
    for _ in 0..600 {
        if listed().await.iter().all(|task| task.status == TaskStatus::Completed) {
            there.terminate();
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{:?}", listed().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_sqlite_is_restored() {
    is_restored(Database::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_of_postgresql_is_restored() {
    is_restored(Database::Postgres).await;
}
