//! Resources in PostgreSQL.
//!
//! Tokens are a `tsvector`. A search reads the places that match in the order that it answers in, and stops after [`REACH`]:
//! the planner walks along that order where what matches is common, and takes the index of tokens where it is rare.

use sqlx::postgres::{PgConnection, PgPool};

use super::matching_resources;
use crate::catalogue::query::{Found, REACH, ResourceOrder, ResourceQuery};
use crate::catalogue::relevance::{self, CANDIDATES};
use crate::catalogue::{Resource, tokens};
use crate::store::catalogue::{from_json, to_json};
use crate::store::row::text;
use crate::store::{Imported, RelatedResources, Result};

pub(super) async fn put(db: &mut PgConnection, resources: &[Resource]) -> Result<Imported> {
    let mut imported = Imported::default();
    for resource in resources {
        let record = to_json(resource)?;
        let there: Option<(String,)> = sqlx::query_as("SELECT record FROM resources WHERE id = $1")
            .bind(resource.id)
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
        // What comes first is small.
        sqlx::query(
            "INSERT INTO resources (id, author, series, popular, recent, tokens, record)
             VALUES ($1, $2, $3, $4, $5, array_to_tsvector($6), $7)
             ON CONFLICT (id) DO UPDATE SET author = excluded.author, series = excluded.series,
                 popular = excluded.popular, recent = excluded.recent, tokens = excluded.tokens,
                 record = excluded.record",
        )
        .bind(resource.id)
        .bind(resource.author.id)
        .bind(resource.series.as_deref().map(text))
        .bind(-i64::from(resource.downloads))
        .bind(-resource.updated_at)
        .bind(tokens::of_resource(resource))
        .bind(&record)
        .execute(&mut *db)
        .await?;
    }
    Ok(imported)
}

pub(super) async fn search(db: &PgPool, query: &ResourceQuery) -> Result<Found<Resource>> {
    if !query.ids.is_empty() {
        return by_ids(db, query).await;
    }
    let places = places(db, query).await?;
    let total = places.len() as u64;
    let ranked = query.order == ResourceOrder::Relevance && !query.words.is_empty();
    let candidates =
        if ranked { places.get(..CANDIDATES.min(places.len())).unwrap_or_default() } else { &[] };
    let (from, to) = bounds(query, places.len());
    if from >= candidates.len() {
        let items = at(db, places.get(from..to).unwrap_or_default()).await?;
        return Ok(Found { items, total });
    }
    let mut best = at(db, candidates).await?;
    relevance::sort_by_score(&mut best, |resource| {
        relevance::score(&query.words, &resource.title, resource.keywords.iter().map(|tag| tag.name.as_str()))
    });
    let mut items: Vec<Resource> = best.into_iter().skip(from).take(to - from).collect();
    if to > candidates.len() {
        items.extend(at(db, places.get(candidates.len()..to).unwrap_or_default()).await?);
    }
    Ok(Found { items, total })
}

fn bounds(query: &ResourceQuery, length: usize) -> (usize, usize) {
    let from = usize::try_from(query.offset).unwrap_or(usize::MAX).min(length);
    (from, from.saturating_add(query.limit as usize).min(length))
}

/// The rows of what matches, in the order that was asked for.
async fn places(db: &PgPool, query: &ResourceQuery) -> Result<Vec<i64>> {
    let limit = i64::try_from(REACH).unwrap_or(i64::MAX);
    let rows: Vec<(i64,)> = match (matching_resources(query), query.order) {
        (Some(matching), ResourceOrder::Relevance) => {
            sqlx::query_as(
                "SELECT seq FROM resources WHERE tokens @@ $1::tsquery ORDER BY popular, seq LIMIT $2",
            )
            .bind(matching)
            .bind(limit)
            .fetch_all(db)
            .await?
        }
        (Some(matching), ResourceOrder::Recent) => {
            sqlx::query_as(
                "SELECT seq FROM resources WHERE tokens @@ $1::tsquery ORDER BY recent, seq LIMIT $2",
            )
            .bind(matching)
            .bind(limit)
            .fetch_all(db)
            .await?
        }
        (None, ResourceOrder::Relevance) => {
            sqlx::query_as("SELECT seq FROM resources ORDER BY popular, seq LIMIT $1")
                .bind(limit)
                .fetch_all(db)
                .await?
        }
        (None, ResourceOrder::Recent) => {
            sqlx::query_as("SELECT seq FROM resources ORDER BY recent, seq LIMIT $1")
                .bind(limit)
                .fetch_all(db)
                .await?
        }
    };
    Ok(rows.into_iter().map(|(place,)| place).collect())
}

