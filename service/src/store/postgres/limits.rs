//! The use of limits over all processes.
//!
//! Its tables are not in the write-ahead log, so that commits don't wait for the disk. A crash of the database empties
//! them, which fills all buckets.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;

use super::shared::column;
use super::{Postgres, now};
use crate::keys::limits::Used;
use crate::store::Result;
use crate::store::limits::SharedLimits;

/// Adds uses to the buckets. The order of the locks prevents deadlocks.
///
/// A bucket that lacks more than its maximum was stored before the clock was set back, and counts as full.
/// A use counts from its first call on, as if no process had counted alone. If two processes add a bucket at the same
/// moment, one use is lost: the bucket was full.
const ADD_USED: &str = "
    WITH used (caller, used, since, most) AS MATERIALIZED (
        SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[])
    ),
    clock (now) AS MATERIALIZED (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint),
    held (caller, full_at) AS MATERIALIZED (
        SELECT caller, full_at FROM rates WHERE caller = ANY ($1) ORDER BY caller FOR UPDATE
    ),
    added (caller, full_at) AS (
        INSERT INTO rates (caller, full_at)
        SELECT caller, least(greatest(CASE WHEN full_at <= now + most THEN full_at ELSE 0 END, now - since) + used, now + most)
        FROM used CROSS JOIN clock LEFT JOIN held USING (caller) ORDER BY caller
        ON CONFLICT (caller) DO UPDATE SET full_at = excluded.full_at RETURNING caller, full_at
    )
    SELECT caller, full_at - now FROM added CROSS JOIN clock";

/// Stores the requests of a process, for 5 seconds, and counts those of the others.
const SET_IN_PROGRESS: &str = concat!(
    "WITH clock (now) AS MATERIALIZED (SELECT ",
    now!(),
    "),
    stored AS (
        INSERT INTO requests_in_progress (caller, process, requests, until)
        SELECT caller, $2, requests, now + 5000 FROM unnest($1::text[], $3::bigint[]) AS own (caller, requests)
        CROSS JOIN clock ORDER BY caller
        ON CONFLICT (caller, process) DO UPDATE SET requests = excluded.requests, until = excluded.until
    )
    SELECT caller, sum(requests)::bigint FROM requests_in_progress CROSS JOIN clock
    WHERE caller = ANY ($1) AND process <> $2 AND until BETWEEN now + 1 AND now + 5000 GROUP BY caller"
);

const FORGET: [&str; 2] = [
    "DELETE FROM rates WHERE caller IN (
         SELECT caller FROM rates WHERE full_at < extract(epoch FROM clock_timestamp()) * 1000000
         FOR UPDATE SKIP LOCKED
     )",
    concat!(
        "DELETE FROM requests_in_progress WHERE (caller, process) IN (
             SELECT caller, process FROM requests_in_progress WHERE until < ",
        now!(),
        " FOR UPDATE SKIP LOCKED
         )"
    ),
];

#[async_trait]
impl SharedLimits for Postgres {
    async fn add_used(&self, used: &[(String, Used)]) -> Result<HashMap<String, Duration>> {
        let micros = |of: fn(&Used) -> Duration| {
            column(used, |(_, used)| i64::try_from(of(used).as_micros()).unwrap_or(i64::MAX / 4))
        };
        let rows: Vec<(String, i64)> = sqlx::query_as(ADD_USED)
            .bind(column(used, |(caller, _)| caller.as_str()))
            .bind(micros(|used| used.used))
            .bind(micros(|used| used.since))
            .bind(micros(|used| used.most))
            .fetch_all(&self.pool)
            .await?;
        let missing = |missing: i64| Duration::from_micros(missing.max(0).unsigned_abs());
        Ok(rows.into_iter().map(|(caller, time)| (caller, missing(time))).collect())
    }

    async fn set_in_progress(
        &self,
        process: &str,
        requests: &[(String, u32)],
    ) -> Result<HashMap<String, u32>> {
        let rows: Vec<(String, i64)> = sqlx::query_as(SET_IN_PROGRESS)
            .bind(column(requests, |(caller, _)| caller.as_str()))
            .bind(process)
            .bind(column(requests, |(_, requests)| i64::from(*requests)))
            .fetch_all(&self.pool)
            .await?;
        Ok(rows.into_iter().map(|(caller, all)| (caller, u32::try_from(all).unwrap_or(u32::MAX))).collect())
    }

    async fn forget_idle(&self) -> Result<()> {
        for forget in FORGET {
            sqlx::query(forget).execute(&self.pool).await?;
        }
        Ok(())
    }
}
