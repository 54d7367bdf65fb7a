//! Tasks in PostgreSQL.
//!
//! [`super::creation`] creates tasks, and [`super::queue`] claims and ends them.

use async_trait::async_trait;
use tokio::sync::Notify;
use uuid::Uuid;

use super::queue::Ending;
use super::{Postgres, changed, creation, queue};
use crate::store::row::{self, HasEnded, ListedRow, QueuedRow, TaskRow, Used, queued_columns, task_columns};
use crate::store::{
    Claim, Claimed, Created, Ended, Idempotency, Lease, Listed, NewTask, Page, Payload, Release, Rest,
    Result, Task, TaskQuery, Tasks, Usage,
};
use crate::time::Millis;

#[async_trait]
impl Tasks for Postgres {
    async fn create_task(&self, new: &NewTask) -> Result<Created> {
        let created = self.creations.run(new.clone()).await?;
        if created == Created::New {
            self.wakes.tasks.all();
        }
        Ok(created)
    }

    async fn usage(&self, key_id: &str, most_open: u32) -> Result<Usage> {
        let usage = sqlx::query_as(
            "SELECT (SELECT count(*) FROM (SELECT FROM tasks WHERE key_id = $1 AND status < 2 LIMIT $2) AS open),
                    (SELECT coalesce(sum(bytes), 0)::bigint FROM stored WHERE key_id = $1)",
        );
        Ok(row::usage(usage.bind(key_id).bind(i64::from(most_open)).fetch_one(&self.pool).await?))
    }

    async fn count_upload(&self, key_id: &str, now: Millis, bytes: u64, most: u64) -> Result<bool> {
        let counted = sqlx::query(
            "INSERT INTO quotas AS counted (day, key_id, used, uploaded) SELECT $1, $2, 0, $3 WHERE $3 <= $4
             ON CONFLICT (day, key_id) DO UPDATE SET uploaded = counted.uploaded + $3
             WHERE counted.uploaded + $3 <= $4",
        )
        .bind(row::day(now))
        .bind(key_id)
        .bind(row::signed(bytes))
        .bind(row::signed(most))
        .execute(&self.pool)
        .await?;
        Ok(changed(&counted))
    }