/// These rows, in this order.
async fn at(db: &PgPool, places: &[i64]) -> Result<Vec<Resource>> {
    let rows: Vec<(String,)> = sqlx::query_as(
        "SELECT record FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted (seq, place)
         JOIN resources USING (seq) ORDER BY place",
    )
    .bind(places)
    .fetch_all(db)
    .await?;
    rows.iter().map(|(record,)| from_json(record)).collect()
}

/// The resources of these ids, in the order of the search.
async fn by_ids(db: &PgPool, query: &ResourceQuery) -> Result<Found<Resource>> {
    let ordered = match query.order {
        ResourceOrder::Relevance => "SELECT seq FROM resources WHERE id = ANY($1) ORDER BY popular, seq",
        ResourceOrder::Recent => "SELECT seq FROM resources WHERE id = ANY($1) ORDER BY recent, seq",
    };
    let rows: Vec<(i64,)> = sqlx::query_as(ordered).bind(&query.ids).fetch_all(db).await?;
    let places: Vec<i64> = rows.into_iter().map(|(place,)| place).collect();
    let (from, to) = bounds(query, places.len());
    let items = at(db, places.get(from..to).unwrap_or_default()).await?;
    Ok(Found { items, total: places.len() as u64 })
}

pub(super) async fn related(db: &PgPool, resource: &Resource, limit: u32) -> Result<RelatedResources> {
    let series: Vec<(String,)> = match &resource.series {
        Some(series) => {
            sqlx::query_as(
                "SELECT record FROM resources WHERE series = $1 AND id <> $2 ORDER BY popular LIMIT $3",
            )
            .bind(text(series))
            .bind(resource.id)
            .bind(i64::from(limit))
            .fetch_all(db)
            .await?
        }
        None => Vec::new(),
    };
    let others: Vec<(String,)> = sqlx::query_as(
        "SELECT record FROM resources WHERE author = $1 AND id <> $2 ORDER BY popular LIMIT $3",
    )
    .bind(resource.author.id)
    .bind(resource.id)
    .bind(i64::from(limit))
    .fetch_all(db)
    .await?;
    let all = |rows: Vec<(String,)>| rows.iter().map(|(record,)| from_json(record)).collect::<Result<_>>();
    Ok(RelatedResources { series: all(series)?, others: all(others)? })
}

/// How many resources each of these authors has; counted up to [`REACH`].
pub(super) async fn totals(db: &PgPool, authors: &[i64]) -> Result<Vec<u64>> {
    let mut totals: Vec<u64> = Vec::with_capacity(authors.len());
    for (place, author) in authors.iter().enumerate() {
        if let Some(known) = authors.iter().take(place).position(|known| known == author) {
            totals.push(totals.get(known).copied().unwrap_or_default());
            continue;
        }
        let (total,): (i64,) = sqlx::query_as(
            "SELECT count(*) FROM (SELECT 1 FROM resources WHERE author = $1 LIMIT $2) AS counted",
        )
        .bind(author)
        .bind(i64::try_from(REACH).unwrap_or(i64::MAX))
        .fetch_one(db)
        .await?;
        totals.push(total.unsigned_abs());
    }
    Ok(totals)
}
