//! Tasks in PostgreSQL: creation and reading. The queue is in [`super::queue`].

use async_trait::async_trait;
use sqlx::postgres::PgExecutor;
use tokio::sync::Notify;
use uuid::Uuid;

use super::{Postgres, changed, queue};
use crate::store::row::{self, IdempotentRow, QueuedRow, TaskRow, Used, task_columns};
use crate::store::{
    Claim, Claimed, Created, Ended, Idempotency, Lease, NewTask, Page, Payload, Result, Task, TaskQuery,
    Tasks,
};
use crate::time::Millis;

#[async_trait]
impl Tasks for Postgres {
    async fn create_task(&self, new: &NewTask) -> Result<Created> {
        let created = self.create(new).await?;
        if created == Created::New {
            self.wakes.tasks.all();
        }
        Ok(created)
    }

    async fn idempotent(&self, key_id: &str, idempotency: &Idempotency, now: Millis) -> Result<Created> {
        Ok(match self.used(key_id, idempotency, now).await? {
            Some(Used::Same(task)) => Created::Repeat(task),
            Some(Used::Otherwise) => Created::Conflict,
            Some(Used::LongAgo) | None => Created::New,
        })
    }

    async fn task(&self, key_id: &str, scope: &str, id: Uuid) -> Result<Option<Task>> {
        let row: Option<TaskRow> = sqlx::query_as(concat!(
            "SELECT ",
            task_columns!(),
            " FROM tasks WHERE id = $1 AND key_id = $2 AND scope = $3"
        ))
        .bind(id)
        .bind(key_id)
        .bind(scope)
        .fetch_optional(&self.pool)
        .await?;
        row.map(Task::try_from).transpose()
    }

    async fn any_task(&self, id: Uuid) -> Result<Option<Task>> {
        let row: Option<TaskRow> =
            sqlx::query_as(concat!("SELECT ", task_columns!(), " FROM tasks WHERE id = $1"))
                .bind(id)
                .fetch_optional(&self.pool)
                .await?;
        row.map(Task::try_from).transpose()
    }

    async fn tasks(&self, key_id: &str, scope: &str, page: Page) -> Result<Vec<Task>> {
        let rows: Vec<TaskRow> = sqlx::query_as(concat!(
            "SELECT ",
            task_columns!(),
            " FROM tasks WHERE key_id = $1 AND scope = $2 ORDER BY seq DESC LIMIT $3 OFFSET $4"
        ))
        .bind(key_id)
        .bind(scope)
        .bind(i64::from(page.limit))
        .bind(row::signed(page.offset))
        .fetch_all(&self.pool)
        .await?;
        row::all(rows)
    }

    async fn all_tasks(&self, query: &TaskQuery, page: Page) -> Result<Vec<Task>> {
        let rows: Vec<TaskRow> = sqlx::query_as(concat!(
            "SELECT ",
            task_columns!(),
            " FROM tasks WHERE ($1 IS NULL OR key_id = $1) AND ($2 IS NULL OR status = $2)
              ORDER BY seq DESC LIMIT $3 OFFSET $4"
        ))
        .bind(&query.key_id)
        .bind(query.status.map(|status| status.number()))
        .bind(i64::from(page.limit))
        .bind(row::signed(page.offset))
        .fetch_all(&self.pool)
        .await?;
        row::all(rows)
    }

    async fn claim_tasks(&self, claim: &Claim<'_>, payload: &Payload) -> Result<Vec<Claimed>> {
        self.skew.check()?;
        let mut transaction = self.pool.begin().await?;
        let claimed = queue::claim(&mut transaction, claim, payload).await?;
        transaction.commit().await?;
        if claimed.iter().any(|claimed| claimed.task.webhook_url.is_some()) {
            self.wakes.events.all();
        }
        Ok(claimed)
    }

    fn tasks_woken(&self) -> &Notify {
        &self.wakes.tasks.here
    }

    async fn heartbeat(&self, lease: &Lease, lease_until: Millis) -> Result<bool> {
        queue::prolong(&self.pool, lease, lease_until).await
    }

    async fn end_task(&self, lease: &Lease, ended: &Ended) -> Result<bool> {
        let mut transaction = self.pool.begin().await?;
        let held = queue::end(&mut transaction, lease, ended).await?;
        transaction.commit().await?;
        if held {
            self.wakes.events.all();
            // Its key may claim another one; this process has a worker free.
            self.wakes.tasks.here.notify_one();
        }
        Ok(held)
    }

    async fn release_task(&self, lease: &Lease, not_before: Millis, refund: bool) -> Result<bool> {
        let held = queue::release(&self.pool, lease, not_before, refund).await?;
        if held {
            self.wakes.tasks.all();
        }
        Ok(held)
    }

    async fn exhausted(&self, claim: &Claim<'_>) -> Result<Vec<Claimed>> {
        self.skew.check()?;
        queue::exhausted(&self.pool, claim).await
    }

