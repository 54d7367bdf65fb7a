//! The outbox in SQLite.

use serde_json::json;
use sqlx::sqlite::SqliteConnection;
use uuid::Uuid;

use super::{Sqlite, both};
use crate::domain::{Attempt, ClaimedEvent, Event, EventClaim, EventState, Next};
use crate::store::Result;
use crate::store::due_events::{DueEvent, Lane, Walk};
use crate::store::row::{self, NewEvent, event_columns};
use crate::time::Millis;

impl Sqlite {
    pub(super) async fn claim_due(&self, claim: &EventClaim) -> Result<Vec<ClaimedEvent>> {
        self.writer.run(*claim, |db, claim| Box::pin(self::claim(db, claim))).await
    }

    pub(super) async fn record(&self, claimed: ClaimedEvent, attempt: Attempt, next: Next) -> Result<bool> {
        self.writer
            .run((claimed, attempt, next), |db, (claimed, attempt, next)| {
                Box::pin(record(db, claimed, attempt, *next))
            })
            .await
    }
}

/// Queues events.
///
/// If the receiver of a task has responded 410, the task's new events are stored but not delivered.
pub(super) async fn queue(db: &mut SqliteConnection, events: &[NewEvent<'_>]) -> Result<()> {
    for event in events {
        sqlx::query(
            "INSERT INTO events (id, task_id, key_id, url, host, payload, terminal, state, due_at, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,
                     iif(EXISTS (SELECT 1 FROM events WHERE task_id = ?2 AND state = 3), 3, 0), ?8, ?8)",
        )
        .bind(row::event_id())
        .bind(event.task_id)
        .bind(event.key_id)
        .bind(event.url)
        .bind(row::host(event.url))
        .bind(event.payload)
        .bind(event.terminal)
        .bind(event.now)
        .execute(&mut *db)
        .await?;
    }
    Ok(())
}

/// Gives up the undelivered `IN_PROGRESS` events of tasks.
///
/// Events in delivery keep their lease, so that the delivery can still be recorded and counts until then.
pub(super) async fn give_up_begun(db: &mut SqliteConnection, tasks: &[Uuid]) -> Result<()> {
    for task in tasks {
        sqlx::query("UPDATE events SET state = 2 WHERE task_id = ? AND terminal = 0 AND state = 0")
            .bind(task)
            .execute(&mut *db)
            .await?;
    }
    Ok(())
}

async fn claim(db: &mut SqliteConnection, claim: &EventClaim) -> Result<Vec<ClaimedEvent>> {
    let seqs = both::events::select(db, claim).await?;
    if seqs.is_empty() {
        return Ok(Vec::new());
    }
    let lease = Uuid::now_v7().simple().to_string();
    let events: Vec<Event> = sqlx::query_as(concat!(
        "UPDATE events SET lease = ?, due_at = ? WHERE seq IN (SELECT value FROM json_each(?)) RETURNING ",
        event_columns!()
    ))
    .bind(&lease)
    .bind(claim.lease_until)
    .bind(serde_json::Value::from(seqs).to_string())
    .fetch_all(db)
    .await?;
    Ok(events.into_iter().map(|event| ClaimedEvent { event, lease: lease.clone() }).collect())
}

/// Selects the keys that have events due by the time ?1, with the time since which the first of these has been due.
///
/// Finds the keys one by one. The time does not depend on their numbers of events.
pub(super) const DUE_KEYS: &str = "WITH RECURSIVE pending (key_id, oldest) AS (
         SELECT key_id, due_at FROM (
             SELECT key_id, due_at FROM events INDEXED BY events_due WHERE state = 0 ORDER BY key_id, due_at LIMIT 1
         )
         UNION ALL
         SELECT following.key_id, following.due_at
         FROM pending CROSS JOIN events AS following ON following.seq = (
             SELECT seq FROM events INDEXED BY events_due
             WHERE state = 0 AND key_id > pending.key_id ORDER BY key_id, due_at, seq LIMIT 1
         )
     )
     SELECT key_id, oldest FROM pending WHERE oldest <= ?1";

