//! Claims of tasks in SQLite.

use sqlx::sqlite::SqliteConnection;

use super::both::{leases, quarantine};
use super::{Sqlite, events, list};
use crate::domain::{Claim, Claimed, Only, Payload, TaskStatus};
use crate::store::Result;
use crate::store::row::{NewEvent, QueuedRow, queued_columns};

impl Sqlite {
    /// Claims tasks, and returns whether tasks are in quarantine.
    ///
    /// `known` is the last known result. If it is `None`, the claim first searches for processes that have died.
    pub(super) async fn claim(
        &self,
        claim: &Claim,
        payload: &Payload,
        known: Option<bool>,
    ) -> Result<(Vec<Claimed>, bool)> {
        let input = (claim.clone(), payload.clone(), known);
        self.writer
            .run(input, |db, (claim, payload, known)| Box::pin(self::claim(db, claim, payload, *known)))
            .await
    }

    pub(super) async fn take_exhausted(&self, claim: &Claim) -> Result<Vec<Claimed>> {
        self.writer
            .run(claim.clone(), |db, claim| {
                Box::pin(async move {
                    quarantine::expire(db, claim.now, claim.lease_until).await?;
                    leases::exhausted(db, claim).await
                })
            })
            .await
    }
}

/// The condition of a claim on what a task needs.
macro_rules! is_wanted {
    () => {
        "(?6 IS NULL OR NOT EXISTS (
             SELECT 1 FROM json_each('[\"' || replace(demand, ' ', '\",\"') || '\"]') AS needed
             WHERE needed.value NOT IN (SELECT value FROM json_each(?6))
         ))
         AND (?7 IS NULL OR size <= coalesce((SELECT value FROM json_each(?8) WHERE key = demand), ?7))"
    };
}

