//! Resources in PostgreSQL.

use sqlx::postgres::PgConnection;

use super::removal;
use crate::store::catalogue::{ResourceRow, different, files, ids};
use crate::store::postgres::pool::Pool;
use crate::store::{Imported, Result};

/// The advisory lock of imports: a later commit must have the higher `seq`.
const TURN: i64 = 0x6173_7365_7400_0003;

/// The number of records per statement.
const BATCH: usize = 500;

pub(super) async fn put(db: &mut PgConnection, rows: &[ResourceRow]) -> Result<Imported> {
    removal::noted(&mut *db, &files(rows)).await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(TURN).execute(&mut *db).await?;
    let there = sqlx::query_as(OF).bind(ids(rows)).fetch_all(&mut *db).await?;
    let (imported, different) = different(rows, there);
    for batch in different.chunks(BATCH) {
        let (ids, records): (Vec<i64>, Vec<&str>) =
            batch.iter().map(|row| (row.id, row.record.as_str())).unzip();
        sqlx::query(
            "INSERT INTO resources (id, record) SELECT * FROM unnest($1::bigint[], $2::text[])
             ON CONFLICT (id) DO UPDATE SET seq = DEFAULT, record = excluded.record",
        )
        .bind(ids)
        .bind(records)
        .execute(&mut *db)
        .await?;
    }
    Ok(imported)
}

pub(super) async fn last(db: &Pool) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT coalesce(max(seq), 0) FROM resources").fetch_one(db).await?)
}

pub(super) async fn after(db: &Pool, seq: i64, limit: u32) -> Result<Vec<(i64, i64, String)>> {
    let rows = sqlx::query_as("SELECT seq, id, record FROM resources WHERE seq > $1 ORDER BY seq LIMIT $2")
        .bind(seq)
        .bind(i64::from(limit))
        .fetch_all(db)
        .await?;
    Ok(rows)
}

/// Empties resources and returns their records: the new `seq` tells the index of each process.
pub(super) async fn empty(db: &mut PgConnection, ids: &[i64]) -> Result<Vec<String>> {
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(TURN).execute(&mut *db).await?;
    let there: Vec<(i64, String)> = sqlx::query_as(OF).bind(ids).fetch_all(&mut *db).await?;
    let (ids, records): (Vec<i64>, Vec<String>) = there.into_iter().unzip();
    let emptied = sqlx::query("UPDATE resources SET seq = DEFAULT, record = '' WHERE id = ANY($1)");
    emptied.bind(ids).execute(db).await?;
    Ok(records)
}

/// An empty record stands for a removed one.
const OF: &str = "SELECT id, record FROM resources WHERE id = ANY($1) AND record <> ''";

pub(super) async fn of(db: &Pool, ids: &[i64]) -> Result<(i64, Vec<String>)> {
    let of = "SELECT (SELECT coalesce(max(seq), 0) FROM resources), array_agg(record)
              FROM resources WHERE id = ANY($1) AND record <> ''";
    let (last, records): (i64, Option<Vec<String>>) = sqlx::query_as(of).bind(ids).fetch_one(db).await?;
    Ok((last, records.unwrap_or_default()))
}
