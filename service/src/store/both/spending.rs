//! The usage of keys.

use async_trait::async_trait;

use super::super::{Connection, Database};
use super::changed;
use super::leases::{is_held, leased};
use crate::domain::{Charge, Days, KeyUsage, Lease, Spent};
use crate::store::spending::{SPENDING, USAGE, price};
use crate::store::{Result, Spending};
use crate::time::Millis;

#[async_trait]
impl Spending for Database {
    async fn charge(&self, lease: &Lease, charge: &Charge, call: Option<&str>, now: Millis) -> Result<bool> {
        let input = (lease.clone(), charge.clone(), call.map(ToOwned::to_owned), Days::of(now));
        self.transact(input, |db, (lease, charge, call, day)| {
            Box::pin(count(db, lease, charge, call.as_deref(), *day))
        })
        .await
    }

    async fn spending(&self, days: Days) -> Result<Vec<Spent>> {
        Ok(sqlx::query_as(SPENDING).bind(days.first).bind(days.last).fetch_all(self.reader()).await?)
    }

    async fn usage_by_key(&self, days: Days, now: Millis) -> Result<Vec<KeyUsage>> {
        let usage = sqlx::query_as(USAGE).bind(days.first).bind(days.last).bind(Days::of(now));
        Ok(usage.fetch_all(self.reader()).await?)
    }
}

/// Counts what an engine has done, and updates the recorded call; returns `false` if the lease is lost.
async fn count(
    db: &mut Connection,
    lease: &Lease,
    charge: &Charge,
    call: Option<&str>,
    day: i64,
) -> Result<bool> {
    // The update comes first: it locks the task, so that the lease can't be lost before the sum is written.
    let updated = leased(concat!("UPDATE tasks SET call = coalesce($4, call)", is_held!()), lease).bind(call);
    if !changed(&updated.execute(&mut *db).await?) {
        return Ok(false);
    }
    sqlx::query(
        "INSERT INTO spending AS counted (day, key_id, engine, family, unit, price, currency, source, calls, units)
         SELECT $1, key_id, $2, $3, $4, $5, $6, $7, 1, $8 FROM tasks WHERE id = $9
         ON CONFLICT (day, key_id, engine, family, unit, price, currency)
         DO UPDATE SET calls = counted.calls + 1, units = counted.units + excluded.units, source = excluded.source",
    )
    .bind(day)
    .bind(&charge.engine)
    .bind(&charge.family)
    .bind(&charge.unit)
    .bind(price(charge.price))
    .bind(&charge.currency)
    .bind(&charge.source)
    .bind(charge.units)
    .bind(lease.task_id)
    .execute(db)
    .await?;
    Ok(true)
}
