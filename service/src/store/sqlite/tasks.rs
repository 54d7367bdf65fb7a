//! Tasks in SQLite.
//!
//! This module creates and reads tasks; [`super::queue`] claims and ends them.

use async_trait::async_trait;
use sqlx::sqlite::{SqliteConnection, SqliteExecutor};
use tokio::sync::Notify;
use uuid::Uuid;

use super::Sqlite;
use super::queue::{self, Taking};
use crate::store::row::{
    self, HasEnded, IdempotentRow, ListedRow, QueuedRow, TaskRow, Used, queued_columns, task_columns,
};
use crate::store::{
    Claim, Claimed, Created, Ended, Idempotency, Lease, Listed, NewTask, Page, Payload, Release, Rest,
    Result, Task, TaskQuery, Tasks, Usage,
};
use crate::time::Millis;

#[async_trait]
impl Tasks for Sqlite {
    async fn create_task(&self, new: &NewTask) -> Result<Created> {
        let created = self.writer.run(new.clone(), |db, new| Box::pin(create(db, new))).await?;
        if created == Created::New {
            self.tasks_woken.notify_one();
        }
        Ok(created)
    }

    async fn usage(&self, key_id: &str, most_open: u32) -> Result<Usage> {
        let usage = sqlx::query_as(
            "SELECT (SELECT count(*) FROM (
                 SELECT 1 FROM tasks INDEXED BY tasks_open WHERE key_id = ?1 AND status < 2 LIMIT ?2
             )), (SELECT coalesce(sum(bytes), 0) FROM stored WHERE key_id = ?1)",
        );
        Ok(row::usage(usage.bind(key_id).bind(most_open).fetch_one(&self.readers).await?))
    }

    async fn count_upload(&self, key_id: &str, now: Millis, bytes: u64, most: u64) -> Result<bool> {
        let input = (key_id.to_owned(), row::day(now), row::signed(bytes), row::signed(most));
        self.writer
            .run(input, |db, (key_id, day, bytes, most)| {
                Box::pin(async move {
                    let counted = sqlx::query(
                        "INSERT INTO quotas (day, key_id, used, uploaded) SELECT ?1, ?2, 0, ?3 WHERE ?3 <= ?4
                         ON CONFLICT (day, key_id) DO UPDATE SET uploaded = uploaded + ?3 WHERE uploaded + ?3 <= ?4",
                    )
                    .bind(*day)
                    .bind(&*key_id)
                    .bind(*bytes)
                    .bind(*most)
                    .execute(db)
                    .await?;
                    Ok(counted.rows_affected() > 0)
                })
            })
            .await
    }

    async fn idempotent(&self, key_id: &str, idempotency: &Idempotency, now: Millis) -> Result<Created> {
        Ok(match used(&self.readers, key_id, idempotency, now).await? {
            Some(Used::Same(task)) => Created::Repeat(task),
            Some(Used::Otherwise) => Created::Conflict,
            Some(Used::LongAgo) | None => Created::New,
        })
    }

    async fn task(&self, key_id: &str, scope: &str, id: Uuid) -> Result<Option<Task>> {
        let row: Option<TaskRow> = sqlx::query_as(concat!(
            "SELECT ",
            task_columns!(),
            " FROM tasks WHERE id = ? AND key_id = ? AND scope = ?"
        ))
        .bind(id)
        .bind(key_id)
        .bind(scope)
        .fetch_optional(&self.readers)
        .await?;
        row.map(Task::try_from).transpose()
    }

    async fn any_task(&self, id: Uuid) -> Result<Option<Task>> {
        let row: Option<TaskRow> =
            sqlx::query_as(concat!("SELECT ", task_columns!(), " FROM tasks WHERE id = ?"))
                .bind(id)
                .fetch_optional(&self.readers)
                .await?;
        row.map(Task::try_from).transpose()
    }

    async fn tasks(&self, key_id: &str, scope: &str, page: Page) -> Result<Vec<Task>> {
        let rows: Vec<TaskRow> = sqlx::query_as(concat!(
            "SELECT ",
            task_columns!(),
            " FROM tasks WHERE key_id = ? AND scope = ? ORDER BY seq DESC LIMIT ? OFFSET ?"
        ))
        .bind(key_id)
        .bind(scope)
        .bind(page.limit)
        .bind(row::signed(page.offset))
        .fetch_all(&self.searches)
        .await?;
        row::all(rows)
    }

    async fn all_tasks(&self, query: &TaskQuery, page: Page) -> Result<Vec<Listed>> {
        let rows: Vec<ListedRow> = sqlx::query_as(concat!(
            "SELECT attempt, refunded, suspect, lease_owner, due_at, ",
            task_columns!(),
            " FROM tasks WHERE (?1 IS NULL OR key_id = ?1) AND (?2 IS NULL OR status = ?2)
              ORDER BY seq DESC LIMIT ?3 OFFSET ?4"
        ))
        .bind(&query.key_id)
        .bind(query.status.map(|status| status.number()))
        .bind(page.limit)
        .bind(row::signed(page.offset))
        .fetch_all(&self.readers)
        .await?;
        row::all(rows)
    }

    async fn claim_tasks(&self, claim: &Claim<'_>, payload: &Payload) -> Result<Vec<Claimed>> {
        let known = self.suspects.known(claim.now);
        let input = (Taking::new(claim, known), payload.clone());
        let (claimed, has_suspects) = self
            .writer
            .run(input, |db, (taking, payload)| Box::pin(queue::claim(db, taking, payload)))
            .await?;
        self.suspects.note(has_suspects);
        if claimed.iter().any(|claimed| claimed.task.webhook_url.is_some()) {
            self.events_woken.notify_one();
        }
        Ok(claimed)
    }

    fn tasks_woken(&self) -> &Notify {
        &self.tasks_woken
    }

    async fn heartbeat(&self, lease: &Lease, lease_until: Millis) -> Result<bool> {
        let input = (lease.clone(), lease_until);
        self.writer.run(input, |db, (lease, until)| Box::pin(queue::prolong(db, lease, *until))).await
    }

    async fn record_call(&self, lease: &Lease, call: Option<&str>) -> Result<bool> {
        let input = (lease.clone(), call.map(ToOwned::to_owned));
        self.writer
            .run(input, |db, (lease, call)| Box::pin(queue::record_call(db, lease, call.as_deref())))
            .await
    }

    async fn clear_suspect(&self, lease: &Lease) -> Result<bool> {
        let held = self.writer.run(lease.clone(), |db, lease| Box::pin(queue::clear(db, lease))).await?;
        if held {
            self.tasks_woken.notify_one();
        }
        Ok(held)
    }

    async fn record_progress(&self, lease: &Lease, progress: &str) -> Result<bool> {
        let input = (lease.clone(), progress.to_owned());
        self.writer
            .run(input, |db, (lease, progress)| Box::pin(queue::record_progress(db, lease, progress)))
            .await
    }

    async fn end_task(&self, lease: &Lease, ended: &Ended) -> Result<bool> {
        let input = (lease.clone(), ended.clone());
        let ended =
            self.writer.run(input, |db, (lease, ended)| Box::pin(queue::end(db, lease, ended))).await?;
        if ended == HasEnded::Told {
            self.events_woken.notify_one();
        }
        let held = ended != HasEnded::Not;
        if held {
            // The key may claim another task.
            self.tasks_woken.notify_one();
        }
        Ok(held)
    }

    async fn cancel_task(&self, id: Uuid, ended: &Ended) -> Result<bool> {
        let input = (id, ended.clone());
        let ended = self.writer.run(input, |db, (id, ended)| Box::pin(queue::cancel(db, *id, ended))).await?;
        if ended == HasEnded::Told {
            self.events_woken.notify_one();
        }
        Ok(ended != HasEnded::Not)
    }

    async fn delete_task(&self, id: Uuid) -> Result<bool> {
        self.writer.run(id, |db, id| Box::pin(delete(db, *id))).await
    }

    async fn release_task(&self, lease: &Lease, release: Release) -> Result<bool> {
        let input = (lease.clone(), release);
        let held = self
            .writer
            .run(input, |db, (lease, release)| Box::pin(queue::release(db, lease, release)))
            .await?;
        if held {
            self.tasks_woken.notify_one();
        }
        Ok(held)
    }

    async fn advance_task(&self, lease: &Lease, rest: &Rest) -> Result<bool> {
        let input = (lease.clone(), rest.clone());
        let held =
            self.writer.run(input, |db, (lease, rest)| Box::pin(queue::advance(db, lease, rest))).await?;
        if held {
            self.tasks_woken.notify_one();
        }
        Ok(held)
    }

    async fn exhausted(&self, claim: &Claim<'_>) -> Result<Vec<Claimed>> {
        self.writer.run(Taking::new(claim, None), |db, taking| Box::pin(queue::exhausted(db, taking))).await
    }

    async fn depth(&self) -> Result<(u64, u64)> {
        let (open, begun): (i64, i64) = sqlx::query_as(
            "SELECT (SELECT count(*) FROM tasks WHERE status < 2), (SELECT count(*) FROM tasks WHERE status = 1)",
        )
        .fetch_one(&self.readers)
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
        self.writer
            .run((before, now, limit, keeps_results), |db, (before, now, limit, keeps_results)| {
                Box::pin(sweep(db, *before, *now, *limit, *keeps_results))
            })
            .await
    }

    async fn sweep_kept(&self, limit: u32) -> Result<Vec<String>> {
        self.writer.run(limit, |db, limit| Box::pin(sweep_kept(db, *limit))).await
    }

    async fn folders(&self, folders: &[String]) -> Result<Vec<(Task, u32)>> {
        let rows: Vec<QueuedRow> = sqlx::query_as(concat!(
            "SELECT ",
            queued_columns!(),
            " FROM tasks WHERE folder IN (SELECT value FROM json_each(?))"
        ))
        .bind(serde_json::Value::from(folders).to_string())
        .fetch_all(&self.readers)
        .await?;
        rows.into_iter().map(QueuedRow::attempted).collect()
    }
}