/// Builds the statement that selects the tasks to claim.
///
/// The arguments are the CTEs, the condition of a lane and the rows that a quarantine needs. They are empty without one.
///
/// `lanes` are the demands and keys that have open tasks. One index step finds each lane, however many tasks
/// it has. `open` are the lanes from which this claim may take. `turn` is how many tasks of its key would be
/// in progress, including this one. The statement names its indices: SQLite has no statistics to choose them
/// by, and would scan all tasks to count those in progress. The plus signs take the type from columns, so that
/// a comparison of rows uses all columns of an index and not only the first.
macro_rules! claimable {
    ([$($quarantine:tt)*] $lane:literal $trial:literal) => {
        concat!(
    "WITH RECURSIVE
     lanes (demand, size, key_id) AS (
         SELECT demand, size, key_id FROM (
             SELECT demand, size, key_id FROM tasks INDEXED BY tasks_lanes WHERE status < 2
             ORDER BY demand, size, key_id LIMIT 1
         )
         UNION ALL
         SELECT following.demand, following.size, following.key_id
         FROM lanes CROSS JOIN tasks AS following ON following.seq = (
             SELECT seq FROM tasks INDEXED BY tasks_lanes
             WHERE status < 2 AND (demand, size, key_id) > (+lanes.demand, +lanes.size, +lanes.key_id)
             ORDER BY demand, size, key_id LIMIT 1
         )
     ),
     busy (key_id, running) AS MATERIALIZED (
         SELECT key_id, count(*) FROM tasks INDEXED BY tasks_begun
         WHERE status = 1 AND due_at > ?1 AND lease_owner IS NOT NULL GROUP BY key_id
     ),
",
    $($quarantine)*
    "     open (demand, size, key_id, running) AS MATERIALIZED (
         SELECT demand, size, key_id, coalesce(busy.running, 0) FROM lanes LEFT JOIN busy USING (key_id)
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
             WHERE lane.demand = open.demand AND lane.size = open.size AND lane.key_id = open.key_id
             AND lane.status < 2 AND lane.due_at <= ?1 AND lane.attempt - lane.refunded < ?3
             AND lane.lease_owner IS NULL AND lane.crashes <= 0
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

/// Selects the tasks to claim while none is in quarantine.
pub(super) const CLAIMABLE: &str = claimable!([] "" "");

/// Selects the tasks to claim by the rules of [`crate::domain::quarantine`].
const CLAIMABLE_BESIDE_QUARANTINE: &str = claimable!(
    [
        "     quarantine (seq, key_id, crashes, lease_owner, due_at) AS MATERIALIZED (
         SELECT seq, key_id, crashes, lease_owner, due_at FROM tasks INDEXED BY tasks_quarantined
         WHERE crashes > 0 AND status NOT IN (2, 3) AND (attempt - refunded < ?3 OR lease_owner IS NOT NULL) AND ",
    is_wanted!(),
    "
         AND (?9 IS NULL OR hex(id) NOT IN (SELECT value FROM json_each(?9)))
     ),
     trial (seq) AS MATERIALIZED (
         SELECT seq FROM quarantine LEFT JOIN busy USING (key_id)
         WHERE lease_owner IS NULL AND due_at <= ?1 AND coalesce(busy.running, 0) < ?2 AND key_id IS NOT ?5
         AND NOT EXISTS (
             SELECT 1 FROM tasks INDEXED BY tasks_quarantined WHERE crashes > 0 AND status NOT IN (2, 3) AND lease_owner = ?10
         )
         ORDER BY crashes, count(*) OVER (PARTITION BY key_id), seq LIMIT 1
     ),
",
    ]
    "key_id NOT IN (SELECT key_id FROM quarantine) AND "
    "SELECT seq, 0 AS turn FROM trial UNION ALL "
);

/// Claims tasks and queues the events of those that begin; also returns whether tasks are in quarantine.
async fn claim(
    db: &mut SqliteConnection,
    claim: &Claim,
    payload: &Payload,
    known: Option<bool>,
) -> Result<(Vec<Claimed>, bool)> {
    let has_quarantine = match known {
        None => quarantine::expire(db, claim.now, claim.lease_until).await?,
        Some(known) => known,
    };
    let Only { among, quick, except, skipped } = &claim.only;
    let measured: serde_json::Value = quick
        .iter()
        .flat_map(|quick| &quick.measured)
        .map(|(engines, most)| (engines.to_string(), *most))
        .collect();
    let skipped: Vec<_> = skipped.iter().map(|id| format!("{:X}", id.simple())).collect();
    let claimable = if has_quarantine { CLAIMABLE_BESIDE_QUARANTINE } else { CLAIMABLE };
    let claimable = sqlx::query_as(claimable)
        .bind(claim.now)
        .bind(claim.running_per_key)
        .bind(claim.max_attempts)
        .bind(claim.limit)
        .bind(except)
        .bind(among.as_ref().map(|offered| list(&offered.words())))
        .bind(quick.as_ref().map(|quick| quick.others))
        .bind(measured.to_string())
        .bind((!skipped.is_empty()).then(|| list(&skipped)));
    let claimable = if has_quarantine { claimable.bind(&claim.owner) } else { claimable };
    let rows: Vec<QueuedRow> = claimable.fetch_all(&mut *db).await?;
    let mut claimed = take(db, claim, rows).await?;
    for Claimed { task, .. } in &mut claimed {
        if task.status == TaskStatus::Created {
            task.status = TaskStatus::InProgress;
            task.updated_at = claim.now;
            if let Some(url) = &task.webhook_url {
                let event = NewEvent {
                    task_id: task.id,
                    key_id: &task.key_id,
                    url,
                    payload: &payload(task),
                    terminal: false,
                    now: claim.now,
                };
                events::queue(db, &[event]).await?;
            }
        }
    }
    Ok((claimed, has_quarantine))
}

/// Puts tasks under a new lease.
///
/// A task that waited is returned with its old status, although it is in progress now.
async fn take(db: &mut SqliteConnection, claim: &Claim, rows: Vec<QueuedRow>) -> Result<Vec<Claimed>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let seqs: serde_json::Value = rows.iter().map(|row| row.seq).collect();
    sqlx::query(
        "UPDATE tasks SET attempt = attempt + 1, lease_owner = ?1, due_at = ?2,
                          updated_at = iif(status = 0, ?3, updated_at), status = 1
         WHERE seq IN (SELECT value FROM json_each(?4))",
    )
    .bind(&claim.owner)
    .bind(claim.lease_until)
    .bind(claim.now)
    .bind(seqs.to_string())
    .execute(db)
    .await?;
    Ok(rows.into_iter().map(|row| row.leased(&claim.owner, 1)).collect())
}
