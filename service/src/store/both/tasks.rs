//! Creates, reads and removes tasks.

use async_trait::async_trait;
use sqlx::Executor;
use tokio::sync::Notify;
use uuid::Uuid;

use super::super::{Connection, Database, Driver, in_list, index, list, queue};
use super::Statement;
use super::leases::{self, is_held, leased};
use crate::domain::{
    Claim, Claimed, Created, Days, Ended, FolderOwner, Idempotency, Lease, Listed, NewTask, Page, Payload,
    QueueLength, Release, RemainingWork, Task, TaskQuery, TaskStatus, Usage,
};
use crate::store::row::{self, HasEnded, IdempotentRow, TaskRow, listed_columns, task_columns};
use crate::store::{Result, Tasks};
use crate::time::Millis;

#[async_trait]
impl Tasks for Database {
    async fn create_task(&self, new: &NewTask) -> Result<Created> {
        let created = self.create(new).await?;
        if created == Created::New {
            self.wakes.tasks.all();
        }
        Ok(created)
    }

    async fn usage(&self, key_id: &str, most_open: u32) -> Result<Usage> {
        let usage = sqlx::query_as(concat!(
            "SELECT (SELECT count(*) FROM (SELECT 1 FROM tasks",
            index!("tasks_open"),
            " WHERE key_id = $1 AND status < 2 LIMIT $2) AS open),
             (SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM stored WHERE key_id = $1)"
        ));
        Ok(row::usage(usage.bind(key_id).bind(i64::from(most_open)).fetch_one(self.reader()).await?))
    }

    async fn count_upload(&self, key_id: &str, now: Millis, bytes: u64, most: u64) -> Result<bool> {
        let counted = sqlx::query(
            "INSERT INTO quotas AS counted (day, key_id, used, uploaded) SELECT $1, $2, 0, $3 WHERE $3 <= $4
             ON CONFLICT (day, key_id) DO UPDATE SET uploaded = counted.uploaded + $3
             WHERE counted.uploaded + $3 <= $4",
        );
        let counted = counted.bind(Days::of(now)).bind(key_id);
        self.change(counted.bind(row::signed(bytes)).bind(row::signed(most))).await
    }

    async fn idempotent(&self, key_id: &str, idempotency: &Idempotency, now: Millis) -> Result<Created> {
        Ok(used(self.reader(), key_id, idempotency, now).await?.unwrap_or(Created::New))
    }

    async fn task(&self, key_id: &str, family: &str, model: Option<&str>, id: Uuid) -> Result<Option<Task>> {
        let task = sqlx::query_as(concat!(
            "SELECT ",
            task_columns!(),
            " FROM tasks WHERE id = $1 AND key_id = $2 AND family = $3 AND model = $4"
        ));
        let task = task.bind(id).bind(key_id).bind(family).bind(model.unwrap_or_default());
        Ok(task.fetch_optional(self.reader()).await?)
    }

    async fn any_task(&self, id: Uuid) -> Result<Option<Task>> {
        let task = concat!("SELECT ", task_columns!(), " FROM tasks WHERE id = $1");
        Ok(sqlx::query_as(task).bind(id).fetch_optional(self.reader()).await?)
    }

    async fn work(&self, id: Uuid) -> Result<Option<String>> {
        let work = sqlx::query_scalar("SELECT work FROM tasks WHERE id = $1").bind(id);
        Ok(work.fetch_optional(self.reader()).await?)
    }

    async fn tasks(&self, key_id: &str, family: &str, model: Option<&str>, page: Page) -> Result<Vec<Task>> {
        let tasks = sqlx::query_as(concat!(
            "SELECT ",
            task_columns!(),
            " FROM tasks WHERE key_id = $1 AND family = $2 AND model = $3 ORDER BY seq DESC LIMIT $4 OFFSET $5"
        ))
        .bind(key_id)
        .bind(family)
        .bind(model.unwrap_or_default())
        .bind(i64::from(page.limit))
        .bind(row::signed(page.offset));
        Ok(tasks.fetch_all(self.searcher()).await?)
    }

