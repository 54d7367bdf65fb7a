//! Queries over the catalogue.

use crate::time::Millis;

/// A search for resources.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourceQuery {
    /// The words, all of which must match.
    pub words: Vec<String>,
    /// The order.
    pub order: ResourceOrder,
    /// If not empty, selects only these ids and ignores the filters.
    pub ids: Vec<i64>,
    /// Groups of facets such as `kind:photo`; one facet of each group must match.
    pub any_of: Vec<Vec<String>>,
    /// Only resources of this author.
    pub author: Option<i64>,
    /// Only resources published since this time.
    pub published_since: Option<Millis>,
    /// The current time.
    pub now: Millis,
    /// The number of resources to skip.
    pub offset: u64,
    /// The maximum number of resources to return.
    pub limit: u32,
    /// The maximum number of related resources of each kind to return with a resource.
    pub related: u32,
}

/// An order of resources.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ResourceOrder {
    /// Best match first, then most downloads first.
    #[default]
    Relevance,
    /// Last changed first.
    Recent,
}

/// A search for music or sound effects.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AudioQuery {
    /// The words, all of which must match.
    pub words: Vec<String>,
    /// Groups of facets; one facet of each group must match.
    pub any_of: Vec<Vec<String>>,
    /// Whether to include records that need a premium licence.
    pub premium: bool,
    /// The order.
    pub order: AudioOrder,
    /// Whether the order is descending; relevance ignores it.
    pub descending: bool,
    /// The number of records to skip.
    pub offset: u64,
    /// The maximum number of records to return.
    pub limit: u32,
}

/// An order of music and sound effects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AudioOrder {
    /// Best match first, then most popular first.
    #[default]
    Relevance,
    /// By popularity.
    Popularity,
    /// By number of downloads.
    Downloads,
    /// By the time at which the file was last changed.
    CreatedAt,
    /// By title.
    Title,
    /// By length.
    Seconds,
    /// By tempo.
    Bpm,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<T> {
    /// The requested page.
    pub items: Vec<T>,
    /// The number of all matches.
    pub total: u64,
}
