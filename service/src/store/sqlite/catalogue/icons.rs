//! Icons in SQLite.

use sqlx::sqlite::{SqliteConnection, SqlitePool};

use crate::catalogue::Icon;
use crate::store::catalogue::{from_json, to_json};
use crate::store::{Imported, RelatedIcons, Result};

pub(super) async fn put(db: &mut SqliteConnection, icons: &[Icon]) -> Result<Imported> {
    let mut imported = Imported::default();
    for icon in icons {
        let record = to_json(icon)?;
        let there: Option<(String,)> = sqlx::query_as("SELECT record FROM icons WHERE id = ?")
            .bind(icon.id)
            .fetch_optional(&mut *db)
            .await?;
        match there {
            Some((there,)) if there == record => {
                imported.unchanged += 1;
                continue;
            }
            Some(_) => imported.changed += 1,
            None => imported.new += 1,
        }
        sqlx::query(
            "INSERT OR REPLACE INTO icons (id, family, author, style, concept, stem, record)
             VALUES (?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(icon.id)
        .bind(icon.family.id)
        .bind(icon.author.id)
        .bind(icon.style.id)
        .bind(&icon.concept)
        .bind(icon.stem())
        .bind(&record)
        .execute(&mut *db)
        .await?;
    }
    Ok(imported)
}

pub(super) async fn get(db: &SqlitePool, id: i64) -> Result<Option<Icon>> {
    let row: Option<(String,)> =
        sqlx::query_as("SELECT record FROM icons WHERE id = ?").bind(id).fetch_optional(db).await?;
    row.map(|(record,)| from_json(&record)).transpose()
}

pub(super) async fn totals(db: &SqlitePool, family: i64, author: i64) -> Result<(u64, u64)> {
    let (family, author): (i64, i64) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM icons WHERE family = ?), (SELECT count(*) FROM icons WHERE author = ?)",
    )
    .bind(family)
    .bind(author)
    .fetch_one(db)
    .await?;
    Ok((family.unsigned_abs(), author.unsigned_abs()))
}

pub(super) async fn related(db: &SqlitePool, icon: &Icon, limit: u32) -> Result<RelatedIcons> {
    let concept = sqlx::query_as(
        "SELECT record FROM icons WHERE concept = ? AND family <> ? ORDER BY family, id LIMIT ?",
    )
    .bind(&icon.concept)
    .bind(icon.family.id)
    .bind(limit)
    .fetch_all(db)
    .await?;
    // The neighbours in a ring of ids: other ones for each icon, and the same ones each time.
    let style = sqlx::query_as(
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
    let variants = sqlx::query_as(
        "SELECT record FROM icons WHERE family = ? AND stem = ? AND id <> ? ORDER BY concept <> ?, id LIMIT ?",
    )
    .bind(icon.family.id)
    .bind(icon.stem())
    .bind(icon.id)
    .bind(&icon.concept)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(RelatedIcons { concept: all(concept)?, style: all(style)?, variants: all(variants)? })
}

fn all(rows: Vec<(String,)>) -> Result<Vec<Icon>> {
    rows.iter().map(|(record,)| from_json(record)).collect()
}
