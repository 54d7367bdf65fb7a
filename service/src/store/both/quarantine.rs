//! Ends the leases of processes that have died; see [`crate::domain::quarantine`].

use super::super::{Connection, index, skip_locked};
use crate::domain::quarantine::{self, Expired, Owner};
use crate::store::Result;
use crate::time::Millis;

/// Returns the tasks of processes that have died to the queue; returns whether tasks are in quarantine.
///
/// `lease_until` is the end of a lease that begins now.
pub async fn expire(db: &mut Connection, now: Millis, lease_until: Millis) -> Result<bool> {
    let owners: Vec<String> = sqlx::query_scalar(concat!(
        "SELECT DISTINCT lease_owner FROM tasks",
        index!("tasks_begun"),
        " WHERE status = 1 AND due_at <= $1 AND lease_owner IS NOT NULL"
    ))
    .bind(now)
    .fetch_all(&mut *db)
    .await?;
    for owner in owners {
        let (tasks, latest): (i64, Option<Millis>) = sqlx::query_as(concat!(
            "SELECT count(*), max(due_at) FROM tasks",
            index!("tasks_begun"),
            " WHERE status = 1 AND lease_owner = $1"
        ))
        .bind(&owner)
        .fetch_one(&mut *db)
        .await?;
        let expired = Owner { tasks, latest, now, lease_until }.expired();
        let Some(Expired { by, counts_all, has_crashed }) = expired else { continue };
        // A worker has locked the row, and ends its task after all.
        let returned = sqlx::query(concat!(
            "UPDATE tasks SET lease_owner = NULL,
                              refunded = refunded + CASE WHEN $1 OR crashes > 0 THEN 0 ELSE 1 END,
                              crashes = CASE WHEN $2 THEN abs(crashes) + 1 ELSE crashes END
             WHERE seq IN (SELECT seq FROM tasks",
            index!("tasks_begun"),
            " WHERE status = 1 AND lease_owner = $3 AND due_at <= $4",
            skip_locked!(),
            ")"
        ))
        .bind(counts_all)
        .bind(has_crashed)
        .bind(&owner)
        .bind(by)
        .execute(&mut *db)
        .await?;
        quarantine::report(&owner, returned.rows_affected(), has_crashed);
    }
    has_tasks(db).await
}

/// Returns whether tasks are in quarantine.
pub async fn has_tasks(db: &mut Connection) -> Result<bool> {
    let any = concat!(
        "SELECT EXISTS (SELECT 1 FROM tasks",
        index!("tasks_quarantined"),
        " WHERE crashes > 0 AND status NOT IN (2, 3))"
    );
    Ok(sqlx::query_scalar(any).fetch_one(db).await?)
}
