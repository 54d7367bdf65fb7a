//! The queue of tasks in PostgreSQL: leases, and the changes that a lease permits.

use std::collections::HashMap;

use async_trait::async_trait;
use sqlx::Connection as _;
use sqlx::postgres::{PgConnection, PgExecutor};
use uuid::Uuid;

use super::pool::Pool;
use super::shared::{Write, column};
use super::{changed, deaths, events, turn};
use crate::store::row::{self, HasEnded, NewEvent, QueuedRow, queued_columns, row};
use crate::store::{
    Claim, Claimed, Counts, Ended, Lease, Only, Payload, Quick, Release, Rest, Result, Task, TaskStatus,
};
use crate::time::Millis;

/// The first statement of a claim of tasks; see [`turn`].
pub(super) const TURN: &str = turn!("6173736574000001");

/// The condition of a claim on what a row of a table needs.
macro_rules! is_wanted {
    ($table:literal) => {
        concat!(
            "($8::text[] IS NULL
              OR CASE families WHEN '' THEN ARRAY[''] ELSE string_to_array(families, '+') END <@ $8::text[])
         AND ($9::smallint IS NULL OR size <= coalesce(
             (SELECT most FROM unnest($10::text[], $11::smallint[]) AS measured (families, most)
              WHERE measured.families = ",
            $table,
            ".families), $9::smallint))"
        )
    };
}

/// Builds the statement that claims tasks, with or without the CTEs, the condition of a lane, and the rows that suspects
/// need.
///
/// `lanes` are the demands and keys that have open tasks. One index step finds each lane, however many tasks
/// it has. `open` are the lanes from which this claim may take. `turn` is how many tasks of its key would be
/// in progress, including this one. Rows that another transaction has locked are skipped. `chosen` lets the update
/// check rows again that were changed in the meantime.
macro_rules! claim {
    ([$($suspects:tt)*] $lane:literal $trial:literal) => {
        concat!(
    "WITH RECURSIVE
     lanes (families, size, key_id) AS (
         (SELECT families, size, key_id FROM tasks WHERE status < 2 ORDER BY families, size, key_id LIMIT 1)
         UNION ALL
         SELECT following.families, following.size, following.key_id FROM lanes CROSS JOIN LATERAL (
             SELECT families, size, key_id FROM tasks
             WHERE status < 2 AND (families, size, key_id) > (lanes.families, lanes.size, lanes.key_id)
             ORDER BY families, size, key_id LIMIT 1
         ) AS following
     ),
     busy (key_id, running) AS MATERIALIZED (
         SELECT key_id, count(*) FROM tasks
         WHERE status = 1 AND due_at > $1 AND lease_owner IS NOT NULL GROUP BY key_id
     ),
",
    $($suspects)*
    "     open (families, size, key_id, running) AS MATERIALIZED (
         SELECT families, size, key_id, coalesce(busy.running, 0) FROM lanes LEFT JOIN busy USING (key_id)
         WHERE coalesce(busy.running, 0) < $2 AND key_id IS DISTINCT FROM $7::text
         AND ",
    $lane,
    is_wanted!("lanes"),
    "
     ),
     turns (seq, turn) AS (
         SELECT waiting.seq,
                open.running + row_number() OVER (PARTITION BY open.key_id ORDER BY waiting.seq)
         FROM open CROSS JOIN LATERAL (
             SELECT seq FROM tasks
             WHERE families = open.families AND size = open.size AND key_id = open.key_id
             AND status < 2 AND due_at <= $1 AND attempt - refunded < $3 AND id <> ALL ($12::uuid[])
             AND lease_owner IS NULL AND suspect <= 0
             ORDER BY seq LIMIT least($4, $2 - open.running)
         ) AS waiting
     ),
     next (seq, turn) AS MATERIALIZED (
         ",
    $trial,
    "SELECT seq, turn FROM turns WHERE turn <= $2
         ORDER BY turn, seq LIMIT $4
     ),
     chosen (seq, status, due_at, lease_owner) AS MATERIALIZED (
         SELECT seq, status, due_at, lease_owner FROM tasks WHERE seq = ANY (ARRAY(SELECT seq FROM next)) FOR UPDATE SKIP LOCKED
     ),
     claimed AS (
         UPDATE tasks SET attempt = attempt + 1, lease_owner = $5, due_at = $6,
                          updated_at = CASE status WHEN 0 THEN $1 ELSE updated_at END, status = 1
         WHERE seq = ANY (ARRAY(SELECT seq FROM chosen WHERE status < 2 AND due_at <= $1 AND lease_owner IS NULL))
         RETURNING ",
    queued_columns!(),
    ")
     SELECT claimed.*, chosen.status = 0 AS began
     FROM claimed JOIN chosen USING (seq) JOIN next USING (seq) ORDER BY turn, seq"
        )
    };
}

/// Claims tasks while there are no suspects.
const CLAIM: &str = claim!([] "" "");

/// Claims tasks by the rules of [`crate::store::deaths`].
const CLAIM_BESIDE_SUSPECTS: &str = claim!(
    [
        "     suspects (seq, key_id, deaths, lease_owner, due_at) AS MATERIALIZED (
         SELECT seq, key_id, suspect, lease_owner, due_at FROM tasks
         WHERE suspect > 0 AND status = 1 AND (attempt - refunded < $3 OR lease_owner IS NOT NULL) AND ",
    is_wanted!("tasks"),
    "
         AND id <> ALL ($12::uuid[])
     ),
     trial (seq) AS MATERIALIZED (
         SELECT seq FROM suspects LEFT JOIN busy USING (key_id)
         WHERE lease_owner IS NULL AND due_at <= $1 AND coalesce(busy.running, 0) < $2
         AND key_id IS DISTINCT FROM $7::text
         AND NOT EXISTS (SELECT 1 FROM tasks WHERE suspect > 0 AND status = 1 AND lease_owner = $5)
         ORDER BY deaths, count(*) OVER (PARTITION BY key_id), seq LIMIT 1
     ),
",
    ]
    "key_id NOT IN (SELECT key_id FROM suspects) AND "
    "SELECT seq, 0 AS turn FROM trial UNION ALL "
);

row! {
    /// A row of a claim.
    struct ClaimedRow {
        /// Whether this claim begins the task: it was `CREATED` before.
        began: bool,
    } with row: QueuedRow
}

/// Claims tasks and queues the events of those that begin; also returns whether there are suspects.
///
/// `known` says whether there are, or is `None` if it is time to search for processes that have died. The transaction must hold its [`TURN`].
pub(super) async fn claim(
    db: &mut PgConnection,
    claim: &Claim<'_>,
    payload: &Payload,
    known: Option<bool>,
) -> Result<(Vec<Claimed>, bool)> {
    let has_suspects = match known {
        None => deaths::judge(db, claim.now, claim.lease_until).await?,
        Some(known) => known,
    };
    let Only { among, quick, except, passed } = claim.only;
    let measured: &[(String, i16)] = quick.map_or(&[], |Quick { measured, .. }| measured);
    let rows: Vec<ClaimedRow> = sqlx::query_as(if has_suspects { CLAIM_BESIDE_SUSPECTS } else { CLAIM })
        .bind(claim.now)
        .bind(i64::from(claim.running_per_key))
        .bind(i64::from(claim.max_attempts))
        .bind(i64::from(claim.limit))
        .bind(claim.owner)
        .bind(claim.lease_until)
        .bind(except)
        .bind(among)
        .bind(quick.map(|quick| quick.others))
        .bind(column(measured, |(families, _)| families.as_str()))
        .bind(column(measured, |(_, most)| *most))
        .bind(passed)
        .fetch_all(&mut *db)
        .await?;
    let claimed = rows.into_iter().map(|ClaimedRow { began, row }| {
        let attempt = row.attempt;
        let claimed = row.leased(claim.owner, attempt)?;
        let told = (began && claimed.task.webhook_url.is_some()).then(|| payload(&claimed.task));
        Ok((claimed, told))
    });
    let claimed: Vec<(Claimed, Option<String>)> = claimed.collect::<Result<_>>()?;
    let begun = claimed.iter().filter_map(|(claimed, payload)| {
        let Task { id, key_id, webhook_url, .. } = &claimed.task;
        let (task_id, now) = (*id, claim.now);
        let (url, payload) = webhook_url.as_ref().zip(payload.as_ref())?;
        Some(NewEvent { task_id, key_id, url, payload, terminal: false, now })
    });
    let begun: Vec<NewEvent<'_>> = begun.collect();
    if !begun.is_empty() {
        events::queue(db, &begun).await?;
    }
    Ok((claimed.into_iter().map(|(claimed, _)| claimed).collect(), has_suspects))
}

/// Takes over tasks that nobody holds and that have no attempt left.
///
/// The transaction must hold its [`TURN`].
pub(super) async fn exhausted(db: &mut PgConnection, claim: &Claim<'_>) -> Result<Vec<Claimed>> {
    deaths::judge(db, claim.now, claim.lease_until).await?;
    let rows: Vec<QueuedRow> = sqlx::query_as(concat!(
        "UPDATE tasks SET attempt = attempt + 1, lease_owner = $1, due_at = $2 WHERE seq IN (
             SELECT seq FROM tasks WHERE status = 1 AND due_at <= $3 AND lease_owner IS NULL AND attempt - refunded >= $4
             ORDER BY due_at LIMIT $5 FOR UPDATE SKIP LOCKED
         ) RETURNING ",
        queued_columns!()
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

/// Extends a lease; returns `false` if it is lost.
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

/// Returns a task to the queue; returns `false` if the lease is lost.
pub(super) async fn release(
    db: impl PgExecutor<'_>,
    lease: &Lease,
    Release { not_before, counts, is_slow, demand, engine_time }: Release,
) -> Result<bool> {
    let held = sqlx::query(
        "UPDATE tasks SET due_at = $1, refunded = refunded + $2, outages = outages + $6, refusals = refusals + $7,
                          size = CASE WHEN $8 THEN 32767 ELSE size END, families = coalesce($9, families),
                          lease_owner = NULL, engine_time = coalesce(engine_time + $10, engine_time, $10),
                          suspect = CASE WHEN $11 THEN suspect ELSE -abs(suspect) END
         WHERE id = $3 AND attempt = $4 AND lease_owner = $5 AND status = 1",
    )
    .bind(not_before)
    .bind(i32::from(counts != Counts::Attempt))
    .bind(lease.task_id)
    .bind(i64::from(lease.attempt))
    .bind(&lease.owner)
    .bind(i32::from(counts == Counts::Outage))
    .bind(i32::from(counts == Counts::Refusal))
    .bind(is_slow)
    .bind(demand)
    .bind(row::engine_time(engine_time))
    .bind(counts == Counts::Nothing)
    .execute(db)
    .await?;
    Ok(changed(&held))
}

/// Returns a task to the queue with the rest of its work; returns `false` if the lease is lost.
pub(super) async fn advance(db: impl PgExecutor<'_>, lease: &Lease, rest: &Rest) -> Result<bool> {
    let held = sqlx::query(
        "UPDATE tasks SET work = $1, families = $2, size = $3, due_at = $4, refunded = attempt,
         outages = 0, refusals = 0, call = NULL, progress = NULL, lease_owner = NULL, suspect = 0,
         engine_time = coalesce(engine_time + $8, engine_time, $8)
         WHERE id = $5 AND attempt = $6 AND lease_owner = $7 AND status = 1",
    )
    .bind(&rest.work)
    .bind(&rest.demand.families)
    .bind(rest.demand.size)
    .bind(rest.now)
    .bind(lease.task_id)
    .bind(i64::from(lease.attempt))
    .bind(&lease.owner)
    .bind(row::engine_time(rest.engine_time))
    .execute(db)
    .await?;
    Ok(changed(&held))
}

/// Records the call of a provider; returns `false` if the lease is lost.
pub(super) async fn record_call(db: impl PgExecutor<'_>, lease: &Lease, call: Option<&str>) -> Result<bool> {
    let held = sqlx::query(
        "UPDATE tasks SET call = $1 WHERE id = $2 AND attempt = $3 AND lease_owner = $4 AND status = 1",
    )
    .bind(call)
    .bind(lease.task_id)
    .bind(i64::from(lease.attempt))
    .bind(&lease.owner)
    .execute(db)
    .await?;
    Ok(changed(&held))
}

/// Ends the trial of a suspect; returns `false` if the lease is lost.
pub(super) async fn clear(db: impl PgExecutor<'_>, lease: &Lease) -> Result<bool> {
    let held = sqlx::query(
        "UPDATE tasks SET suspect = -abs(suspect) WHERE id = $1 AND attempt = $2 AND lease_owner = $3 AND status = 1",
    )
    .bind(lease.task_id)
    .bind(i64::from(lease.attempt))
    .bind(&lease.owner)
    .execute(db)
    .await?;
    Ok(changed(&held))
}

/// Stores how far the engine has come; returns `false` if the lease is lost.
pub(super) async fn record_progress(db: impl PgExecutor<'_>, lease: &Lease, progress: &str) -> Result<bool> {
    let held = sqlx::query(
        "UPDATE tasks SET progress = $1 WHERE id = $2 AND attempt = $3 AND lease_owner = $4 AND status = 1",
    )
    .bind(progress)
    .bind(lease.task_id)
    .bind(i64::from(lease.attempt))
    .bind(&lease.owner)
    .execute(db)
    .await?;
    Ok(changed(&held))
}

/// Ends a task that has not ended, whoever holds it, and queues its terminal event.
pub(super) async fn cancel(pool: &Pool, id: Uuid, ended: &Ended) -> Result<HasEnded> {
    let (status, results, error) = row::outcome(ended)?;
    let mut connection = pool.acquire().await?;
    let mut transaction = connection.begin().await?;
    let open: Option<(String, Option<String>)> = sqlx::query_as(
        "UPDATE tasks SET status = $1, results = $2, error = $3, updated_at = $4, lease_owner = NULL
         WHERE id = $5 AND status < 2 RETURNING key_id, webhook_url",
    )
    .bind(status.number())
    .bind(results)
    .bind(error)
    .bind(ended.now)
    .bind(id)
    .fetch_optional(&mut *transaction)
    .await?;
    let told = match &open {
        None => HasEnded::Not,
        Some((_, None)) => HasEnded::Silently,
        Some((key_id, Some(url))) => {
            let payload = &ended.payload;
            let event = NewEvent { task_id: id, key_id, url, payload, terminal: true, now: ended.now };
            events::give_up_begun(&mut *transaction, &[id]).await?;
            events::queue(&mut *transaction, &[event]).await?;
            HasEnded::Told
        }
    };
    transaction.commit().await?;
    Ok(told)
}

/// The end of a task.
pub(super) struct Ending {
    pub(super) lease: Lease,
    pub(super) ended: Ended,
}

#[async_trait]
impl Write for Ending {
    type Answer = HasEnded;

    async fn together(db: &mut PgConnection, batch: &[Self]) -> Result<Vec<Option<HasEnded>>> {
        Ok(end(db, batch).await?.into_iter().map(Some).collect())
    }

    async fn alone(&self, pool: &Pool) -> Result<HasEnded> {
        pool.within(async {
            let mut connection = pool.acquire().await?;
            let mut transaction = connection.begin().await?;
            let ended = end(&mut transaction, std::slice::from_ref(self)).await?;
            transaction.commit().await?;
            Ok(ended.into_iter().next().unwrap_or(HasEnded::Not))
        })
        .await
    }
}

/// Ends tasks and queues their terminal events.
async fn end(db: &mut PgConnection, batch: &[Ending]) -> Result<Vec<HasEnded>> {
    let outcomes = batch.iter().map(|ending| row::outcome(&ending.ended));
    let outcomes: Vec<(TaskStatus, Option<String>, Option<String>)> = outcomes.collect::<Result<_>>()?;
    let held: Vec<(i64, String, Option<String>)> = sqlx::query_as(
        "WITH held AS (
             UPDATE tasks SET status = ended.status, results = ended.results, error = ended.error,
                              engine = coalesce(ended.engine, tasks.engine), updated_at = ended.now,
                              result_bytes = ended.bytes, lease_owner = NULL,
                              input_bytes = CASE ended.status WHEN 2 THEN -abs(tasks.input_bytes)
                                            ELSE tasks.input_bytes END,
                              engine_time = coalesce(tasks.engine_time + ended.engine_time, tasks.engine_time,
                                                     ended.engine_time)
             FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::smallint[], $5::text[], $6::text[], $7::text[],
                         $8::bigint[], $9::bigint[], $10::bigint[]) WITH ORDINALITY
             AS ended (id, attempt, owner, status, results, error, engine, now, bytes, engine_time, place)
             WHERE tasks.id = ended.id AND tasks.attempt = ended.attempt AND tasks.lease_owner = ended.owner
             AND tasks.status = 1 RETURNING ended.place - 1 AS place, tasks.key_id, tasks.webhook_url,
                                          result_bytes + least(input_bytes, 0) AS change
         ),
         counted AS (
             INSERT INTO stored (key_id, part, bytes)
             SELECT key_id, pg_backend_pid() % 16, sum(change) FROM held WHERE change <> 0
             GROUP BY key_id ORDER BY key_id
             ON CONFLICT (key_id, part) DO UPDATE SET bytes = stored.bytes + excluded.bytes
         )
         SELECT place, key_id, webhook_url FROM held",
    )
    .bind(column(batch, |ending| ending.lease.task_id))
    .bind(column(batch, |ending| i64::from(ending.lease.attempt)))
    .bind(column(batch, |ending| ending.lease.owner.as_str()))
    .bind(column(&outcomes, |(status, ..)| status.number()))
    .bind(column(&outcomes, |(_, results, _)| results.as_deref()))
    .bind(column(&outcomes, |(_, _, error)| error.as_deref()))
    .bind(column(batch, |ending| ending.ended.engine.as_deref()))
    .bind(column(batch, |ending| ending.ended.now))
    .bind(column(batch, |ending| row::signed(ending.ended.result_bytes)))
    .bind(column(batch, |ending| row::engine_time(ending.ended.engine_time)))
    .fetch_all(&mut *db)
    .await?;
    let held: HashMap<usize, (String, Option<String>)> = held
        .into_iter()
        .filter_map(|(place, key_id, url)| Some((usize::try_from(place).ok()?, (key_id, url))))
        .collect();
    let told = batch.iter().enumerate().filter_map(|(place, Ending { lease, ended })| {
        let (key_id, url) = held.get(&place)?;
        let (task_id, url, payload) = (lease.task_id, url.as_ref()?, &ended.payload);
        Some(NewEvent { task_id, key_id, url, payload, terminal: true, now: ended.now })
    });
    let told: Vec<NewEvent<'_>> = told.collect();
    if !told.is_empty() {
        events::give_up_begun(&mut *db, &column(&told, |event| event.task_id)).await?;
        events::queue(db, &told).await?;
    }
    let ended = |place| match held.get(&place) {
        None => HasEnded::Not,
        Some((_, None)) => HasEnded::Silently,
        Some((_, Some(_))) => HasEnded::Told,
    };
    Ok((0..batch.len()).map(ended).collect())
}
