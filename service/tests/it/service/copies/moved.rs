//! `migrate --to`: all rows from one kind of database into the other, and back.

use std::path::Path;

use asset_service::store::transfer::scan;
use asset_service::store::{self, Access, Error, Schema};
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};

use super::completed;
use crate::service::backups::run;
use crate::service::outside::{PICTURE, SOUND};
use crate::service::requests::response;
use crate::service::running::{Running, binary, setting};
use crate::store::cluster::Cluster;
use crate::store::fixture::TestDatabase;

/// Returns all rows of all tables, and the tables and triggers themselves, as SQL values.
async fn rows(data: &Path) -> Vec<String> {
    let url = format!("sqlite://{}", data.join("service.db").display());
    let mut db = SqliteConnection::connect(&url).await.unwrap();
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM pragma_table_list WHERE type IN ('table', 'virtual') AND schema = 'main'
         AND name NOT IN ('_sqlx_migrations', 'sqlite_schema') ORDER BY name",
    )
    .fetch_all(&mut db)
    .await
    .unwrap();
    assert!(tables.len() > 14, "{tables:?}");
    let mut rows: Vec<String> =
        sqlx::query_scalar("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")
            .fetch_all(&mut db)
            .await
            .unwrap();
    for table in tables {
        let columns: Vec<String> =
            sqlx::query_scalar("SELECT 'quote(\"' || name || '\")' FROM pragma_table_info(?)")
                .bind(&table)
                .fetch_all(&mut db)
                .await
                .unwrap();
        let select = format!("SELECT {} FROM \"{table}\" ORDER BY 1", columns.join(" || ',' || "));
        let found: Vec<Option<String>> =
            sqlx::query_scalar(AssertSqlSafe(select)).fetch_all(&mut db).await.unwrap();
        rows.extend(found.into_iter().map(|row| format!("{table}: {}", row.unwrap_or_default())));
    }
    // The tokens of audio can be searched, and not read.
    let found: i64 = sqlx::query_scalar("SELECT count(*) FROM audio_tokens WHERE audio_tokens MATCH 'sfx'")
        .fetch_one(&mut db)
        .await
        .unwrap();
    assert_eq!(found, 1);
    db.close().await.unwrap();
    rows
}

async fn search(running: &Running, words: &str) -> usize {
    let (_, found) = response(running.get(&format!("/v1/sfx?q={words}"))).await;
    found["results"].as_array().unwrap_or_else(|| panic!("{found}")).len()
}

