//! Music and sound effects in PostgreSQL.

use sqlx::postgres::PgConnection;

use super::removal;
use crate::catalogue::query::AudioOrder;
use crate::catalogue::tokens::Wanted;
use crate::store::catalogue::{AudioRow, Kind, different, files, ids, order_by};
use crate::store::postgres::pool::Pool;
use crate::store::row::{signed, text};
use crate::store::{Imported, Page, Result};

pub(super) async fn put(db: &mut PgConnection, kind: Kind, rows: &[AudioRow]) -> Result<Imported> {
    removal::noted(&mut *db, &files(rows)).await?;
    let there = sqlx::query_as("SELECT id, record FROM audio WHERE kind = $1 AND id = ANY($2)")
        .bind(kind.name())
        .bind(ids(rows))
        .fetch_all(&mut *db)
        .await?;
    let (imported, different) = different(rows, there);
    for row in different {
        insert(db, kind, row).await?;
    }
    Ok(imported)
}

async fn insert(db: &mut PgConnection, kind: Kind, row: &AudioRow) -> Result<()> {
    sqlx::query(
        "INSERT INTO audio
             (kind, id, title, premium, popularity, downloads, created_at, seconds, bpm, tokens, record)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, array_to_tsvector($10), $11)
         ON CONFLICT (kind, id) DO UPDATE SET title = excluded.title, premium = excluded.premium,
             popularity = excluded.popularity, created_at = excluded.created_at,
             -- Keeps the downloads that were counted here, in addition to those in the record.
             downloads = excluded.downloads + audio.downloads
                         - coalesce((audio.record::json ->> 'downloads')::bigint, 0),
             seconds = excluded.seconds, bpm = excluded.bpm, tokens = excluded.tokens, record = excluded.record",
    )
    .bind(kind.name())
    .bind(row.id)
    .bind(text(&row.title))
    .bind(row.premium)
    .bind(row.popularity)
    .bind(i64::from(row.downloads))
    .bind(row.created_at)
    .bind(row.seconds)
    .bind(row.bpm)
    .bind(&row.tokens)
    .bind(&row.record)
    .execute(db)
    .await?;
    Ok(())
}

pub(super) async fn count(db: &Pool, kind: Kind, wanted: &Wanted) -> Result<i64> {
    let count = sqlx::query_scalar(
        "SELECT count(*) FROM audio WHERE kind = $1 AND ($2::text IS NULL OR tokens @@ $2::tsquery)",
    )
    .bind(kind.name())
    .bind(matching(wanted))
    .fetch_one(db)
    .await?;
    Ok(count)
}

pub(super) async fn records(
    db: &Pool,
    kind: Kind,
    wanted: &Wanted,
    order: (AudioOrder, bool),
    page: Page,
) -> Result<Vec<(String, i64)>> {
    let statement = format!(
        "SELECT record, downloads FROM audio
         WHERE kind = $1 AND ($2::text IS NULL OR tokens @@ $2::tsquery)
         ORDER BY {}, id LIMIT $3 OFFSET $4",
        order_by(order)
    );
    // The statement consists of constant texts only.
    let rows = sqlx::query_as(sqlx::AssertSqlSafe(statement))
        .bind(kind.name())
        .bind(matching(wanted))
        .bind(i64::from(page.limit))
        .bind(signed(page.offset))
        .fetch_all(db)
        .await?;
    Ok(rows)
}

/// Converts a search into a `tsquery`.
///
/// Tokens consist of letters and digits only, so quoting them needs no escapes.
fn matching(wanted: &Wanted) -> Option<String> {
    let token = |token: &String| format!("'{token}'");
    let group =
        |group: &Vec<String>| format!("({})", group.iter().map(token).collect::<Vec<_>>().join(" | "));
    (!wanted.is_empty()).then(|| wanted.iter().map(group).collect::<Vec<_>>().join(" & "))
}

pub(super) async fn get(db: &Pool, kind: Kind, id: i64) -> Result<Option<String>> {
    let record = sqlx::query_scalar("SELECT record FROM audio WHERE kind = $1 AND id = $2")
        .bind(kind.name())
        .bind(id)
        .fetch_optional(db)
        .await?;
    Ok(record)
}

pub(super) async fn count_download(db: &Pool, id: i64) -> Result<()> {
    sqlx::query("UPDATE audio SET downloads = downloads + 1 WHERE kind = $1 AND id = $2")
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
        assert_eq!(matching(&wanted).as_deref(), Some("('wa') & ('fb' | 'fc')"));
        assert_eq!(matching(&Wanted::new()), None);
    }
}