    async fn all_tasks(&self, query: &TaskQuery, page: Page) -> Result<Vec<Listed>> {
        let tasks = sqlx::query_as(concat!(
            "SELECT ",
            listed_columns!(),
            // The code is the first field of `error`.
            " FROM tasks WHERE ($1 IS NULL OR key_id = $1) AND ($2 IS NULL OR status = $2)
              AND ($3 IS NULL OR family = $3) AND ($4 IS NULL OR engine = $4)
              AND ($5 IS NULL OR substr(error, 1, length($5) + 10) = '{\"code\":\"' || $5 || '\"')
              AND ($6 IS NULL OR created_at < $6) AND ($7 IS NULL OR created_at > $7)
              ORDER BY seq DESC LIMIT $8 OFFSET $9"
        ))
        .bind(&query.key_id)
        .bind(query.status.map(|status| status.number()))
        .bind(&query.family)
        .bind(&query.engine)
        .bind(&query.error)
        .bind(query.created_before)
        .bind(query.created_after)
        .bind(i64::from(page.limit))
        .bind(row::signed(page.offset));
        Ok(tasks.fetch_all(self.searcher()).await?)
    }

    async fn listed_task(&self, id: Uuid) -> Result<Option<Listed>> {
        let task = concat!("SELECT ", listed_columns!(), " FROM tasks WHERE id = $1");
        Ok(sqlx::query_as(task).bind(id).fetch_optional(self.reader()).await?)
    }

    async fn claim_tasks(&self, claim: &Claim, payload: &Payload) -> Result<Vec<Claimed>> {
        let known = self.quarantine.known(claim.now);
        let (claimed, has_quarantine) = self.claim(claim, payload, known).await?;
        self.quarantine.note(has_quarantine);
        if claimed.iter().any(|claimed| claimed.task.webhook_url.is_some()) {
            self.wakes.events.all();
        }
        Ok(claimed)
    }

    fn tasks_woken(&self) -> &Notify {
        &self.wakes.tasks.here
    }

    async fn heartbeat(&self, lease: &Lease, lease_until: Millis) -> Result<bool> {
        self.change(leased(concat!("UPDATE tasks SET due_at = $4", is_held!()), lease).bind(lease_until))
            .await
    }

    async fn record_call(&self, lease: &Lease, call: Option<&str>) -> Result<bool> {
        self.change(leased(concat!("UPDATE tasks SET call = $4", is_held!()), lease).bind(call)).await
    }

    async fn end_quarantine(&self, lease: &Lease) -> Result<bool> {
        self.requeue(leased(concat!("UPDATE tasks SET crashes = -abs(crashes)", is_held!()), lease)).await
    }

    async fn record_progress(&self, lease: &Lease, progress: &str) -> Result<bool> {
        self.change(leased(concat!("UPDATE tasks SET progress = $4", is_held!()), lease).bind(progress)).await
    }

    async fn end_task(&self, lease: &Lease, ended: &Ended) -> Result<bool> {
        let held = self.announced(self.end(lease, ended).await?);
        if held {
            // The key may claim another task, and this process has a free worker.
            self.wakes.tasks.here.notify_one();
        }
        Ok(held)
    }

    async fn cancel_task(&self, id: Uuid, even_held: bool, ended: &Ended) -> Result<bool> {
        let input = (id, even_held, ended.clone());
        let cancel = self.transact(input, |db, (id, even_held, ended)| {
            Box::pin(leases::cancel(db, *id, *even_held, ended))
        });
        Ok(self.announced(cancel.await?))
    }

    async fn delete_task(&self, id: Uuid) -> Result<bool> {
        self.change(sqlx::query("DELETE FROM tasks WHERE id = $1 AND status > 1").bind(id)).await
    }

    async fn release_task(&self, lease: &Lease, release: Release) -> Result<bool> {
        self.requeue(leases::release(lease, &release)).await
    }

    async fn advance_task(&self, lease: &Lease, rest: &RemainingWork) -> Result<bool> {
        self.requeue(leases::advance(lease, rest)).await
    }

    async fn exhausted(&self, claim: &Claim) -> Result<Vec<Claimed>> {
        self.take_exhausted(claim).await
    }

    async fn waiting_since(&self, before: Millis, limit: u32) -> Result<Vec<Task>> {
        let rows: Vec<TaskRow> = sqlx::query_as(concat!(
            "SELECT ",
            task_columns!(),
            " FROM tasks",
            index!("tasks_open"),
            " WHERE status < 2 AND lease_owner IS NULL AND created_at < $1 ORDER BY seq LIMIT $2"
        ))
        .bind(before)
        .bind(i64::from(limit))
        .fetch_all(self.reader())
        .await?;
        Ok(rows.into_iter().map(TaskRow::open).collect())
    }

    async fn oldest_due(&self, now: Millis) -> Result<Vec<(String, Millis)>> {
        let oldest = concat!(
            "SELECT demand, created_at FROM tasks WHERE seq IN (SELECT min(seq) FROM tasks",
            index!("tasks_lanes"),
            " WHERE status < 2 AND due_at <= $1 GROUP BY demand)"
        );
        Ok(sqlx::query_as(oldest).bind(now).fetch_all(self.reader()).await?)
    }

