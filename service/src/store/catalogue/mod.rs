//! The catalogue's records and the searches over them.

mod resources;
mod rows;

use std::sync::Arc;

use async_trait::async_trait;

pub(super) use resources::{ResourceTable, Resources, prepare, search};
pub(super) use rows::{
    AudioColumns, Row, all, different, files, from_json, ids, of_effect, of_icon, of_resource, of_track,
    tokens_of,
};

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
