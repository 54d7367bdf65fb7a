//! The queue of tasks in SQLite: leases, and the changes that a lease permits.
//!
//! Everything here runs on the one writing connection.

use sqlx::sqlite::SqliteConnection;
use uuid::Uuid;

use super::{deaths, events};
use crate::store::row::{self, HasEnded, NewEvent, QueuedRow, queued_columns};
use crate::store::{Claim, Claimed, Counts, Ended, Lease, Payload, Release, Rest, Result, TaskStatus};
use crate::time::Millis;

/// An owned [`Claim`] that can wait for the writer.
pub(super) struct Taking {
    owner: String,
    now: Millis,
    lease_until: Millis,
    limit: u32,
    running_per_key: u32,
    max_attempts: u32,
    /// An array of families, as JSON.
    among: Option<String>,
    /// The largest size of a quick task whose families have not been measured.
    quick: Option<i16>,
    /// The largest sizes of quick tasks by their families, as JSON.
    measured: String,
    except: Option<String>,
    /// An array of ids as hexadecimal digits, as JSON.
    passed: Option<String>,
    /// Whether there are suspects; `None`: it is time to search for processes that have died.
    has_suspects: Option<bool>,
}

impl Taking {
    pub(super) fn new(claim: &Claim<'_>, has_suspects: Option<bool>) -> Self {
        let &Claim { owner, now, lease_until, limit, running_per_key, max_attempts, only } = claim;
        let measured = only.quick.iter().flat_map(|quick| &quick.measured);
        let measured: serde_json::Value =
            measured.map(|(families, most)| (families.clone(), *most)).collect();
        Self {
            owner: owner.to_owned(),
            now,
            lease_until,
            limit,
            running_per_key,
            max_attempts,
            among: only.among.map(|families| serde_json::Value::from(families).to_string()),
            quick: only.quick.map(|quick| quick.others),
            measured: measured.to_string(),
            except: only.except.map(ToOwned::to_owned),
            passed: (!only.passed.is_empty()).then(|| {
                let ids = only.passed.iter().map(|id| format!("{:X}", id.simple()));
                ids.collect::<serde_json::Value>().to_string()
            }),
            has_suspects,
        }
    }
}

/// The condition of a claim on what a task needs.
macro_rules! is_wanted {
    () => {
        "(?6 IS NULL OR NOT EXISTS (
             SELECT 1 FROM json_each('[\"' || replace(families, '+', '\",\"') || '\"]') AS needed
             WHERE needed.value NOT IN (SELECT value FROM json_each(?6))
         ))
         AND (?7 IS NULL OR size <= coalesce((SELECT value FROM json_each(?8) WHERE key = families), ?7))"
    };
}

/// Builds the statement that selects the tasks to claim, with or without the CTEs, the condition of a lane, and the rows
/// that suspects need.
///
/// `lanes` are the demands and keys that have open tasks. One index step finds each lane, however many tasks
/// it has. `open` are the lanes from which this claim may take. `turn` is how many tasks of its key would be
/// in progress, including this one. The statement names its indices: SQLite has no statistics to choose them
/// by, and would scan all tasks to count those in progress. The plus signs take the type from columns, so that
/// a comparison of rows uses all columns of an index and not only the first.
macro_rules! claimable {
    ([$($suspects:tt)*] $lane:literal $trial:literal) => {
        concat!(
    "WITH RECURSIVE
     lanes (families, size, key_id) AS (
         SELECT families, size, key_id FROM (
             SELECT families, size, key_id FROM tasks INDEXED BY tasks_lanes WHERE status < 2
             ORDER BY families, size, key_id LIMIT 1
         )
         UNION ALL
         SELECT following.families, following.size, following.key_id
         FROM lanes CROSS JOIN tasks AS following ON following.seq = (
             SELECT seq FROM tasks INDEXED BY tasks_lanes
             WHERE status < 2 AND (families, size, key_id) > (+lanes.families, +lanes.size, +lanes.key_id)
             ORDER BY families, size, key_id LIMIT 1
         )
     ),
     busy (key_id, running) AS MATERIALIZED (
         SELECT key_id, count(*) FROM tasks INDEXED BY tasks_begun
         WHERE status = 1 AND due_at > ?1 AND lease_owner IS NOT NULL GROUP BY key_id
     ),
",
    $($suspects)*
    "     open (families, size, key_id, running) AS MATERIALIZED (
         SELECT families, size, key_id, coalesce(busy.running, 0) FROM lanes LEFT JOIN busy USING (key_id)
         WHERE coalesce(busy.running, 0) < ?2 AND key_id IS NOT ?5
         AND ",
    $lane,
    is_wanted!(),
    "
     ),
     turns (seq, turn) AS (
         SELECT waiting.seq,
                open.running + row_number() OVER (PARTITION BY open.key_id ORDER BY waiting.seq)
         FROM open CROSS JOIN tasks AS waiting ON waiting.seq IN (
             SELECT seq FROM tasks AS lane INDEXED BY tasks_lanes
             WHERE lane.families = open.families AND lane.size = open.size AND lane.key_id = open.key_id
             AND lane.status < 2 AND lane.due_at <= ?1 AND lane.attempt - lane.refunded < ?3
             AND lane.lease_owner IS NULL AND lane.suspect <= 0
             AND (?9 IS NULL OR hex(lane.id) NOT IN (SELECT value FROM json_each(?9)))
             ORDER BY lane.seq LIMIT min(?2, ?4)
         )
     )
     SELECT ",
    queued_columns!(),
    " FROM (",
    $trial,
    "SELECT seq, turn FROM turns WHERE turn <= ?2 ORDER BY turn, seq LIMIT ?4)
     CROSS JOIN tasks USING (seq) ORDER BY turn, seq"
        )
    };
}