async fn create(db: &mut SqliteConnection, new: &NewTask) -> Result<Created> {
    let NewTask { task, idempotency, .. } = new;
    if let Some(idempotency) = idempotency {
        match used(&mut *db, &task.key_id, idempotency, task.created_at).await? {
            Some(Used::Same(task)) => return Ok(Created::Repeat(task)),
            Some(Used::Otherwise) => return Ok(Created::Conflict),
            Some(Used::LongAgo) => forget(&mut *db, &task.key_id, idempotency).await?,
            None => {}
        }
    }
    let is_inserted = insert(db, new).await?;
    Ok(if is_inserted { Created::New } else { Created::QuotaExhausted })
}

/// Builds the insert of a task under a condition.
macro_rules! insert_task {
    ($condition:literal) => {
        concat!(
            "INSERT INTO tasks (id, key_id, scope, status, engine, folder, webhook_url, created_at, updated_at, work,
                                families, size, input_bytes,
                                idempotency_path, idempotency_key, idempotency_hash, idempotency_expires)
             SELECT ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE ",
            $condition
        )
    };
}

/// Inserts a task and counts it; returns `false` if the day's quota is used up.
///
/// One query does both, to save a trip to the connection's thread.
async fn insert(db: &mut SqliteConnection, new: &NewTask) -> Result<bool> {
    let NewTask { task, demand, input_bytes, idempotency, daily_quota } = new;
    let idempotency = idempotency.as_ref();
    let insert = match daily_quota {
        None => sqlx::query(insert_task!("1")),
        Some(quota) => sqlx::query(concat!(
            "INSERT INTO quotas (day, key_id, used) SELECT ?, ?, 1 WHERE ? > 0
             ON CONFLICT (day, key_id) DO UPDATE SET used = used + 1 WHERE used < ?; ",
            insert_task!("changes() = 1")
        ))
        .bind(row::day(task.created_at))
        .bind(&task.key_id)
        .bind(*quota)
        .bind(*quota),
    };
    let inserted = insert
        .bind(task.id)
        .bind(&task.key_id)
        .bind(&task.scope)
        .bind(&task.engine)
        .bind(&task.folder)
        .bind(&task.webhook_url)
        .bind(task.created_at)
        .bind(task.updated_at)
        .bind(&task.work)
        .bind(&demand.families)
        .bind(demand.size)
        .bind(row::signed(*input_bytes))
        .bind(idempotency.map(|idempotency| &idempotency.path))
        .bind(idempotency.map(|idempotency| &idempotency.key))
        .bind(idempotency.map(|idempotency| &idempotency.body_hash))
        .bind(idempotency.map(|idempotency| idempotency.expires_at))
        .execute(db)
        .await?;
    Ok(inserted.rows_affected() > 0)
}

