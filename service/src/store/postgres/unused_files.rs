//! The notes of unused files in PostgreSQL.

use sqlx::postgres::PgConnection;

use crate::store::Result;
use crate::time::Millis;

/// Removes the notes of unused files; returns the files that were noted.
///
/// The order prevents deadlocks.
pub(super) async fn unnote(db: &mut PgConnection, keys: &[String]) -> Result<Vec<String>> {
    let noted = "DELETE FROM unused_files WHERE key IN (
                     SELECT key FROM unused_files WHERE key = ANY($1) ORDER BY key FOR UPDATE
                 ) RETURNING key";
    Ok(sqlx::query_scalar(noted).bind(keys).fetch_all(db).await?)
}

/// Notes files as unused.
pub(super) async fn note(db: &mut PgConnection, keys: &[String], now: Millis) -> Result<()> {
    let noted = "INSERT INTO unused_files (key, since) SELECT key, $2 FROM unnest($1::text[]) AS unused (key)
                 ORDER BY key ON CONFLICT (key) DO UPDATE SET since = excluded.since";
    sqlx::query(noted).bind(keys).bind(now).execute(db).await?;
    Ok(())
}
