//! The catalogue's records, and the searches over them.

use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Error, Result};
use crate::catalogue::query::{AudioQuery, Found, ResourceQuery};
use crate::catalogue::{Effect, Icon, Resource, Track, tokens};

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

/// The resources that belong to a resource.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RelatedResources {
    /// Those of its series.
    pub series: Vec<Resource>,
    /// Others of its author.
    pub others: Vec<Resource>,
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

    /// How many icons this set and this author have.
    async fn icon_totals(&self, family: i64, author: i64) -> Result<(u64, u64)>;

    /// Keeps resources by their ids; what is there as it is stays untouched.
    async fn put_resources(&self, resources: &[Resource]) -> Result<Imported>;

    /// The resources that were asked for.
    async fn search_resources(&self, query: &ResourceQuery) -> Result<Found<Resource>>;

    /// The resources that belong to each of these, at most `limit` of each kind, in their order.
    async fn related_resources(&self, of: &[Resource], limit: u32) -> Result<Vec<RelatedResources>>;

    /// How many resources each of these authors has, in their order.
    async fn resource_totals(&self, authors: &[i64]) -> Result<Vec<u64>>;

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

/// A record as it is kept.
pub(super) fn to_json(record: &impl Serialize) -> Result<String> {
    serde_json::to_string(record).map_err(|error| corrupt(&error))
}

/// A record from what is kept.
pub(super) fn from_json<T: DeserializeOwned>(record: &str) -> Result<T> {
    serde_json::from_str(record).map_err(|error| corrupt(&error))
}

pub(super) fn corrupt(error: &serde_json::Error) -> Error {
    Error::Corrupt { what: "record of the catalogue", why: error.to_string() }
}

/// A record, with what it is found and put in order by.
#[derive(Debug, Clone)]
pub(super) struct AudioRow {
    pub(super) id: i64,
    pub(super) title: String,
    pub(super) premium: bool,
    pub(super) popularity: f64,
    pub(super) downloads: u32,
    pub(super) created_at: i64,
    pub(super) seconds: f64,
    pub(super) bpm: f64,
    pub(super) tokens: Vec<String>,
    pub(super) record: String,
}

impl AudioRow {
    pub(super) fn of_track(track: &Track) -> Result<Self> {
        Ok(Self {
            id: track.id,
            title: track.title.to_lowercase(),
            premium: track.premium,
            popularity: track.popularity,
            downloads: 0,
            created_at: track.created_at,
            seconds: track.seconds,
            bpm: track.bpm,
            tokens: tokens::of_track(track),
            record: to_json(track)?,
        })
    }

    pub(super) fn of_effect(effect: &Effect) -> Result<Self> {
        Ok(Self {
            id: effect.id,
            title: effect.title.to_lowercase(),
            premium: effect.premium,
            popularity: effect.popularity,
            downloads: effect.downloads,
            created_at: effect.created_at,
            seconds: effect.duration,
            bpm: 0.0,
            tokens: tokens::of_effect(effect),
            record: to_json(effect)?,
        })
    }
}