async fn used(
    db: impl SqliteExecutor<'_>,
    key_id: &str,
    idempotency: &Idempotency,
    now: Millis,
) -> Result<Option<Used>> {
    let row: Option<IdempotentRow> = sqlx::query_as(concat!(
        "SELECT idempotency_hash, idempotency_expires, ",
        task_columns!(),
        " FROM tasks WHERE key_id = ? AND idempotency_path = ? AND idempotency_key = ?"
    ))
    .bind(key_id)
    .bind(&idempotency.path)
    .bind(&idempotency.key)
    .fetch_optional(db)
    .await?;
    row.map(|row| row.used(idempotency, now)).transpose()
}

/// Removes an expired `Idempotency-Key` from its task.
async fn forget(db: &mut SqliteConnection, key_id: &str, idempotency: &Idempotency) -> Result<()> {
    sqlx::query(
        "UPDATE tasks SET idempotency_key = NULL
         WHERE key_id = ? AND idempotency_path = ? AND idempotency_key = ?",
    )
    .bind(key_id)
    .bind(&idempotency.path)
    .bind(&idempotency.key)
    .execute(db)
    .await?;
    Ok(())
}

async fn delete(db: &mut SqliteConnection, id: Uuid) -> Result<bool> {
    let deleted = sqlx::query("DELETE FROM tasks WHERE id = ? AND status > 1").bind(id).execute(db).await?;
    Ok(deleted.rows_affected() == 1)
}

