//! Creation of tasks in PostgreSQL.
//!
//! The row that counts a key's tasks of a day stays locked until the commit is on disk. Creations that count
//! for the quota of one key would therefore run one after another. Creations that share a transaction need
//! only one insert and one count for each key.

use std::collections::{BTreeMap, HashSet};

use async_trait::async_trait;
use sqlx::Connection as _;
use sqlx::postgres::{PgConnection, PgExecutor};
use uuid::Uuid;

use super::both::changed;
use super::both::tasks::{forget, used};
use super::pool::Pool;
use super::shared::{Write, column};
use crate::domain::{Created, Days, NewTask};
use crate::store::Result;
use crate::store::row;

#[async_trait]
impl Write for NewTask {
    type Output = Created;

    /// Creates the tasks whose `Idempotency-Key` is unused.
    ///
    /// Creates none if a quota would be exceeded.
    async fn together(db: &mut PgConnection, batch: &[Self]) -> Result<Vec<Option<Created>>> {
        // All transactions wait for each other's `Idempotency-Key`s in the same order, to prevent deadlocks.
        let mut ordered: Vec<&Self> = batch.iter().collect();
        ordered.sort_by(|one, other| lock_order(one).cmp(&lock_order(other)));
        let accepted = insert(&mut *db, &ordered).await?;
        // Counting comes last, so that repeats are not counted and the locks are short. The order prevents
        // deadlocks.
        let mut counts: BTreeMap<(&str, i64, u32), u32> = BTreeMap::new();
        for Self { task, daily_quota, .. } in batch {
            if let Some(quota) = daily_quota.filter(|_| accepted.contains(&task.id)) {
                *counts.entry((&task.key_id, Days::of(task.created_at), quota)).or_default() += 1;
            }
        }
        for ((key_id, day, quota), tasks) in counts {
            if !count(&mut *db, key_id, day, tasks, quota).await? {
                return Ok(Vec::new());
            }
        }
        let created = |new: &Self| accepted.contains(&new.task.id).then_some(Created::New);
        Ok(batch.iter().map(created).collect())
    }

    async fn alone(&self, pool: &Pool) -> Result<Created> {
        let NewTask { task, idempotency, daily_quota, .. } = self;
        loop {
            let accepted = match daily_quota {
                // One statement is a transaction of its own.
                None => !insert(pool, &[self]).await?.is_empty(),
                Some(quota) => match pool.within(counted(pool, self, *quota)).await? {
                    Some(accepted) => accepted,
                    None => return Ok(Created::QuotaExhausted),
                },
            };
            let Some(idempotency) = idempotency.as_ref().filter(|_| !accepted) else {
                return Ok(Created::New);
            };
            match used(pool, &task.key_id, idempotency, task.created_at).await? {
                Some(Created::New) => forget(pool, &task.key_id, idempotency, task.created_at).await?,
                Some(created) => return Ok(created),
                // The sweep or another request has just removed the key.
                None => {}
            }
        }
    }
}

fn lock_order(new: &NewTask) -> Option<(&str, &str, &str)> {
    let idempotency = new.idempotency.as_ref()?;
    Some((&new.task.key_id, &idempotency.path, &idempotency.key))
}

/// Inserts a task and counts it for its day; returns `None` if the quota of the day is used up.
async fn counted(pool: &Pool, new: &NewTask, quota: u32) -> Result<Option<bool>> {
    let mut connection = pool.acquire().await?;
    let mut transaction = connection.begin().await?;
    let accepted = !insert(&mut *transaction, &[new]).await?.is_empty();
    let day = Days::of(new.task.created_at);
    if accepted && !count(&mut *transaction, &new.task.key_id, day, 1, quota).await? {
        transaction.rollback().await?;
        return Ok(None);
    }
    transaction.commit().await?;
    Ok(Some(accepted))
}

