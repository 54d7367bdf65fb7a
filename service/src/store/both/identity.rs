//! The id of the file store that the rows belong to, and whether the database is quiesced.

use async_trait::async_trait;

use super::super::{Connection, Database, set_files_id};
use crate::store::identity::DETACH;
use crate::store::{Identity, Quiescence, Result};

#[async_trait]
impl Identity for Database {
    async fn files_id(&self, proposed: Option<&str>) -> Result<Option<String>> {
        self.known_files_id(proposed).await
    }

    async fn found_in(&self, folder: &str) -> Result<Option<String>> {
        self.known_folder(folder).await
    }

    async fn detach(&self, files_id: &str, quiescence: Option<&Quiescence>) -> Result<()> {
        let input = (files_id.to_owned(), quiescence.cloned());
        self.transact(input, |db, (files_id, quiescence)| Box::pin(detach(db, files_id, quiescence.as_ref())))
            .await
    }

    async fn quiescence(&self) -> Result<Option<Quiescence>> {
        let row =
            sqlx::query_as("SELECT since, reason FROM quiescence").fetch_optional(self.reader()).await?;
        Ok(row.map(|(since, reason)| Quiescence { since, reason }))
    }

    async fn resume(&self) -> Result<bool> {
        Ok(self.execute(sqlx::query("DELETE FROM quiescence")).await? > 0)
    }

    async fn drop_events(&self) -> Result<u64> {
        self.execute(sqlx::query("UPDATE events SET state = 2, lease = NULL WHERE state = 0")).await
    }
}

async fn detach(db: &mut Connection, files_id: &str, quiescence: Option<&Quiescence>) -> Result<()> {
    set_files_id(db, files_id).await?;
    for statement in DETACH {
        sqlx::query(statement).execute(&mut *db).await?;
    }
    if let Some(Quiescence { since, reason }) = quiescence {
        let quiesce = sqlx::query("INSERT INTO quiescence (one, since, reason) VALUES (TRUE, $1, $2)");
        quiesce.bind(since).bind(reason).execute(db).await?;
    }
    Ok(())
}
