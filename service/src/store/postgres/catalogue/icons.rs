//! Icons in PostgreSQL.

use sqlx::postgres::{PgConnection, PgPool};

use crate::catalogue::Icon;
use crate::store::catalogue::{from_json, to_json};
use crate::store::row::text;
use crate::store::{Imported, RelatedIcons, Result};

pub(super) async fn put(db: &mut PgConnection, icons: &[Icon]) -> Result<Imported> {
    let mut imported = Imported::default();
    for icon in icons {
        let record = to_json(icon)?;
        let there: Option<(String,)> = sqlx::query_as("SELECT record FROM icons WHERE id = $1")
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
            "INSERT INTO icons (id, family, author, style, concept, stem, record)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (id) DO UPDATE SET family = excluded.family, author = excluded.author,
                 style = excluded.style, concept = excluded.concept, stem = excluded.stem, record = excluded.record",
        )
        .bind(icon.id)
        .bind(icon.family.id)
        .bind(icon.author.id)
        .bind(icon.style.id)
        .bind(text(&icon.concept))
        .bind(text(icon.stem()))
        .bind(&record)
        .execute(&mut *db)
        .await?;
    }
    Ok(imported)
}

pub(super) async fn get(db: &PgPool, id: i64) -> Result<Option<Icon>> {
    let row: Option<(String,)> =
        sqlx::query_as("SELECT record FROM icons WHERE id = $1").bind(id).fetch_optional(db).await?;
    row.map(|(record,)| from_json(&record)).transpose()
}

pub(super) async fn totals(db: &PgPool, family: i64, author: i64) -> Result<(u64, u64)> {
    let (family, author): (i64, i64) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM icons WHERE family = $1), (SELECT count(*) FROM icons WHERE author = $2)",
    )
    .bind(family)
    .bind(author)
    .fetch_one(db)
    .await?;
    Ok((family.unsigned_abs(), author.unsigned_abs()))
}

pub(super) async fn related(db: &PgPool, icon: &Icon, limit: u32) -> Result<RelatedIcons> {
    let concept = sqlx::query_as(
        "SELECT record FROM icons WHERE concept = $1 AND family <> $2 ORDER BY family, id LIMIT $3",
    )
    .bind(text(&icon.concept))
    .bind(icon.family.id)
    .bind(i64::from(limit))
    .fetch_all(db)
    .await?;
    // The neighbours in a ring of ids: other ones for each icon, and the same ones each time.
    let style = sqlx::query_as(
        "SELECT record FROM (
             SELECT 0 AS round, id, record FROM icons WHERE family = $1 AND style = $2 AND id > $3
             UNION ALL SELECT 1, id, record FROM icons WHERE family = $1 AND style = $2 AND id < $3
         ) AS ring ORDER BY round, id LIMIT $4",
    )
    .bind(icon.family.id)
    .bind(icon.style.id)
    .bind(icon.id)
    .bind(i64::from(limit))
    .fetch_all(db)
    .await?;
    let variants = sqlx::query_as(
        "SELECT record FROM icons WHERE family = $1 AND stem = $2 AND id <> $3 ORDER BY concept <> $4, id LIMIT $5",
    )
    .bind(icon.family.id)
    .bind(text(icon.stem()))
    .bind(icon.id)
    .bind(text(&icon.concept))
    .bind(i64::from(limit))
    .fetch_all(db)
    .await?;
    Ok(RelatedIcons { concept: all(concept)?, style: all(style)?, variants: all(variants)? })
}

fn all(rows: Vec<(String,)>) -> Result<Vec<Icon>> {
    rows.iter().map(|(record,)| from_json(record)).collect()
}
