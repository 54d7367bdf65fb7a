//! The queue of tasks in PostgreSQL: leases and what is done under them.

use sqlx::FromRow;
use sqlx::postgres::{PgConnection, PgExecutor};
use uuid::Uuid;

use super::changed;
use super::events;
use crate::store::row::{self, NewEvent, QueuedRow, task_columns};
use crate::store::{Claim, Claimed, Ended, Lease, Payload, Result};
use crate::time::Millis;

/// Claims of tasks take turns by this advisory lock.
const TURN: i64 = 0x6173_7365_7400_0001;

/// `lanes` are the keys that have open tasks, found by one step in the index for each key, however many tasks it has;
/// `turn` is how many tasks its key would have under way with this one. What another transaction has locked (its lease ran
/// out, and it ends after all) is passed over, and what it has changed is looked at again.
const CLAIM: &str = concat!(
    "WITH RECURSIVE
     lanes (key_id) AS (
         (SELECT key_id FROM tasks WHERE status < 2 ORDER BY key_id LIMIT 1)
         UNION ALL
         SELECT (SELECT key_id FROM tasks WHERE status < 2 AND key_id > lanes.key_id ORDER BY key_id LIMIT 1)
         FROM lanes WHERE key_id IS NOT NULL
     ),
     busy (key_id, running) AS MATERIALIZED (
         SELECT key_id, count(*) FROM tasks
         WHERE status = 1 AND due_at > $1 AND lease_owner IS NOT NULL GROUP BY key_id
     ),
     turns (seq, turn) AS (
         SELECT waiting.seq, coalesce(busy.running, 0) + waiting.rank
         FROM lanes LEFT JOIN busy USING (key_id) CROSS JOIN LATERAL (
             SELECT seq, row_number() OVER (ORDER BY seq) AS rank FROM (
                 SELECT seq FROM tasks
                 WHERE key_id = lanes.key_id AND status < 2 AND due_at <= $1 AND attempt - refunded < $3
                 ORDER BY seq LIMIT least($4, $2 - coalesce(busy.running, 0))
             ) AS lane
         ) AS waiting
         WHERE lanes.key_id IS NOT NULL AND coalesce(busy.running, 0) < $2
     ),
     chosen (seq, turn, began) AS (
         SELECT tasks.seq, turns.turn, tasks.status = 0 FROM tasks JOIN turns USING (seq)
         WHERE tasks.status < 2 AND tasks.due_at <= $1
         ORDER BY turns.turn, tasks.seq LIMIT $4 FOR UPDATE OF tasks SKIP LOCKED
     ),
     claimed AS (
         UPDATE tasks SET attempt = attempt + 1, lease_owner = $5, due_at = $6,
                          updated_at = CASE status WHEN 0 THEN $1 ELSE updated_at END, status = 1
         FROM chosen WHERE tasks.seq = chosen.seq
         RETURNING tasks.seq, attempt, refunded, turn, began, ",
    task_columns!(),
    ")
     SELECT * FROM claimed ORDER BY turn, seq"
);

/// A task that was claimed.
#[derive(FromRow)]
struct ClaimedRow {
    /// Whether it waited until now.
    began: bool,
    #[sqlx(flatten)]
    row: QueuedRow,
}

/// Claims tasks, and queues the events of those that begin.
pub(super) async fn claim(
    db: &mut PgConnection,
    claim: &Claim<'_>,
    payload: &Payload,
) -> Result<Vec<Claimed>> {
    // A statement of its own: the next one sees what the claim before it has committed.
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(TURN).execute(&mut *db).await?;
    let rows: Vec<ClaimedRow> = sqlx::query_as(CLAIM)
        .bind(claim.now)
        .bind(i64::from(claim.running_per_key))
        .bind(i64::from(claim.max_attempts))
        .bind(i64::from(claim.limit))
        .bind(claim.owner)
        .bind(claim.lease_until)
        .fetch_all(&mut *db)
        .await?;
    let mut all = Vec::with_capacity(rows.len());
    for ClaimedRow { began, row } in rows {
        let attempt = row.attempt;
        let claimed = row.leased(claim.owner, attempt)?;
        let task = &claimed.task;
        if let Some(url) = task.webhook_url.as_ref().filter(|_| began) {
            let (task_id, key_id, payload) = (task.id, &task.key_id, &payload(task));
            let event = NewEvent { task_id, key_id, url, payload, terminal: false, now: claim.now };
            events::queue(&mut *db, &event).await?;
        }
        all.push(claimed);
    }
    Ok(all)
}

/// Takes over tasks that have no attempt left and that nobody holds.
pub(super) async fn exhausted(db: impl PgExecutor<'_>, claim: &Claim<'_>) -> Result<Vec<Claimed>> {
    let rows: Vec<QueuedRow> = sqlx::query_as(concat!(
        "UPDATE tasks SET attempt = attempt + 1, lease_owner = $1, due_at = $2 WHERE seq IN (
             SELECT seq FROM tasks WHERE status = 1 AND due_at <= $3 AND attempt - refunded >= $4
             ORDER BY due_at LIMIT $5 FOR UPDATE SKIP LOCKED
         ) RETURNING seq, attempt, refunded, ",
        task_columns!()
    ))
    .bind(claim.owner)
    .bind(claim.lease_until)
    .bind(claim.now)
    .bind(i64::from(claim.max_attempts))
    .bind(i64::from(claim.limit))
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|row| {
            let attempt = row.attempt;
            row.leased(claim.owner, attempt)
        })
        .collect()
}

