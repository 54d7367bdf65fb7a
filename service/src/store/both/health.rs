//! Health of the store.

use async_trait::async_trait;

use super::super::{Connection, Database, now};
use crate::domain::DeliveryCaps;
use crate::store::health::HELD_BACK;
use crate::store::{DatabaseClock, Health, HeldBack, Load, OldVersions, Result, Undelivered};
use crate::time::Millis;

#[async_trait]
impl Health for Database {
    async fn probe(&self) -> Result<()> {
        self.touch().await
    }

    async fn read_clock(&self, gap: Millis) -> Result<DatabaseClock> {
        self.write(gap, |db, gap| Box::pin(read_clock(db, *gap))).await
    }

    async fn hold_sweep(&self, milliseconds: Millis) -> Result<Millis> {
        self.write(milliseconds, |db, milliseconds| Box::pin(hold(db, *milliseconds))).await
    }

    async fn sweep_turn(&self, milliseconds: Millis) -> Result<bool> {
        let given = sqlx::query(concat!(
            "INSERT INTO clock AS seen (one, read_at, sweeping_until) SELECT TRUE, now, now + $1 FROM (SELECT ",
            now!(),
            " AS now) AS reading WHERE TRUE
             ON CONFLICT (one) DO UPDATE
             SET sweeping_until = CASE WHEN seen.sweeping_until > excluded.sweeping_until THEN seen.sweeping_until
                                       ELSE excluded.sweeping_until END
             WHERE seen.held_until <= excluded.read_at"
        ));
        self.change(given.bind(milliseconds)).await
    }

    fn load(&self) -> Load {
        let pools = self.connections();
        Load {
            connections: pools.iter().map(|pool| pool.size() as usize).sum(),
            idle: pools.iter().map(|pool| pool.num_idle()).sum(),
            most: pools.iter().map(|pool| pool.options().get_max_connections() as usize).sum(),
            writes_waiting: self.writes_waiting(),
            ahead: self.ahead(),
        }
    }

    async fn old_versions(&self) -> Result<Option<OldVersions>> {
        self.count_old_versions().await
    }

    async fn ended(&self) -> &'static str {
        self.loops.first_ended().await
    }

    async fn close(&self) {
        self.close_connections().await;
    }

    async fn undelivered(&self) -> Result<Undelivered> {
        let (count, oldest): (i64, Option<i64>) =
            sqlx::query_as("SELECT count(*), min(created_at) FROM events WHERE state = 0")
                .fetch_one(self.searcher())
                .await?;
        Ok(Undelivered { count: count.unsigned_abs(), oldest })
    }

    async fn held_back(&self, running_per_key: u32, caps: DeliveryCaps, now: Millis) -> Result<HeldBack> {
        let (tasks, events): (i64, i64) = sqlx::query_as(HELD_BACK)
            .bind(now)
            .bind(i64::from(running_per_key))
            .bind(i64::from(caps.per_lane))
            .bind(i64::from(caps.per_host))
            .bind(i64::from(caps.reserved))
            .bind(i64::from(caps.per_key))
            .fetch_one(self.reader())
            .await?;
        Ok(HeldBack { tasks: tasks.unsigned_abs(), events: events.unsigned_abs() })
    }
}

async fn read_clock(db: &mut Connection, gap: Millis) -> Result<DatabaseClock> {
    let (now, jumped_at, held_until) = sqlx::query_as(concat!(
        "INSERT INTO clock AS seen (one, read_at) VALUES (TRUE, ",
        now!(),
        ") ON CONFLICT (one) DO UPDATE SET
             read_at = excluded.read_at,
             jumped_at = CASE WHEN excluded.read_at - seen.read_at BETWEEN -60000 AND $1 THEN seen.jumped_at
                              ELSE excluded.read_at END
         RETURNING read_at, jumped_at, held_until"
    ))
    .bind(gap)
    .fetch_one(db)
    .await?;
    Ok(DatabaseClock { now, jumped_at, held_until })
}

async fn hold(db: &mut Connection, milliseconds: Millis) -> Result<Millis> {
    let left: Millis = sqlx::query_scalar(concat!(
        "INSERT INTO clock (one, read_at, held_until) SELECT TRUE, now, now + $1 FROM (SELECT ",
        now!(),
        " AS now) AS reading WHERE TRUE
         ON CONFLICT (one) DO UPDATE SET held_until = excluded.held_until
         RETURNING sweeping_until - held_until + $1"
    ))
    .bind(milliseconds)
    .fetch_one(db)
    .await?;
    Ok(left.max(0))
}