    async fn idempotent(&self, key_id: &str, idempotency: &Idempotency, now: Millis) -> Result<Created> {
        Ok(match creation::used(&self.pool, key_id, idempotency, now).await? {
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

    async fn all_tasks(&self, query: &TaskQuery, page: Page) -> Result<Vec<Listed>> {
        let rows: Vec<ListedRow> = sqlx::query_as(concat!(
            "SELECT attempt, refunded, suspect, lease_owner, due_at, ",
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
        self.skew.check(claim.lease_until - claim.now)?;
        let known = self.suspects.known(claim.now);
        let claimed: Result<(Vec<Claimed>, bool)> = self
            .pool
            .within(async {
                let mut connection = self.pool.acquire().await?;
                let mut transaction = super::claiming(&mut connection, queue::TURN).await?;
                let claimed = queue::claim(&mut transaction, claim, payload, known).await?;
                transaction.commit().await?;
                Ok(claimed)
            })
            .await;
        let (claimed, has_suspects) = claimed?;
        self.suspects.note(has_suspects);
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

    async fn record_call(&self, lease: &Lease, call: Option<&str>) -> Result<bool> {
        queue::record_call(&self.pool, lease, call).await
    }

    async fn clear_suspect(&self, lease: &Lease) -> Result<bool> {
        let held = queue::clear(&self.pool, lease).await?;
        if held {
            self.wakes.tasks.all();
        }
        Ok(held)
    }

    async fn record_progress(&self, lease: &Lease, progress: &str) -> Result<bool> {
        queue::record_progress(&self.pool, lease, progress).await
    }

    async fn end_task(&self, lease: &Lease, ended: &Ended) -> Result<bool> {
        let ending = Ending { lease: lease.clone(), ended: ended.clone() };
        let ended = self.endings.run(ending).await?;
        if ended == HasEnded::Told {
            self.wakes.events.all();
        }
        let held = ended != HasEnded::Not;
        if held {
            // The key may claim another task, and this process has a free worker.
            self.wakes.tasks.here.notify_one();
        }
        Ok(held)
    }

    async fn cancel_task(&self, id: Uuid, ended: &Ended) -> Result<bool> {
        let ended = self.pool.within(queue::cancel(&self.pool, id, ended)).await?;
        if ended == HasEnded::Told {
            self.wakes.events.all();
        }
        Ok(ended != HasEnded::Not)
    }

    async fn delete_task(&self, id: Uuid) -> Result<bool> {
        let deleted = sqlx::query("DELETE FROM tasks WHERE id = $1 AND status > 1").bind(id);
        Ok(changed(&deleted.execute(&self.pool).await?))
    }

    async fn release_task(&self, lease: &Lease, release: Release) -> Result<bool> {
        let held = queue::release(&self.pool, lease, release).await?;
        if held {
            self.wakes.tasks.all();
        }
        Ok(held)
    }

    async fn advance_task(&self, lease: &Lease, rest: &Rest) -> Result<bool> {
        let held = queue::advance(&self.pool, lease, rest).await?;
        if held {
            self.wakes.tasks.all();
        }
        Ok(held)
    }

    async fn exhausted(&self, claim: &Claim<'_>) -> Result<Vec<Claimed>> {
        self.skew.check(claim.lease_until - claim.now)?;
        self.pool
            .within(async {
                let mut connection = self.pool.acquire().await?;
                let mut transaction = super::claiming(&mut connection, queue::TURN).await?;
                let exhausted = queue::exhausted(&mut transaction, claim).await?;
                transaction.commit().await?;
                Ok(exhausted)
            })
            .await
    }

    async fn depth(&self) -> Result<(u64, u64)> {
        let (open, begun): (i64, i64) = sqlx::query_as(
            "SELECT (SELECT count(*) FROM tasks WHERE status < 2), (SELECT count(*) FROM tasks WHERE status = 1)",
        )
        .fetch_one(&self.pool)
        .await?;
        Ok(((open - begun).unsigned_abs(), begun.unsigned_abs()))
    }

    async fn sweep_tasks(
        &self,
        before: Millis,
        now: Millis,
        limit: u32,
        keeps_results: bool,
    ) -> Result<Vec<String>> {
        for past in ["DELETE FROM quotas WHERE day < $1", "DELETE FROM past_usage WHERE day < $1"] {
            sqlx::query(past).bind(row::first_day(now)).execute(&self.pool).await?;
        }
        let folders = sqlx::query_scalar(
            "WITH swept AS (
                 DELETE FROM tasks WHERE seq IN (
                     SELECT seq FROM tasks WHERE status > 1 AND updated_at < $1
                     AND (idempotency_key IS NULL OR idempotency_expires <= $2)
                     AND NOT EXISTS (SELECT 1 FROM events WHERE task_id = tasks.id AND state = 0)
                     ORDER BY updated_at LIMIT $3 FOR UPDATE SKIP LOCKED
                 ) RETURNING folder, key_id, result_bytes
             ),
             kept AS (
                 INSERT INTO kept_results (folder, key_id, bytes)
                 SELECT folder, key_id, result_bytes FROM swept WHERE $4 AND result_bytes > 0
             ),
             counted AS (
                 INSERT INTO stored (key_id, part, bytes)
                 SELECT key_id, pg_backend_pid() % 16, sum(result_bytes) FROM swept WHERE $4 AND result_bytes > 0
                 GROUP BY key_id ORDER BY key_id
                 ON CONFLICT (key_id, part) DO UPDATE SET bytes = stored.bytes + excluded.bytes
             )
             SELECT folder FROM swept",
        )
        .bind(before)
        .bind(now)
        .bind(i64::from(limit))
        .bind(keeps_results)
        .fetch_all(&self.pool)
        .await?;
        Ok(folders)
    }

    async fn sweep_kept(&self, limit: u32) -> Result<Vec<String>> {
        let folders = sqlx::query_scalar(
            "WITH removed AS (
                 DELETE FROM kept_results WHERE folder IN (
                     SELECT folder FROM kept_results LIMIT $1 FOR UPDATE SKIP LOCKED
                 ) RETURNING folder, key_id, bytes
             ),
             counted AS (
                 INSERT INTO stored (key_id, part, bytes)
                 SELECT key_id, pg_backend_pid() % 16, -sum(bytes) FROM removed GROUP BY key_id ORDER BY key_id
                 ON CONFLICT (key_id, part) DO UPDATE SET bytes = stored.bytes + excluded.bytes
             )
             SELECT folder FROM removed",
        );
        Ok(folders.bind(i64::from(limit)).fetch_all(&self.pool).await?)
    }

    async fn folders(&self, folders: &[String]) -> Result<Vec<(Task, u32)>> {
        let rows: Vec<QueuedRow> =
            sqlx::query_as(concat!("SELECT ", queued_columns!(), " FROM tasks WHERE folder = ANY($1)"))
                .bind(folders)
                .fetch_all(&self.pool)
                .await?;
        rows.into_iter().map(QueuedRow::attempted).collect()
    }
}
