//! The queue of tasks in PostgreSQL: how tasks enter and leave it, and claims.

use std::collections::HashMap;

use async_trait::async_trait;
use sqlx::postgres::PgConnection;

use super::both::{leases, quarantine};
use super::lanes::{self, lanes, running};
use super::shared::{Write, column};
use super::{Postgres, claiming, events, turn};
use crate::domain::{
    Claim, Claimed, Created, Ended, Engines, Lease, NewTask, Offered, Only, Payload, Quick, Task, TaskStatus,
};
use crate::store::Result;
use crate::store::row::{self, HasEnded, NewEvent, QueuedRow, queued_columns, row};
use crate::time::Millis;

impl Postgres {
    pub(super) async fn create(&self, new: &NewTask) -> Result<Created> {
        self.creations.run(new.clone()).await
    }

    /// Claims tasks, and returns whether tasks are in quarantine.
    ///
    /// `known` is the last known result. If it is `None`, the claim first searches for processes that have died.
    pub(super) async fn claim(
        &self,
        claim: &Claim,
        payload: &Payload,
        known: Option<bool>,
    ) -> Result<(Vec<Claimed>, bool)> {
        self.skew.check(claim.lease_until - claim.now)?;
        self.pool
            .within(async {
                let mut connection = self.pool.acquire_for_claim().await?;
                let mut transaction = claiming(&mut connection, TURN).await?;
                let claimed = self::claim(&mut transaction, claim, payload, known).await?;
                transaction.commit().await?;
                Ok(claimed)
            })
            .await
    }

    pub(super) async fn take_exhausted(&self, claim: &Claim) -> Result<Vec<Claimed>> {
        self.skew.check(claim.lease_until - claim.now)?;
        self.pool
            .within(async {
                let mut connection = self.pool.acquire_for_claim().await?;
                let mut transaction = claiming(&mut connection, TURN).await?;
                if lanes::find(&mut transaction, claim.now).await? {
                    quarantine::expire(&mut transaction, claim.now, claim.lease_until).await?;
                }
                transaction.commit().await?;
                // This search counts nothing, so other claims need not wait for it.
                leases::exhausted(&mut connection, claim).await
            })
            .await
    }

    pub(super) async fn end(&self, lease: &Lease, ended: &Ended) -> Result<HasEnded> {
        self.endings.run(Ending { lease: lease.clone(), ended: ended.clone() }).await
    }
}

/// The first statement of a claim of tasks; see [`turn`].
const TURN: &str = turn!("6173736574000001");

