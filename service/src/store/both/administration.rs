//! Paused families, the audit log, and what is stored.

use async_trait::async_trait;

use super::super::Database;
use crate::domain::{AuditRecord, Page, Stored};
use crate::store::row;
use crate::store::{Administration, Result};
use crate::time::Millis;

#[async_trait]
impl Administration for Database {
    async fn paused(&self) -> Result<Vec<String>> {
        let paused = sqlx::query_scalar("SELECT family FROM paused_families ORDER BY family");
        Ok(paused.fetch_all(self.reader()).await?)
    }

    async fn pause(&self, family: &str) -> Result<bool> {
        let pause = sqlx::query("INSERT INTO paused_families (family) VALUES ($1) ON CONFLICT DO NOTHING");
        self.change(pause.bind(family)).await
    }

    async fn unpause(&self, family: &str) -> Result<bool> {
        self.change(sqlx::query("DELETE FROM paused_families WHERE family = $1").bind(family)).await
    }

    async fn begin_change(&self, now: Millis, who: &str, action: &str, target: &str) -> Result<i64> {
        let input = (now, who.to_owned(), action.to_owned(), row::text(target));
        self.write(input, |db, (now, who, action, target)| {
            Box::pin(async move {
                let begun = sqlx::query_scalar(
                    "INSERT INTO audit (at, who, action, target) VALUES ($1, $2, $3, $4) RETURNING seq",
                );
                let begun = begun.bind(*now).bind(who.clone()).bind(action.clone()).bind(target.clone());
                Ok(begun.fetch_one(db).await?)
            })
        })
        .await
    }

    async fn end_change(&self, number: i64, result: &str) -> Result<()> {
        let ended = sqlx::query("UPDATE audit SET result = $1 WHERE seq = $2");
        self.change(ended.bind(row::text(result)).bind(number)).await.map(drop)
    }

    async fn audit(&self, page: Page) -> Result<Vec<AuditRecord>> {
        let audit = sqlx::query_as(
            "SELECT at, who, action, target, result FROM audit ORDER BY seq DESC LIMIT $1 OFFSET $2",
        );
        let audit = audit.bind(i64::from(page.limit)).bind(row::signed(page.offset));
        Ok(audit.fetch_all(self.searcher()).await?)
    }

    async fn stored(&self) -> Result<Stored> {
        let mut stored = Stored::default();
        let counted: Vec<(i16, i64)> = sqlx::query_as("SELECT status, count(*) FROM tasks GROUP BY status")
            .fetch_all(self.searcher())
            .await?;
        for (status, tasks) in counted {
            if let Some(count) = usize::try_from(status).ok().and_then(|status| stored.tasks.get_mut(status))
            {
                *count = tasks.unsigned_abs();
            }
        }
        let bytes: (i64, i64) = sqlx::query_as(
            "SELECT (SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM stored),
                    (SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM retained_results)",
        )
        .fetch_one(self.searcher())
        .await?;
        stored.bytes = u64::try_from(bytes.0).unwrap_or_default();
        stored.retained_bytes = u64::try_from(bytes.1).unwrap_or_default();
        Ok(stored)
    }
}
