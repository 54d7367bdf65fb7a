//! Processes with different engines share one queue; migrations are separate from other commands.

use asset_api_client::models::common::TaskStatus;
use asset_api_client::models::sound_effects::SoundEffectRequest;
use asset_api_client::models::voiceover::VoiceoverRequest;

use asset_service::domain::{Demand, Engines};
use sqlx::Connection as _;

use super::bare::Bare;
use super::running::{Database, Running};
use super::waiting::{ended, eventually};
use crate::store::fixture;
use crate::store::shape::shape;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_leaves_work_that_it_cannot_do_to_others() {
    let Some(setting) = Database::Postgres.setting().await else { return };
    let running = Running::start_with(&setting, &["--threads", "0"], &[]);
    let client = running.client();
    let spoken = client.create_voiceover(VoiceoverRequest::new("Hello.", "narrator")).await.unwrap();
    let (spoken, silent) = (spoken.data.task_id, tempfile::NamedTempFile::new().unwrap());
    std::fs::write(silent.path(), format!("{setting}[families.voiceover]\nengine = \"none\"\n")).unwrap();
    let _silent = running.start_beside(&["--config", silent.path().to_str().unwrap()], &[]);

    let sound = client.create_sound_effect(SoundEffectRequest::new("click", 0.5)).await.unwrap();
    let sound = ended(async || client.get_sound_effect(sound.data.task_id).await.unwrap().data).await;
    assert_eq!(sound.status, TaskStatus::Completed, "{sound:?}");
    let task = async || client.get_voiceover(spoken).await.unwrap().data;
    assert_eq!(task().await.status, TaskStatus::Created, "nobody here can speak");

    let _speaker = running.start_beside(&[], &[]);
    let task = ended(task).await;
    assert_eq!(task.status, TaskStatus::Completed, "{task:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_without_the_catalogue_refuses_only_the_search_for_resources() {
    let running = Running::start(&["--no-catalogue", "--threads", "0"]);
    let get = async |path: &str| running.get(path).send().await.unwrap();
    let refused = get("/v1/resources").await;
    assert_eq!(refused.status(), 503);
    assert!(
        refused.headers().contains_key("retry-after") && refused.headers().contains_key("x-ratelimit-limit")
    );
    assert!(refused.text().await.unwrap().contains("does not serve the search for resources"));
    for path in ["/v1/sfx?q=rain", "/readyz"] {
        assert_eq!(get(path).await.status(), 200, "{path}");
    }
}

/// Returns how many attempts at tasks of a family a process has left to others.
async fn left_to_others(running: &Running, family: &str) -> Option<u64> {
    let name = format!("task_attempt_seconds_count{{family=\"{family}\",outcome=\"unsupported\"}} ");
    running.metrics().await.lines().find_map(|line| line.strip_prefix(&name)?.parse().ok())
}

/// Checks that a process does not repeatedly claim a task that it has left to others.
///
/// A claim that is in progress when it leaves the task to others can take it again.
async fn is_left_alone(running: &Running, family: &str) {
    let count = left_to_others(running, family).await.unwrap();
    assert!(count <= 3, "{count} times");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_of_a_newer_process_are_left_to_it() {
    let running = Running::start(&["--threads", "1"]);
    let store = running.store().await;
    let put = async |family: &str| {
        let mut new = fixture::task(running.key_id());
        new.work = r#"{"plan": "of the next release"}"#.to_owned();
        new.demand = Demand { engines: Engines::built_in([family]), size: 5 };
        fixture::create(&store, new).await.id
    };
    let (unknown, unreadable) = (put("hologram").await, put("sound-effects").await);
    eventually("the task is not left to others", async || left_to_others(&running, "sound-effects").await)
        .await;
    let client = running.client();
    let sound = client.create_sound_effect(SoundEffectRequest::new("click", 0.5)).await.unwrap().data.task_id;
    let status = async |id| client.get_sound_effect(id).await.unwrap().data.status;
    let sound = ended(async || client.get_sound_effect(sound).await.unwrap().data).await;
    assert_eq!(sound.status, TaskStatus::Completed, "{sound:?}");
    assert_eq!(status(unknown).await, TaskStatus::Created);
    assert_eq!(status(unreadable).await, TaskStatus::InProgress);
    is_left_alone(&running, "sound-effects").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_that_no_process_can_read_fails_an_hour_after_its_first_attempt() {
    let mut running = Running::start(&["--threads", "0"]);
    let store = running.store().await;
    let mut new = fixture::task(running.key_id());
    new.work = r#"{"plan": "of the next release"}"#.to_owned();
    let (id, folder) = (fixture::create(&store, new).await.id, running.data().join("service.db"));
    store.close().await;
    let pool = sqlx::SqlitePool::connect(&format!("sqlite://{}", folder.display())).await.unwrap();
    let begin = sqlx::query(
        "UPDATE tasks SET status = 1, attempt = 7, refunded = 7, updated_at = updated_at - 3600000",
    );
    begin.execute(&pool).await.unwrap();
    pool.close().await;
    running.kill_and_restart(&[]);
    let client = running.client();
    let task = ended(async || client.get_sound_effect(id).await.unwrap().data).await;
    assert_eq!(task.error.map(|error| error.code).as_deref(), Some("engine_unavailable"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_that_an_engine_refuses_is_left_to_others() {
    let mut running = Running::start(&["--threads", "0"]);
    let sound = SoundEffectRequest::new("click", 0.5);
    let id = running.client().create_sound_effect(sound).await.unwrap().data.task_id;
    let url = format!("sqlite://{}", running.data().join("service.db").display());
    let pool = sqlx::SqlitePool::connect(&url).await.unwrap();
    // Another version of the service may know a sound of this name.
    sqlx::query("UPDATE tasks SET work = replace(work, 'click', 'xyzzy')").execute(&pool).await.unwrap();
    running.kill_and_restart(&["--threads", "1"]);
    eventually("the task is not left to others", async || left_to_others(&running, "sound-effects").await)
        .await;
    let task = running.client().get_sound_effect(id).await.unwrap().data;
    assert_eq!((task.status, task.error), (TaskStatus::InProgress, None));

    let hour_ago = "UPDATE tasks SET updated_at = updated_at - 3600000, due_at = 0";
    sqlx::query(hour_ago).execute(&pool).await.unwrap();
    pool.close().await;
    running.kill_and_restart(&["--threads", "1"]);
    let task = running.sound(id).await;
    assert_eq!(task.status, TaskStatus::Failed);
    assert_eq!(task.error.map(|error| error.code).as_deref(), Some("unsupported_parameters"));
}

/// Gives a migration of the database in this data folder another version.
async fn set_version(bare: &Bare, from: i64, to: i64) {
    let url = format!("sqlite://{}", bare.data().join("service.db").display());
    let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
    let set = sqlx::query("UPDATE _sqlx_migrations SET version = ? WHERE version = ?").bind(to).bind(from);
    set.execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_refuse_an_older_schema() {
    let bare = Bare::new("migrate = false\n");
    bare.key(&[]);
    set_version(&bare, 1, 0).await;
    for arguments in [
        &["keys", "list"][..],
        &["tasks", "list"],
        &["serve", "--listen", "127.0.0.1:0"],
        &["serve", "--no-migrate", "--listen", "127.0.0.1:0"],
    ] {
        let refused = bare.command(arguments);
        let message = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && message.contains("`asset-service migrate`"), "{message}");
    }
    set_version(&bare, 0, 1).await;
    let migrated = bare.command(&["migrate"]);
    let message = String::from_utf8(migrated.stdout).unwrap();
    assert!(migrated.status.success() && message.contains("already"), "{message}");
    assert!(bare.command(&["keys", "list"]).status.success());
    let service = bare.serve("warn", &["--listen", "127.0.0.1:0", "--threads", "0"]);
    let message = bare.command(&["migrate"]);
    assert!(!message.status.success(), "SQLite can't be migrated under a running service");
    service.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serve_gives_an_empty_database_its_schema() {
    let bare = Bare::new("");
    bare.serve("warn", &["--listen", "127.0.0.1:0", "--threads", "0"]).stop();
    let migrated = bare.command(&["migrate"]);
    let message = String::from_utf8(migrated.stdout).unwrap();
    assert!(migrated.status.success() && message.contains("already"), "{message}");
    assert!(bare.command(&["keys", "list"]).status.success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_schema_of_development_is_refused() {
    for database in [Database::Sqlite, Database::Postgres] {
        let Some(setting) = database.setting().await else { continue };
        let bare = Bare::new(&setting);
        bare.key(&[]);
        let url = match database {
            Database::Sqlite => format!("sqlite://{}", bare.data().join("service.db").display()),
            Database::Postgres => setting.split('"').nth(1).unwrap().to_owned(),
        };
        run(&url, "UPDATE _sqlx_migrations SET checksum = ''").await;
        for arguments in [&["serve", "--listen", "127.0.0.1:0"][..], &["keys", "list"], &["migrate"]] {
            let refused = bare.command(arguments);
            let reported = String::from_utf8(refused.stderr).unwrap();
            let unknown = "error: the database has a schema that this version doesn't know (migration 1); ";
            assert!(reported.starts_with(unknown) && !refused.status.success(), "{arguments:?}: {reported}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_schema_is_refused_and_stays_as_it_is() {
    for database in [Database::Sqlite, Database::Postgres] {
        let Some(setting) = database.setting().await else { continue };
        let bare = Bare::new(&setting);
        bare.key(&[]);
        let url = match database {
            Database::Sqlite => format!("sqlite://{}", bare.data().join("service.db").display()),
            Database::Postgres => setting.split('"').nth(1).unwrap().to_owned(),
        };
        migrate_further(&url).await;
        let (before, folder) = (shape(&url).await, bare.data().join("backup"));
        assert!(before.contains_key(&("keys".to_owned(), "column of_the_next_release".to_owned())));
        for arguments in [
            &["serve", "--listen", "127.0.0.1:0"][..],
            &["keys", "list"],
            &["migrate"],
            &["backup", folder.to_str().unwrap()],
        ] {
            let refused = bare.command(arguments);
            let message = String::from_utf8(refused.stderr).unwrap();
            assert_eq!((refused.status.code(), refused.stdout), (Some(2), vec![]), "{arguments:?}");
            let unknown =
                "error: the database has a schema that this version doesn't know (migration 9999); ";
            assert!(message.starts_with(unknown), "{message}");
            assert_eq!(message.lines().count(), 1, "{message}");
        }
        assert_eq!(shape(&url).await, before);
        assert!(!folder.exists());
    }
}

/// Migrates the database as a later release might.
async fn migrate_further(url: &str) {
    const NEWER: &str = "ALTER TABLE keys ADD COLUMN of_the_next_release TEXT;
        INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (9999, 'newer', TRUE, '', 0)";
    run(url, NEWER).await;
}

/// Runs statements on a database.
async fn run(url: &str, sql: &'static str) {
    if url.starts_with("sqlite:") {
        let mut connection = sqlx::SqliteConnection::connect(url).await.unwrap();
        sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    } else {
        let mut connection = sqlx::PgConnection::connect(url).await.unwrap();
        sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }
}
