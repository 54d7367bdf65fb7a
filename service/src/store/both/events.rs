//! The outbox of webhook events.

use std::collections::HashSet;

use async_trait::async_trait;
use tokio::sync::Notify;

use super::super::events::{DUE_KEYS, FIRST_OF_KEYS, first_of_lanes, lanes};
use super::super::{Connection, Database, index, list};
use crate::domain::{
    Attempt, ClaimedEvent, Event, EventClaim, EventQuery, EventState, Next, OutboxLimits, OutboxUsage, Page,
    RecordedAttempt,
};
use crate::store::due_events::{Counts, DueEvent, FIRST, LANES, Lane, choose, walks};
use crate::store::row::{self, event_columns};
use crate::store::{Events, Result};
use crate::time::Millis;

#[async_trait]
impl Events for Database {
    async fn claim_events(&self, claim: &EventClaim) -> Result<Vec<ClaimedEvent>> {
        self.claim_due(claim).await
    }

    async fn outbox(&self, key_id: &str, url: &str, most: OutboxLimits) -> Result<OutboxUsage> {
        // The conditions equal the ones of PostgreSQL's indices, as in a claim.
        let counted = sqlx::query_as(concat!(
            "WITH RECURSIVE lanes (host, step) AS (
                 SELECT (SELECT host FROM events",
            index!("events_by_lane"),
            " WHERE key_id = $1 AND state = 0 AND attempts >= 0 ORDER BY host LIMIT 1), CAST(1 AS BIGINT)
                 UNION ALL
                 SELECT (SELECT host FROM events",
            index!("events_by_lane"),
            " WHERE key_id = $1 AND state = 0 AND attempts >= 0 AND host > lanes.host ORDER BY host LIMIT 1), step + 1
                 FROM lanes WHERE host IS NOT NULL AND step < $3
             )
             SELECT (SELECT count(*) FROM (SELECT 1 FROM events",
            index!("events_due"),
            " WHERE key_id = $1 AND state = 0 AND seq > 0 LIMIT $2) AS counted),
                    (SELECT count(host) FROM lanes),
                    EXISTS (SELECT 1 FROM events",
            index!("events_by_lane"),
            " WHERE key_id = $1 AND state = 0 AND attempts >= 0 AND host = $4)"
        ));
        let counted = counted.bind(key_id).bind(i64::from(most.events)).bind(i64::from(most.hosts));
        Ok(row::outbox(counted.bind(row::host(url)).fetch_one(self.reader()).await?))
    }

    fn events_woken(&self) -> &Notify {
        &self.wakes.events.here
    }

    async fn record_attempt(&self, claimed: &ClaimedEvent, attempt: &Attempt, next: Next) -> Result<bool> {
        self.record(claimed.clone(), attempt.clone(), next).await
    }

    async fn events(&self, query: &EventQuery, page: Page) -> Result<Vec<Event>> {
        let events = sqlx::query_as(concat!(
            "SELECT ",
            event_columns!(),
            " FROM events WHERE ($1 IS NULL OR task_id = $1) AND ($2 IS NULL OR key_id = $2)
              AND ($3 IS NULL OR state = $3) ORDER BY seq DESC LIMIT $4 OFFSET $5"
        ))
        .bind(query.task_id)
        .bind(&query.key_id)
        .bind(query.state.map(EventState::number))
        .bind(i64::from(page.limit))
        .bind(row::signed(page.offset));
        Ok(events.fetch_all(self.searcher()).await?)
    }

    async fn attempts(&self, event_id: &str) -> Result<Vec<RecordedAttempt>> {
        let attempts = sqlx::query_as(
            "SELECT number, at, duration, status, error, response FROM attempts WHERE event_id = $1 ORDER BY number",
        );
        Ok(attempts.bind(event_id).fetch_all(self.reader()).await?)
    }

    async fn replay_event(&self, event_id: &str, now: Millis) -> Result<bool> {
        let replay = sqlx::query(
            "UPDATE events SET state = 0, attempts = 0, due_at = $1, lease = NULL WHERE id = $2 AND state <> 0",
        );
        let replayed = self.change(replay.bind(now).bind(event_id)).await?;
        if replayed {
            self.wakes.events.all();
        }
        Ok(replayed)
    }
}

/// Counts the events in delivery by lane.
async fn in_delivery(db: &mut Connection, now: Millis) -> Result<Vec<(Lane, u32)>> {
    let counted: Vec<(String, String, i64)> = sqlx::query_as(concat!(
        "SELECT key_id, host, count(*) FROM events",
        index!("events_in_delivery"),
        " WHERE lease IS NOT NULL AND due_at > $1 GROUP BY host, key_id"
    ))
    .bind(now)
    .fetch_all(db)
    .await?;
    let lane = |(key_id, host, count)| (Lane { key_id, host }, u32::try_from(count).unwrap_or(u32::MAX));
    Ok(counted.into_iter().map(lane).collect())
}

/// Selects the events to claim, and returns their `seq`.
pub async fn select(db: &mut Connection, claim: &EventClaim) -> Result<Vec<i64>> {
    // The keys that have due events, with the time since which the first of these has been due.
    let keys = sqlx::query_as(DUE_KEYS).bind(claim.now);
    let mut keys: Vec<(String, Millis)> = keys.fetch_all(&mut *db).await?;
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let counts = Counts::new(in_delivery(db, claim.now).await?);
    keys.retain(|(key_id, _)| counts.of_key(key_id) < claim.caps.per_key);
    let ids: Vec<&str> = keys.iter().map(|(key_id, _)| key_id.as_str()).collect();
    let due = sqlx::query_as(FIRST_OF_KEYS).bind(list(&ids)).bind(claim.now).bind(row::count(FIRST));
    let mut due: Vec<DueEvent> = due.fetch_all(&mut *db).await?;
    let walks = walks(&keys, &due, claim.now);
    if !walks.is_empty() {
        let steps = (LANES * 8 / walks.len()).clamp(LANES / 16, LANES);
        let mut open: HashSet<Lane> = lanes(db, &walks, steps).await?.into_iter().collect();
        let walked: HashSet<&str> = walks.iter().map(|walk| walk.key_id.as_str()).collect();
        open.extend(
            due.iter().map(|event| &event.lane).filter(|lane| walked.contains(&*lane.key_id)).cloned(),
        );
        due.retain(|event| !walked.contains(&*event.lane.key_id));
        let with_capacity: Vec<&Lane> =
            open.iter().filter(|lane| counts.capacity(lane, &claim.caps) > 0).collect();
        let most = (LANES * 16 / open.len().max(1)).max(1).min(claim.caps.per_lane.min(claim.limit) as usize);
        due.extend(first_of_lanes(db, &with_capacity, claim.now, most).await?);
    }
    Ok(choose(due, counts, claim))
}
