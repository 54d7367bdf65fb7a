//! The changes of a task that a lease permits, and the ends that need none.

use uuid::Uuid;

use super::super::{Connection, events, skip_locked};
use super::Statement;
use crate::domain::{Claim, Claimed, Counts, Ended, Lease, Release, RemainingWork};
use crate::store::Result;
use crate::store::row::{self, HasEnded, NewEvent, QueuedRow, queued_columns};

/// The condition that a lease is held: $1 to $3 are the lease.
///
/// With `status = 1`, PostgreSQL may search an index of all tasks in progress instead of the id, and pass their old versions.
macro_rules! is_held {
    () => {
        " WHERE id = $1 AND attempt = $2 AND lease_owner = $3 AND status NOT IN (0, 2, 3)"
    };
}
pub(super) use is_held;

/// Begins a statement whose first parameters are the lease.
pub(super) fn leased(statement: &'static str, lease: &Lease) -> Statement {
    sqlx::query(statement).bind(lease.task_id).bind(i64::from(lease.attempt)).bind(&lease.owner)
}

/// Returns a task to the queue.
pub(super) fn release(lease: &Lease, release: &Release) -> Statement {
    let Release { not_before, counts, is_slow, engine_time } = release;
    leased(
        concat!(
            "UPDATE tasks SET due_at = $4, refunded = refunded + $5, outages = outages + $6, refusals = refusals + $7,
                              size = CASE WHEN $8 THEN 32767 ELSE size END, lease_owner = NULL,
                              engine_time = coalesce(engine_time + $9, engine_time, $9),
                              crashes = CASE WHEN $10 THEN crashes ELSE -abs(crashes) END",
            is_held!()
        ),
        lease,
    )
    .bind(*not_before)
    .bind(i32::from(*counts != Counts::Attempt))
    .bind(i32::from(*counts == Counts::Outage))
    .bind(i32::from(*counts == Counts::Refusal))
    .bind(*is_slow)
    .bind(row::engine_time(*engine_time))
    .bind(*counts == Counts::Nothing)
}

/// Returns a task to the queue with the rest of its work.
pub(super) fn advance(lease: &Lease, rest: &RemainingWork) -> Statement {
    leased(
        concat!(
            "UPDATE tasks SET work = $4, demand = $5, size = $6, due_at = $7, refunded = attempt,
                              outages = 0, refusals = 0, crashes = 0, call = NULL, progress = NULL, lease_owner = NULL,
                              engine_time = coalesce(engine_time + $8, engine_time, $8)",
            is_held!()
        ),
        lease,
    )
    .bind(&rest.work)
    .bind(rest.demand.engines.to_string())
    .bind(rest.demand.size)
    .bind(rest.now)
    .bind(row::engine_time(rest.engine_time))
}

/// Ends a task that has not ended: with or without a lease, or only without one.
pub async fn cancel(db: &mut Connection, id: Uuid, even_held: bool, ended: &Ended) -> Result<HasEnded> {
    let (status, results, error) = row::outcome(ended)?;
    let open: Option<(String, Option<String>)> = sqlx::query_as(
        "UPDATE tasks SET status = $1, results = $2, error = $3, updated_at = $4, lease_owner = NULL
         WHERE id = $5 AND status < 2 AND ($6 OR lease_owner IS NULL) RETURNING key_id, webhook_url",
    )
    .bind(status.number())
    .bind(results)
    .bind(error)
    .bind(ended.now)
    .bind(id)
    .bind(even_held)
    .fetch_optional(&mut *db)
    .await?;
    queue_end(db, id, open, ended).await
}

/// Queues the terminal event of a task that has ended, with this key and webhook.
pub async fn queue_end(
    db: &mut Connection,
    task_id: Uuid,
    task: Option<(String, Option<String>)>,
    ended: &Ended,
) -> Result<HasEnded> {
    let Some((key_id, url)) = task else { return Ok(HasEnded::Not) };
    let Some(url) = url else { return Ok(HasEnded::Silently) };
    let (key_id, url, payload) = (&*key_id, &*url, &*ended.payload);
    events::give_up_begun(db, &[task_id]).await?;
    events::queue(db, &[NewEvent { task_id, key_id, url, payload, terminal: true, now: ended.now }]).await?;
    Ok(HasEnded::WithEvent)
}

/// Takes over tasks without a lease and without an attempt left.
pub async fn exhausted(db: &mut Connection, claim: &Claim) -> Result<Vec<Claimed>> {
    let rows: Vec<QueuedRow> = sqlx::query_as(concat!(
        "UPDATE tasks SET attempt = attempt + 1, lease_owner = $1, due_at = $2 WHERE seq IN (
             SELECT seq FROM tasks WHERE status = 1 AND due_at <= $3 AND lease_owner IS NULL AND attempt - refunded >= $4
             ORDER BY due_at LIMIT $5",
        skip_locked!(),
        ") RETURNING ",
        queued_columns!()
    ))
    .bind(&claim.owner)
    .bind(claim.lease_until)
    .bind(claim.now)
    .bind(i64::from(claim.max_attempts))
    .bind(i64::from(claim.limit))
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|row| row.leased(&claim.owner, 0)).collect())
}
