//! The catalogue's tables.

use std::collections::HashMap;

use async_trait::async_trait;

use super::super::{Connection, Database, audio, in_list, list, resources};
use super::removal::unnote;
use crate::catalogue::audio::{Audio, rank, to_read};
use crate::catalogue::query::{AudioOrder, AudioQuery, Found, ResourceQuery};
use crate::catalogue::{Effect, Icon, RecordKind, Resource, Track, tokens};
use crate::store::catalogue::{
    self, AudioColumns, ResourceTable, Resources, Row, all, different, files, from_json, ids, of_effect,
    of_icon, of_resource, of_track,
};
use crate::store::row::{signed, text};
use crate::store::{Catalogue, FoundResource, Imported, RelatedIcons, Result};

/// The number of resources per statement.
const BATCH: usize = 500;

#[async_trait]
impl Catalogue for Database {
    async fn put_icons(&self, icons: &[Icon]) -> Result<Imported> {
        let rows: Vec<_> = icons.iter().map(of_icon).collect::<Result<_>>()?;
        self.transact_at_length(rows, |db, rows| Box::pin(put_icons(db, rows))).await
    }

    async fn icon(&self, id: i64) -> Result<Option<(Icon, u64, u64)>> {
        let record = sqlx::query_scalar("SELECT record FROM icons WHERE id = $1").bind(id);
        let record: Option<String> = record.fetch_optional(self.reader()).await?;
        let Some(record) = record else { return Ok(None) };
        let icon: Icon = from_json(&record)?;
        let totals = self.icon_totals(&[(icon.family.id, icon.author.id)]).await?;
        Ok(totals.first().map(|(family, author)| (icon, *family, *author)))
    }

    async fn related_icons(&self, icon: &Icon, limit: u32) -> Result<RelatedIcons> {
        let limit = i64::from(limit);
        let concept: Vec<String> = sqlx::query_scalar(
            "SELECT record FROM icons WHERE concept = $1 AND family <> $2 ORDER BY family, id LIMIT $3",
        )
        .bind(text(&icon.concept))
        .bind(icon.family.id)
        .bind(limit)
        .fetch_all(self.searcher())
        .await?;
        // Takes the next icons in a ring of ids: each icon has other neighbours, and always the same ones.
        let style: Vec<String> = sqlx::query_scalar(
            "SELECT record FROM (
                 SELECT 0 AS round, id, record FROM icons WHERE family = $1 AND style = $2 AND id > $3
                 UNION ALL SELECT 1, id, record FROM icons WHERE family = $1 AND style = $2 AND id < $3
             ) AS ring ORDER BY round, id LIMIT $4",
        )
        .bind(icon.family.id)
        .bind(icon.style.id)
        .bind(icon.id)
        .bind(limit)
        .fetch_all(self.searcher())
        .await?;
        let variants: Vec<String> = sqlx::query_scalar(
            "SELECT record FROM icons WHERE family = $1 AND stem = $2 AND id <> $3 ORDER BY concept <> $4, id LIMIT $5",
        )
        .bind(icon.family.id)
        .bind(text(icon.stem()))
        .bind(icon.id)
        .bind(text(&icon.concept))
        .bind(limit)
        .fetch_all(self.searcher())
        .await?;
        Ok(RelatedIcons { concept: all(&concept)?, style: all(&style)?, variants: all(&variants)? })
    }

    async fn icon_totals(&self, families_and_authors: &[(i64, i64)]) -> Result<Vec<(u64, u64)>> {
        let (families, authors): (Vec<i64>, Vec<i64>) = families_and_authors.iter().copied().unzip();
        let of_families =
            concat!("SELECT family, count(*) FROM icons WHERE family ", in_list!("$1"), " GROUP BY family");
        let of_authors =
            concat!("SELECT author, count(*) FROM icons WHERE author ", in_list!("$1"), " GROUP BY author");
        let (of_families, of_authors) =
            (self.icon_counts(of_families, &families).await?, self.icon_counts(of_authors, &authors).await?);
        let total = |of: &HashMap<i64, i64>, id| of.get(&id).copied().unwrap_or_default().unsigned_abs();
        let total = |(family, author)| (total(&of_families, family), total(&of_authors, author));
        Ok(families_and_authors.iter().copied().map(total).collect())
    }

    async fn put_resources(&self, resources: &[Resource]) -> Result<Imported> {
        let rows: Vec<_> = resources.iter().map(of_resource).collect::<Result<_>>()?;
        self.transact_at_length(rows, |db, rows| Box::pin(put_resources(db, rows))).await
    }

    async fn prepare_search(&self) -> Result<()> {
        catalogue::prepare(self).await
    }

    fn is_search_prepared(&self) -> bool {
        self.resources.is_prepared()
    }

    async fn search_resources(&self, query: &ResourceQuery) -> Result<Found<FoundResource>> {
        catalogue::search(self, query).await
    }

    async fn put_tracks(&self, tracks: &[Track]) -> Result<Imported> {
        let rows: Vec<_> = tracks.iter().map(of_track).collect::<Result<_>>()?;
        self.transact_at_length(rows, |db, rows| Box::pin(put_audio(db, RecordKind::Music, rows))).await
    }

    async fn search_tracks(&self, query: &AudioQuery) -> Result<Found<Track>> {
        self.search_audio(query).await
    }

    async fn track(&self, id: i64) -> Result<Option<Track>> {
        self.audio(id).await
    }

    async fn put_effects(&self, effects: &[Effect]) -> Result<Imported> {
        let rows: Vec<_> = effects.iter().map(of_effect).collect::<Result<_>>()?;
        self.transact_at_length(rows, |db, rows| Box::pin(put_audio(db, RecordKind::Effects, rows))).await
    }

    async fn search_effects(&self, query: &AudioQuery) -> Result<Found<Effect>> {
        self.search_audio(query).await
    }

    async fn download_effect(&self, id: i64) -> Result<Option<Effect>> {
        let effect = self.audio(id).await?;
        if effect.is_some() {
            let count = sqlx::query("UPDATE audio SET downloads = downloads + 1 WHERE kind = $1 AND id = $2");
            self.execute(count.bind(Effect::KIND.name()).bind(id)).await?;
        }
        Ok(effect)
    }
}

