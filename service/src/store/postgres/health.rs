//! Health of the store in PostgreSQL.

use async_trait::async_trait;

use super::Postgres;
use crate::store::{Health, Result, Undelivered};

#[async_trait]
impl Health for Postgres {
    async fn probe(&self) -> Result<()> {
        // No key has this id, but a read-only database rejects the statement all the same.
        sqlx::query("UPDATE keys SET name = name WHERE id = ''").execute(&self.pool).await?;
        Ok(())
    }

    async fn undelivered(&self) -> Result<Undelivered> {
        let (count, oldest): (i64, Option<i64>) =
            sqlx::query_as("SELECT count(*), min(created_at) FROM events WHERE state = 0")
                .fetch_one(&self.pool)
                .await?;
        Ok(Undelivered { count: count.unsigned_abs(), oldest })
    }
}
