//! How the catalogue is asked.

use crate::time::Millis;

/// A search for resources.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResourceQuery {
    /// Words, all of which have to be there; the last one may be a beginning.
    pub words: Vec<String>,
    /// In what order.
    pub order: ResourceOrder,
    /// These alone, whatever the filters say.
    pub ids: Vec<i64>,
    /// Facets: of each group one has to match. A facet is a token such as `kind:photo`.
    pub any_of: Vec<Vec<String>>,
    /// Of this author.
    pub author: Option<i64>,
    /// Published since then.
    pub published_since: Option<Millis>,
    /// What time it is.
    pub now: Millis,
    /// How many are left out.
    pub offset: u64,
    /// How many at most.
    pub limit: u32,
    /// How many related ones of each kind are told of each, at most.
    pub related: u32,
}

/// In what order resources come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ResourceOrder {
    /// What fits the words best; then what is downloaded most.
    #[default]
    Relevance,
    /// What was changed last.
    Recent,
}

/// A search for music or sound effects.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AudioQuery {
    /// Words, all of which have to be there.
    pub words: Vec<String>,
    /// Groups of facets, of each of which one has to match.
    pub any_of: Vec<Vec<String>>,
    /// Whether what needs a premium licence is in.
    pub premium: bool,
    /// In what order.
    pub order: AudioOrder,
    /// Whether the order is the other way round.
    pub descending: bool,
    /// How many are left out.
    pub offset: u64,
    /// How many at most.
    pub limit: u32,
}

/// In what order music and sound effects come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AudioOrder {
    /// What fits the words best; then what is most popular.
    #[default]
    Relevance,
    /// How popular it is.
    Popularity,
    /// How often it was downloaded.
    Downloads,
    /// When it was imported first.
    CreatedAt,
    /// Its title.
    Title,
    /// Its length.
    Seconds,
    /// Its tempo.
    Bpm,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found<T> {
    /// The part that was asked for.
    pub items: Vec<T>,
    /// How many there are.
    pub total: u64,
}
