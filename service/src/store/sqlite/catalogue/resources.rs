//! Resources in SQLite.
//!
//! Tokens stand in two full-text indexes without text, whose row ids are the places of the resources in one order each. A
//! search reads the places that match in the order that it answers in, and stops after [`REACH`]: what it costs has a bound,
//! however common its words are.

use sqlx::sqlite::{SqliteConnection, SqlitePool};

use super::matching_resources;
use crate::catalogue::query::{Found, REACH, ResourceOrder, ResourceQuery};
use crate::catalogue::relevance::{self, CANDIDATES};
use crate::catalogue::{Resource, tokens};
use crate::store::catalogue::{corrupt, from_json, to_json};
use crate::store::{Imported, RelatedResources, Result};

/// Places: what comes first in the higher bits, and what makes them unique in the lower ones.
const SHIFT: u32 = 24;

pub(super) async fn put(db: &mut SqliteConnection, resources: &[Resource]) -> Result<Imported> {
    let mut imported = Imported::default();
    for resource in resources {
        let record = to_json(resource)?;
        let there: Option<(i64, i64, i64, String)> =
            sqlx::query_as("SELECT seq, popular, recent, record FROM resources WHERE id = ?")
                .bind(resource.id)
                .fetch_optional(&mut *db)
                .await?;
        let seq = match there {
            Some((.., there)) if there == record => {
                imported.unchanged += 1;
                continue;
            }
            Some((seq, popular, recent, _)) => {
                imported.changed += 1;
                forget(db, popular, recent).await?;
                Some(seq)
            }
            None => {
                imported.new += 1;
                None
            }
        };
        insert(db, seq, resource, &record).await?;
    }
    Ok(imported)
}

async fn insert(
    db: &mut SqliteConnection,
    seq: Option<i64>,
    resource: &Resource,
    record: &str,
) -> Result<()> {
    let seq = match seq {
        Some(seq) => seq,
        None => {
            let (last,): (i64,) =
                sqlx::query_as("SELECT coalesce(max(seq), 0) FROM resources").fetch_one(&mut *db).await?;
            last + 1
        }
    };
    let popular = place(i64::from(u32::MAX) - i64::from(resource.downloads), seq);
    // Seconds until a time far away: what was changed last is nearest.
    let recent = place((i64::from(u32::MAX) * 2 - resource.updated_at / 1000).max(0), seq);
    sqlx::query(
        "INSERT OR REPLACE INTO resources (seq, id, author, series, popular, recent, record)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(seq)
    .bind(resource.id)
    .bind(resource.author.id)
    .bind(&resource.series)
    .bind(popular)
    .bind(recent)
    .bind(record)
    .execute(&mut *db)
    .await?;
    let tokens = tokens::of_resource(resource).join(" ");
    for (insert, place) in [
        ("INSERT INTO resources_popular (rowid, tokens) VALUES (?, ?)", popular),
        ("INSERT INTO resources_recent (rowid, tokens) VALUES (?, ?)", recent),
    ] {
        sqlx::query(insert).bind(place).bind(&tokens).execute(&mut *db).await?;
    }
    Ok(())
}

async fn forget(db: &mut SqliteConnection, popular: i64, recent: i64) -> Result<()> {
    for (delete, place) in [
        ("DELETE FROM resources_popular WHERE rowid = ?", popular),
        ("DELETE FROM resources_recent WHERE rowid = ?", recent),
    ] {
        sqlx::query(delete).bind(place).execute(&mut *db).await?;
    }
    Ok(())
}

const fn place(first: i64, seq: i64) -> i64 {
    (first << SHIFT) | (seq & ((1 << SHIFT) - 1))
}

pub(super) async fn search(db: &SqlitePool, query: &ResourceQuery) -> Result<Found<Resource>> {
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
        let items = at(db, query.order, places.get(from..to).unwrap_or_default()).await?;
        return Ok(Found { items, total });
    }
    let mut best = at(db, query.order, candidates).await?;
    relevance::sort_by_score(&mut best, |resource| {
        relevance::score(&query.words, &resource.title, resource.keywords.iter().map(|tag| tag.name.as_str()))
    });
    let mut items: Vec<Resource> = best.into_iter().skip(from).take(to - from).collect();
    if to > candidates.len() {
        items.extend(at(db, query.order, places.get(candidates.len()..to).unwrap_or_default()).await?);
    }
    Ok(Found { items, total })
}

fn bounds(query: &ResourceQuery, length: usize) -> (usize, usize) {
    let from = usize::try_from(query.offset).unwrap_or(usize::MAX).min(length);
    (from, from.saturating_add(query.limit as usize).min(length))
}

