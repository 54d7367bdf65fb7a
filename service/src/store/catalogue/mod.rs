//! The catalogue's records, and the searches over them. What is done with records is here, once; a database adds the
//! statements ([`Tables`]).

mod audio;
mod resources;
mod rows;
mod tables;

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;

pub(super) use audio::{Kind, order_by};
pub(super) use resources::Resources;
pub(super) use rows::{AudioRow, IconRow, ResourceRow, different, ids};
pub(super) use tables::{RelatedRecords, Tables};

use super::Result;
use crate::catalogue::query::{AudioQuery, Found, ResourceQuery};
use crate::catalogue::{Effect, Icon, Resource, Summary, Track};

/// The icons that belong to an icon, at most so many of each kind as were asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RelatedIcons {
    /// The same thing, in other sets.
    pub concept: Vec<Icon>,
    /// The same style and set.
    pub style: Vec<Icon>,
    /// The same thing in other ways, in the same set.
    pub variants: Vec<Icon>,
}

/// A resource that was found, and what belongs to it.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundResource {
    /// The resource.
    pub resource: Resource,
    /// How many resources its author has.
    pub of_author: u64,
    /// The most popular others of its series.
    pub series: Vec<Arc<Summary>>,
    /// The most popular others of its author.
    pub others: Vec<Arc<Summary>>,
}

/// What an import has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    /// Records that were not there.
    pub new: u64,
    /// Records that were there and are others now.
    pub changed: u64,
    /// Records that were there as they are.
    pub unchanged: u64,
}

/// The catalogue.
#[async_trait]
pub trait Catalogue {
    /// Keeps icons by their ids; what is there as it is stays untouched.
    async fn put_icons(&self, icons: &[Icon]) -> Result<Imported>;

    /// The icon of this id, and how many icons its set and its author have.
    async fn icon(&self, id: i64) -> Result<Option<(Icon, u64, u64)>>;

    /// The icons that belong to this one.
    async fn related_icons(&self, icon: &Icon, limit: u32) -> Result<RelatedIcons>;

    /// How many icons each of these sets and authors have, in their order.
    async fn icon_totals(&self, families_and_authors: &[(i64, i64)]) -> Result<Vec<(u64, u64)>>;

    /// Keeps resources by their ids; what is there as it is stays untouched.
    async fn put_resources(&self, resources: &[Resource]) -> Result<Imported>;

    /// Reads what searches for resources need, so that the first one does not wait for it.
    async fn prepare_search(&self) -> Result<()>;

    /// Whether that was read: searches don't wait.
    fn is_search_prepared(&self) -> bool;

    /// The resources that were asked for.
    async fn search_resources(&self, query: &ResourceQuery) -> Result<Found<FoundResource>>;

    /// Keeps music by its ids; what is there as it is stays untouched.
    async fn put_tracks(&self, tracks: &[Track]) -> Result<Imported>;

    /// The music that was asked for.
    async fn search_tracks(&self, query: &AudioQuery) -> Result<Found<Track>>;

    /// The music of this id.
    async fn track(&self, id: i64) -> Result<Option<Track>>;

    /// Keeps sound effects by their ids; what is there as it is stays untouched.
    async fn put_effects(&self, effects: &[Effect]) -> Result<Imported>;

    /// The sound effects that were asked for.
    async fn search_effects(&self, query: &AudioQuery) -> Result<Found<Effect>>;

    /// The sound effect of this id; a download is counted.
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
