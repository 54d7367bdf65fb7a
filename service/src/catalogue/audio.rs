//! Music and sound effects: the database finds them, this module ranks them.

use serde::de::DeserializeOwned;

use super::query::{AudioOrder, AudioQuery};
use super::relevance::{self, CANDIDATES};
use super::{Effect, RecordKind, Track};
use crate::domain::Page;

/// A record of audio that can be searched and sorted.
pub trait Audio: DeserializeOwned + Send {
    /// The kind of its records.
    const KIND: RecordKind;

    /// Returns how well it fits these words.
    fn score(&self, words: &[String]) -> u32;

    /// Sets the number of downloads, which is stored in a column, not in the record.
    fn count(&mut self, downloads: i64);
}

impl Audio for Track {
    const KIND: RecordKind = RecordKind::Music;

    fn score(&self, words: &[String]) -> u32 {
        let names = self.genres.iter().chain(&self.moods).map(String::as_str);
        relevance::score(words, &self.title, names)
    }

    fn count(&mut self, _downloads: i64) {}
}

impl Audio for Effect {
    const KIND: RecordKind = RecordKind::Effects;

    fn score(&self, words: &[String]) -> u32 {
        relevance::score(words, &self.title, self.tags.iter().map(String::as_str))
    }

    fn count(&mut self, downloads: i64) {
        self.downloads = u32::try_from(downloads).unwrap_or(u32::MAX);
    }
}

/// Returns the range of records to read for a page: that page, or all that are [ranked](rank).
///
/// Pages beyond the candidates are read alone, so that no page costs more than the first one.
#[must_use]
pub fn to_read(query: &AudioQuery) -> Page {
    let page = Page { offset: query.offset, limit: query.limit };
    if !is_ranked(query) {
        return page;
    }
    let end = page.offset.saturating_add(u64::from(page.limit)).max(CANDIDATES as u64);
    Page { offset: 0, limit: u32::try_from(end).unwrap_or(u32::MAX) }
}

/// Returns the page of the records that were [read](to_read), the most relevant ones first.
#[must_use]
pub fn rank<A: Audio>(query: &AudioQuery, mut items: Vec<A>) -> Vec<A> {
    if !is_ranked(query) {
        return items;
    }
    let best = CANDIDATES.min(items.len());
    if let Some(best) = items.get_mut(..best) {
        best.sort_by_cached_key(|item| std::cmp::Reverse(item.score(&query.words)));
    }
    let from = usize::try_from(query.offset).unwrap_or(usize::MAX);
    items.into_iter().skip(from).take(query.limit as usize).collect()
}

fn is_ranked(query: &AudioQuery) -> bool {
    query.order == AudioOrder::Relevance && !query.words.is_empty() && query.offset < CANDIDATES as u64
}
