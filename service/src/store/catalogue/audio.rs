//! Music and sound effects: the database finds them, this module ranks them.

use serde::de::DeserializeOwned;

use super::rows::from_json;
use super::tables::Tables;
use crate::catalogue::query::{AudioOrder, AudioQuery, Found};
use crate::catalogue::relevance::{self, CANDIDATES};
use crate::catalogue::{Effect, Track, tokens};
use crate::store::{Page, Result};

/// A kind of audio; both kinds share their tables.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Music tracks.
    Music,
    /// Sound effects.
    Effects,
}

impl Kind {
    /// Returns the stored name; in SQLite it is also a token of every record.
    pub(in crate::store) const fn name(self) -> &'static str {
        match self {
            Self::Music => "music",
            Self::Effects => "sfx",
        }
    }
}

/// A record of audio that can be searched and sorted.
pub(super) trait Audio: DeserializeOwned + Send {
    const KIND: Kind;

    fn score(&self, words: &[String]) -> u32;

    /// Sets the number of downloads, which is stored beside the record.
    fn count(&mut self, downloads: i64);
}

impl Audio for Track {
    const KIND: Kind = Kind::Music;

    fn score(&self, words: &[String]) -> u32 {
        let names = self.genres.iter().chain(&self.moods).map(String::as_str);
        relevance::score(words, &self.title, names)
    }

    fn count(&mut self, _downloads: i64) {}
}

impl Audio for Effect {
    const KIND: Kind = Kind::Effects;

    fn score(&self, words: &[String]) -> u32 {
        relevance::score(words, &self.title, self.tags.iter().map(String::as_str))
    }

    fn count(&mut self, downloads: i64) {
        self.downloads = u32::try_from(downloads).unwrap_or(u32::MAX);
    }
}

pub(super) async fn get<A: Audio>(tables: &impl Tables, id: i64) -> Result<Option<A>> {
    let record = tables.audio_record(A::KIND, id).await?;
    record.map(|record| from_json(&record)).transpose()
}

pub(super) async fn search<A: Audio>(tables: &impl Tables, query: &AudioQuery) -> Result<Found<A>> {
    let wanted = tokens::wanted_audio(query);
    let total = tables.count_audio(A::KIND, &wanted).await?.unsigned_abs();
    let asked = Page { offset: query.offset, limit: query.limit };
    // Pages beyond the candidates are read alone, so that no page costs more than the first one.
    let is_ranked =
        query.order == AudioOrder::Relevance && !query.words.is_empty() && asked.offset < CANDIDATES as u64;
    let page = if is_ranked { candidates(asked) } else { asked };
    let rows = tables.audio_records(A::KIND, &wanted, (query.order, query.descending), page).await?;
    let mut items = Vec::with_capacity(rows.len());
    for (record, downloads) in &rows {
        let mut item: A = from_json(record)?;
        item.count(*downloads);
        items.push(item);
    }
    if is_ranked {
        let best = CANDIDATES.min(items.len());
        if let Some(best) = items.get_mut(..best) {
            relevance::sort_by_score(best, |item| item.score(&query.words));
        }
        let from = usize::try_from(asked.offset).unwrap_or(usize::MAX);
        items = items.into_iter().skip(from).take(asked.limit as usize).collect();
    }
    Ok(Found { items, total })
}

/// Returns the range to read for ranking.
///
/// It holds all candidates, and the records after them up to the end of the page.
fn candidates(page: Page) -> Page {
    let end = page.offset.saturating_add(u64::from(page.limit)).max(CANDIDATES as u64);
    Page { offset: 0, limit: u32::try_from(end).unwrap_or(u32::MAX) }
}

/// Returns the SQL of an order.
pub(in crate::store) const fn order_by((order, descending): (AudioOrder, bool)) -> &'static str {
    match (order, descending) {
        (AudioOrder::Relevance, _) | (AudioOrder::Popularity, true) => "popularity DESC",
        (AudioOrder::Popularity, false) => "popularity",
        (AudioOrder::Downloads, false) => "downloads",
        (AudioOrder::Downloads, true) => "downloads DESC",
        (AudioOrder::CreatedAt, false) => "created_at",
        (AudioOrder::CreatedAt, true) => "created_at DESC",
        (AudioOrder::Title, false) => "title",
        (AudioOrder::Title, true) => "title DESC",
        (AudioOrder::Seconds, false) => "seconds",
        (AudioOrder::Seconds, true) => "seconds DESC",
        (AudioOrder::Bpm, false) => "bpm",
        (AudioOrder::Bpm, true) => "bpm DESC",
    }
}
