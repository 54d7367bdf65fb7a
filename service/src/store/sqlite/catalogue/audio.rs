//! Music and sound effects in SQLite.

use sqlx::sqlite::{SqliteConnection, SqlitePool};

use super::{list, removal};
use crate::catalogue::query::AudioOrder;
use crate::catalogue::tokens::Wanted;
use crate::store::catalogue::{AudioRow, Kind, different, files, ids, order_by};
use crate::store::row::signed;
use crate::store::sqlite::bounded::Bounded;
use crate::store::{Imported, Page, Result};

pub(super) async fn put(db: &mut SqliteConnection, kind: Kind, rows: &[AudioRow]) -> Result<Imported> {
    removal::keep(db, &files(rows)).await?;
    let there = sqlx::query_as(
        "SELECT id, record FROM audio WHERE kind = ? AND id IN (SELECT value FROM json_each(?))",
    )
    .bind(kind.name())
    .bind(list(ids(rows)))
    .fetch_all(&mut *db)
    .await?;
    let (imported, different) = different(rows, there);
    for row in different {
        let counted = forget(db, kind, row.id).await?;
        insert(db, kind, row, counted).await?;
    }
    Ok(imported)
}

/// Deletes a record; returns the downloads that were counted beyond those in it.
async fn forget(db: &mut SqliteConnection, kind: Kind, id: i64) -> Result<i64> {
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

async fn insert(db: &mut SqliteConnection, kind: Kind, row: &AudioRow, counted: i64) -> Result<()> {
    let seq: i64 = sqlx::query_scalar(
        "INSERT INTO audio (kind, id, title, premium, popularity, downloads, created_at, seconds, bpm, record)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq",
    )
    .bind(kind.name())
    .bind(row.id)
    .bind(&row.title)
    .bind(row.premium)
    .bind(row.popularity)
    .bind(i64::from(row.downloads) + counted)
    .bind(row.created_at)
    .bind(row.seconds)
    .bind(row.bpm)
    .bind(&row.record)
    .fetch_one(&mut *db)
    .await?;
    sqlx::query("INSERT INTO audio_tokens (rowid, tokens) VALUES (?, ?)")
        .bind(seq)
        .bind(format!("{} {}", kind.name(), row.tokens.join(" ")))
        .execute(db)
        .await?;
    Ok(())
}

pub(super) async fn count(db: &Bounded, kind: Kind, wanted: &Wanted) -> Result<i64> {
    let count = sqlx::query_scalar("SELECT count(*) FROM audio_tokens WHERE audio_tokens MATCH ?")
        .bind(matching(kind, wanted))
        .fetch_one(db)
        .await?;
    Ok(count)
}

pub(super) async fn records(
    db: &Bounded,
    kind: Kind,
    wanted: &Wanted,
    order: (AudioOrder, bool),
    page: Page,
) -> Result<Vec<(String, i64)>> {
    let statement = format!(
        "SELECT record, downloads FROM audio
         WHERE seq IN (SELECT rowid FROM audio_tokens WHERE audio_tokens MATCH ?)
         ORDER BY {}, id LIMIT ? OFFSET ?",
        order_by(order)
    );
    // The statement consists of constant texts only.
    let rows = sqlx::query_as(sqlx::AssertSqlSafe(statement))
        .bind(matching(kind, wanted))
        .bind(page.limit)
        .bind(signed(page.offset))
        .fetch_all(db)
        .await?;
    Ok(rows)
}

/// Converts a search into an FTS5 query.
///
/// Tokens consist of letters and digits only, so nothing needs quoting.
fn matching(kind: Kind, wanted: &Wanted) -> String {
    let groups = wanted.iter().map(|group| format!(" AND ({})", group.join(" OR ")));
    std::iter::once(kind.name().to_owned()).chain(groups).collect()
}

pub(super) async fn get(db: &SqlitePool, kind: Kind, id: i64) -> Result<Option<String>> {
    let record = sqlx::query_scalar("SELECT record FROM audio WHERE kind = ? AND id = ?")
        .bind(kind.name())
        .bind(id)
        .fetch_optional(db)
        .await?;
    Ok(record)
}

pub(super) async fn count_download(db: &mut SqliteConnection, id: i64) -> Result<()> {
    sqlx::query("UPDATE audio SET downloads = downloads + 1 WHERE kind = ? AND id = ?")
        .bind(Kind::Effects.name())
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_all_to_match() {
        let wanted = vec![vec!["wa".to_owned()], vec!["fb".to_owned(), "fc".to_owned()]];
        assert_eq!(matching(Kind::Music, &wanted), "music AND (wa) AND (fb OR fc)");
        assert_eq!(matching(Kind::Effects, &Wanted::new()), "sfx");
    }
}
