//! Health of the store in SQLite.

use async_trait::async_trait;
use sqlx::sqlite::SqliteConnection;

use super::Sqlite;
use crate::store::{Health, Result, Undelivered};

#[async_trait]
impl Health for Sqlite {
    async fn probe(&self) -> Result<()> {
        sqlx::query("SELECT 1 FROM keys LIMIT 1").execute(&self.readers).await?;
        self.writer.run((), |db, ()| Box::pin(touch(db))).await
    }

    async fn undelivered(&self) -> Result<Undelivered> {
        let (count, oldest): (i64, Option<i64>) =
            sqlx::query_as("SELECT count(*), min(created_at) FROM events WHERE state = 0")
                .fetch_one(&self.readers)
                .await?;
        Ok(Undelivered { count: count.unsigned_abs(), oldest })
    }
}

/// Writes a page to the disk without changing any data.
///
/// SQLite leaves `user_version` to applications, and this one does not use it otherwise.
async fn touch(db: &mut SqliteConnection) -> Result<()> {
    sqlx::query("PRAGMA user_version = 1").execute(db).await?;
    Ok(())
}
