//! The outbox in PostgreSQL.

use async_trait::async_trait;
use sqlx::postgres::{PgConnection, PgExecutor};
use tokio::sync::Notify;
use uuid::Uuid;

use super::{Postgres, changed};
use crate::store::row::{self, AttemptRow, EventRow, NewEvent, event_columns};
use crate::store::{
    Attempt, ClaimedEvent, Event, EventClaim, EventQuery, EventState, Events, Next, Page, RecordedAttempt,
    Result,
};
use crate::time::Millis;

/// Claims of events take turns by this advisory lock.
const TURN: i64 = 0x6173_7365_7400_0002;

/// As the claim of tasks: `lanes` are the hosts that have pending events. `share` is how many events its key would have under
/// way with this one.
const CLAIM: &str = concat!(
    "WITH RECURSIVE
     lanes (host) AS (
         (SELECT host FROM events WHERE state = 0 ORDER BY host LIMIT 1)
         UNION ALL
         SELECT (SELECT host FROM events WHERE state = 0 AND host > lanes.host ORDER BY host LIMIT 1)
         FROM lanes WHERE host IS NOT NULL
     ),
     busy (host, sending) AS MATERIALIZED (
         SELECT host, count(*) FROM events
         WHERE state = 0 AND lease IS NOT NULL AND due_at > $1 GROUP BY host
     ),
     turns (seq, key_id, due_at, turn) AS (
         SELECT due.seq, due.key_id, due.due_at, coalesce(busy.sending, 0) + due.rank
         FROM lanes LEFT JOIN busy USING (host) CROSS JOIN LATERAL (
             SELECT seq, key_id, due_at, row_number() OVER (ORDER BY due_at, seq) AS rank FROM (
                 SELECT seq, key_id, due_at FROM events WHERE host = lanes.host AND state = 0 AND due_at <= $1
                 ORDER BY due_at, seq LIMIT least($3, $2 - coalesce(busy.sending, 0))
             ) AS lane
         ) AS due
         WHERE lanes.host IS NOT NULL AND coalesce(busy.sending, 0) < $2
     ),
     busy_keys (key_id, sending) AS MATERIALIZED (
         SELECT key_id, count(*) FROM events
         WHERE state = 0 AND lease IS NOT NULL AND due_at > $1 GROUP BY key_id
     ),
     shares (seq, turn, share) AS (
         SELECT seq, turn, coalesce(busy_keys.sending, 0)
                + row_number() OVER (PARTITION BY turns.key_id ORDER BY turn, due_at, seq)
         FROM turns LEFT JOIN busy_keys USING (key_id)
     ),
     chosen (seq) AS (
         SELECT events.seq FROM events JOIN shares USING (seq)
         WHERE shares.share <= $6 AND events.state = 0 AND events.due_at <= $1
         ORDER BY shares.turn, events.due_at, events.seq LIMIT $3 FOR UPDATE OF events SKIP LOCKED
     )
     UPDATE events SET lease = $4, due_at = $5 FROM chosen WHERE events.seq = chosen.seq RETURNING ",
    event_columns!()
);

#[async_trait]
impl Events for Postgres {
    async fn claim_events(&self, claim: &EventClaim) -> Result<Vec<ClaimedEvent>> {
        self.skew.check()?;
        let lease = Uuid::now_v7().simple().to_string();
        let mut transaction = self.pool.begin().await?;
        sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(TURN).execute(&mut *transaction).await?;
        let rows: Vec<EventRow> = sqlx::query_as(CLAIM)
            .bind(claim.now)
            .bind(i64::from(claim.per_host))
            .bind(i64::from(claim.limit))
            .bind(&lease)
            .bind(claim.lease_until)
            .bind(i64::from(claim.per_key))
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        rows.into_iter().map(|row| row.leased(&lease)).collect()
    }

    fn events_woken(&self) -> &Notify {
        &self.wakes.events.here
    }

    async fn record_attempt(&self, claimed: &ClaimedEvent, attempt: &Attempt, next: Next) -> Result<bool> {
        let mut transaction = self.pool.begin().await?;
        let held = record(&mut transaction, claimed, attempt, next).await?;
        transaction.commit().await?;
        Ok(held)
    }