/// Selects the tasks to claim while there are no suspects.
pub(super) const CLAIMABLE: &str = claimable!([] "" "");

/// Selects the tasks to claim by the rules of [`crate::store::deaths`].
const CLAIMABLE_BESIDE_SUSPECTS: &str = claimable!(
    [
        "     suspects (seq, key_id, deaths, lease_owner, due_at) AS MATERIALIZED (
         SELECT seq, key_id, suspect, lease_owner, due_at FROM tasks INDEXED BY tasks_suspect
         WHERE suspect > 0 AND status = 1 AND (attempt - refunded < ?3 OR lease_owner IS NOT NULL) AND ",
    is_wanted!(),
    "
         AND (?9 IS NULL OR hex(id) NOT IN (SELECT value FROM json_each(?9)))
     ),
     trial (seq) AS MATERIALIZED (
         SELECT seq FROM suspects LEFT JOIN busy USING (key_id)
         WHERE lease_owner IS NULL AND due_at <= ?1 AND coalesce(busy.running, 0) < ?2 AND key_id IS NOT ?5
         AND NOT EXISTS (
             SELECT 1 FROM tasks INDEXED BY tasks_suspect WHERE suspect > 0 AND status = 1 AND lease_owner = ?10
         )
         ORDER BY deaths, count(*) OVER (PARTITION BY key_id), seq LIMIT 1
     ),
",
    ]
    "key_id NOT IN (SELECT key_id FROM suspects) AND "
    "SELECT seq, 0 AS turn FROM trial UNION ALL "
);

/// Claims tasks and queues the events of those that begin; also returns whether there are suspects.
pub(super) async fn claim(
    db: &mut SqliteConnection,
    taking: &Taking,
    payload: &Payload,
) -> Result<(Vec<Claimed>, bool)> {
    let has_suspects = match taking.has_suspects {
        None => deaths::judge(db, taking.now, taking.lease_until).await?,
        Some(known) => known,
    };
    let claimable = if has_suspects { CLAIMABLE_BESIDE_SUSPECTS } else { CLAIMABLE };
    let claimable = sqlx::query_as(claimable)
        .bind(taking.now)
        .bind(taking.running_per_key)
        .bind(taking.max_attempts)
        .bind(taking.limit)
        .bind(&taking.except)
        .bind(&taking.among)
        .bind(taking.quick)
        .bind(&taking.measured)
        .bind(&taking.passed);
    let claimable = if has_suspects { claimable.bind(&taking.owner) } else { claimable };
    let rows: Vec<QueuedRow> = claimable.fetch_all(&mut *db).await?;
    let mut claimed = take(db, taking, rows).await?;
    for Claimed { task, .. } in &mut claimed {
        if task.status == TaskStatus::Created {
            task.status = TaskStatus::InProgress;
            task.updated_at = taking.now;
            if let Some(url) = &task.webhook_url {
                let event = NewEvent {
                    task_id: task.id,
                    key_id: &task.key_id,
                    url,
                    payload: &payload(task),
                    terminal: false,
                    now: taking.now,
                };
                events::queue(db, &event).await?;
            }
        }
    }
    Ok((claimed, has_suspects))
}

