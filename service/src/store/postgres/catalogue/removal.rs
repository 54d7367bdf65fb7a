//! Removal of catalogue records in PostgreSQL.

use async_trait::async_trait;
use sqlx::Connection as _;
use sqlx::postgres::{PgConnection, PgExecutor};

use super::super::Postgres;
use super::resources;
use crate::catalogue::RecordKind;
use crate::files::{Area, Files};
use crate::store::removal::{files_of, records_after};
use crate::store::{Removal, Result};
use crate::time::Millis;

#[async_trait]
impl Removal for Postgres {
    async fn records_after(&self, kind: RecordKind, id: i64, limit: u32) -> Result<Vec<(i64, String)>> {
        let records = sqlx::query_as(records_after(kind)).bind(id).bind(i64::from(limit));
        Ok(records.fetch_all(&self.pool).await?)
    }

    async fn remove_records(&self, kind: RecordKind, ids: &[i64], now: Millis) -> Result<u64> {
        let removed = async {
            let mut connection = self.pool.acquire().await?;
            let mut transaction = connection.begin().await?;
            let removed = remove(&mut transaction, kind, ids, now).await?;
            transaction.commit().await?;
            Ok(removed)
        };
        self.pool.within(removed).await
    }

    async fn unused_files(&self, before: Millis, limit: u32) -> Result<Vec<String>> {
        let keys =
            sqlx::query_scalar("SELECT key FROM unused_files WHERE since < $1 ORDER BY since LIMIT $2");
        Ok(keys.bind(before).bind(i64::from(limit)).fetch_all(&self.pool).await?)
    }

    async fn keep_files(&self, keys: &[String]) -> Result<()> {
        noted(&self.pool, keys).await.map(drop)
    }

    async fn remove_unused(&self, keys: &[String], files: &Files) -> Result<usize> {
        let removed = async {
            let mut connection = self.pool.acquire().await?;
            let mut transaction = connection.begin().await?;
            let unused = noted(&mut *transaction, keys).await?;
            for key in &unused {
                files.remove(Area::Catalogue, key).await?;
            }
            transaction.commit().await?;
            Ok(unused.len())
        };
        self.pool.within(removed).await
    }
}

/// Removes the notes of unused files; returns the files that were noted.
///
/// The order prevents deadlocks.
pub(super) async fn noted(db: impl PgExecutor<'_>, keys: &[String]) -> Result<Vec<String>> {
    let noted = sqlx::query_scalar(
        "DELETE FROM unused_files WHERE key IN (
             SELECT key FROM unused_files WHERE key = ANY($1) ORDER BY key FOR UPDATE
         ) RETURNING key",
    );
    Ok(noted.bind(keys).fetch_all(db).await?)
}

async fn remove(db: &mut PgConnection, kind: RecordKind, ids: &[i64], now: Millis) -> Result<u64> {
    let records: Vec<String> = match kind {
        RecordKind::Icons => {
            let removed = sqlx::query_scalar("DELETE FROM icons WHERE id = ANY($1) RETURNING record");
            removed.bind(ids).fetch_all(&mut *db).await?
        }
        RecordKind::Resources => resources::empty(db, ids).await?,
        RecordKind::Music | RecordKind::Effects => {
            let removed = "DELETE FROM audio WHERE kind = $1 AND id = ANY($2) RETURNING record";
            sqlx::query_scalar(removed).bind(kind.name()).bind(ids).fetch_all(&mut *db).await?
        }
    };
    let unused =
        "INSERT INTO unused_files (key, since) SELECT key, $2 FROM unnest($1::text[]) AS unused (key)
                  ORDER BY key ON CONFLICT (key) DO UPDATE SET since = excluded.since";
    sqlx::query(unused).bind(files_of(kind, &records)).bind(now).execute(db).await?;
    Ok(records.len() as u64)
}