#[async_trait]
impl ResourceTable for Database {
    async fn last_resource(&self) -> Result<i64> {
        let last = "SELECT coalesce(max(seq), 0) FROM resources";
        Ok(sqlx::query_scalar(last).fetch_one(self.reader()).await?)
    }

    async fn resource_records_after(&self, seq: i64, limit: u32) -> Result<Vec<(i64, i64, String)>> {
        resources::after(self.reader(), seq, limit).await
    }

    async fn resource_records(&self, ids: &[i64]) -> Result<(i64, Vec<String>)> {
        resources::of(self.reader(), ids).await
    }

    fn resources(&self) -> &Resources {
        &self.resources
    }
}

impl Database {
    /// Counts icons; sets and authors without icons may be missing.
    async fn icon_counts(&self, statement: &'static str, of: &[i64]) -> Result<HashMap<i64, i64>> {
        let counts: Vec<(i64, i64)> =
            sqlx::query_as(statement).bind(list(of)).fetch_all(self.reader()).await?;
        Ok(counts.into_iter().collect())
    }

    async fn audio<A: Audio>(&self, id: i64) -> Result<Option<A>> {
        let record = sqlx::query_scalar("SELECT record FROM audio WHERE kind = $1 AND id = $2");
        let record: Option<String> =
            record.bind(A::KIND.name()).bind(id).fetch_optional(self.reader()).await?;
        record.map(|record| from_json(&record)).transpose()
    }