    async fn depth(&self) -> Result<(u64, u64)> {
        let (open, begun): (i64, i64) = sqlx::query_as(
            "SELECT (SELECT count(*) FROM tasks WHERE status < 2), (SELECT count(*) FROM tasks WHERE status = 1)",
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(((open - begun).unsigned_abs(), begun.unsigned_abs()))
    }

    async fn sweep_tasks(&self, before: Millis, now: Millis, limit: u32) -> Result<Vec<String>> {
        sqlx::query("DELETE FROM quotas WHERE day < $1").bind(row::day(now)).execute(&self.pool).await?;
        let folders = sqlx::query_scalar(
            "DELETE FROM tasks WHERE seq IN (
                 SELECT seq FROM tasks WHERE status > 1 AND updated_at < $1
                 AND (idempotency_key IS NULL OR idempotency_expires <= $2)
                 AND NOT EXISTS (SELECT 1 FROM events WHERE task_id = tasks.id AND state = 0)
                 ORDER BY updated_at LIMIT $3 FOR UPDATE SKIP LOCKED
             ) RETURNING folder",
        )
        .bind(before)
        .bind(now)
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        Ok(folders)
    }

    async fn folders(&self, folders: &[String]) -> Result<Vec<(Task, u32)>> {
        let rows: Vec<QueuedRow> = sqlx::query_as(concat!(
            "SELECT seq, attempt, refunded, ",
            task_columns!(),
            " FROM tasks WHERE folder = ANY($1)"
        ))
        .bind(folders)
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter().map(QueuedRow::attempted).collect()
    }
}

impl Postgres {
    async fn create(&self, new: &NewTask) -> Result<Created> {
        let NewTask { task, idempotency, daily_quota } = new;
        loop {
            let accepted = match daily_quota {
                // One statement, a transaction of its own.
                None => insert(&self.pool, task, idempotency.as_ref()).await?,
                Some(quota) => {
                    let mut transaction = self.pool.begin().await?;
                    // The count comes last: a repeat is not counted, and nobody waits while the count is locked.
                    let accepted = insert(&mut *transaction, task, idempotency.as_ref()).await?;
                    let day = row::day(task.created_at);
                    if accepted && !count(&mut *transaction, &task.key_id, day, *quota).await? {
                        transaction.rollback().await?;
                        return Ok(Created::QuotaExhausted);
                    }
                    transaction.commit().await?;
                    accepted
                }
            };
            let Some(idempotency) = idempotency.as_ref().filter(|_| !accepted) else {
                return Ok(Created::New);
            };
            match self.used(&task.key_id, idempotency, task.created_at).await? {
                Some(Used::Same(task)) => return Ok(Created::Repeat(task)),
                Some(Used::Otherwise) => return Ok(Created::Conflict),
                Some(Used::LongAgo) => self.forget(&task.key_id, idempotency, task.created_at).await?,
                // Swept or forgotten by another request just now.
                None => {}
            }
        }
    }

    async fn used(&self, key_id: &str, idempotency: &Idempotency, now: Millis) -> Result<Option<Used>> {
        let row: Option<IdempotentRow> = sqlx::query_as(concat!(
            "SELECT idempotency_hash, idempotency_expires, ",
            task_columns!(),
            " FROM tasks WHERE key_id = $1 AND idempotency_path = $2 AND idempotency_key = $3"
        ))
        .bind(key_id)
        .bind(&idempotency.path)
        .bind(&idempotency.key)
        .fetch_optional(&self.pool)
        .await?;
        row.map(|row| row.used(idempotency, now)).transpose()
    }

    /// Takes an `Idempotency-Key` from the task that it was used for long ago.
    async fn forget(&self, key_id: &str, idempotency: &Idempotency, now: Millis) -> Result<()> {
        sqlx::query(
            "UPDATE tasks SET idempotency_key = NULL
             WHERE key_id = $1 AND idempotency_path = $2 AND idempotency_key = $3 AND idempotency_expires <= $4",
        )
        .bind(key_id)
        .bind(&idempotency.path)
        .bind(&idempotency.key)
        .bind(now)
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}

/// `false`: the `Idempotency-Key` has been used.
async fn insert(db: impl PgExecutor<'_>, task: &Task, idempotency: Option<&Idempotency>) -> Result<bool> {
    let inserted = sqlx::query(
        "INSERT INTO tasks (id, key_id, scope, status, engine, folder, webhook_url, created_at, updated_at, work,
                            idempotency_path, idempotency_key, idempotency_hash, idempotency_expires)
         VALUES ($1, $2, $3, 0, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
         ON CONFLICT (key_id, idempotency_path, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING",
    )
    .bind(task.id)
    .bind(&task.key_id)
    .bind(&task.scope)
    .bind(&task.engine)
    .bind(&task.folder)
    .bind(&task.webhook_url)
    .bind(task.created_at)
    .bind(task.updated_at)
    .bind(&task.work)
    .bind(idempotency.map(|idempotency| &idempotency.path))
    .bind(idempotency.map(|idempotency| &idempotency.key))
    .bind(idempotency.map(|idempotency| &idempotency.body_hash))
    .bind(idempotency.map(|idempotency| idempotency.expires_at))
    .execute(db)
    .await?;
    Ok(changed(&inserted))
}

/// Counts one more task of a day. `false`: there are as many as there may be.
async fn count(db: impl PgExecutor<'_>, key_id: &str, day: i64, quota: u32) -> Result<bool> {
    let counted = sqlx::query(
        "INSERT INTO quotas AS counted (day, key_id, used) SELECT $1, $2, 1 WHERE $3 > 0
         ON CONFLICT (day, key_id) DO UPDATE SET used = counted.used + 1 WHERE counted.used < $3",
    )
    .bind(day)
    .bind(key_id)
    .bind(i64::from(quota))
    .execute(db)
    .await?;
    Ok(changed(&counted))
}
