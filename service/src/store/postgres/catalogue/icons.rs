//! Icons in PostgreSQL.

use sqlx::postgres::PgConnection;

use super::removal;
use crate::catalogue::Icon;
use crate::store::catalogue::{IconRow, RelatedRecords, different, files, ids};
use crate::store::postgres::pool::Pool;
use crate::store::row::text;
use crate::store::{Imported, Result};

pub(super) async fn put(db: &mut PgConnection, rows: &[IconRow]) -> Result<Imported> {
    removal::noted(&mut *db, &files(rows)).await?;
    let there = sqlx::query_as("SELECT id, record FROM icons WHERE id = ANY($1)")
        .bind(ids(rows))
        .fetch_all(&mut *db)
        .await?;
    let (imported, different) = different(rows, there);
    for row in different {
        sqlx::query(
            "INSERT INTO icons (id, family, author, style, concept, stem, record)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (id) DO UPDATE SET family = excluded.family, author = excluded.author,
                 style = excluded.style, concept = excluded.concept, stem = excluded.stem, record = excluded.record",
        )
        .bind(row.id)
        .bind(row.family)
        .bind(row.author)
        .bind(row.style)
        .bind(text(&row.concept))
        .bind(text(&row.stem))
        .bind(&row.record)
        .execute(&mut *db)
        .await?;
    }
    Ok(imported)
}

pub(super) async fn get(db: &Pool, id: i64) -> Result<Option<String>> {
    Ok(sqlx::query_scalar("SELECT record FROM icons WHERE id = $1").bind(id).fetch_optional(db).await?)
}

pub(super) async fn count_by_family(db: &Pool, families: &[i64]) -> Result<Vec<(i64, i64)>> {
    let rows = sqlx::query_as("SELECT family, count(*) FROM icons WHERE family = ANY($1) GROUP BY family")
        .bind(families)
        .fetch_all(db)
        .await?;
    Ok(rows)
}

pub(super) async fn count_by_author(db: &Pool, authors: &[i64]) -> Result<Vec<(i64, i64)>> {
    let rows = sqlx::query_as("SELECT author, count(*) FROM icons WHERE author = ANY($1) GROUP BY author")
        .bind(authors)
        .fetch_all(db)
        .await?;
    Ok(rows)
}

pub(super) async fn related(db: &Pool, icon: &Icon, limit: u32) -> Result<RelatedRecords> {
    let concept = sqlx::query_scalar(
        "SELECT record FROM icons WHERE concept = $1 AND family <> $2 ORDER BY family, id LIMIT $3",
    )
    .bind(text(&icon.concept))
    .bind(icon.family.id)
    .bind(i64::from(limit))
    .fetch_all(db)
    .await?;
    // Takes the next icons in a ring of ids: each icon has other neighbours, and always the same ones.
    let style = sqlx::query_scalar(
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
    let variants = sqlx::query_scalar(
        "SELECT record FROM icons WHERE family = $1 AND stem = $2 AND id <> $3 ORDER BY concept <> $4, id LIMIT $5",
    )
    .bind(icon.family.id)
    .bind(text(icon.stem()))
    .bind(icon.id)
    .bind(text(&icon.concept))
    .bind(i64::from(limit))
    .fetch_all(db)
    .await?;
    Ok(RelatedRecords { concept, style, variants })
}
