//! Removal of catalogue records in SQLite.

use async_trait::async_trait;
use sqlx::sqlite::SqliteConnection;

use super::super::Sqlite;
use super::list;
use crate::catalogue::RecordKind;
use crate::files::{Area, Files};
use crate::store::removal::{files_of, records_after};
use crate::store::{Removal, Result};
use crate::time::Millis;

#[async_trait]
impl Removal for Sqlite {
    async fn records_after(&self, kind: RecordKind, id: i64, limit: u32) -> Result<Vec<(i64, String)>> {
        let records = sqlx::query_as(records_after(kind)).bind(id).bind(limit);
        Ok(records.fetch_all(&self.readers).await?)
    }

    async fn remove_records(&self, kind: RecordKind, ids: &[i64], now: Millis) -> Result<u64> {
        let input = (kind, ids.to_vec(), now);
        self.writer.run(input, |db, (kind, ids, now)| Box::pin(remove(db, *kind, ids, *now))).await
    }

    async fn unused_files(&self, before: Millis, limit: u32) -> Result<Vec<String>> {
        let keys = sqlx::query_scalar("SELECT key FROM unused_files WHERE since < ? ORDER BY since LIMIT ?");
        Ok(keys.bind(before).bind(limit).fetch_all(&self.readers).await?)
    }

    async fn keep_files(&self, keys: &[String]) -> Result<()> {
        self.writer.run(keys.to_vec(), |db, keys| Box::pin(keep(db, keys))).await
    }

    async fn remove_unused(&self, keys: &[String], files: &Files) -> Result<usize> {
        let input = (keys.to_vec(), files.clone());
        self.writer.run(input, |db, (keys, files)| Box::pin(remove_files(db, keys, files))).await
    }
}

/// Removes the notes of unused files.
pub(super) async fn keep(db: &mut SqliteConnection, keys: &[String]) -> Result<()> {
    let kept = sqlx::query("DELETE FROM unused_files WHERE key IN (SELECT value FROM json_each(?))");
    kept.bind(list(keys)).execute(db).await?;
    Ok(())
}

async fn remove(db: &mut SqliteConnection, kind: RecordKind, ids: &[i64], now: Millis) -> Result<u64> {
    let records = match kind {
        RecordKind::Icons => {
            let removed = "DELETE FROM icons WHERE id IN (SELECT value FROM json_each(?)) RETURNING record";
            sqlx::query_scalar(removed).bind(list(ids)).fetch_all(&mut *db).await?
        }
        RecordKind::Resources => resources(db, ids).await?,
        RecordKind::Music | RecordKind::Effects => audio(db, kind, ids).await?,
    };
    let unused = "INSERT INTO unused_files (key, since) SELECT value, ?2 FROM json_each(?1) WHERE TRUE
                  ON CONFLICT (key) DO UPDATE SET since = excluded.since";
    sqlx::query(unused).bind(list(files_of(kind, &records))).bind(now).execute(db).await?;
    Ok(records.len() as u64)
}

/// Empties resources: the new `seq` tells the index of each process.
async fn resources(db: &mut SqliteConnection, ids: &[i64]) -> Result<Vec<String>> {
    let there: Vec<(i64, String)> = sqlx::query_as(
        "SELECT id, record FROM resources WHERE id IN (SELECT value FROM json_each(?)) AND record <> ''",
    )
    .bind(list(ids))
    .fetch_all(&mut *db)
    .await?;
    let (ids, records): (Vec<i64>, Vec<String>) = there.into_iter().unzip();
    let emptied = "INSERT OR REPLACE INTO resources (id, record) SELECT value, '' FROM json_each(?)";
    sqlx::query(emptied).bind(list(ids)).execute(db).await?;
    Ok(records)
}

async fn audio(db: &mut SqliteConnection, kind: RecordKind, ids: &[i64]) -> Result<Vec<String>> {
    let removed: Vec<(i64, String)> = sqlx::query_as(
        "DELETE FROM audio WHERE kind = ? AND id IN (SELECT value FROM json_each(?)) RETURNING seq, record",
    )
    .bind(kind.name())
    .bind(list(ids))
    .fetch_all(&mut *db)
    .await?;
    let (seqs, records): (Vec<i64>, Vec<String>) = removed.into_iter().unzip();
    let tokens = "DELETE FROM audio_tokens WHERE rowid IN (SELECT value FROM json_each(?))";
    sqlx::query(tokens).bind(list(seqs)).execute(db).await?;
    Ok(records)
}

async fn remove_files(db: &mut SqliteConnection, keys: &[String], files: &Files) -> Result<usize> {
    let unused = "DELETE FROM unused_files WHERE key IN (SELECT value FROM json_each(?)) RETURNING key";
    let unused: Vec<String> = sqlx::query_scalar(unused).bind(list(keys)).fetch_all(db).await?;
    for key in &unused {
        files.remove(Area::Catalogue, key).await?;
    }
    Ok(unused.len())
}
