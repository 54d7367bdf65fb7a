//! Health of the store in PostgreSQL.

use async_trait::async_trait;

use super::{Postgres, changed};
use crate::store::health::HELD_BACK;
use crate::store::{Caps, DatabaseClock, Health, HeldBack, Result, Undelivered};
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

    async fn hold_sweep(&self, milliseconds: Millis) -> Result<Millis> {
        let left = sqlx::query_scalar(
            "INSERT INTO clock AS held (looked, held_until)
             SELECT now, now + $1 FROM (
                 SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
             ) AS read
             ON CONFLICT (one) DO UPDATE SET held_until = excluded.held_until
             RETURNING greatest(0, held.sweeping_until - held.held_until + $1)",
        );
        Ok(left.bind(milliseconds).fetch_one(&self.pool).await?)
    }

    async fn sweep_turn(&self, milliseconds: Millis) -> Result<bool> {
        let given = sqlx::query(
            "INSERT INTO clock AS seen (looked, sweeping_until)
             SELECT now, now + $1 FROM (
                 SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
             ) AS read
             ON CONFLICT (one) DO UPDATE
             SET sweeping_until = greatest(seen.sweeping_until, excluded.sweeping_until)
             WHERE seen.held_until <= excluded.looked",
        );
        Ok(changed(&given.bind(milliseconds).execute(&self.pool).await?))
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

    async fn held_back(&self, caps: Caps, now: Millis) -> Result<HeldBack> {
        let (tasks, events): (i64, i64) = sqlx::query_as(HELD_BACK)
            .bind(now)
            .bind(i64::from(caps.running_per_key))
            .bind(i64::from(caps.per_lane))
            .bind(i64::from(caps.per_host))
            .bind(i64::from(caps.reserved))
            .bind(i64::from(caps.per_key))
            .fetch_one(&self.pool)
            .await?;
        Ok(HeldBack { tasks: tasks.unsigned_abs(), events: events.unsigned_abs() })
    }
}
