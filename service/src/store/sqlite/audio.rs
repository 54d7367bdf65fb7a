//! Music and sound effects in SQLite.

use sqlx::sqlite::SqliteConnection;

use super::list;
use crate::catalogue::RecordKind;
use crate::catalogue::tokens::Wanted;
use crate::store::Result;
use crate::store::catalogue::{AudioColumns, Row};
use crate::store::row::text;

/// Counts the records that [`matching`] finds: $2.
pub(super) const COUNT: &str = "SELECT count(*) FROM audio_tokens WHERE audio_tokens MATCH $2";

/// The condition of the records that [`matching`] finds: $2.
pub(super) const MATCHES: &str = "seq IN (SELECT rowid FROM audio_tokens WHERE audio_tokens MATCH $2)";

/// Converts a search into an FTS5 query.
///
/// Tokens consist of letters and digits only, so nothing needs quoting. The kind is a token of every record.
pub(super) fn matching(kind: RecordKind, wanted: &Wanted) -> String {
    let groups = wanted.iter().map(|group| format!(" AND ({})", group.join(" OR ")));
    std::iter::once(kind.name().to_owned()).chain(groups).collect()
}

pub(super) async fn put(db: &mut SqliteConnection, kind: RecordKind, row: &Row<AudioColumns>) -> Result<()> {
    let columns = &row.columns;
    let counted = forget(db, kind, row.id).await?;
    let seq: i64 = sqlx::query_scalar(
        "INSERT INTO audio (kind, id, title, premium, popularity, downloads, created_at, seconds, bpm, record)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq",
    )
    .bind(kind.name())
    .bind(row.id)
    .bind(text(&columns.title))
    .bind(columns.premium)
    .bind(columns.popularity)
    .bind(i64::from(columns.downloads) + counted)
    .bind(columns.created_at)
    .bind(columns.seconds)
    .bind(columns.bpm)
    .bind(&row.record)
    .fetch_one(&mut *db)
    .await?;
    sqlx::query("INSERT INTO audio_tokens (rowid, tokens) VALUES (?, ?)")
        .bind(seq)
        .bind(format!("{} {}", kind.name(), columns.tokens.join(" ")))
        .execute(db)
        .await?;
    Ok(())
}

/// Deletes a record; returns the downloads that were counted beyond those in it.
async fn forget(db: &mut SqliteConnection, kind: RecordKind, id: i64) -> Result<i64> {
    let row: Option<(i64, i64)> = sqlx::query_as(
        "DELETE FROM audio WHERE kind = ? AND id = ?
         RETURNING seq, downloads - coalesce(json_extract(record, '$.downloads'), 0)",
    )
    .bind(kind.name())
    .bind(id)
    .fetch_optional(&mut *db)
    .await?;
    let Some((seq, counted)) = row else { return Ok(0) };
    sqlx::query("DELETE FROM audio_tokens WHERE rowid = ?").bind(seq).execute(db).await?;
    Ok(counted)
}

/// Removes records and returns them.
pub(super) async fn remove(db: &mut SqliteConnection, kind: RecordKind, ids: &[i64]) -> Result<Vec<String>> {
    let removed: Vec<(i64, String)> = sqlx::query_as(
        "DELETE FROM audio WHERE kind = ? AND id IN (SELECT value FROM json_each(?)) RETURNING seq, record",
    )
    .bind(kind.name())
    .bind(list(ids))
    .fetch_all(&mut *db)
    .await?;
    let (seqs, records): (Vec<i64>, Vec<String>) = removed.into_iter().unzip();
    let tokens = "DELETE FROM audio_tokens WHERE rowid IN (SELECT value FROM json_each(?))";
    sqlx::query(tokens).bind(list(&seqs)).execute(db).await?;
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_all_to_match() {
        let wanted = vec![vec!["wa".to_owned()], vec!["fb".to_owned(), "fc".to_owned()]];
        assert_eq!(matching(RecordKind::Music, &wanted), "music AND (wa) AND (fb OR fc)");
        assert_eq!(matching(RecordKind::Effects, &Wanted::new()), "sfx");
    }
}