/// Steps through lanes, and begins again with the first one after the last one.
pub(super) const LANES: &str = "WITH RECURSIVE round (key_id, host, begin, step) AS (
         SELECT event.key_id, event.host, event.host, 1 FROM json_each(?1) AS walk CROSS JOIN events AS event
         ON event.seq = (
             SELECT seq FROM events INDEXED BY events_due
             WHERE state = 0 AND key_id = walk.value ->> 0 AND due_at <= walk.value ->> 1
             ORDER BY due_at DESC, seq DESC LIMIT 1
         )
         UNION ALL
         SELECT following.key_id, following.host, round.begin, round.step + 1
         FROM round CROSS JOIN events AS following ON following.seq = coalesce(
             (SELECT seq FROM events INDEXED BY events_by_lane
              WHERE state = 0 AND key_id = round.key_id AND host > round.host ORDER BY host, due_at, seq LIMIT 1),
             (SELECT seq FROM events INDEXED BY events_by_lane
              WHERE state = 0 AND key_id = round.key_id ORDER BY host, due_at, seq LIMIT 1)
         )
         WHERE round.step < ?2 AND following.host <> round.begin
     )
     SELECT key_id, host FROM round";

/// Selects the events of each key ($1) that have been due longest: by the time $2, and at most $3 of each.
pub(super) const FIRST_OF_KEYS: &str = "SELECT due.key_id, due.host, due.due_at, due.seq
     FROM json_each(?1) AS ready CROSS JOIN events AS due ON due.seq IN (
         SELECT seq FROM events AS queue INDEXED BY events_due
         WHERE queue.state = 0 AND queue.key_id = ready.value AND queue.due_at <= ?2
         ORDER BY queue.due_at, queue.seq LIMIT ?3
     )";

/// Returns at most `count` lanes of each walk.
pub(super) async fn lanes(db: &mut SqliteConnection, walks: &[Walk], count: usize) -> Result<Vec<Lane>> {
    let walks: Vec<_> = walks.iter().map(|walk| json!([walk.key_id, walk.due_by])).collect();
    let lanes = sqlx::query_as(LANES).bind(json!(walks).to_string()).bind(row::count(count));
    Ok(lanes.fetch_all(db).await?)
}

/// Returns the events of each lane that have been due longest, at most `count` of each.
pub(super) async fn first_of_lanes(
    db: &mut SqliteConnection,
    lanes: &[&Lane],
    now: Millis,
    count: usize,
) -> Result<Vec<DueEvent>> {
    let lanes: Vec<_> = lanes.iter().map(|lane| json!([lane.key_id, lane.host])).collect();
    let first = sqlx::query_as(
        "SELECT due.key_id, due.host, due.due_at, due.seq
         FROM json_each(?1) AS open CROSS JOIN events AS due ON due.seq IN (
             SELECT seq FROM events AS lane INDEXED BY events_by_lane
             WHERE lane.state = 0 AND lane.key_id = open.value ->> 0 AND lane.host = open.value ->> 1
             AND lane.due_at <= ?2 ORDER BY lane.due_at, lane.seq LIMIT ?3
         )",
    );
    let first = first.bind(json!(lanes).to_string()).bind(now).bind(row::count(count));
    Ok(first.fetch_all(db).await?)
}

async fn record(
    db: &mut SqliteConnection,
    claimed: &ClaimedEvent,
    attempt: &Attempt,
    next: Next,
) -> Result<bool> {
    let ClaimedEvent { event, lease } = claimed;
    // An event that was swept in the meantime is not recorded.
    sqlx::query(
        "INSERT INTO attempts (event_id, number, at, duration, status, error, response)
         SELECT id, 1 + (SELECT coalesce(max(number), 0) FROM attempts WHERE event_id = ?1), ?2, ?3, ?4, ?5, ?6
         FROM events WHERE id = ?1",
    )
    .bind(&event.id)
    .bind(attempt.at)
    .bind(attempt.duration)
    .bind(attempt.status)
    .bind(attempt.error.as_deref().map(row::text))
    .bind(row::text(&attempt.response))
    .execute(&mut *db)
    .await?;
    let (state, due_at) = row::next(next);
    // An event that was given up during its delivery stays given up, unless it was delivered or the receiver
    // wants no more.
    let held = sqlx::query(
        "UPDATE events SET attempts = attempts + 1, lease = NULL, due_at = coalesce(?1, due_at),
                           state = iif(state = 0 OR ?2 IN (1, 3), ?2, state)
         WHERE id = ?3 AND lease = ?4",
    )
    .bind(due_at)
    .bind(state.number())
    .bind(&event.id)
    .bind(lease)
    .execute(&mut *db)
    .await?
    .rows_affected()
        == 1;
    if held && state == EventState::Gone {
        sqlx::query("UPDATE events SET state = 3 WHERE task_id = ? AND state = 0")
            .bind(event.task_id)
            .execute(db)
            .await?;
    }
    Ok(held)
}
