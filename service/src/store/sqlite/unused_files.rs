//! The notes of unused files in SQLite.

use sqlx::sqlite::SqliteConnection;

use super::list;
use crate::store::Result;
use crate::time::Millis;

/// Removes the notes of unused files; returns the files that were noted.
pub(super) async fn unnote(db: &mut SqliteConnection, keys: &[String]) -> Result<Vec<String>> {
    let noted = "DELETE FROM unused_files WHERE key IN (SELECT value FROM json_each(?)) RETURNING key";
    Ok(sqlx::query_scalar(noted).bind(list(keys)).fetch_all(db).await?)
}

/// Notes files as unused.
pub(super) async fn note(db: &mut SqliteConnection, keys: &[String], now: Millis) -> Result<()> {
    let noted = "INSERT INTO unused_files (key, since) SELECT value, ?2 FROM json_each(?1) WHERE TRUE
                 ON CONFLICT (key) DO UPDATE SET since = excluded.since";
    sqlx::query(noted).bind(list(keys)).bind(now).execute(db).await?;
    Ok(())
}
