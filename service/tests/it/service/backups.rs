//! A backup of a running service, restored elsewhere.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use asset_api_client::Client;
use asset_api_client::models::common::TaskStatus;
use asset_api_client::models::image_to_prompt::ImageToPromptRequest;
use asset_api_client::models::sound_effects::SoundEffectRequest;
use axum::body::Bytes;
use uuid::Uuid;

use super::bodies::{base64, png};
use super::running::{Database, binary, on_both_databases};
use crate::service::http_client;
use crate::service::waiting::TIMEOUT;

/// Returns PATH with the folder of PostgreSQL's programs.
fn path() -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = crate::store::cluster::programs().into_iter().chain(std::env::split_paths(&path));
    std::env::join_paths(folders).unwrap()
}

pub(super) fn run(data: &Path, arguments: &[&str]) -> std::process::Output {
    let mut command: Command = binary();
    command.args(arguments).arg("--data-dir").arg(data).env("PATH", path()).output().unwrap()
}

on_both_databases! { a_backup_under_load_has_all_accepted_tasks_with_their_files }

const SETTINGS: &str =
    "[tiers.default]\nburst = 10000\nper-second = 10000.0\n[retention]\nsweep-seconds = 1\n";

/// A task, whose type is that of its operation.
#[derive(Debug, Clone, Copy)]
enum Accepted {
    Sound(Uuid),
    /// Its picture is an input file, which the task needs until it is completed.
    Picture(Uuid),
}

/// Creates a task of each kind.
async fn create(client: &Client) -> [Accepted; 2] {
    let picture = ImageToPromptRequest::new(base64(&png(64, 64)));
    let sound = client.create_sound_effect(SoundEffectRequest::new("click", 0.5)).await.unwrap();
    let picture = client.create_image_to_prompt(picture).await.unwrap();
    [Accepted::Sound(sound.data.task_id), Accepted::Picture(picture.data.task_id)]
}

