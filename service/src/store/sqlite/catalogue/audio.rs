//! Music and sound effects in SQLite.

use serde::de::DeserializeOwned;
use sqlx::sqlite::{SqliteConnection, SqlitePool};

use super::matching;
use crate::catalogue::query::{AudioOrder, AudioQuery, Found};
use crate::catalogue::relevance::{self, CANDIDATES};
use crate::catalogue::tokens;
use crate::store::catalogue::{AudioRow as Row, from_json};
use crate::store::{Imported, Result};

pub(super) async fn put(db: &mut SqliteConnection, kind: &str, rows: &[Row]) -> Result<Imported> {
    let mut imported = Imported::default();
    for row in rows {
        let there: Option<(i64, String)> =
            sqlx::query_as("SELECT seq, record FROM audio WHERE kind = ? AND id = ?")
                .bind(kind)
                .bind(row.id)
                .fetch_optional(&mut *db)
                .await?;
        match there {
            Some((_, there)) if there == row.record => {
                imported.unchanged += 1;
                continue;
            }
            Some((seq, _)) => {
                imported.changed += 1;
                for delete in ["DELETE FROM audio_tokens WHERE rowid = ?", "DELETE FROM audio WHERE seq = ?"]
                {
                    sqlx::query(delete).bind(seq).execute(&mut *db).await?;
                }
            }
            None => imported.new += 1,
        }
        insert(db, kind, row).await?;
    }
    Ok(imported)
}

async fn insert(db: &mut SqliteConnection, kind: &str, row: &Row) -> Result<()> {
    let (seq,): (i64,) = sqlx::query_as(
        "INSERT INTO audio (kind, id, title, premium, popularity, downloads, created_at, seconds, bpm, record)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq",
    )
    .bind(kind)
    .bind(row.id)
    .bind(&row.title)
    .bind(row.premium)
    .bind(row.popularity)
    .bind(row.downloads)
    .bind(row.created_at)
    .bind(row.seconds)
    .bind(row.bpm)
    .bind(&row.record)
    .fetch_one(&mut *db)
    .await?;
    sqlx::query("INSERT INTO audio_tokens (rowid, tokens) VALUES (?, ?)")
        .bind(seq)
        .bind(format!("{kind} {}", row.tokens.join(" ")))
        .execute(db)
        .await?;
    Ok(())
}

pub(super) async fn search<T: DeserializeOwned>(
    db: &SqlitePool,
    kind: &str,
    query: &AudioQuery,
    score: impl Fn(&T) -> u32,
) -> Result<Found<T>> {
    let mut wanted = tokens::wanted_audio(query);
    wanted.push(vec![kind.to_owned()]);
    let matching = matching(&wanted).unwrap_or_default();
    let (total,): (i64,) = sqlx::query_as("SELECT count(*) FROM audio_tokens WHERE audio_tokens MATCH ?")
        .bind(&matching)
        .fetch_one(db)
        .await?;
    let total = total.unsigned_abs();
    let ranked = query.order == AudioOrder::Relevance && !query.words.is_empty();
    let (offset, limit) =
        if ranked { (0, CANDIDATES as u64) } else { (query.offset, u64::from(query.limit)) };
    let rows: Vec<(String,)> = sqlx::query_as(ordered(query))
        .bind(&matching)
        .bind(
            i64::try_from(limit.max(query.offset.saturating_add(u64::from(query.limit)) * u64::from(ranked)))
                .unwrap_or(i64::MAX),
        )
        .bind(i64::try_from(offset).unwrap_or(i64::MAX))
        .fetch_all(db)
        .await?;
    let mut items: Vec<T> = rows.iter().map(|(record,)| from_json(record)).collect::<Result<_>>()?;
    if ranked {
        let candidates = CANDIDATES.min(items.len());
        if let Some(best) = items.get_mut(..candidates) {
            relevance::sort_by_score(best, score);
        }
        let from = usize::try_from(query.offset).unwrap_or(usize::MAX);
        items = items.into_iter().skip(from).take(query.limit as usize).collect();
    }
    Ok(Found { items, total })
}

/// The statement that answers in this order. What is the same is in the order of ids.
fn ordered(query: &AudioQuery) -> &'static str {
    macro_rules! by {
        ($order:literal) => {
            concat!(
                "SELECT record FROM audio WHERE seq IN (SELECT rowid FROM audio_tokens WHERE audio_tokens MATCH ?)
                 ORDER BY ",
                $order,
                ", id LIMIT ? OFFSET ?"
            )
        };
    }
    match (query.order, query.descending) {
        (AudioOrder::Relevance, _) | (AudioOrder::Popularity, true) => by!("popularity DESC"),
        (AudioOrder::Popularity, false) => by!("popularity"),
        (AudioOrder::Downloads, false) => by!("downloads"),
        (AudioOrder::Downloads, true) => by!("downloads DESC"),
        (AudioOrder::CreatedAt, false) => by!("created_at"),
        (AudioOrder::CreatedAt, true) => by!("created_at DESC"),
        (AudioOrder::Title, false) => by!("title"),
        (AudioOrder::Title, true) => by!("title DESC"),
        (AudioOrder::Seconds, false) => by!("seconds"),
        (AudioOrder::Seconds, true) => by!("seconds DESC"),
        (AudioOrder::Bpm, false) => by!("bpm"),
        (AudioOrder::Bpm, true) => by!("bpm DESC"),
    }
}

pub(super) async fn get<T: DeserializeOwned>(db: &SqlitePool, kind: &str, id: i64) -> Result<Option<T>> {
    let row: Option<(String,)> = sqlx::query_as("SELECT record FROM audio WHERE kind = ? AND id = ?")
        .bind(kind)
        .bind(id)
        .fetch_optional(db)
        .await?;
    row.map(|(record,)| from_json(&record)).transpose()
}

/// How often each of these sound effects was downloaded, in their order.
pub(super) async fn downloads(db: &SqlitePool, ids: &[i64]) -> Result<Vec<u32>> {
    let mut counts = Vec::with_capacity(ids.len());
    for id in ids {
        let row: Option<(i64,)> = sqlx::query_as("SELECT downloads FROM audio WHERE kind = 'sfx' AND id = ?")
            .bind(id)
            .fetch_optional(db)
            .await?;
        counts.push(row.and_then(|(downloads,)| u32::try_from(downloads).ok()).unwrap_or_default());
    }
    Ok(counts)
}

pub(super) async fn count_download(db: &mut SqliteConnection, id: i64) -> Result<()> {
    sqlx::query("UPDATE audio SET downloads = downloads + 1 WHERE kind = 'sfx' AND id = ?")
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}