async fn sweep(
    db: &mut SqliteConnection,
    before: Millis,
    now: Millis,
    limit: u32,
    keeps_results: bool,
) -> Result<Vec<String>> {
    for past in ["DELETE FROM quotas WHERE day < ?", "DELETE FROM past_usage WHERE day < ?"] {
        sqlx::query(past).bind(row::first_day(now)).execute(&mut *db).await?;
    }
    let swept: Vec<(String, String, i64)> = sqlx::query_as(
        "DELETE FROM tasks WHERE seq IN (
             SELECT seq FROM tasks WHERE status > 1 AND updated_at < ?
             AND (idempotency_key IS NULL OR idempotency_expires <= ?)
             AND NOT EXISTS (SELECT 1 FROM events WHERE task_id = tasks.id AND state = 0)
             ORDER BY updated_at LIMIT ?
         ) RETURNING folder, key_id, result_bytes",
    )
    .bind(before)
    .bind(now)
    .bind(limit)
    .fetch_all(&mut *db)
    .await?;
    for (folder, key_id, bytes) in swept.iter().filter(|(.., bytes)| keeps_results && *bytes > 0) {
        let keep = sqlx::query("INSERT INTO kept_results (folder, key_id, bytes) VALUES (?, ?, ?)");
        keep.bind(folder).bind(key_id).bind(bytes).execute(&mut *db).await?;
    }
    Ok(swept.into_iter().map(|(folder, ..)| folder).collect())
}

async fn sweep_kept(db: &mut SqliteConnection, limit: u32) -> Result<Vec<String>> {
    let folders = sqlx::query_scalar(
        "DELETE FROM kept_results WHERE folder IN (SELECT folder FROM kept_results LIMIT ?) RETURNING folder",
    );
    Ok(folders.bind(limit).fetch_all(db).await?)
}