/// Waits until the task is completed, and reads its result.
async fn result(client: &Client, files: &reqwest::Client, accepted: Accepted) -> Bytes {
    for _ in 0..1200 {
        let task = match accepted {
            Accepted::Sound(id) => client.get_sound_effect(id).await.unwrap().data,
            Accepted::Picture(id) => client.get_image_to_prompt(id).await.unwrap().data,
        };
        assert_ne!(task.status, TaskStatus::Failed, "{task:?}");
        match task.generated.first() {
            Some(file) if file.starts_with("http") => {
                let response = files.get(file).send().await.unwrap();
                assert_eq!(response.status(), 200, "{file}");
                return response.bytes().await.unwrap();
            }
            Some(text) => return text.clone().into(),
            None => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    panic!("{accepted:?} is not completed");
}

async fn a_backup_under_load_has_all_accepted_tasks_with_their_files(database: Database) {
    let Some(running) = database.start(SETTINGS, &["--threads", "1"]).await else { return };
    let (load, files) = (running.client(), http_client::new());
    let accepted = Arc::new(Mutex::new(Vec::new()));
    let clients: Vec<_> = (0..2)
        .map(|_| {
            let (client, accepted) = (load.clone(), Arc::clone(&accepted));
            tokio::spawn(async move {
                loop {
                    let tasks = create(&client).await;
                    accepted.lock().unwrap().extend(tasks);
                    // Without a pause, the restored service has thousands of tasks to complete.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            })
        })
        .collect();
    let begun = Instant::now();
    while accepted.lock().unwrap().len() < 12 {
        assert!(!clients.iter().any(tokio::task::JoinHandle::is_finished), "a client failed");
        assert!(begun.elapsed() < TIMEOUT, "the service accepts too few tasks");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let before = accepted.lock().unwrap().clone();
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().join("backup");
    let (data, into) = (running.data().to_owned(), folder.clone());
    let backup = tokio::task::spawn_blocking(move || run(&data, &["backup", into.to_str().unwrap()]));
    let backup = backup.await.unwrap();
    assert!(backup.status.success(), "{backup:?}");
    clients.iter().for_each(|client| client.abort());
    let meanwhile = accepted.lock().unwrap().len() - before.len();
    assert!(meanwhile > 0, "{meanwhile} tasks during the backup");
    let again = run(running.data(), &["backup", folder.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&again.stderr).contains("is not empty"), "{again:?}");
    let occupied = run(running.data(), &["restore", folder.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&occupied.stderr).contains("exists already"), "{occupied:?}");

    let data = temporary.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let elsewhere = database.setting().await.unwrap();
    std::fs::write(data.join("asset-service.toml"), format!("drain-seconds = 0\n{elsewhere}{SETTINGS}"))
        .unwrap();
    // The original is given up.
    let restored = run(&data, &["restore", folder.to_str().unwrap(), "--no-quiesce"]);
    assert!(restored.status.success(), "{restored:?}");
    // Data that the first service still has must not help the other one.
    let first = result(&load, &files, before[0]).await;
    drop(running.command(&["keys", "revoke", running.key_id()]));
    let mut there = running.start_on(&data, &[]);
    drop(running);
    // Waiting tasks end there.
    let client = there.client();
    assert_eq!(result(&client, &files, before[0]).await, first);
    for accepted in before {
        result(&client, &files, accepted).await;
    }
    there.terminate();
}

#[test]
fn no_command_uses_a_folder_whose_restore_was_interrupted() {
    let temporary = tempfile::tempdir().unwrap();
    let (data, other) = (temporary.path().join("data"), temporary.path().join("other"));
    assert!(run(&data, &["keys", "list"]).status.success());
    std::fs::write(data.join("restore-incomplete"), "").unwrap();
    std::fs::create_dir(data.join("files")).unwrap();
    let other = other.to_str().unwrap();
    for arguments in [
        ["migrate"].as_slice(),
        &["migrate", "--to", "postgres://localhost/none"],
        &["migrate", "--database-url", "postgres://localhost/none", "--to", other],
        &["engines", "list"],
        &["keys", "list"],
        &["serve", "--listen", "127.0.0.1:0"],
        &["backup", other],
    ] {
        let refused = run(&data, arguments);
        assert_eq!(refused.status.code(), Some(1), "{arguments:?}: {refused:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("was interrupted"), "{refused:?}");
    }
    let whole = temporary.path().join("whole");
    let to = data.to_str().unwrap();
    let refused = run(&whole, &["migrate", "--database-url", "postgres://localhost/none", "--to", to]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("was interrupted"), "{refused:?}");
}

#[tokio::test]
async fn a_restored_database_is_private_from_the_start() {
    use std::os::unix::fs::PermissionsExt as _;

    let temporary = tempfile::tempdir().unwrap();
    let (data, new, folder) =
        (temporary.path().join("data"), temporary.path().join("new"), temporary.path().join("backup"));
    assert!(run(&data, &["keys", "list"]).status.success());
    assert!(run(&data, &["backup", folder.to_str().unwrap()]).status.success());
    // As if it had been copied from another machine.
    std::fs::set_permissions(folder.join("service.db"), std::fs::Permissions::from_mode(0o644)).unwrap();
    asset_service::store::restore(None, &new, &folder).await.unwrap();
    let mode = std::fs::metadata(new.join("service.db")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let copied = std::fs::read(new.join("service.db")).unwrap();
    assert_eq!(copied, std::fs::read(folder.join("service.db")).unwrap());
}

#[test]
fn many_warnings_of_pg_restore_are_read_beside_its_rows() {
    use std::os::unix::fs::PermissionsExt as _;

    let temporary = tempfile::tempdir().unwrap();
    let programs = temporary.path().join("programs");
    std::fs::create_dir(&programs).unwrap();
    let script = "#!/bin/sh\nhead -c 300000 /dev/zero >&2\necho 'COPY public.tasks (id) FROM stdin;'\n";
    std::fs::write(programs.join("pg_restore"), script).unwrap();
    std::fs::set_permissions(programs.join("pg_restore"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let folder = temporary.path().join("backup");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("database.dump"), "").unwrap();
    let empty_hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let list = format!("{empty_hash}  database.dump\n# 1 files, 0 bytes\n");
    std::fs::write(folder.join("backup-complete"), list).unwrap();
    let mut command: Command = binary();
    let path = std::env::join_paths([programs, "/usr/bin".into(), "/bin".into()]).unwrap();
    let verified = command.args(["restore", "--verify"]).arg(&folder).env("PATH", path).output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
}