/// Takes over tasks that nobody holds and that have no attempt left.
pub(super) async fn exhausted(db: &mut SqliteConnection, taking: &Taking) -> Result<Vec<Claimed>> {
    deaths::judge(db, taking.now, taking.lease_until).await?;
    let rows: Vec<QueuedRow> = sqlx::query_as(concat!(
        "SELECT ",
        queued_columns!(),
        " FROM tasks WHERE status = 1 AND due_at <= ? AND lease_owner IS NULL AND attempt - refunded >= ?
          ORDER BY due_at LIMIT ?"
    ))
    .bind(taking.now)
    .bind(taking.max_attempts)
    .bind(taking.limit)
    .fetch_all(&mut *db)
    .await?;
    take(db, taking, rows).await
}

/// Puts tasks under a new lease.
///
/// A task that waited is returned with its old status, although it is in progress now.
async fn take(db: &mut SqliteConnection, taking: &Taking, rows: Vec<QueuedRow>) -> Result<Vec<Claimed>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let seqs: serde_json::Value = rows.iter().map(|row| row.seq).collect();
    sqlx::query(
        "UPDATE tasks SET attempt = attempt + 1, lease_owner = ?1, due_at = ?2,
                          updated_at = iif(status = 0, ?3, updated_at), status = 1
         WHERE seq IN (SELECT value FROM json_each(?4))",
    )
    .bind(&taking.owner)
    .bind(taking.lease_until)
    .bind(taking.now)
    .bind(seqs.to_string())
    .execute(db)
    .await?;
    rows.into_iter()
        .map(|row| {
            let attempt = row.attempt + 1;
            row.leased(&taking.owner, attempt)
        })
        .collect()
}

/// Extends a lease; returns `false` if it is lost.
pub(super) async fn prolong(db: &mut SqliteConnection, lease: &Lease, until: Millis) -> Result<bool> {
    let held = sqlx::query(
        "UPDATE tasks SET due_at = ? WHERE id = ? AND attempt = ? AND lease_owner = ? AND status = 1",
    )
    .bind(until)
    .bind(lease.task_id)
    .bind(lease.attempt)
    .bind(&lease.owner)
    .execute(db)
    .await?;
    Ok(held.rows_affected() == 1)
}

/// Returns a task to the queue; returns `false` if the lease is lost.
pub(super) async fn release(
    db: &mut SqliteConnection,
    lease: &Lease,
    Release { not_before, counts, is_slow, demand, engine_time }: &Release,
) -> Result<bool> {
    let engine_time = row::engine_time(*engine_time);
    let held = sqlx::query(
        "UPDATE tasks SET due_at = ?, refunded = refunded + ?, outages = outages + ?, refusals = refusals + ?,
                          size = iif(?, 32767, size), families = coalesce(?, families), lease_owner = NULL,
                          engine_time = coalesce(engine_time + ?, engine_time, ?),
                          suspect = iif(?, suspect, -abs(suspect))
         WHERE id = ? AND attempt = ? AND lease_owner = ? AND status = 1",
    )
    .bind(not_before)
    .bind(*counts != Counts::Attempt)
    .bind(*counts == Counts::Outage)
    .bind(*counts == Counts::Refusal)
    .bind(is_slow)
    .bind(demand)
    .bind(engine_time)
    .bind(engine_time)
    .bind(*counts == Counts::Nothing)
    .bind(lease.task_id)
    .bind(lease.attempt)
    .bind(&lease.owner)
    .execute(db)
    .await?;
    Ok(held.rows_affected() == 1)
}

/// Returns a task to the queue with the rest of its work; returns `false` if the lease is lost.
pub(super) async fn advance(db: &mut SqliteConnection, lease: &Lease, rest: &Rest) -> Result<bool> {
    let engine_time = row::engine_time(rest.engine_time);
    let held = sqlx::query(
        "UPDATE tasks SET work = ?, families = ?, size = ?, due_at = ?, refunded = attempt,
         outages = 0, refusals = 0, call = NULL, progress = NULL, lease_owner = NULL, suspect = 0,
         engine_time = coalesce(engine_time + ?, engine_time, ?)
         WHERE id = ? AND attempt = ? AND lease_owner = ? AND status = 1",
    )
    .bind(&rest.work)
    .bind(&rest.demand.families)
    .bind(rest.demand.size)
    .bind(rest.now)
    .bind(engine_time)
    .bind(engine_time)
    .bind(lease.task_id)
    .bind(lease.attempt)
    .bind(&lease.owner)
    .execute(db)
    .await?;
    Ok(held.rows_affected() == 1)
}

