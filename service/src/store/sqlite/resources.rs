//! Resources in SQLite.

use serde_json::json;
use sqlx::sqlite::{SqliteConnection, SqlitePool};

use super::list;
use crate::store::Result;
use crate::store::catalogue::Row;

/// Separates records in one text; JSON never contains this character unescaped.
///
/// Each row of a result costs a message between two threads, and copies of its values. One text with all
/// records costs that once.
const SEPARATOR: char = '\u{1e}';

/// SQLite has one writer, so an import needs no lock.
pub(super) const LOCK: Option<&str> = None;

/// Empties resources: $1. The new `seq` makes the index of each process read them again.
pub(super) const EMPTY: &str =
    "INSERT OR REPLACE INTO resources (id, record) SELECT value, '' FROM json_each(?)";

/// Stores resources; a replaced row gets a new `seq`.
pub(super) async fn put(db: &mut SqliteConnection, rows: &[&Row]) -> Result<()> {
    let rows: Vec<_> = rows.iter().map(|row| json!([row.id, row.record])).collect();
    let put =
        "INSERT OR REPLACE INTO resources (id, record) SELECT value ->> 0, value ->> 1 FROM json_each(?)";
    sqlx::query(put).bind(list(&rows)).execute(db).await?;
    Ok(())
}

pub(super) async fn after(db: &SqlitePool, seq: i64, limit: u32) -> Result<Vec<(i64, i64, String)>> {
    let text: Option<String> = sqlx::query_scalar(
        "SELECT group_concat(seq || ' ' || id || ' ' || record, char(30))
         FROM (SELECT seq, id, record FROM resources WHERE seq > ? ORDER BY seq LIMIT ?)",
    )
    .bind(seq)
    .bind(limit)
    .fetch_one(db)
    .await?;
    let row = |row: &str| {
        let mut parts = row.splitn(3, ' ');
        let mut number = || parts.next().and_then(|number| number.parse().ok()).unwrap_or_default();
        (number(), number(), parts.next().unwrap_or_default().to_owned())
    };
    Ok(text.unwrap_or_default().split_terminator(SEPARATOR).map(row).collect())
}

pub(super) async fn of(db: &SqlitePool, ids: &[i64]) -> Result<(i64, Vec<String>)> {
    let (last, text): (i64, Option<String>) = sqlx::query_as(
        "SELECT (SELECT coalesce(max(seq), 0) FROM resources), group_concat(record, char(30))
         FROM resources WHERE id IN (SELECT value FROM json_each(?)) AND record <> ''",
    )
    .bind(list(ids))
    .fetch_one(db)
    .await?;
    Ok((last, text.unwrap_or_default().split_terminator(SEPARATOR).map(str::to_owned).collect()))
}
