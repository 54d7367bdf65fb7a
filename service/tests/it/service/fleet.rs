//! Processes with different engines share one queue; migrations are separate from other commands.

use std::time::Duration;

use asset_api_client::models::common::TaskStatus;
use asset_api_client::models::sound_effects::SoundEffectRequest;
use asset_api_client::models::voiceover::VoiceoverRequest;

use super::bare::Bare;
use super::running::{Database, Running};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_leaves_work_that_it_cannot_do_to_others() {
    let Some(setting) = Database::Postgres.setting().await else { return };
    let running = Running::start_with(&setting, &["--threads", "0"], &[]);
    let client = running.client();
    let spoken = client.create_voiceover(VoiceoverRequest::new("Hello.", "narrator")).await.unwrap();
    let (spoken, silent) = (spoken.data.task_id, tempfile::NamedTempFile::new().unwrap());
    std::fs::write(silent.path(), format!("{setting}[families.voiceover]\nengine = \"none\"\n")).unwrap();
    let _silent = running.beside(&["--config", silent.path().to_str().unwrap()], &[]);

    let sound = client.create_sound_effect(SoundEffectRequest::new("click", 0.5)).await.unwrap();
    let is_done = async || {
        let task = client.get_sound_effect(sound.data.task_id).await.unwrap().data;
        task.status == TaskStatus::Completed
    };
    while !is_done().await {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let task = async || client.get_voiceover(spoken).await.unwrap().data;
    assert_eq!(task().await.status, TaskStatus::Created, "nobody here can speak");

    let _speaker = running.beside(&[], &[]);
    for _ in 0..600 {
        if task().await.status == TaskStatus::Completed {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{:?}", task().await);
}

/// Gives the database in this data folder the schema of the first release.
async fn set_back(bare: &Bare) {
    std::fs::remove_file(bare.data().join("service.db")).unwrap();
    let url = format!("sqlite://{}?mode=rwc", bare.data().join("service.db").display());
    let pool = sqlx::SqlitePool::connect(&url).await.unwrap();
    asset_service::store::sqlite::MIGRATIONS.run_to(11, &pool).await.unwrap();
    pool.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_refuse_an_older_schema_until_it_is_migrated() {
    let bare = Bare::new("migrate = false\n");
    bare.key(&[]);
    set_back(&bare).await;
    for arguments in [&["keys", "list"][..], &["tasks", "list"], &["serve", "--listen", "127.0.0.1:0"]] {
        let refused = bare.command(arguments);
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && told.contains("`asset-service migrate`"), "{told}");
    }
    for expected in ["from version 11 to", "already"] {
        let migrated = bare.command(&["migrate"]);
        let told = String::from_utf8(migrated.stdout).unwrap();
        assert!(migrated.status.success() && told.contains(expected), "{told}");
    }
    assert!(bare.command(&["keys", "list"]).status.success());
    let service = bare.serve("warn", &["--listen", "127.0.0.1:0", "--threads", "0"]);
    let told = bare.command(&["migrate"]);
    assert!(!told.status.success(), "SQLite can't be migrated under a running service");
    service.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serve_migrates_unless_it_is_told_not_to() {
    let bare = Bare::new("");
    bare.key(&[]);
    set_back(&bare).await;
    let refused = bare.command(&["serve", "--no-migrate", "--listen", "127.0.0.1:0"]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("`asset-service migrate`"));
    bare.serve("warn", &["--listen", "127.0.0.1:0", "--threads", "0"]).stop();
    assert!(bare.command(&["keys", "list"]).status.success());
}
