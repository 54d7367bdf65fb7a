//! Resources in PostgreSQL.

use sqlx::postgres::PgConnection;

use crate::store::Result;
use crate::store::catalogue::Row;
use crate::store::postgres::pool::Pool;

/// Takes the turn of an import: a later commit must have the higher `seq`.
pub(super) const LOCK: Option<&str> = Some("SELECT pg_advisory_xact_lock(x'6173736574000003'::bigint)");

/// Empties resources: $1. The new `seq` makes the index of each process read them again.
pub(super) const EMPTY: &str = "UPDATE resources SET seq = DEFAULT, record = '' WHERE id = ANY($1)";

/// Stores resources; a replaced row gets a new `seq`.
pub(super) async fn put(db: &mut PgConnection, rows: &[&Row]) -> Result<()> {
    let (ids, records): (Vec<i64>, Vec<&str>) = rows.iter().map(|row| (row.id, row.record.as_str())).unzip();
    let put = "INSERT INTO resources (id, record) SELECT * FROM unnest($1::bigint[], $2::text[])
               ON CONFLICT (id) DO UPDATE SET seq = DEFAULT, record = excluded.record";
    sqlx::query(put).bind(ids).bind(records).execute(db).await?;
    Ok(())
}

pub(super) async fn after(db: &Pool, seq: i64, limit: u32) -> Result<Vec<(i64, i64, String)>> {
    let after = sqlx::query_as("SELECT seq, id, record FROM resources WHERE seq > $1 ORDER BY seq LIMIT $2");
    Ok(after.bind(seq).bind(i64::from(limit)).fetch_all(db).await?)
}

pub(super) async fn of(db: &Pool, ids: &[i64]) -> Result<(i64, Vec<String>)> {
    let of = "SELECT (SELECT coalesce(max(seq), 0) FROM resources), array_agg(record)
              FROM resources WHERE id = ANY($1) AND record <> ''";
    let (last, records): (i64, Option<Vec<String>>) = sqlx::query_as(of).bind(ids).fetch_one(db).await?;
    Ok((last, records.unwrap_or_default()))
}
