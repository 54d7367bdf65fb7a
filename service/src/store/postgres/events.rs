//! The outbox in PostgreSQL.
//!
//! All events fulfil `seq > 0` and `attempts >= 0`. A query names one of these conditions so that PostgreSQL uses the index
//! with it: `events_due` or `events_by_lane`.

use std::collections::HashSet;

use async_trait::async_trait;
use sqlx::postgres::PgConnection;
use uuid::Uuid;

use super::shared::{Write, column};
use super::{Postgres, both, claiming, turn};
use crate::domain::{Attempt, ClaimedEvent, Event, EventClaim, Next};
use crate::store::Result;
use crate::store::due_events::{DueEvent, Lane, Walk};
use crate::store::row::{self, NewEvent, event_columns};
use crate::time::Millis;

/// The first statement of a claim of events; see [`turn`].
const TURN: &str = turn!("6173736574000002");

/// Leases events that are still due and that no other transaction holds.
const LEASE: &str = concat!(
    "WITH chosen (seq, state, due_at) AS MATERIALIZED (
         SELECT seq, state, due_at FROM events WHERE seq = ANY ($1) FOR UPDATE SKIP LOCKED
     )
     UPDATE events SET lease = $3, due_at = $4
     WHERE seq = ANY (ARRAY(SELECT seq FROM chosen WHERE state = 0 AND due_at <= $2)) RETURNING ",
    event_columns!()
);

impl Postgres {
    pub(super) async fn claim_due(&self, claim: &EventClaim) -> Result<Vec<ClaimedEvent>> {
        self.skew.check(claim.lease_until - claim.now)?;
        let lease = Uuid::now_v7().simple().to_string();
        let events: Result<Vec<Event>> = self
            .pool
            .within(async {
                let mut connection = self.pool.acquire().await?;
                let mut transaction = claiming(&mut connection, TURN).await?;
                let seqs = both::events::select(&mut transaction, claim).await?;
                if seqs.is_empty() {
                    return Ok(Vec::new());
                }
                let leased =
                    sqlx::query_as(LEASE).bind(seqs).bind(claim.now).bind(&lease).bind(claim.lease_until);
                let events = leased.fetch_all(&mut *transaction).await?;
                transaction.commit().await?;
                Ok(events)
            })
            .await;
        Ok(events?.into_iter().map(|event| ClaimedEvent { event, lease: lease.clone() }).collect())
    }

    pub(super) async fn record(&self, claimed: ClaimedEvent, attempt: Attempt, next: Next) -> Result<bool> {
        self.recordings.run(Recording { claimed, attempt, next }).await
    }
}

/// Selects the keys that have events due by the time $1, with the time since which the first of these has been due.
///
/// Finds the keys one by one. The time does not depend on their numbers of events.
pub(super) const DUE_KEYS: &str = "
    WITH RECURSIVE pending (key_id, oldest) AS (
        (SELECT key_id, due_at FROM events WHERE state = 0 AND seq > 0 ORDER BY key_id, due_at LIMIT 1)
        UNION ALL
        SELECT following.key_id, following.due_at FROM pending CROSS JOIN LATERAL (
            SELECT key_id, due_at FROM events WHERE state = 0 AND seq > 0 AND key_id > pending.key_id
            ORDER BY key_id, due_at LIMIT 1
        ) AS following
    )
    SELECT key_id, oldest FROM pending WHERE oldest <= $1";

/// Selects the events of each key ($1) that have been due longest: by the time $2, and at most $3 of each.
pub(super) const FIRST_OF_KEYS: &str = "
    SELECT due.key_id, due.host, due.due_at, due.seq FROM unnest($1::text[]) AS ready (key_id)
    CROSS JOIN LATERAL (
        SELECT key_id, host, due_at, seq FROM events
        WHERE state = 0 AND seq > 0 AND key_id = ready.key_id AND due_at <= $2 ORDER BY due_at, seq LIMIT $3
    ) AS due";