/// Prolongs a lease.
pub(super) async fn prolong(db: impl PgExecutor<'_>, lease: &Lease, until: Millis) -> Result<bool> {
    let held = sqlx::query(
        "UPDATE tasks SET due_at = $1 WHERE id = $2 AND attempt = $3 AND lease_owner = $4 AND status = 1",
    )
    .bind(until)
    .bind(lease.task_id)
    .bind(i64::from(lease.attempt))
    .bind(&lease.owner)
    .execute(db)
    .await?;
    Ok(changed(&held))
}

/// Gives a task back.
pub(super) async fn release(
    db: impl PgExecutor<'_>,
    lease: &Lease,
    not_before: Millis,
    refund: bool,
) -> Result<bool> {
    let held = sqlx::query(
        "UPDATE tasks SET due_at = $1, refunded = refunded + $2, lease_owner = NULL
         WHERE id = $3 AND attempt = $4 AND lease_owner = $5 AND status = 1",
    )
    .bind(not_before)
    .bind(i32::from(refund))
    .bind(lease.task_id)
    .bind(i64::from(lease.attempt))
    .bind(&lease.owner)
    .execute(db)
    .await?;
    Ok(changed(&held))
}

/// Ends a task, and queues its terminal event.
pub(super) async fn end(db: &mut PgConnection, lease: &Lease, ended: &Ended) -> Result<bool> {
    let (status, results, error) = row::outcome(&ended.outcome)?;
    let held: Option<(Uuid, String, Option<String>)> = sqlx::query_as(
        "UPDATE tasks SET status = $1, results = $2, error = $3, engine = coalesce($4, engine), updated_at = $5,
                          lease_owner = NULL
         WHERE id = $6 AND attempt = $7 AND lease_owner = $8 AND status = 1 RETURNING id, key_id, webhook_url",
    )
    .bind(status.number())
    .bind(results)
    .bind(error)
    .bind(&ended.engine)
    .bind(ended.now)
    .bind(lease.task_id)
    .bind(i64::from(lease.attempt))
    .bind(&lease.owner)
    .fetch_optional(&mut *db)
    .await?;
    let Some((task_id, key_id, url)) = held else { return Ok(false) };
    if let Some(url) = url {
        events::give_up_begun(&mut *db, task_id).await?;
        let (key_id, payload) = (&key_id, &ended.payload);
        let event = NewEvent { task_id, key_id, url: &url, payload, terminal: true, now: ended.now };
        events::queue(db, &event).await?;
    }
    Ok(true)
}
