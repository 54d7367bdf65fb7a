//! Health of the store in PostgreSQL.

use async_trait::async_trait;

use super::Postgres;
use crate::store::{DatabaseClock, Health, Result, Undelivered};
use crate::time::Millis;

#[async_trait]
impl Health for Postgres {
    async fn probe(&self) -> Result<()> {
        // No key has this id, but a read-only database rejects the statement all the same.
        sqlx::query("UPDATE keys SET name = name WHERE id = ''").execute(&self.pool).await?;
        Ok(())
    }

    async fn read_clock(&self, gap: Millis) -> Result<DatabaseClock> {
        let (now, jumped_at, held_until) = sqlx::query_as(
            "INSERT INTO clock AS seen (looked)
             VALUES (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
             ON CONFLICT (one) DO UPDATE SET
                 looked = excluded.looked,
                 since = CASE WHEN excluded.looked - seen.looked BETWEEN -60000 AND $1 THEN seen.since
                              ELSE excluded.looked END
             RETURNING looked, since, held_until",
        )
        .bind(gap)
        .fetch_one(&self.pool)
        .await?;
        Ok(DatabaseClock { now, jumped_at, held_until })
    }

    async fn hold_sweep(&self, milliseconds: Millis) -> Result<()> {
        sqlx::query(
            "INSERT INTO clock (looked, held_until)
             SELECT now, now + $1 FROM (
                 SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
             ) AS clock
             ON CONFLICT (one) DO UPDATE SET held_until = excluded.held_until",
        )
        .bind(milliseconds)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    async fn ended(&self) -> &'static str {
        self.ends.one().await
    }

    async fn close(&self) {
        self.pool.close().await;
    }

    async fn undelivered(&self) -> Result<Undelivered> {
        let (count, oldest): (i64, Option<i64>) =
            sqlx::query_as("SELECT count(*), min(created_at) FROM events WHERE state = 0")
                .fetch_one(&self.pool)
                .await?;
        Ok(Undelivered { count: count.unsigned_abs(), oldest })
    }
}
