//! Health of the store in SQLite.

use async_trait::async_trait;
use sqlx::sqlite::SqliteConnection;

use super::Sqlite;
use crate::store::health::HELD_BACK;
use crate::store::{Caps, DatabaseClock, Health, HeldBack, Result, Undelivered};
use crate::time::Millis;

#[async_trait]
impl Health for Sqlite {
    async fn probe(&self) -> Result<()> {
        sqlx::query("SELECT 1 FROM keys LIMIT 1").execute(&self.readers).await?;
        self.writer.run((), |db, ()| Box::pin(touch(db))).await
    }

    async fn read_clock(&self, gap: Millis) -> Result<DatabaseClock> {
        let (now, jumped_at, held_until) = self.writer.run(gap, |db, gap| Box::pin(look(db, *gap))).await?;
        Ok(DatabaseClock { now, jumped_at, held_until })
    }

    async fn hold_sweep(&self, milliseconds: Millis) -> Result<Millis> {
        self.writer.run(milliseconds, |db, milliseconds| Box::pin(hold(db, *milliseconds))).await
    }

    async fn sweep_turn(&self, milliseconds: Millis) -> Result<bool> {
        self.writer.run(milliseconds, |db, milliseconds| Box::pin(turn(db, *milliseconds))).await
    }

    async fn ended(&self) -> &'static str {
        self.ends.one().await
    }

    async fn close(&self) {
        self.writer.close();
        self.ends.one().await;
        self.readers.close().await;
    }

    async fn undelivered(&self) -> Result<Undelivered> {
        let (count, oldest): (i64, Option<i64>) =
            sqlx::query_as("SELECT count(*), min(created_at) FROM events WHERE state = 0")
                .fetch_one(&self.readers)
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
            .fetch_one(&self.readers)
            .await?;
        Ok(HeldBack { tasks: tasks.unsigned_abs(), events: events.unsigned_abs() })
    }
}

async fn look(db: &mut SqliteConnection, gap: Millis) -> Result<(Millis, Option<Millis>, Millis)> {
    let looked = sqlx::query_as(
        "INSERT INTO clock (one, looked) VALUES (1, CAST(unixepoch('subsec') * 1000 AS INTEGER))
         ON CONFLICT (one) DO UPDATE SET
             looked = excluded.looked,
             since = iif(excluded.looked - looked BETWEEN -60000 AND ?, since, excluded.looked)
         RETURNING looked, since, held_until",
    )
    .bind(gap)
    .fetch_one(db)
    .await?;
    Ok(looked)
}

async fn hold(db: &mut SqliteConnection, milliseconds: Millis) -> Result<Millis> {
    let left = sqlx::query_scalar(
        "INSERT INTO clock (one, looked, held_until)
         SELECT 1, now, now + ?1 FROM (SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now) WHERE TRUE
         ON CONFLICT (one) DO UPDATE SET held_until = excluded.held_until
         RETURNING max(0, sweeping_until - held_until + ?1)",
    )
    .bind(milliseconds)
    .fetch_one(db)
    .await?;
    Ok(left)
}

async fn turn(db: &mut SqliteConnection, milliseconds: Millis) -> Result<bool> {
    let given = sqlx::query(
        "INSERT INTO clock (one, looked, sweeping_until)
         SELECT 1, now, now + ? FROM (SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS now) WHERE TRUE
         ON CONFLICT (one) DO UPDATE SET sweeping_until = max(sweeping_until, excluded.sweeping_until)
         WHERE held_until <= excluded.looked",
    )
    .bind(milliseconds)
    .execute(db)
    .await?;
    Ok(given.rows_affected() > 0)
}

/// Writes a page to the disk without changing any data.
///
/// SQLite leaves `user_version` to applications, and this one does not use it otherwise.
async fn touch(db: &mut SqliteConnection) -> Result<()> {
    sqlx::query("PRAGMA user_version = 1").execute(db).await?;
    Ok(())
}
