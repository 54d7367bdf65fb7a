//! The usage of each key: its tasks, its files, the time of engines, and calls at their prices.

use async_trait::async_trait;

use super::Result;
use super::row::{duration, row, unsigned};
use crate::domain::{Charge, Days, KeyUsage, Lease, Spent};
use crate::time::Millis;

/// Stores what engines have done for keys.
#[async_trait]
pub trait Spending {
    /// Adds what an engine has done for a leased task to its key's account.
    ///
    /// If there is a `call`, it replaces the recorded one in the same transaction: see [`Tasks::record_call`](super::Tasks::record_call).
    /// Returns `false` if the lease is lost: another attempt does the work, and counts it.
    async fn charge(&self, lease: &Lease, charge: &Charge, call: Option<&str>, now: Millis) -> Result<bool>;

    /// Returns the sums of these days by key, engine, family and price.
    async fn spending(&self, days: Days) -> Result<Vec<Spent>>;

    /// Returns what each key has used; keys without any use may be missing.
    ///
    /// It reads the open tasks and those that ended in the period or later.
    async fn usage_by_key(&self, days: Days, now: Millis) -> Result<Vec<KeyUsage>>;
}

/// Adds up a [`KeyUsage`] for each key: $1 and $2 are the first and the last day, $3 is today.
pub(super) const USAGE: &str = "
    WITH parts AS (
        SELECT key_id,
               CASE WHEN created_at / 86400000 BETWEEN $1 AND $2 THEN 1 ELSE 0 END AS created,
               CASE WHEN status = 2 AND updated_at / 86400000 <= $2 THEN 1 ELSE 0 END AS completed,
               CASE WHEN status = 3 AND updated_at / 86400000 <= $2 THEN 1 ELSE 0 END AS failed,
               0 AS open,
               CASE WHEN updated_at / 86400000 <= $2 THEN engine_time END AS engine_time,
               CASE WHEN updated_at / 86400000 <= $2 AND engine_time IS NULL AND attempt > 0 THEN 1 ELSE 0 END
                   AS untimed,
               0 AS uploaded, 0 AS uploaded_today, 0 AS used, 0 AS stored
        FROM tasks WHERE status > 1 AND updated_at >= $1 * 86400000
        UNION ALL
        SELECT key_id, CASE WHEN created_at / 86400000 BETWEEN $1 AND $2 THEN 1 ELSE 0 END, 0, 0, 1,
               CASE WHEN $2 >= $3 THEN engine_time END, 0, 0, 0, 0, 0
        FROM tasks WHERE status < 2
        UNION ALL
        SELECT key_id, created, completed, failed, 0, engine_time, untimed, 0, 0, 0, 0
        FROM past_usage WHERE day BETWEEN $1 AND $2
        UNION ALL
        SELECT key_id, 0, 0, 0, 0, NULL, 0, CASE WHEN day BETWEEN $1 AND $2 THEN uploaded ELSE 0 END,
               CASE WHEN day = $3 THEN uploaded ELSE 0 END, CASE WHEN day = $3 THEN used ELSE 0 END, 0
        FROM quotas WHERE day BETWEEN $1 AND $2 OR day = $3
        UNION ALL
        SELECT key_id, 0, 0, 0, 0, NULL, 0, 0, 0, 0, bytes FROM stored
    )
    SELECT key_id, CAST(sum(created) AS BIGINT) AS created, CAST(sum(completed) AS BIGINT) AS completed,
           CAST(sum(failed) AS BIGINT) AS failed, CAST(sum(open) AS BIGINT) AS open,
           CAST(sum(engine_time) AS BIGINT) AS engine_time, CAST(sum(untimed) AS BIGINT) AS untimed,
           CAST(sum(uploaded) AS BIGINT) AS uploaded_bytes, CAST(sum(uploaded_today) AS BIGINT) AS uploaded_today,
           CAST(sum(used) AS BIGINT) AS quota_used, CAST(sum(stored) AS BIGINT) AS stored_bytes
    FROM parts GROUP BY key_id ORDER BY key_id";

row! {
    KeyUsage {
        key_id: String,
        created: i64 => |tasks| unsigned(tasks),
        completed: i64 => |tasks| unsigned(tasks),
        failed: i64 => |tasks| unsigned(tasks),
        open: i64 => |tasks| unsigned(tasks),
        engine_time: Option<Millis> => |time| time.map(duration),
        untimed: i64 => |tasks| unsigned(tasks),
        uploaded_bytes: i64 => |bytes| unsigned(bytes),
        uploaded_today: i64 => |bytes| unsigned(bytes),
        quota_used: i64 => |tasks| unsigned(tasks),
        stored_bytes: i64 => |bytes| unsigned(bytes),
    }
}

/// Selects the [`Spent`] from the first to the last day.
pub(super) const SPENDING: &str = "
    SELECT key_id, engine, family, unit, price, currency, source, CAST(sum(calls) AS BIGINT) AS calls,
           sum(units) AS units
    FROM spending WHERE day BETWEEN $1 AND $2 GROUP BY key_id, engine, family, unit, price, currency, source
    ORDER BY key_id, engine, family, unit, price, currency, source";

row! {
    Charge {
        engine: String,
        family: String,
        unit: String,
        units: f64,
        price: String => |price| price.parse().ok(),
        currency: String,
        source: String,
    }
}

row! { Spent { key_id: String, calls: i64 => |calls| unsigned(calls) } with charge: Charge }

/// Returns a price as the table holds it: exactly, and empty if there is none.
pub(super) fn price(price: Option<f64>) -> String {
    price.map(|price| price.to_string()).unwrap_or_default()
}
