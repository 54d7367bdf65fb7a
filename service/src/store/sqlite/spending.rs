//! What keys have used, in SQLite.

use async_trait::async_trait;

use super::{Sqlite, queue};
use crate::store::row;
use crate::store::spending::{SPENDING, SpentRow, USAGE, UsageRow, price};
use crate::store::{Charge, Days, KeyUsage, Lease, Result, Spending, Spent};
use crate::time::Millis;

#[async_trait]
impl Spending for Sqlite {
    async fn charge(&self, lease: &Lease, charge: &Charge, call: Option<&str>, now: Millis) -> Result<bool> {
        let input = (lease.clone(), charge.clone(), call.map(ToOwned::to_owned), row::day(now));
        self.writer
            .run(input, |db, (lease, charge, call, day)| {
                Box::pin(async move {
                    let counted = sqlx::query(
                        "INSERT INTO spending (day, key_id, engine, family, unit, price, currency, source, calls,
                                               units)
                         SELECT ?, key_id, ?, ?, ?, ?, ?, ?, 1, ? FROM tasks
                         WHERE id = ? AND attempt = ? AND lease_owner = ? AND status = 1
                         ON CONFLICT (day, key_id, engine, family, unit, price, currency)
                         DO UPDATE SET calls = calls + 1, units = units + excluded.units, source = excluded.source",
                    )
                    .bind(*day)
                    .bind(&charge.engine)
                    .bind(&charge.family)
                    .bind(&charge.unit)
                    .bind(price(charge.price))
                    .bind(&charge.currency)
                    .bind(&charge.source)
                    .bind(charge.units)
                    .bind(lease.task_id)
                    .bind(lease.attempt)
                    .bind(&lease.owner)
                    .execute(&mut *db)
                    .await?;
                    if counted.rows_affected() != 1 {
                        return Ok(false);
                    }
                    match call {
                        Some(call) => queue::record_call(db, lease, Some(call)).await,
                        None => Ok(true),
                    }
                })
            })
            .await
    }

    async fn spending(&self, days: Days) -> Result<Vec<Spent>> {
        let rows: Vec<SpentRow> =
            sqlx::query_as(SPENDING).bind(days.first).bind(days.last).fetch_all(&self.readers).await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    async fn usage_by_key(&self, days: Days, now: Millis) -> Result<Vec<KeyUsage>> {
        let usage = sqlx::query_as(USAGE).bind(days.first).bind(days.last).bind(row::day(now));
        let rows: Vec<UsageRow> = usage.fetch_all(&self.readers).await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }
}
