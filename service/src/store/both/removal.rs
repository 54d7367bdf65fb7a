//! Removal of catalogue records.

use async_trait::async_trait;

use super::super::{Connection, Database, NOTE_FILES, UNNOTE_FILES, audio, in_list, list, resources};
use super::catalogue::locked;
use crate::catalogue::RecordKind;
use crate::files::{Area, Files, FilesError};
use crate::store::removal::{files_of, records_after};
use crate::store::{Removal, Result};
use crate::time::Millis;

#[async_trait]
impl Removal for Database {
    async fn records_after(&self, kind: RecordKind, id: i64, limit: u32) -> Result<Vec<(i64, String)>> {
        let records = sqlx::query_as(records_after(kind)).bind(id).bind(i64::from(limit));
        Ok(records.fetch_all(self.reader()).await?)
    }

    async fn remove_records(&self, kind: RecordKind, ids: &[i64], now: Millis) -> Result<u64> {
        let input = (kind, ids.to_vec(), now);
        self.transact(input, |db, (kind, ids, now)| Box::pin(remove(db, *kind, ids, *now))).await
    }

    async fn unused_files(&self, before: Millis, limit: u32) -> Result<Vec<String>> {
        let keys =
            sqlx::query_scalar("SELECT key FROM unused_files WHERE since < $1 ORDER BY since LIMIT $2");
        Ok(keys.bind(before).bind(i64::from(limit)).fetch_all(self.reader()).await?)
    }

    async fn keep_files(&self, keys: &[String]) -> Result<()> {
        self.write(keys.to_vec(), |db, keys| Box::pin(unnote(db, keys))).await.map(drop)
    }

    async fn remove_unused(&self, keys: &[String], files: &Files) -> Result<usize> {
        let input = (keys.to_vec(), files.clone());
        self.transact(input, |db, (keys, files)| Box::pin(remove_files(db, keys, files))).await
    }
}

async fn remove(db: &mut Connection, kind: RecordKind, ids: &[i64], now: Millis) -> Result<u64> {
    let records: Vec<String> = match kind {
        RecordKind::Icons => {
            let removed = concat!("DELETE FROM icons WHERE id ", in_list!("$1"), " RETURNING record");
            sqlx::query_scalar(removed).bind(list(ids)).fetch_all(&mut *db).await?
        }
        RecordKind::Resources => {
            let (ids, records): (Vec<i64>, Vec<String>) = locked(db, ids).await?.into_iter().unzip();
            sqlx::query(resources::EMPTY).bind(list(&ids)).execute(&mut *db).await?;
            records
        }
        RecordKind::Music | RecordKind::Effects => audio::remove(db, kind, ids).await?,
    };
    sqlx::query(NOTE_FILES).bind(list(&files_of(kind, &records))).bind(now).execute(db).await?;
    Ok(records.len() as u64)
}

/// Removes files from the table of unused files, and returns those that were in it.
pub async fn unnote(db: &mut Connection, keys: &[String]) -> Result<Vec<String>> {
    Ok(sqlx::query_scalar(UNNOTE_FILES).bind(list(keys)).fetch_all(db).await?)
}

/// How long a transaction waits for the removal of files.
const REMOVAL: std::time::Duration = std::time::Duration::from_secs(5);

async fn remove_files(db: &mut Connection, keys: &[String], files: &Files) -> Result<usize> {
    let unused = unnote(db, keys).await?;
    let count = unused.len();
    // Other writes to the embedded database wait for this transaction. If it ends here, the files stay noted.
    let removed = tokio::time::timeout(REMOVAL, files.remove_all(Area::Catalogue, unused)).await;
    removed.unwrap_or(Err(FilesError::TooSlow))?;
    Ok(count)
}
