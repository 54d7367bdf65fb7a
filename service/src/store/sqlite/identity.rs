//! Which files the rows in SQLite name, and whether the database is quiesced.

use async_trait::async_trait;
use sqlx::sqlite::SqliteConnection;

use super::Sqlite;
use crate::store::identity::DETACH;
use crate::store::{Identity, Quiescence, Result};

#[async_trait]
impl Identity for Sqlite {
    /// Returns `proposed`, because the database file lies in the folder of its files.
    async fn files_id(&self, proposed: Option<&str>) -> Result<Option<String>> {
        Ok(proposed.map(str::to_owned))
    }

    /// Returns `None`, because the database file is copied together with the files.
    async fn found_in(&self, _folder: &str) -> Result<Option<String>> {
        Ok(None)
    }

    async fn detach(&self, _files_id: &str, quiescence: Option<&Quiescence>) -> Result<()> {
        self.writer.run(quiescence.cloned(), |db, quiescence| Box::pin(detach(db, quiescence))).await
    }

    async fn quiescence(&self) -> Result<Option<Quiescence>> {
        let row =
            sqlx::query_as("SELECT since, reason FROM quiescence").fetch_optional(&self.readers).await?;
        Ok(row.map(|(since, reason)| Quiescence { since, reason }))
    }

    async fn resume(&self) -> Result<bool> {
        Ok(self.execute("DELETE FROM quiescence").await? > 0)
    }

    async fn drop_events(&self) -> Result<u64> {
        self.execute("UPDATE events SET state = 2, lease = NULL WHERE state = 0").await
    }
}

impl Sqlite {
    /// Runs a statement without parameters; returns the number of affected rows.
    async fn execute(&self, statement: &'static str) -> Result<u64> {
        self.writer.run(statement, |db, statement| Box::pin(execute(db, statement))).await
    }
}

async fn execute(db: &mut SqliteConnection, statement: &'static str) -> Result<u64> {
    Ok(sqlx::query(statement).execute(db).await?.rows_affected())
}

async fn detach(db: &mut SqliteConnection, quiescence: &Option<Quiescence>) -> Result<()> {
    for statement in DETACH {
        sqlx::query(statement).execute(&mut *db).await?;
    }
    if let Some(Quiescence { since, reason }) = quiescence {
        sqlx::query("INSERT INTO quiescence (one, since, reason) VALUES (1, ?, ?)")
            .bind(since)
            .bind(reason)
            .execute(db)
            .await?;
    }
    Ok(())
}