/// Returns at most `count` lanes of each walk.
///
/// Steps through lanes, and begins again with the first one after the last one.
pub(super) async fn lanes(db: &mut PgConnection, walks: &[Walk], count: usize) -> Result<Vec<Lane>> {
    let lanes = sqlx::query_as(
        "WITH RECURSIVE round (key_id, host, begin, step) AS (
             SELECT walk.key_id, event.host, event.host, 1::bigint
             FROM unnest($1::text[], $2::bigint[]) AS walk (key_id, due_by) CROSS JOIN LATERAL (
                 SELECT host FROM events
                 WHERE state = 0 AND seq > 0 AND key_id = walk.key_id AND due_at <= walk.due_by
                 ORDER BY due_at DESC, seq DESC LIMIT 1
             ) AS event
             UNION ALL
             SELECT round.key_id, following.host, round.begin, round.step + 1
             FROM round CROSS JOIN LATERAL (
                 SELECT coalesce(
                     (SELECT host FROM events
                      WHERE state = 0 AND attempts >= 0 AND key_id = round.key_id AND host > round.host
                      ORDER BY host LIMIT 1),
                     (SELECT host FROM events WHERE state = 0 AND attempts >= 0 AND key_id = round.key_id
                      ORDER BY host LIMIT 1)
                 ) AS host
             ) AS following
             WHERE round.step < $3 AND following.host <> round.begin
         )
         SELECT key_id, host FROM round",
    );
    let lanes =
        lanes.bind(column(walks, |walk| walk.key_id.as_str())).bind(column(walks, |walk| walk.due_by));
    Ok(lanes.bind(row::count(count)).fetch_all(db).await?)
}

/// Returns the events of each lane that have been due longest, at most `count` of each.
pub(super) async fn first_of_lanes(
    db: &mut PgConnection,
    lanes: &[&Lane],
    now: Millis,
    count: usize,
) -> Result<Vec<DueEvent>> {
    let first = sqlx::query_as(
        "SELECT due.key_id, due.host, due.due_at, due.seq
         FROM unnest($1::text[], $2::text[]) AS open (key_id, host) CROSS JOIN LATERAL (
             SELECT key_id, host, due_at, seq FROM events
             WHERE state = 0 AND attempts >= 0 AND key_id = open.key_id AND host = open.host AND due_at <= $3
             ORDER BY due_at, seq LIMIT $4
         ) AS due",
    );
    let (keys, hosts) =
        (column(lanes, |lane| lane.key_id.as_str()), column(lanes, |lane| lane.host.as_str()));
    Ok(first.bind(keys).bind(hosts).bind(now).bind(row::count(count)).fetch_all(db).await?)
}

/// Queues events.
///
/// If the receiver of a task has responded 410, the task's new events are stored but not delivered.
pub(super) async fn queue(db: &mut PgConnection, events: &[NewEvent<'_>]) -> Result<()> {
    sqlx::query(
        "INSERT INTO events (id, task_id, key_id, url, host, payload, terminal, state, due_at, created_at)
         SELECT id, task_id, key_id, url, host, payload, terminal,
                CASE WHEN EXISTS (SELECT 1 FROM events WHERE task_id = new.task_id AND state = 3) THEN 3 ELSE 0 END,
                now, now
         FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::bigint[])
         AS new (id, task_id, key_id, url, host, payload, terminal, now)",
    )
    .bind(column(events, |_| row::event_id()))
    .bind(column(events, |event| event.task_id))
    .bind(column(events, |event| event.key_id))
    .bind(column(events, |event| event.url))
    .bind(column(events, |event| row::host(event.url)))
    .bind(column(events, |event| event.payload))
    .bind(column(events, |event| event.terminal))
    .bind(column(events, |event| event.now))
    .execute(db)
    .await?;
    Ok(())
}