/// Records the call of a provider; returns `false` if the lease is lost.
pub(super) async fn record_call(
    db: &mut SqliteConnection,
    lease: &Lease,
    call: Option<&str>,
) -> Result<bool> {
    let held = sqlx::query(
        "UPDATE tasks SET call = ? WHERE id = ? AND attempt = ? AND lease_owner = ? AND status = 1",
    )
    .bind(call)
    .bind(lease.task_id)
    .bind(lease.attempt)
    .bind(&lease.owner)
    .execute(db)
    .await?;
    Ok(held.rows_affected() == 1)
}

/// Ends the trial of a suspect; returns `false` if the lease is lost.
pub(super) async fn clear(db: &mut SqliteConnection, lease: &Lease) -> Result<bool> {
    let held = sqlx::query(
        "UPDATE tasks SET suspect = -abs(suspect) WHERE id = ? AND attempt = ? AND lease_owner = ? AND status = 1",
    )
    .bind(lease.task_id)
    .bind(lease.attempt)
    .bind(&lease.owner)
    .execute(db)
    .await?;
    Ok(held.rows_affected() == 1)
}

/// Stores how far the engine has come; returns `false` if the lease is lost.
pub(super) async fn record_progress(
    db: &mut SqliteConnection,
    lease: &Lease,
    progress: &str,
) -> Result<bool> {
    let held = sqlx::query(
        "UPDATE tasks SET progress = ? WHERE id = ? AND attempt = ? AND lease_owner = ? AND status = 1",
    )
    .bind(progress)
    .bind(lease.task_id)
    .bind(lease.attempt)
    .bind(&lease.owner)
    .execute(db)
    .await?;
    Ok(held.rows_affected() == 1)
}

/// Ends a task and queues its terminal event.
pub(super) async fn end(db: &mut SqliteConnection, lease: &Lease, ended: &Ended) -> Result<HasEnded> {
    let (status, results, error) = row::outcome(ended)?;
    let engine_time = row::engine_time(ended.engine_time);
    let held: Option<(Uuid, String, Option<String>)> = sqlx::query_as(
        "UPDATE tasks SET status = ?, results = ?, error = ?, engine = coalesce(?, engine), updated_at = ?,
                          result_bytes = ?, input_bytes = iif(?, -abs(input_bytes), input_bytes), lease_owner = NULL,
                          engine_time = coalesce(engine_time + ?, engine_time, ?)
         WHERE id = ? AND attempt = ? AND lease_owner = ? AND status = 1 RETURNING id, key_id, webhook_url",
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
    tell(db, held, ended).await
}

/// Ends a task that has not ended, whoever holds it.
pub(super) async fn cancel(db: &mut SqliteConnection, id: Uuid, ended: &Ended) -> Result<HasEnded> {
    let (status, results, error) = row::outcome(ended)?;
    let open: Option<(Uuid, String, Option<String>)> = sqlx::query_as(
        "UPDATE tasks SET status = ?, results = ?, error = ?, updated_at = ?, lease_owner = NULL
         WHERE id = ? AND status < 2 RETURNING id, key_id, webhook_url",
    )
    .bind(status.number())
    .bind(results)
    .bind(error)
    .bind(ended.now)
    .bind(id)
    .fetch_optional(&mut *db)
    .await?;
    tell(db, open, ended).await
}

/// Queues the terminal event of a task that has ended: its id, key and webhook.
async fn tell(
    db: &mut SqliteConnection,
    task: Option<(Uuid, String, Option<String>)>,
    ended: &Ended,
) -> Result<HasEnded> {
    let Some((task_id, key_id, url)) = task else { return Ok(HasEnded::Not) };
    let Some(url) = url else { return Ok(HasEnded::Silently) };
    events::give_up_begun(db, task_id).await?;
    let (key_id, payload) = (&key_id, &ended.payload);
    let event = NewEvent { task_id, key_id, url: &url, payload, terminal: true, now: ended.now };
    events::queue(db, &event).await?;
    Ok(HasEnded::Told)
}
