//! The catalogue's records and the searches over them.
//!
//! The logic is here; each database only adds the statements ([`Tables`]).

mod audio;
mod resources;
mod rows;
mod tables;

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;

pub(super) use audio::{Kind, order_by};
pub(super) use resources::Resources;
pub(super) use rows::{AudioRow, IconRow, ResourceRow, different, files, ids};
pub(super) use tables::{RelatedRecords, Tables};

use super::Result;
use crate::catalogue::query::{AudioQuery, Found, ResourceQuery};
use crate::catalogue::{Effect, Icon, Resource, Summary, Track};

/// Icons related to an icon, limited for each kind of relation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RelatedIcons {
    /// The same concept in other sets.
    pub concept: Vec<Icon>,
    /// Icons of the same style and set.
    pub style: Vec<Icon>,
    /// Variants of the same thing in the same set.
    pub variants: Vec<Icon>,
}

/// A found resource with its related records.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundResource {
    /// The resource.
    pub resource: Resource,
    /// The number of resources of its author.
    pub of_author: u64,
    /// The most popular other resources of its series.
    pub series: Vec<Arc<Summary>>,
    /// The most popular other resources of its author.
    pub others: Vec<Arc<Summary>>,
}

/// The counts of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    /// Records that were added.
    pub new: u64,
    /// Records that were replaced.
    pub changed: u64,
    /// Records that were stored already, without a difference.
    pub unchanged: u64,
}

/// Stores and searches the catalogue.
#[async_trait]
pub trait Catalogue {
    /// Stores icons by id; leaves identical records untouched.
    async fn put_icons(&self, icons: &[Icon]) -> Result<Imported>;

    /// Returns an icon, and the number of icons of its set and of its author.
    async fn icon(&self, id: i64) -> Result<Option<(Icon, u64, u64)>>;

    /// Returns the icons related to this one, at most `limit` of each kind.
    async fn related_icons(&self, icon: &Icon, limit: u32) -> Result<RelatedIcons>;

    /// Returns the numbers of icons of these sets and authors, in the same order.
    async fn icon_totals(&self, families_and_authors: &[(i64, i64)]) -> Result<Vec<(u64, u64)>>;

    /// Stores resources by id; leaves identical records untouched.
    async fn put_resources(&self, resources: &[Resource]) -> Result<Imported>;

    /// Loads the search index, so that the first search does not wait for it.
    async fn prepare_search(&self) -> Result<()>;

    /// Returns whether the search index is loaded.
    fn is_search_prepared(&self) -> bool;

    /// Searches for resources.
    async fn search_resources(&self, query: &ResourceQuery) -> Result<Found<FoundResource>>;

    /// Stores tracks by id; leaves identical records untouched.
    async fn put_tracks(&self, tracks: &[Track]) -> Result<Imported>;

    /// Searches for tracks.
    async fn search_tracks(&self, query: &AudioQuery) -> Result<Found<Track>>;

    /// Returns the track with this id.
    async fn track(&self, id: i64) -> Result<Option<Track>>;

    /// Stores sound effects by id; leaves identical records untouched.
    async fn put_effects(&self, effects: &[Effect]) -> Result<Imported>;

    /// Searches for sound effects.
    async fn search_effects(&self, query: &AudioQuery) -> Result<Found<Effect>>;

    /// Returns the sound effect with this id and counts a download.
    async fn download_effect(&self, id: i64) -> Result<Option<Effect>>;
}

#[async_trait]
impl<T: Tables> Catalogue for T {
    async fn put_icons(&self, icons: &[Icon]) -> Result<Imported> {
        self.put_icon_rows(icons.iter().map(IconRow::new).collect::<Result<_>>()?).await
    }

    async fn icon(&self, id: i64) -> Result<Option<(Icon, u64, u64)>> {
        let Some(record) = self.icon_record(id).await? else { return Ok(None) };
        let icon: Icon = rows::from_json(&record)?;
        let totals = Catalogue::icon_totals(self, &[(icon.family.id, icon.author.id)]).await?;
        Ok(totals.first().map(|(family, author)| (icon, *family, *author)))
    }

    async fn related_icons(&self, icon: &Icon, limit: u32) -> Result<RelatedIcons> {
        let RelatedRecords { concept, style, variants } = self.related_icon_records(icon, limit).await?;
        Ok(RelatedIcons {
            concept: rows::all(&concept)?,
            style: rows::all(&style)?,
            variants: rows::all(&variants)?,
        })
    }

    async fn icon_totals(&self, families_and_authors: &[(i64, i64)]) -> Result<Vec<(u64, u64)>> {
        let (families, authors): (Vec<i64>, Vec<i64>) = families_and_authors.iter().copied().unzip();
        let of_families: HashMap<i64, i64> =
            self.count_icons_by_family(&rows::once(&families)).await?.into_iter().collect();
        let of_authors: HashMap<i64, i64> =
            self.count_icons_by_author(&rows::once(&authors)).await?.into_iter().collect();
        let total = |of: &HashMap<i64, i64>, id| of.get(&id).copied().unwrap_or_default().unsigned_abs();
        let total = |(family, author)| (total(&of_families, family), total(&of_authors, author));
        Ok(families_and_authors.iter().copied().map(total).collect())
    }

    async fn put_resources(&self, resources: &[Resource]) -> Result<Imported> {
        self.put_resource_rows(resources.iter().map(ResourceRow::new).collect::<Result<_>>()?).await
    }

    async fn prepare_search(&self) -> Result<()> {
        resources::prepare(self).await
    }

    fn is_search_prepared(&self) -> bool {
        self.resources().is_prepared()
    }

    async fn search_resources(&self, query: &ResourceQuery) -> Result<Found<FoundResource>> {
        resources::search(self, query).await
    }

    async fn put_tracks(&self, tracks: &[Track]) -> Result<Imported> {
        let rows = tracks.iter().map(AudioRow::of_track).collect::<Result<_>>()?;
        self.put_audio_rows(Kind::Music, rows).await
    }

    async fn search_tracks(&self, query: &AudioQuery) -> Result<Found<Track>> {
        audio::search(self, query).await
    }

    async fn track(&self, id: i64) -> Result<Option<Track>> {
        audio::get(self, id).await
    }

    async fn put_effects(&self, effects: &[Effect]) -> Result<Imported> {
        let rows = effects.iter().map(AudioRow::of_effect).collect::<Result<_>>()?;
        self.put_audio_rows(Kind::Effects, rows).await
    }

    async fn search_effects(&self, query: &AudioQuery) -> Result<Found<Effect>> {
        audio::search(self, query).await
    }

    async fn download_effect(&self, id: i64) -> Result<Option<Effect>> {
        let effect = audio::get(self, id).await?;
        if effect.is_some() {
            self.count_download(id).await?;
        }
        Ok(effect)
    }
}
