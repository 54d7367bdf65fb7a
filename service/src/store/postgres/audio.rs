//! Music and sound effects in PostgreSQL.

use sqlx::postgres::PgConnection;

use crate::catalogue::RecordKind;
use crate::catalogue::tokens::Wanted;
use crate::store::Result;
use crate::store::catalogue::{AudioColumns, Row};
use crate::store::row::text;

/// Counts the records of a kind ($1) that [`matching`] finds: $2.
pub(super) const COUNT: &str =
    "SELECT count(*) FROM audio WHERE kind = $1 AND ($2::text IS NULL OR tokens @@ $2::tsquery)";

/// The condition of the records of a kind ($1) that [`matching`] finds: $2.
pub(super) const MATCHES: &str = "kind = $1 AND ($2::text IS NULL OR tokens @@ $2::tsquery)";

/// Converts a search into a `tsquery`.
///
/// Tokens consist of letters and digits only, so quoting them needs no escapes.
pub(super) fn matching(_: RecordKind, wanted: &Wanted) -> Option<String> {
    let token = |token: &String| format!("'{token}'");
    let group =
        |group: &Vec<String>| format!("({})", group.iter().map(token).collect::<Vec<_>>().join(" | "));
    (!wanted.is_empty()).then(|| wanted.iter().map(group).collect::<Vec<_>>().join(" & "))
}

pub(super) async fn put(db: &mut PgConnection, kind: RecordKind, row: &Row<AudioColumns>) -> Result<()> {
    let columns = &row.columns;
    sqlx::query(
        "INSERT INTO audio
             (kind, id, title, premium, popularity, downloads, created_at, seconds, bpm, tokens, record)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, array_to_tsvector($10), $11)
         ON CONFLICT (kind, id) DO UPDATE SET title = excluded.title, premium = excluded.premium,
             popularity = excluded.popularity, created_at = excluded.created_at,
             -- Keeps the downloads that were counted here, in addition to those in the record.
             downloads = excluded.downloads + audio.downloads
                         - coalesce((audio.record::json ->> 'downloads')::bigint, 0),
             seconds = excluded.seconds, bpm = excluded.bpm, tokens = excluded.tokens,
             record = excluded.record",
    )
    .bind(kind.name())
    .bind(row.id)
    .bind(text(&columns.title))
    .bind(columns.premium)
    .bind(columns.popularity)
    .bind(i64::from(columns.downloads))
    .bind(columns.created_at)
    .bind(columns.seconds)
    .bind(columns.bpm)
    .bind(&columns.tokens)
    .bind(&row.record)
    .execute(db)
    .await?;
    Ok(())
}

/// Removes records and returns them.
pub(super) async fn remove(db: &mut PgConnection, kind: RecordKind, ids: &[i64]) -> Result<Vec<String>> {
    let removed = "DELETE FROM audio WHERE kind = $1 AND id = ANY($2) RETURNING record";
    Ok(sqlx::query_scalar(removed).bind(kind.name()).bind(ids).fetch_all(db).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_all_to_match() {
        let wanted = vec![vec!["wa".to_owned()], vec!["fb".to_owned(), "fc".to_owned()]];
        assert_eq!(matching(RecordKind::Music, &wanted).as_deref(), Some("('wa') & ('fb' | 'fc')"));
        assert_eq!(matching(RecordKind::Music, &Wanted::new()), None);
    }
}
