//! How tasks enter and leave the queue in SQLite.
//!
//! Everything here runs on the one writing connection.

use sqlx::sqlite::SqliteConnection;

use super::Sqlite;
use super::both::{leases, tasks};
use crate::domain::{Created, Days, Ended, Lease, NewTask, TaskStatus};
use crate::store::Result;
use crate::store::row::{self, HasEnded};
use crate::time::Millis;

impl Sqlite {
    pub(super) async fn create(&self, new: &NewTask) -> Result<Created> {
        self.writer.run(new.clone(), |db, new| Box::pin(create(db, new))).await
    }

    pub(super) async fn end(&self, lease: &Lease, ended: &Ended) -> Result<HasEnded> {
        let input = (lease.clone(), ended.clone());
        self.writer.run(input, |db, (lease, ended)| Box::pin(end(db, lease, ended))).await
    }
}

async fn create(db: &mut SqliteConnection, new: &NewTask) -> Result<Created> {
    let NewTask { task, idempotency, .. } = new;
    if let Some(idempotency) = idempotency {
        match tasks::used(&mut *db, &task.key_id, idempotency, task.created_at).await? {
            Some(Created::New) => {
                tasks::forget(&mut *db, &task.key_id, idempotency, task.created_at).await?;
            }
            Some(created) => return Ok(created),
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
            "INSERT INTO tasks (id, key_id, family, model, status, created_at, updated_at, demand, size, input_bytes,
                                engine, folder, webhook_url, app, ignored, work,
                                idempotency_path, idempotency_key, idempotency_hash, idempotency_expires, traceparent)
             SELECT ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE ",
            $condition
        )
    };
}

/// Inserts a task and counts it; returns `false` if the day's quota is used up.
///
/// One query does both, to save a trip to the connection's thread.
async fn insert(db: &mut SqliteConnection, new: &NewTask) -> Result<bool> {
    let NewTask { task, work, demand, input_bytes, idempotency, daily_quota, .. } = new;
    let idempotency = idempotency.as_ref();
    let insert = match daily_quota {
        None => sqlx::query(insert_task!("1")),
        Some(quota) => sqlx::query(concat!(
            "INSERT INTO quotas (day, key_id, used) SELECT ?, ?, 1 WHERE ? > 0
             ON CONFLICT (day, key_id) DO UPDATE SET used = used + 1 WHERE used < ?; ",
            insert_task!("changes() = 1")
        ))
        .bind(Days::of(task.created_at))
        .bind(&task.key_id)
        .bind(*quota)
        .bind(*quota),
    };
    let inserted = insert
        .bind(task.id)
        .bind(&task.key_id)
        .bind(&task.family)
        .bind(task.model.as_deref().unwrap_or_default())
        .bind(task.created_at)
        .bind(task.updated_at)
        .bind(demand.engines.to_string())
        .bind(demand.size)
        .bind(row::signed(*input_bytes))
        .bind(&task.engine)
        .bind(&task.folder)
        .bind(&task.webhook_url)
        .bind(&task.app)
        .bind(row::ignored(task))
        .bind(work)
        .bind(idempotency.map(|idempotency| &idempotency.path))
        .bind(idempotency.map(|idempotency| &idempotency.key))
        .bind(idempotency.map(|idempotency| &idempotency.body_hash))
        .bind(idempotency.map(|idempotency| idempotency.expires_at))
        .bind(row::traceparent(new))
        .execute(db)
        .await?;
    Ok(inserted.rows_affected() > 0)
}

/// Ends a task and queues its terminal event.
async fn end(db: &mut SqliteConnection, lease: &Lease, ended: &Ended) -> Result<HasEnded> {
    let (status, results, error) = row::outcome(ended)?;
    let engine_time = row::engine_time(ended.engine_time);
    let held: Option<(String, Option<String>)> = sqlx::query_as(
        "UPDATE tasks SET status = ?, results = ?, error = ?, engine = coalesce(?, engine), updated_at = ?,
                          result_bytes = ?, input_bytes = iif(?, -abs(input_bytes), input_bytes), lease_owner = NULL,
                          engine_time = coalesce(engine_time + ?, engine_time, ?)
         WHERE id = ? AND attempt = ? AND lease_owner = ? AND status = 1 RETURNING key_id, webhook_url",
    )
    .bind(status.number())
    .bind(results)
    .bind(error)
    .bind(&ended.engine)
    .bind(ended.now)
    .bind(row::signed(ended.result_bytes))
    .bind(status == TaskStatus::Completed)
    .bind(engine_time)
    .bind(engine_time)
    .bind(lease.task_id)
    .bind(lease.attempt)
    .bind(&lease.owner)
    .fetch_optional(&mut *db)
    .await?;
    leases::queue_end(db, lease.task_id, held, ended).await
}

pub(super) async fn sweep(
    db: &mut SqliteConnection,
    before: Millis,
    now: Millis,
    limit: u32,
    retains_results: bool,
) -> Result<Vec<String>> {
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
    for (folder, key_id, bytes) in swept.iter().filter(|(.., bytes)| retains_results && *bytes > 0) {
        let retain = sqlx::query("INSERT INTO retained_results (folder, key_id, bytes) VALUES (?, ?, ?)");
        retain.bind(folder).bind(key_id).bind(bytes).execute(&mut *db).await?;
    }
    Ok(swept.into_iter().map(|(folder, ..)| folder).collect())
}

/// Removes at most $1 folders whose results stayed after their task.
pub(super) const REMOVE_RETAINED: &str = "
    DELETE FROM retained_results WHERE folder IN (SELECT folder FROM retained_results LIMIT ?)
    RETURNING folder";