/// Inserts tasks by one statement, and counts their inputs; returns the ids of the inserted tasks.
///
/// A task whose `Idempotency-Key` is used is not inserted.
async fn insert(db: impl PgExecutor<'_>, batch: &[&NewTask]) -> Result<HashSet<Uuid>> {
    let ids = sqlx::query_scalar(
        "WITH accepted AS (
             INSERT INTO tasks (id, key_id, family, model, status, created_at, updated_at, demand, size, input_bytes,
                                engine, folder, webhook_url, app, ignored, work,
                                idempotency_path, idempotency_key, idempotency_hash, idempotency_expires, traceparent)
             SELECT id, key_id, family, model, 0, created_at, updated_at, demand, size, inputs,
                    engine, folder, webhook_url, app, ignored, work, path, key, hash, expires, traceparent
             FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[],
                         $8::smallint[], $9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
                         $15::text[], $16::text[], $17::text[], $18::bytea[], $19::bigint[], $20::text[])
             AS new (id, key_id, family, model, created_at, updated_at, demand, size, inputs, engine, folder,
                     webhook_url, app, ignored, work, path, key, hash, expires, traceparent)
             ON CONFLICT (key_id, idempotency_path, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
             RETURNING id, key_id, input_bytes
         ),
         counted AS (
             INSERT INTO stored (key_id, part, bytes)
             SELECT key_id, pg_backend_pid() % 16, sum(input_bytes) FROM accepted WHERE input_bytes > 0
             GROUP BY key_id ORDER BY key_id
             ON CONFLICT (key_id, part) DO UPDATE SET bytes = stored.bytes + excluded.bytes
         )
         SELECT id FROM accepted",
    )
    .bind(column(batch, |new| new.task.id))
    .bind(column(batch, |new| new.task.key_id.as_str()))
    .bind(column(batch, |new| new.task.family.as_str()))
    .bind(column(batch, |new| new.task.model.as_deref().unwrap_or_default()))
    .bind(column(batch, |new| new.task.created_at))
    .bind(column(batch, |new| new.task.updated_at))
    .bind(column(batch, |new| new.demand.engines.to_string()))
    .bind(column(batch, |new| new.demand.size))
    .bind(column(batch, |new| row::signed(new.input_bytes)))
    .bind(column(batch, |new| new.task.engine.as_str()))
    .bind(column(batch, |new| new.task.folder.as_str()))
    .bind(column(batch, |new| new.task.webhook_url.as_deref()))
    .bind(column(batch, |new| new.task.app.as_deref()))
    .bind(column(batch, |new| row::ignored(&new.task)))
    .bind(column(batch, |new| new.work.as_str()))
    .bind(column(batch, |new| new.idempotency.as_ref().map(|idempotency| idempotency.path.as_str())))
    .bind(column(batch, |new| new.idempotency.as_ref().map(|idempotency| idempotency.key.as_str())))
    .bind(column(batch, |new| new.idempotency.as_ref().map(|idempotency| idempotency.body_hash.as_slice())))
    .bind(column(batch, |new| new.idempotency.as_ref().map(|idempotency| idempotency.expires_at)))
    .bind(column(batch, |new| row::traceparent(new)))
    .fetch_all(db)
    .await?;
    Ok(ids.into_iter().collect())
}

/// Counts tasks of a day; returns `false`, and counts none, above the quota.
async fn count(db: impl PgExecutor<'_>, key_id: &str, day: i64, tasks: u32, quota: u32) -> Result<bool> {
    let counted = sqlx::query(
        "INSERT INTO quotas AS counted (day, key_id, used) SELECT $1, $2, $3 WHERE $3 <= $4
         ON CONFLICT (day, key_id) DO UPDATE SET used = counted.used + $3 WHERE counted.used + $3 <= $4",
    )
    .bind(day)
    .bind(key_id)
    .bind(i64::from(tasks))
    .bind(i64::from(quota))
    .execute(db)
    .await?;
    Ok(changed(&counted))
}