    async fn events(&self, query: &EventQuery, page: Page) -> Result<Vec<Event>> {
        let rows: Vec<EventRow> = sqlx::query_as(concat!(
            "SELECT ",
            event_columns!(),
            " FROM events WHERE ($1 IS NULL OR task_id = $1) AND ($2 IS NULL OR key_id = $2)
              AND ($3 IS NULL OR state = $3) ORDER BY seq DESC LIMIT $4 OFFSET $5"
        ))
        .bind(query.task_id)
        .bind(&query.key_id)
        .bind(query.state.map(EventState::number))
        .bind(i64::from(page.limit))
        .bind(row::signed(page.offset))
        .fetch_all(&self.pool)
        .await?;
        row::all(rows)
    }

    async fn attempts(&self, event_id: &str) -> Result<Vec<RecordedAttempt>> {
        let rows: Vec<AttemptRow> = sqlx::query_as(
            "SELECT number, at, duration, status, error, answer FROM attempts WHERE event_id = $1 ORDER BY number",
        )
        .bind(event_id)
        .fetch_all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    async fn replay_event(&self, event_id: &str, now: Millis) -> Result<bool> {
        let replayed = sqlx::query(
            "UPDATE events SET state = 0, attempts = 0, due_at = $1, lease = NULL WHERE id = $2 AND state != 0",
        )
        .bind(now)
        .bind(event_id)
        .execute(&self.pool)
        .await?;
        if changed(&replayed) {
            self.wakes.events.all();
        }
        Ok(changed(&replayed))
    }
}

/// Queues an event; one of a task whose receiver wants no more is kept, but not delivered.
pub(super) async fn queue(db: impl PgExecutor<'_>, event: &NewEvent<'_>) -> Result<()> {
    sqlx::query(
        "INSERT INTO events (id, task_id, key_id, url, host, payload, terminal, state, due_at, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7,
                 CASE WHEN EXISTS (SELECT 1 FROM events WHERE task_id = $2 AND state = 3) THEN 3 ELSE 0 END,
                 $8, $8)",
    )
    .bind(row::event_id())
    .bind(event.task_id)
    .bind(event.key_id)
    .bind(event.url)
    .bind(row::host(event.url))
    .bind(event.payload)
    .bind(event.terminal)
    .bind(event.now)
    .execute(db)
    .await?;
    Ok(())
}

/// Gives up a task's event of its beginning, if it is not delivered. One that is under way keeps its lease, so that its
/// delivery can still be recorded.
pub(super) async fn give_up_begun(db: impl PgExecutor<'_>, task_id: Uuid) -> Result<()> {
    sqlx::query("UPDATE events SET state = 2 WHERE task_id = $1 AND NOT terminal AND state = 0")
        .bind(task_id)
        .execute(db)
        .await?;
    Ok(())
}

async fn record(
    db: &mut PgConnection,
    claimed: &ClaimedEvent,
    attempt: &Attempt,
    next: Next,
) -> Result<bool> {
    let ClaimedEvent { event, lease } = claimed;
    // One attempt of a task's events is recorded after the other, so that their numbers differ. Nothing is recorded of an
    // event that was swept meanwhile.
    let locked: Vec<String> =
        sqlx::query_scalar("SELECT id FROM events WHERE task_id = $1 ORDER BY seq FOR UPDATE")
            .bind(event.task_id)
            .fetch_all(&mut *db)
            .await?;
    if !locked.contains(&event.id) {
        return Ok(false);
    }
    let (state, due_at) = row::next(next);
    // An event that was given up while it was under way stays so, unless its receiver has taken it or wants no more.
    let held = sqlx::query(
        "WITH recorded AS (
             INSERT INTO attempts (event_id, number, at, duration, status, error, answer)
             SELECT $3, 1 + coalesce(max(number), 0), $5, $6, $7, $8, $9 FROM attempts WHERE event_id = $3
         )
         UPDATE events SET attempts = attempts + 1, lease = NULL, due_at = coalesce($1, due_at),
                           state = CASE WHEN state = 0 OR $2 IN (1, 3) THEN $2 ELSE state END
         WHERE id = $3 AND lease = $4",
    )
    .bind(due_at)
    .bind(state.number())
    .bind(&event.id)
    .bind(lease)
    .bind(attempt.at)
    .bind(attempt.duration)
    .bind(attempt.status.map(i32::from))
    .bind(attempt.error.as_deref().map(row::text))
    .bind(row::text(&attempt.answer))
    .execute(&mut *db)
    .await?;
    if changed(&held) && state == EventState::Gone {
        sqlx::query("UPDATE events SET state = 3 WHERE task_id = $1 AND state = 0")
            .bind(event.task_id)
            .execute(db)
            .await?;
    }
    Ok(changed(&held))
}
