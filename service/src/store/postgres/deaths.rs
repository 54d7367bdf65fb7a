//! Processes that have died, in PostgreSQL; see [`crate::store::deaths`].

use sqlx::postgres::PgConnection;

use crate::store::Result;
use crate::store::deaths::{self, Death, Verdict};
use crate::time::Millis;

/// Returns the tasks of processes that have died to the queue; returns whether there are suspects.
///
/// `lease_until` is the end of a lease that begins now.
pub(super) async fn judge(db: &mut PgConnection, now: Millis, lease_until: Millis) -> Result<bool> {
    let owners: Vec<String> = sqlx::query_scalar(
        "SELECT DISTINCT lease_owner FROM tasks WHERE status = 1 AND due_at <= $1 AND lease_owner IS NOT NULL",
    )
    .bind(now)
    .fetch_all(&mut *db)
    .await?;
    for owner in owners {
        let (tasks, latest): (i64, Option<Millis>) =
            sqlx::query_as("SELECT count(*), max(due_at) FROM tasks WHERE status = 1 AND lease_owner = $1")
                .bind(&owner)
                .fetch_one(&mut *db)
                .await?;
        let death = Death { tasks, latest, now, lease_until };
        let Some(Verdict { expired_at, counts_all, suspects }) = death.verdict() else { continue };
        // A locked row is that of a worker that ends its task after all.
        let returned = sqlx::query(
            "UPDATE tasks SET lease_owner = NULL,
                              refunded = refunded + CASE WHEN $1 OR suspect > 0 THEN 0 ELSE 1 END,
                              suspect = CASE WHEN $2 THEN abs(suspect) + 1 ELSE suspect END
             WHERE seq IN (
                 SELECT seq FROM tasks WHERE status = 1 AND lease_owner = $3 AND due_at <= $4 FOR UPDATE SKIP LOCKED
             )",
        )
        .bind(counts_all)
        .bind(suspects)
        .bind(&owner)
        .bind(expired_at)
        .execute(&mut *db)
        .await?;
        deaths::report(&owner, returned.rows_affected(), suspects);
    }
    let any = "SELECT EXISTS (SELECT 1 FROM tasks WHERE suspect > 0 AND status = 1)";
    Ok(sqlx::query_scalar(any).fetch_one(db).await?)
}
