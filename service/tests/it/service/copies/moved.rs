//! `migrate --to`: all rows from one kind of database into the other, and back.

use std::path::Path;

use asset_service::store::transfer::scan;
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};

use super::{completed, create};
use crate::service::backups::run;
use crate::service::outside::{PICTURE, SOUND};
use crate::service::running::{Running, setting};
use crate::store::cluster::Cluster;

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
    let url = format!("{}/v1/sfx?q={words}", running.url);
    let request = reqwest::Client::new().get(url).header("x-service-api-key", &running.key);
    let found: serde_json::Value = request.send().await.unwrap().json().await.unwrap();
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
    let task = create(&running, Some(hook)).await;
    completed(&running, task).await;
    running.new_key(&["--enterprise"]);
    let url = cluster.database().await;
    let data = running.data().to_owned();
    let busy = run(&data, &["migrate", "--to", &url]);
    assert!(String::from_utf8_lossy(&busy.stderr).contains("another `serve`"), "{busy:?}");
    import(&running);
    assert_eq!(search(&running, "laser").await, 1);
    running.terminate();

    let before = rows(&data).await;
    let moved = run(&data, &["migrate", "--to", &url]);
    assert!(moved.status.success(), "{moved:?}");
    // What is left behind runs nothing any more.
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
    let next = create(&running, None).await;
    completed(&running, next).await;
    let busy = run(&data, &["migrate", "--to", data.join("other").to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&busy.stderr).contains("other processes"), "{busy:?}");
    let mut keys = 0;
    scan(Some(&url), &data, &["keys"], &mut |_, row| keys += usize::from(row("id").is_some())).await.unwrap();
    assert_eq!(keys, 2);
}
