//! Icons in SQLite.

use sqlx::sqlite::{SqliteConnection, SqlitePool};

use super::{list, removal};
use crate::catalogue::Icon;
use crate::store::catalogue::{IconRow, RelatedRecords, different, files, ids};
use crate::store::sqlite::bounded::Bounded;
use crate::store::{Imported, Result};

pub(super) async fn put(db: &mut SqliteConnection, rows: &[IconRow]) -> Result<Imported> {
    removal::keep(db, &files(rows)).await?;
    let there = sqlx::query_as("SELECT id, record FROM icons WHERE id IN (SELECT value FROM json_each(?))")
        .bind(list(ids(rows)))
        .fetch_all(&mut *db)
        .await?;
    let (imported, different) = different(rows, there);
    for row in different {
        sqlx::query(
            "INSERT OR REPLACE INTO icons (id, family, author, style, concept, stem, record)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(row.id)
        .bind(row.family)
        .bind(row.author)
        .bind(row.style)
        .bind(&row.concept)
        .bind(&row.stem)
        .bind(&row.record)
        .execute(&mut *db)
        .await?;
    }
    Ok(imported)
}

pub(super) async fn get(db: &SqlitePool, id: i64) -> Result<Option<String>> {
    Ok(sqlx::query_scalar("SELECT record FROM icons WHERE id = ?").bind(id).fetch_optional(db).await?)
}

pub(super) async fn count_by_family(db: &SqlitePool, families: &[i64]) -> Result<Vec<(i64, i64)>> {
    let rows = sqlx::query_as(
        "SELECT family, count(*) FROM icons WHERE family IN (SELECT value FROM json_each(?)) GROUP BY family",
    )
    .bind(list(families))
    .fetch_all(db)
    .await?;
    Ok(rows)
}

pub(super) async fn count_by_author(db: &SqlitePool, authors: &[i64]) -> Result<Vec<(i64, i64)>> {
    let rows = sqlx::query_as(
        "SELECT author, count(*) FROM icons WHERE author IN (SELECT value FROM json_each(?)) GROUP BY author",
    )
    .bind(list(authors))
    .fetch_all(db)
    .await?;
    Ok(rows)
}

pub(super) async fn related(db: &Bounded, icon: &Icon, limit: u32) -> Result<RelatedRecords> {
    let concept = sqlx::query_scalar(
        "SELECT record FROM icons WHERE concept = ? AND family <> ? ORDER BY family, id LIMIT ?",
    )
    .bind(&icon.concept)
    .bind(icon.family.id)
    .bind(limit)
    .fetch_all(db)
    .await?;
    // Takes the next icons in a ring of ids: each icon has other neighbours, and always the same ones.
    let style = sqlx::query_scalar(
        "SELECT record FROM (
             SELECT 0 AS round, id, record FROM icons WHERE family = ?1 AND style = ?2 AND id > ?3
             UNION ALL SELECT 1, id, record FROM icons WHERE family = ?1 AND style = ?2 AND id < ?3
         ) ORDER BY round, id LIMIT ?4",
    )
    .bind(icon.family.id)
    .bind(icon.style.id)
    .bind(icon.id)
    .bind(limit)
    .fetch_all(db)
    .await?;
    let variants = sqlx::query_scalar(
        "SELECT record FROM icons WHERE family = ? AND stem = ? AND id <> ? ORDER BY concept <> ?, id LIMIT ?",
    )
    .bind(icon.family.id)
    .bind(icon.stem())
    .bind(icon.id)
    .bind(&icon.concept)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(RelatedRecords { concept, style, variants })
}