    /// Searches for audio: the database finds the records, and [`rank`] sorts them.
    async fn search_audio<A: Audio>(&self, query: &AudioQuery) -> Result<Found<A>> {
        let (kind, wanted) = (A::KIND, audio::matching(A::KIND, &tokens::wanted_audio(query)));
        let total = sqlx::query_scalar(audio::COUNT).bind(kind.name()).bind(&wanted);
        let total: i64 = total.fetch_one(self.searcher()).await?;
        // Records that are equal in this order are sorted by id.
        let statement = format!(
            "SELECT record, downloads FROM audio WHERE {} ORDER BY {}, id LIMIT $3 OFFSET $4",
            audio::MATCHES,
            order_by(query)
        );
        let page = to_read(query);
        // The statement consists of constant texts only.
        let rows: Vec<(String, i64)> = sqlx::query_as(sqlx::AssertSqlSafe(statement))
            .bind(kind.name())
            .bind(&wanted)
            .bind(i64::from(page.limit))
            .bind(signed(page.offset))
            .fetch_all(self.searcher())
            .await?;
        let mut items = Vec::with_capacity(rows.len());
        for (record, downloads) in &rows {
            let mut item: A = from_json(record)?;
            item.count(*downloads);
            items.push(item);
        }
        Ok(Found { items: rank(query, items), total: total.unsigned_abs() })
    }
}

async fn put_icons(db: &mut Connection, rows: &[Row<Icon>]) -> Result<Imported> {
    unnote(&mut *db, &files(rows)).await?;
    let there = concat!("SELECT id, record FROM icons WHERE id ", in_list!("$1"));
    let there = sqlx::query_as(there).bind(list(&ids(rows))).fetch_all(&mut *db).await?;
    let (imported, different) = different(rows, there);
    for row in different {
        sqlx::query(
            "INSERT INTO icons (id, family, author, style, concept, stem, record)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (id) DO UPDATE SET family = excluded.family, author = excluded.author,
                 style = excluded.style, concept = excluded.concept, stem = excluded.stem, record = excluded.record",
        )
        .bind(row.id)
        .bind(row.columns.family.id)
        .bind(row.columns.author.id)
        .bind(row.columns.style.id)
        .bind(text(&row.columns.concept))
        .bind(text(row.columns.stem()))
        .bind(&row.record)
        .execute(&mut *db)
        .await?;
    }
    Ok(imported)
}

async fn put_resources(db: &mut Connection, rows: &[Row]) -> Result<Imported> {
    unnote(&mut *db, &files(rows)).await?;
    let there = locked(db, &ids(rows)).await?;
    let (imported, different) = different(rows, there);
    for batch in different.chunks(BATCH) {
        resources::put(db, batch).await?;
    }
    Ok(imported)
}

/// Returns the resources of this list that were not removed. In PostgreSQL, it first locks all resources.
pub async fn locked(db: &mut Connection, ids: &[i64]) -> Result<Vec<(i64, String)>> {
    if let Some(lock) = resources::LOCK {
        sqlx::query(lock).execute(&mut *db).await?;
    }
    let there = concat!("SELECT id, record FROM resources WHERE id ", in_list!("$1"), " AND record <> ''");
    Ok(sqlx::query_as(there).bind(list(ids)).fetch_all(db).await?)
}

async fn put_audio(db: &mut Connection, kind: RecordKind, rows: &[Row<AudioColumns>]) -> Result<Imported> {
    unnote(&mut *db, &files(rows)).await?;
    let there = concat!("SELECT id, record FROM audio WHERE kind = $1 AND id ", in_list!("$2"));
    let there = sqlx::query_as(there).bind(kind.name()).bind(list(&ids(rows))).fetch_all(&mut *db).await?;
    let (imported, different) = different(rows, there);
    for row in different {
        audio::put(db, kind, row).await?;
    }
    Ok(imported)
}

/// Returns the SQL of a query's order.
fn order_by(query: &AudioQuery) -> String {
    let (column, descending) = match query.order {
        AudioOrder::Relevance => ("popularity", true),
        AudioOrder::Popularity => ("popularity", query.descending),
        AudioOrder::Downloads => ("downloads", query.descending),
        AudioOrder::CreatedAt => ("created_at", query.descending),
        AudioOrder::Title => ("title", query.descending),
        AudioOrder::Seconds => ("seconds", query.descending),
        AudioOrder::Bpm => ("bpm", query.descending),
    };
    format!("{column}{}", if descending { " DESC" } else { "" })
}