/// The places of what matches, in the order that was asked for.
async fn places(db: &SqlitePool, query: &ResourceQuery) -> Result<Vec<i64>> {
    let limit = i64::try_from(REACH).unwrap_or(i64::MAX);
    let rows: Vec<(i64,)> =
        match (matching_resources(query), query.order) {
            (Some(matching), ResourceOrder::Relevance) => sqlx::query_as(
                "SELECT rowid FROM resources_popular WHERE resources_popular MATCH ? ORDER BY rowid LIMIT ?",
            )
            .bind(matching)
            .bind(limit)
            .fetch_all(db)
            .await?,
            (Some(matching), ResourceOrder::Recent) => sqlx::query_as(
                "SELECT rowid FROM resources_recent WHERE resources_recent MATCH ? ORDER BY rowid LIMIT ?",
            )
            .bind(matching)
            .bind(limit)
            .fetch_all(db)
            .await?,
            (None, ResourceOrder::Relevance) => {
                sqlx::query_as("SELECT popular FROM resources ORDER BY popular LIMIT ?")
                    .bind(limit)
                    .fetch_all(db)
                    .await?
            }
            (None, ResourceOrder::Recent) => {
                sqlx::query_as("SELECT recent FROM resources ORDER BY recent LIMIT ?")
                    .bind(limit)
                    .fetch_all(db)
                    .await?
            }
        };
    Ok(rows.into_iter().map(|(place,)| place).collect())
}

/// The resources at these places.
async fn at(db: &SqlitePool, order: ResourceOrder, places: &[i64]) -> Result<Vec<Resource>> {
    if places.is_empty() {
        return Ok(Vec::new());
    }
    // Numbers only: one statement for any number of places.
    let list = serde_json::to_string(places).map_err(|error| corrupt(&error))?;
    let rows: Vec<(String,)> = match order {
        ResourceOrder::Relevance => sqlx::query_as(
            "SELECT record FROM resources WHERE popular IN (SELECT value FROM json_each(?)) ORDER BY popular",
        )
        .bind(list)
        .fetch_all(db)
        .await?,
        ResourceOrder::Recent => sqlx::query_as(
            "SELECT record FROM resources WHERE recent IN (SELECT value FROM json_each(?)) ORDER BY recent",
        )
        .bind(list)
        .fetch_all(db)
        .await?,
    };
    rows.iter().map(|(record,)| from_json(record)).collect()
}

/// The resources of these ids, in the order of the search.
async fn by_ids(db: &SqlitePool, query: &ResourceQuery) -> Result<Found<Resource>> {
    let list = serde_json::to_string(&query.ids).map_err(|error| corrupt(&error))?;
    let rows: Vec<(i64,)> =
        match query.order {
            ResourceOrder::Relevance => sqlx::query_as(
                "SELECT popular FROM resources WHERE id IN (SELECT value FROM json_each(?)) ORDER BY popular",
            )
            .bind(list)
            .fetch_all(db)
            .await?,
            ResourceOrder::Recent => sqlx::query_as(
                "SELECT recent FROM resources WHERE id IN (SELECT value FROM json_each(?)) ORDER BY recent",
            )
            .bind(list)
            .fetch_all(db)
            .await?,
        };
    let places: Vec<i64> = rows.into_iter().map(|(place,)| place).collect();
    let (from, to) = bounds(query, places.len());
    let items = at(db, query.order, places.get(from..to).unwrap_or_default()).await?;
    Ok(Found { items, total: places.len() as u64 })
}

pub(super) async fn related(db: &SqlitePool, resource: &Resource, limit: u32) -> Result<RelatedResources> {
    let series: Vec<(String,)> = match &resource.series {
        Some(series) => {
            sqlx::query_as(
                "SELECT record FROM resources WHERE series = ? AND id <> ? ORDER BY popular LIMIT ?",
            )
            .bind(series)
            .bind(resource.id)
            .bind(limit)
            .fetch_all(db)
            .await?
        }
        None => Vec::new(),
    };
    let others: Vec<(String,)> =
        sqlx::query_as("SELECT record FROM resources WHERE author = ? AND id <> ? ORDER BY popular LIMIT ?")
            .bind(resource.author.id)
            .bind(resource.id)
            .bind(limit)
            .fetch_all(db)
            .await?;
    let all = |rows: Vec<(String,)>| rows.iter().map(|(record,)| from_json(record)).collect::<Result<_>>();
    Ok(RelatedResources { series: all(series)?, others: all(others)? })
}

/// How many resources each of these authors has; counted up to [`REACH`].
pub(super) async fn totals(db: &SqlitePool, authors: &[i64]) -> Result<Vec<u64>> {
    let mut totals: Vec<u64> = Vec::with_capacity(authors.len());
    for (place, author) in authors.iter().enumerate() {
        if let Some(known) = authors.iter().take(place).position(|known| known == author) {
            totals.push(totals.get(known).copied().unwrap_or_default());
            continue;
        }
        let (total,): (i64,) =
            sqlx::query_as("SELECT count(*) FROM (SELECT 1 FROM resources WHERE author = ? LIMIT ?)")
                .bind(author)
                .bind(i64::try_from(REACH).unwrap_or(i64::MAX))
                .fetch_one(db)
                .await?;
        totals.push(total.unsigned_abs());
    }
    Ok(totals)
}