/// Gives up the undelivered `IN_PROGRESS` events of tasks.
///
/// Events in delivery keep their lease, so that the delivery can still be recorded and counts until then.
pub(super) async fn give_up_begun(db: &mut PgConnection, tasks: &[Uuid]) -> Result<()> {
    sqlx::query(
        "UPDATE events SET state = 2 WHERE state = 0 AND seq = ANY (ARRAY(
             SELECT seq FROM events WHERE task_id = ANY ($1) AND NOT terminal AND state = 0
             ORDER BY task_id FOR UPDATE
         ))",
    )
    .bind(tasks)
    .execute(db)
    .await?;
    Ok(())
}

/// Records attempts, and returns the events whose leases were held.
const RECORD: &str = "
    WITH attempted AS (
        SELECT * FROM unnest($1::text[], $2::text[], $3::smallint[], $4::bigint[], $5::bigint[], $6::bigint[],
                             $7::integer[], $8::text[], $9::text[])
        AS attempted (id, lease, state, due_at, at, duration, status, error, response)
    ), recorded AS (
        INSERT INTO attempts (event_id, number, at, duration, status, error, response)
        SELECT id, 1 + (SELECT coalesce(max(number), 0) FROM attempts WHERE event_id = attempted.id),
               at, duration, status, error, response
        FROM attempted
    )
    UPDATE events SET attempts = attempts + 1, lease = NULL, due_at = coalesce(attempted.due_at, events.due_at),
                      state = CASE WHEN events.state = 0 OR attempted.state IN (1, 3) THEN attempted.state
                                   ELSE events.state END
    FROM attempted WHERE events.id = attempted.id AND events.lease = attempted.lease RETURNING events.id";

/// An attempt to be recorded.
pub(super) struct Recording {
    claimed: ClaimedEvent,
    attempt: Attempt,
    next: Next,
}

#[async_trait]
impl Write for Recording {
    /// Whether the lease was held.
    type Output = bool;

    async fn together(db: &mut PgConnection, batch: &[Self]) -> Result<Vec<Option<bool>>> {
        // The locks serialise the attempts of a task's events, so that their numbers differ. All transactions
        // lock in the same order. An event that was swept in the meantime is not recorded.
        let locked: Vec<(String,)> =
            sqlx::query_as("SELECT id FROM events WHERE task_id = ANY ($1) ORDER BY task_id, seq FOR UPDATE")
                .bind(column(batch, |recording| recording.claimed.event.task_id))
                .fetch_all(&mut *db)
                .await?;
        let locked: HashSet<String> = locked.into_iter().map(|(id,)| id).collect();
        let there: Vec<&Recording> =
            batch.iter().filter(|recording| locked.contains(&recording.claimed.event.id)).collect();
        // An event that was given up during its delivery stays given up, unless it was delivered or the receiver
        // wants no more.
        let held: HashSet<String> = sqlx::query_scalar(RECORD)
            .bind(column(&there, |recording| recording.claimed.event.id.as_str()))
            .bind(column(&there, |recording| recording.claimed.lease.as_str()))
            .bind(column(&there, |recording| row::next(recording.next).0.number()))
            .bind(column(&there, |recording| row::next(recording.next).1))
            .bind(column(&there, |recording| recording.attempt.at))
            .bind(column(&there, |recording| recording.attempt.duration))
            .bind(column(&there, |recording| recording.attempt.status.map(i32::from)))
            .bind(column(&there, |recording| recording.attempt.error.as_deref().map(row::text)))
            .bind(column(&there, |recording| row::text(&recording.attempt.response)))
            .fetch_all(&mut *db)
            .await?
            .into_iter()
            .collect();
        let is_held = |recording: &Recording| held.contains(&recording.claimed.event.id);
        let gone: Vec<Uuid> = batch
            .iter()
            .filter(|recording| recording.next == Next::Gone && is_held(recording))
            .map(|recording| recording.claimed.event.task_id)
            .collect();
        if !gone.is_empty() {
            sqlx::query("UPDATE events SET state = 3 WHERE task_id = ANY ($1) AND state = 0")
                .bind(gone)
                .execute(db)
                .await?;
        }
        Ok(batch.iter().map(|recording| Some(is_held(recording))).collect())
    }
}