/// Fills the catalogue with a sound effect and a picture.
fn import(running: &Running) {
    let folder = tempfile::tempdir().unwrap();
    for (kind, category, name, bytes) in [
        ("sfx", "sci-fi-sounds", "laser.wav", SOUND.as_slice()),
        ("resources", "pictures", "coffee.jpg", PICTURE),
    ] {
        let folder = folder.path().join(kind);
        std::fs::create_dir_all(folder.join(category)).unwrap();
        std::fs::write(folder.join(category).join(name), bytes).unwrap();
        let imported = running.command(&["import", kind, folder.to_str().unwrap()]);
        assert!(imported.status.success(), "{imported:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_rows_move_to_postgresql_and_back() {
    let Some(cluster) = Cluster::shared() else { return };
    let mut running = Running::start(&[]);
    let hook = "http://127.0.0.1:9/nobody";
    let task = running.click(Some(hook.to_owned())).await;
    completed(&running, task).await;
    running.new_key(&["--enterprise"]);
    let url = cluster.database().await;
    let data = running.data().to_owned();
    let busy = run(&data, &["migrate", "--to", &url]);
    assert!(String::from_utf8_lossy(&busy.stderr).contains("another process (`serve`"), "{busy:?}");
    import(&running);
    assert_eq!(search(&running, "laser").await, 1);
    running.terminate();

    let before = rows(&data).await;
    let moved = run(&data, &["migrate", "--to", &url]);
    assert!(moved.status.success(), "{moved:?}");
    // The old service runs nothing any more.
    let left = rows(&data).await;
    let new: Vec<_> = left.iter().filter(|row| !before.contains(row)).collect();
    assert!(new.len() == 1 && new[0].starts_with("quiescence: "), "{new:?}");
    let again = run(&data, &["migrate", "--to", &url]);
    assert!(String::from_utf8_lossy(&again.stderr).contains("not empty"), "{again:?}");

    let occupied = run(&data, &["migrate", "--database-url", &url, "--to", data.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&occupied.stderr).contains("exists already"), "{occupied:?}");
    for file in ["service.db", "service.db-wal", "service.db-shm"] {
        let _ = std::fs::remove_file(data.join(file));
    }
    let back = run(&data, &["migrate", "--database-url", &url, "--to", data.to_str().unwrap()]);
    assert!(back.status.success(), "{back:?}");
    let after = rows(&data).await;
    let differ: Vec<_> = before.iter().filter(|row| !after.contains(row)).collect();
    assert!(before == after, "{differ:#?}");

    // PostgreSQL works with the same files, and continues to count where the other ended.
    let resumed = run(&data, &["resume", "--database-url", &url]);
    assert!(resumed.status.success(), "{resumed:?}");
    let settings = data.join("asset-service.toml");
    let text = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(&settings, format!("{}{text}", setting(&url))).unwrap();
    running.kill_and_restart(&[]);
    assert_eq!(search(&running, "laser").await, 1);
    completed(&running, task).await;
    let next = running.click(None).await;
    completed(&running, next).await;
    let busy = run(&data, &["migrate", "--to", data.join("other").to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&busy.stderr).contains("other processes"), "{busy:?}");
    let mut keys = 0;
    scan(Some(&url), &data, &["keys"], &mut |_, row| keys += usize::from(row("id").is_some())).await.unwrap();
    assert_eq!(keys, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_with_rows_is_refused_before_it_is_migrated() {
    let Some(cluster) = Cluster::shared() else { return };
    let production = TestDatabase::Url(cluster.database().await);
    production.open().await;
    production
        .run(
            "INSERT INTO keys (id, name, secret_hash, enterprise, tier, created_at)
              VALUES ('OLD00001', 'of production', decode(repeat('07', 32), 'hex'), FALSE, 'default', 5)",
        )
        .await;
    // As if its only migration were an earlier one.
    production.run("UPDATE _sqlx_migrations SET version = 0").await;
    let data = tempfile::tempdir().unwrap();
    assert!(run(data.path(), &["keys", "list"]).status.success());
    let refused = run(data.path(), &["migrate", "--to", &production.url()]);
    assert!(String::from_utf8_lossy(&refused.stderr).contains("not empty"), "{refused:?}");
    let schema = production.try_open(Schema::Expect).await.err().unwrap();
    assert!(matches!(schema, Error::OlderSchema { found: 0, .. }), "{schema}");
}

/// A database, by its data folder and its URL, if it is PostgreSQL.
struct At(std::path::PathBuf, Option<String>);

impl At {
    /// Returns the arguments that choose it, besides the data folder.
    fn arguments(&self) -> impl Iterator<Item = &str> {
        self.1.iter().flat_map(|url| ["--database-url", url])
    }

    fn run(&self, arguments: &[&str]) {
        let arguments: Vec<&str> = arguments.iter().copied().chain(self.arguments()).collect();
        let done = run(&self.0, &arguments);
        assert!(done.status.success(), "{done:?}");
    }

    /// Runs `migrate --to`, and kills it at this point.
    fn moves_until(&self, target: &Self, point: &str) {
        let mut command: std::process::Command = binary();
        command
            .args(["migrate", "--to", target.name()])
            .args(self.arguments())
            .arg("--data-dir")
            .arg(&self.0);
        let killed = command.env("ASSET_SERVICE_CRASH_AT", point).output().unwrap();
        assert_eq!(killed.status.code(), None, "{killed:?}");
    }

    fn name(&self) -> &str {
        self.1.as_deref().unwrap_or_else(|| self.0.to_str().unwrap())
    }

    async fn is_quiesced(&self) -> bool {
        let store = store::open(self.1.as_deref(), &self.0, Schema::Expect, Access::DEFAULT).await.unwrap();
        let quiescence = store.quiescence().await.unwrap();
        store.close().await;
        quiescence.is_some()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_move_never_leaves_two_databases_that_work() {
    let Some(cluster) = Cluster::shared() else { return };
    let temporary = tempfile::tempdir().unwrap();
    for (number, point, source_is_quiesced) in
        [(0, "target-copied", false), (1, "source-quiesced", true)].into_iter().cycle().take(4)
    {
        let folder = |name: &str| temporary.path().join(format!("{name}-{number}"));
        let embedded = At(folder("embedded"), None);
        let postgres = At(folder("postgres"), Some(cluster.database().await));
        let mut ends = [embedded, postgres];
        if ends[0].0.exists() {
            // The second time, the other way round.
            std::fs::remove_dir_all(&ends[0].0).unwrap();
            ends.reverse();
        }
        let [source, target] = ends;
        source.run(&["keys", "create", "--name", "one"]);
        source.moves_until(&target, point);
        assert!(target.is_quiesced().await, "{point}: {}", target.name());
        assert_eq!(source.is_quiesced().await, source_is_quiesced, "{point}: {}", source.name());
        if source_is_quiesced {
            // A second copy does not work while the first one runs either.
            let other = match &target.1 {
                Some(_) => At(folder("other"), Some(cluster.database().await)),
                None => At(folder("other"), None),
            };
            source.run(&["migrate", "--to", other.name()]);
            assert!(other.is_quiesced().await);
            target.run(&["resume"]);
        }
    }
}