/// The condition of a claim on what a row of a table needs.
macro_rules! is_wanted {
    ($table:literal) => {
        concat!(
            "($8::text[] IS NULL
              OR string_to_array(demand, ' ') <@ $8::text[])
         AND ($9::smallint IS NULL OR size <= coalesce(
             (SELECT most FROM unnest($10::text[], $11::smallint[]) AS measured (demand, most)
              WHERE measured.demand = ",
            $table,
            ".demand), $9::smallint))"
        )
    };
}

/// Builds the statement that claims tasks.
///
/// The arguments are the CTEs, the condition of a lane and the rows that a quarantine needs. They are empty without one.
///
/// `busy` are the keys that have tasks in progress, `open` the lanes from which this claim may take. `turn` is how many tasks
/// of its key would be in progress, including this one. Rows that another transaction has locked are skipped. `chosen` lets the
/// update check rows again that were changed in the meantime.
macro_rules! claim {
    ([$($quarantine:tt)*] $lane:literal $trial:literal) => {
        concat!(
    "WITH lanes (demand, size, key_id, seq) AS MATERIALIZED (",
    lanes!(),
    "),
     busy (key_id, running) AS MATERIALIZED (",
    running!(),
    "),
",
    $($quarantine)*
    "     open (demand, size, key_id, seq, running) AS MATERIALIZED (
         SELECT demand, size, key_id, seq, coalesce(busy.running, 0) FROM lanes LEFT JOIN busy USING (key_id)
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
             WHERE demand = open.demand AND size = open.size AND key_id = open.key_id
             AND seq >= open.seq AND status NOT IN (2, 3) AND due_at <= $1 AND lease_owner IS NULL
             AND attempt - refunded < $3 AND id <> ALL ($12::uuid[]) AND crashes <= 0
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

/// Claims tasks while none is in quarantine.
const CLAIM: &str = claim!([] "" "");

/// Claims tasks by the rules of [`crate::domain::quarantine`].
const CLAIM_BESIDE_QUARANTINE: &str = claim!(
    [
        "     quarantine (seq, key_id, crashes, lease_owner, due_at) AS MATERIALIZED (
         SELECT seq, key_id, crashes, lease_owner, due_at FROM tasks
         WHERE crashes > 0 AND status NOT IN (2, 3) AND (attempt - refunded < $3 OR lease_owner IS NOT NULL) AND ",
    is_wanted!("tasks"),
    "
         AND id <> ALL ($12::uuid[])
     ),
     trial (seq) AS MATERIALIZED (
         SELECT seq FROM quarantine LEFT JOIN busy USING (key_id)
         WHERE lease_owner IS NULL AND due_at <= $1 AND coalesce(busy.running, 0) < $2
         AND key_id IS DISTINCT FROM $7::text
         AND NOT EXISTS (SELECT 1 FROM tasks WHERE crashes > 0 AND status NOT IN (2, 3) AND lease_owner = $5)
         ORDER BY crashes, count(*) OVER (PARTITION BY key_id), seq LIMIT 1
     ),
",
    ]
    "key_id NOT IN (SELECT key_id FROM quarantine) AND "
    "SELECT seq, 0 AS turn FROM trial UNION ALL "
);

row! {
    /// A row of a claim.
    struct ClaimedRow {
        /// Whether this claim begins the task: it was `CREATED` before.
        began: bool,
    } with row: QueuedRow
}

/// Claims tasks and queues the events of those that begin; also returns whether tasks are in quarantine.
///
/// `known` is the last known result. If it is `None`, the claim first searches for processes that have died. The transaction
/// must hold its [`TURN`].
async fn claim(
    db: &mut PgConnection,
    claim: &Claim,
    payload: &Payload,
    known: Option<bool>,
) -> Result<(Vec<Claimed>, bool)> {
    let have_expired = lanes::find(db, claim.now).await?;
    let has_quarantine = match known {
        None if have_expired => {
            let has_quarantine = quarantine::expire(db, claim.now, claim.lease_until).await?;
            lanes::find(db, claim.now).await?;
            has_quarantine
        }
        None => quarantine::has_tasks(db).await?,
        Some(known) => known,
    };
    let Only { among, quick, except, skipped } = &claim.only;
    let measured: &[(Engines, i16)] = quick.as_ref().map_or(&[], |Quick { measured, .. }| measured);
    let rows: Vec<ClaimedRow> = sqlx::query_as(if has_quarantine { CLAIM_BESIDE_QUARANTINE } else { CLAIM })
        .bind(claim.now)
        .bind(i64::from(claim.running_per_key))
        .bind(i64::from(claim.max_attempts))
        .bind(i64::from(claim.limit))
        .bind(&claim.owner)
        .bind(claim.lease_until)
        .bind(except)
        .bind(among.as_ref().map(Offered::words))
        .bind(quick.as_ref().map(|quick| quick.others))
        .bind(column(measured, |(engines, _)| engines.to_string()))
        .bind(column(measured, |(_, most)| *most))
        .bind(skipped)
        .fetch_all(&mut *db)
        .await?;
    let claimed = rows.into_iter().map(|ClaimedRow { began, row }| {
        let claimed = row.leased(&claim.owner, 0);
        let event = (began && claimed.task.webhook_url.is_some()).then(|| payload(&claimed.task));
        (claimed, event)
    });
    let claimed: Vec<(Claimed, Option<String>)> = claimed.collect();
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
    Ok((claimed.into_iter().map(|(claimed, _)| claimed).collect(), has_quarantine))
}

/// Ends tasks under their leases, and returns their numbers in the batch, their keys and webhooks.
///
/// `status` is compared as in `is_held!`.
const END: &str = "
    WITH held AS (
        UPDATE tasks SET status = ended.status, results = ended.results, error = ended.error,
                         engine = coalesce(ended.engine, tasks.engine), updated_at = ended.now,
                         result_bytes = ended.bytes, lease_owner = NULL,
                         input_bytes = CASE ended.status WHEN 2 THEN -abs(tasks.input_bytes)
                                       ELSE tasks.input_bytes END,
                         engine_time = coalesce(tasks.engine_time + ended.engine_time, tasks.engine_time,
                                                ended.engine_time)
        FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::smallint[], $5::text[], $6::text[], $7::text[],
                    $8::bigint[], $9::bigint[], $10::bigint[]) WITH ORDINALITY
        AS ended (id, attempt, owner, status, results, error, engine, now, bytes, engine_time, number)
        WHERE tasks.id = ended.id AND tasks.attempt = ended.attempt AND tasks.lease_owner = ended.owner
        AND tasks.status NOT IN (0, 2, 3) RETURNING ended.number - 1 AS number, tasks.key_id, tasks.webhook_url,
                                     result_bytes + least(input_bytes, 0) AS change
    ),
    counted AS (
        INSERT INTO stored (key_id, part, bytes)
        SELECT key_id, pg_backend_pid() % 16, sum(change) FROM held WHERE change <> 0
        GROUP BY key_id ORDER BY key_id
        ON CONFLICT (key_id, part) DO UPDATE SET bytes = stored.bytes + excluded.bytes
    )
    SELECT number, key_id, webhook_url FROM held";

/// The end of a task.
pub(super) struct Ending {
    pub(super) lease: Lease,
    pub(super) ended: Ended,
}

#[async_trait]
impl Write for Ending {
    type Output = HasEnded;

    /// Ends tasks and queues their terminal events.
    async fn together(db: &mut PgConnection, batch: &[Self]) -> Result<Vec<Option<HasEnded>>> {
        let outcomes = batch.iter().map(|ending| row::outcome(&ending.ended));
        let outcomes: Vec<(TaskStatus, Option<String>, Option<String>)> = outcomes.collect::<Result<_>>()?;
        let held: Vec<(i64, String, Option<String>)> = sqlx::query_as(END)
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
            .filter_map(|(number, key_id, url)| Some((usize::try_from(number).ok()?, (key_id, url))))
            .collect();
        let terminal = batch.iter().enumerate().filter_map(|(number, Ending { lease, ended })| {
            let (key_id, url) = held.get(&number)?;
            let (task_id, url, payload) = (lease.task_id, url.as_ref()?, &ended.payload);
            Some(NewEvent { task_id, key_id, url, payload, terminal: true, now: ended.now })
        });
        let terminal: Vec<NewEvent<'_>> = terminal.collect();
        if !terminal.is_empty() {
            events::give_up_begun(&mut *db, &column(&terminal, |event| event.task_id)).await?;
            events::queue(db, &terminal).await?;
        }
        let ended = |number| {
            Some(match held.get(&number) {
                None => HasEnded::Not,
                Some((_, None)) => HasEnded::Silently,
                Some((_, Some(_))) => HasEnded::WithEvent,
            })
        };
        Ok((0..batch.len()).map(ended).collect())
    }
}

/// Deletes ended tasks and returns their folders.
pub(super) async fn sweep(
    db: &mut PgConnection,
    before: Millis,
    now: Millis,
    limit: u32,
    retains_results: bool,
) -> Result<Vec<String>> {
    let folders = sqlx::query_scalar(
        "WITH swept AS (
             DELETE FROM tasks WHERE seq IN (
                 SELECT seq FROM tasks WHERE status > 1 AND updated_at < $1
                 AND (idempotency_key IS NULL OR idempotency_expires <= $2)
                 AND NOT EXISTS (SELECT 1 FROM events WHERE task_id = tasks.id AND state = 0)
                 ORDER BY updated_at LIMIT $3 FOR UPDATE SKIP LOCKED
             ) RETURNING folder, key_id, result_bytes
         ),
         retained AS (
             INSERT INTO retained_results (folder, key_id, bytes)
             SELECT folder, key_id, result_bytes FROM swept WHERE $4 AND result_bytes > 0
         ),
         counted AS (
             INSERT INTO stored (key_id, part, bytes)
             SELECT key_id, pg_backend_pid() % 16, sum(result_bytes) FROM swept WHERE $4 AND result_bytes > 0
             GROUP BY key_id ORDER BY key_id
             ON CONFLICT (key_id, part) DO UPDATE SET bytes = stored.bytes + excluded.bytes
         )
         SELECT folder FROM swept",
    );
    let folders = folders.bind(before).bind(now).bind(i64::from(limit)).bind(retains_results);
    Ok(folders.fetch_all(db).await?)
}

/// Removes at most $1 folders whose results stayed after their task, and no longer counts them.
pub(super) const REMOVE_RETAINED: &str = "
    WITH removed AS (
        DELETE FROM retained_results WHERE folder IN (
            SELECT folder FROM retained_results LIMIT $1 FOR UPDATE SKIP LOCKED
        ) RETURNING folder, key_id, bytes
    ),
    counted AS (
        INSERT INTO stored (key_id, part, bytes)
        SELECT key_id, pg_backend_pid() % 16, -sum(bytes) FROM removed GROUP BY key_id ORDER BY key_id
        ON CONFLICT (key_id, part) DO UPDATE SET bytes = stored.bytes + excluded.bytes
    )
    SELECT folder FROM removed";
