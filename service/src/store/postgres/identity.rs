//! Which files the rows in PostgreSQL name, and whether the database is quiesced.

use async_trait::async_trait;
use sqlx::Connection as _;

use super::{Postgres, changed};
use crate::store::identity::DETACH;
use crate::store::{Identity, Quiescence, Result};

#[async_trait]
impl Identity for Postgres {
    async fn files_id(&self, proposed: Option<&str>) -> Result<Option<String>> {
        if let Some(id) = proposed {
            sqlx::query("INSERT INTO identity (files_id) VALUES ($1) ON CONFLICT DO NOTHING")
                .bind(id)
                .execute(&self.pool)
                .await?;
        }
        let id = sqlx::query_scalar("SELECT files_id FROM identity").fetch_optional(&self.pool).await?;
        Ok(id)
    }

    async fn found_in(&self, folder: &str) -> Result<Option<String>> {
        let known =
            sqlx::query_scalar("SELECT folder FROM identity").fetch_optional(&self.pool).await?.flatten();
        if known.as_deref() != Some(folder) {
            sqlx::query("UPDATE identity SET folder = $1").bind(folder).execute(&self.pool).await?;
        }
        Ok(known)
    }

    async fn detach(&self, files_id: &str, quiescence: Option<&Quiescence>) -> Result<()> {
        let mut connection = self.pool.acquire().await?;
        let mut transaction = connection.begin().await?;
        sqlx::query("DELETE FROM identity").execute(&mut *transaction).await?;
        sqlx::query("INSERT INTO identity (files_id) VALUES ($1)")
            .bind(files_id)
            .execute(&mut *transaction)
            .await?;
        for statement in DETACH {
            sqlx::query(statement).execute(&mut *transaction).await?;
        }
        if let Some(Quiescence { since, reason }) = quiescence {
            sqlx::query("INSERT INTO quiescence (since, reason) VALUES ($1, $2)")
                .bind(since)
                .bind(reason)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn quiescence(&self) -> Result<Option<Quiescence>> {
        let row = sqlx::query_as("SELECT since, reason FROM quiescence").fetch_optional(&self.pool).await?;
        Ok(row.map(|(since, reason)| Quiescence { since, reason }))
    }

    async fn resume(&self) -> Result<bool> {
        Ok(changed(&sqlx::query("DELETE FROM quiescence").execute(&self.pool).await?))
    }

    async fn drop_events(&self) -> Result<u64> {
        let dropped = sqlx::query("UPDATE events SET state = 2, lease = NULL WHERE state = 0");
        Ok(dropped.execute(&self.pool).await?.rows_affected())
    }
}
