//! Resources in SQLite.

use serde_json::Value;
use sqlx::sqlite::{SqliteConnection, SqlitePool};

use super::{list, removal};
use crate::store::catalogue::{ResourceRow, different, files, ids};
use crate::store::{Imported, Result};

/// The number of records per statement.
const BATCH: usize = 500;

pub(super) async fn put(db: &mut SqliteConnection, rows: &[ResourceRow]) -> Result<Imported> {
    removal::keep(db, &files(rows)).await?;
    let there = sqlx::query_as(OF).bind(list(ids(rows))).fetch_all(&mut *db).await?;
    let (imported, different) = different(rows, there);
    for batch in different.chunks(BATCH) {
        let batch: Vec<Value> = batch
            .iter()
            .map(|row| vec![Value::from(row.id), Value::from(row.record.as_str())].into())
            .collect();
        // A replaced row gets a new `seq`.
        sqlx::query(
            "INSERT OR REPLACE INTO resources (id, record) SELECT value ->> 0, value ->> 1 FROM json_each(?)",
        )
        .bind(list(batch))
        .execute(&mut *db)
        .await?;
    }
    Ok(imported)
}

pub(super) async fn last(db: &SqlitePool) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT coalesce(max(seq), 0) FROM resources").fetch_one(db).await?)
}

/// Separates records in one text; JSON never contains this character unescaped.
///
/// Each row of a result costs a message between two threads, and copies of its values. One text with all
/// records costs that once.
const SEPARATOR: char = '\u{1e}';

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

/// An empty record stands for a removed one.
const OF: &str =
    "SELECT id, record FROM resources WHERE id IN (SELECT value FROM json_each(?)) AND record <> ''";

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