    async fn queues(&self) -> Result<Vec<QueueLength>> {
        let queues = concat!(
            "SELECT family, status, count(*), min(updated_at) FROM tasks",
            index!("tasks_open"),
            " WHERE status < 2 GROUP BY family, status ORDER BY family, status"
        );
        let rows: Vec<(String, i16, i64, Millis)> = sqlx::query_as(queues).fetch_all(self.searcher()).await?;
        let queue = |(family, status, tasks, oldest): (String, i16, i64, Millis)| QueueLength {
            family,
            status: if status == 0 { TaskStatus::Created } else { TaskStatus::InProgress },
            tasks: tasks.unsigned_abs(),
            oldest,
        };
        Ok(rows.into_iter().map(queue).collect())
    }

    async fn sweep_tasks(
        &self,
        before: Millis,
        now: Millis,
        limit: u32,
        retains_results: bool,
    ) -> Result<Vec<String>> {
        let first_day = Days::of(now) - i64::from(Days::RETAINED);
        self.write(first_day, |db, day| Box::pin(forget_days(db, *day))).await?;
        self.write((before, now, limit, retains_results), |db, (before, now, limit, retains_results)| {
            Box::pin(queue::sweep(db, *before, *now, *limit, *retains_results))
        })
        .await
    }

    async fn sweep_retained(&self, limit: u32) -> Result<Vec<String>> {
        self.write(i64::from(limit), |db, limit| {
            let removed = sqlx::query_scalar(queue::REMOVE_RETAINED).bind(*limit);
            Box::pin(async move { Ok(removed.fetch_all(db).await?) })
        })
        .await
    }

    fn forward_notification(&self, notification: Uuid) {
        self.wakes.notices.forward(notification);
    }

    async fn forwarded_notifications(&self) -> Vec<Uuid> {
        self.wakes.notices.forwarded().await
    }

    async fn folders(&self, folders: &[String]) -> Result<Vec<FolderOwner>> {
        let owners = concat!(
            "SELECT folder, status, attempt AS attempts, work, results FROM tasks WHERE folder ",
            in_list!("$1")
        );
        Ok(sqlx::query_as(owners).bind(list(folders)).fetch_all(self.reader()).await?)
    }
}

impl Database {
    /// Wakes the deliveries for the event of a task's end; returns whether the task has ended.
    fn announced(&self, ended: HasEnded) -> bool {
        if ended == HasEnded::WithEvent {
            self.wakes.events.all();
        }
        ended != HasEnded::Not
    }

    /// Writes by a statement after which a task may be claimable; returns `false` if the lease is lost.
    async fn requeue(&self, statement: Statement) -> Result<bool> {
        let held = self.change(statement).await?;
        if held {
            self.wakes.tasks.all();
        }
        Ok(held)
    }
}

/// Returns what an `Idempotency-Key` was used for: [`Created::New`] if it has expired, and `None` if it is unused.
pub async fn used(
    db: impl Executor<'_, Database = Driver>,
    key_id: &str,
    idempotency: &Idempotency,
    now: Millis,
) -> Result<Option<Created>> {
    let row: Option<IdempotentRow> = sqlx::query_as(concat!(
        "SELECT idempotency_hash, idempotency_expires, ",
        task_columns!(),
        " FROM tasks WHERE key_id = $1 AND idempotency_path = $2 AND idempotency_key = $3"
    ))
    .bind(key_id)
    .bind(&idempotency.path)
    .bind(&idempotency.key)
    .fetch_optional(db)
    .await?;
    row.map(|row| row.used(idempotency, now)).transpose()
}

/// Removes an expired `Idempotency-Key` from its task.
pub async fn forget(
    db: impl Executor<'_, Database = Driver>,
    key_id: &str,
    idempotency: &Idempotency,
    now: Millis,
) -> Result<()> {
    sqlx::query(
        "UPDATE tasks SET idempotency_key = NULL
         WHERE key_id = $1 AND idempotency_path = $2 AND idempotency_key = $3 AND idempotency_expires <= $4",
    )
    .bind(key_id)
    .bind(&idempotency.path)
    .bind(&idempotency.key)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes the usage and the audit log of days before this one.
async fn forget_days(db: &mut Connection, day: i64) -> Result<()> {
    for past in [
        "DELETE FROM quotas WHERE day < $1",
        "DELETE FROM past_usage WHERE day < $1",
        "DELETE FROM audit WHERE at / 86400000 < $1",
    ] {
        sqlx::query(past).bind(day).execute(&mut *db).await?;
    }
    Ok(())
}
