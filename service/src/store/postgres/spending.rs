//! What keys have used, in PostgreSQL.

use async_trait::async_trait;

use super::{Postgres, changed};
use crate::store::row;
use crate::store::spending::{SPENDING, SpentRow, USAGE, UsageRow, price};
use crate::store::{Charge, Days, KeyUsage, Lease, Result, Spending, Spent};
use crate::time::Millis;

#[async_trait]
impl Spending for Postgres {
    async fn charge(&self, lease: &Lease, charge: &Charge, call: Option<&str>, now: Millis) -> Result<bool> {
        let counted = sqlx::query(
            "WITH task AS (UPDATE tasks SET call = coalesce($12, call)
                           WHERE id = $9 AND attempt = $10 AND lease_owner = $11 AND status = 1
                           RETURNING key_id)
             INSERT INTO spending AS counted (day, key_id, engine, family, unit, price, currency, source, calls,
                                              units)
             SELECT $1, key_id, $2, $3, $4, $5, $6, $7, 1, $8 FROM task
             ON CONFLICT (day, key_id, engine, family, unit, price, currency)
             DO UPDATE SET calls = counted.calls + 1, units = counted.units + excluded.units,
                           source = excluded.source",
        )
        .bind(row::day(now))
        .bind(&charge.engine)
        .bind(&charge.family)
        .bind(&charge.unit)
        .bind(price(charge.price))
        .bind(&charge.currency)
        .bind(&charge.source)
        .bind(charge.units)
        .bind(lease.task_id)
        .bind(i64::from(lease.attempt))
        .bind(&lease.owner)
        .bind(call)
        .execute(&self.pool)
        .await?;
        Ok(changed(&counted))
    }

    async fn spending(&self, days: Days) -> Result<Vec<Spent>> {
        let rows: Vec<SpentRow> =
            sqlx::query_as(SPENDING).bind(days.first).bind(days.last).fetch_all(&self.pool).await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    async fn usage_by_key(&self, days: Days, now: Millis) -> Result<Vec<KeyUsage>> {
        let usage = sqlx::query_as(USAGE).bind(days.first).bind(days.last).bind(row::day(now));
        let rows: Vec<UsageRow> = usage.fetch_all(&self.pool).await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }
}
