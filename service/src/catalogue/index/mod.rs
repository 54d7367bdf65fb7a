//! What resources are found by, in memory, the same for every database: for each token the set of resources that have it,
//! and the resources in each order.
//!
//! A search meets compressed sets (roaring bitmaps) and takes a page of what is left, so that its cost hardly depends on
//! how common its words are, and totals are exact. The records stay in the database, which the index is made from; it takes
//! about 300 bytes for a resource.

mod order;

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use roaring::{MultiOps as _, RoaringBitmap};

use self::order::Order;
use super::Resource;
use super::query::{ResourceOrder, ResourceQuery};
use super::relevance::{self, CANDIDATES};
use super::tokens::{self as token, Wanted};

/// The index of all resources up to a place in the order in which they were changed.
#[derive(Debug, Default)]
pub struct Index {
    /// Up to where.
    seq: i64,
    /// Documents by the ids of their resources.
    numbers: HashMap<i64, u32>,
    documents: Vec<Document>,
    postings: HashMap<Box<str>, RoaringBitmap>,
    popular: Order,
    recent: Order,
    /// Documents that have come, or have changed, since they were put in order.
    unsettled: RoaringBitmap,
}

/// A resource in the index, where a number stands for it.
#[derive(Debug)]
struct Document {
    id: i64,
    updated_at: i64,
    downloads: u32,
    title: u32,
    title_words: u8,
}

/// What a search has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hits {
    /// The ids of the part that was asked for, in order.
    pub ids: Vec<i64>,
    /// How many there are.
    pub total: u64,
}

impl Index {
    /// Up to where resources have been put into it.
    #[must_use]
    pub const fn seq(&self) -> i64 {
        self.seq
    }

    /// Whether all up to there can be searched.
    #[must_use]
    pub fn is_at(&self, seq: i64) -> bool {
        self.seq >= seq && self.unsettled.is_empty()
    }

    /// Forgets by what these resources were found, as far as they are known: they have changed and are put in anew.
    pub fn forget(&mut self, ids: impl IntoIterator<Item = i64>) {
        let known: RoaringBitmap = ids.into_iter().filter_map(|id| self.numbers.get(&id)).collect();
        if !known.is_empty() {
            self.postings.retain(|_, posting| {
                *posting -= &known;
                !posting.is_empty()
            });
        }
    }

    /// All up to there has been put in.
    pub const fn reach(&mut self, seq: i64) {
        self.seq = seq;
    }

    /// Puts in a resource that is new, or was forgotten. It is found after [`Self::settle`].
    pub fn put(&mut self, resource: &Resource) {
        let title = title_stems(&resource.title);
        let document = Document {
            id: resource.id,
            updated_at: resource.updated_at,
            downloads: resource.downloads,
            title: fingerprint(&title),
            title_words: u8::try_from(title.len()).unwrap_or(u8::MAX),
        };
        let number = match self.numbers.get(&resource.id) {
            Some(number) => *number,
            // There is no memory for more than fit into the number.
            None => u32::try_from(self.documents.len()).unwrap_or(u32::MAX),
        };
        match self.documents.get_mut(number as usize) {
            Some(there) => *there = document,
            None => {
                self.numbers.insert(resource.id, number);
                self.documents.push(document);
            }
        }
        self.unsettled.insert(number);
        for token in token::of_resource(resource) {
            match self.postings.get_mut(token.as_str()) {
                Some(posting) => {
                    posting.insert(number);
                }
                None => {
                    self.postings.insert(token.into_boxed_str(), RoaringBitmap::from([number]));
                }
            }
        }
    }

    /// Puts what has come in order.
    pub fn settle(&mut self) {
        let Self { documents, popular, recent, unsettled, .. } = self;
        popular.place(unsettled, documents, |document| (-i64::from(document.downloads), document.id));
        recent.place(unsettled, documents, |document| (-document.updated_at, document.id));
        unsettled.clear();
    }

    /// What was asked for.
    #[must_use]
    pub fn search(&self, query: &ResourceQuery) -> Hits {
        let matching = if query.ids.is_empty() {
            self.matching(&token::wanted_resources(query))
        } else {
            let numbers = query.ids.iter().filter_map(|id| self.numbers.get(id));
            Some(Cow::Owned(numbers.collect()))
        };
        let total = matching.as_ref().map_or(self.documents.len() as u64, |matching| matching.len());
        let from = usize::try_from(query.offset).unwrap_or(usize::MAX);
        let page = from..from.saturating_add(query.limit as usize);
        let numbers = match matching.as_deref() {
            Some(matching) if is_ranked(query) => self.ranked(matching, query, page),
            matching => self.order(query.order).page(matching, page),
        };
        Hits { ids: self.ids(&numbers).collect(), total }
    }

    /// The resources that have one token of each group; `None`: all.
    fn matching(&self, wanted: &Wanted) -> Option<Cow<'_, RoaringBitmap>> {
        let mut groups: Vec<Cow<'_, RoaringBitmap>> = wanted.iter().map(|group| self.any_of(group)).collect();
        // From the smallest on: what is left only gets smaller.
        groups.sort_by_key(|group| group.len());
        groups.into_iter().reduce(|left, group| {
            Cow::Owned(match left {
                Cow::Borrowed(left) => left & group.as_ref(),
                Cow::Owned(left) => left & group.as_ref(),
            })
        })
    }

    fn any_of(&self, group: &[String]) -> Cow<'_, RoaringBitmap> {
        let postings: Vec<&RoaringBitmap> =
            group.iter().filter_map(|token| self.postings.get(token.as_str())).collect();
        match postings.as_slice() {
            [posting] => Cow::Borrowed(posting),
            postings => Cow::Owned(postings.iter().copied().union()),
        }
    }

    /// A page of what matches: the most popular ones by how well they fit, the others behind them.
    fn ranked(&self, matching: &RoaringBitmap, query: &ResourceQuery, page: Range<usize>) -> Vec<u32> {
        let mut numbers = Vec::new();
        if page.start < CANDIDATES {
            let mut best = self.popular.page(Some(matching), 0..CANDIDATES);
            let fit = Fit::new(self, &query.words);
            best.sort_by_cached_key(|number| std::cmp::Reverse(fit.score(*number)));
            numbers.extend(best.into_iter().take(page.end).skip(page.start));
        }
        if page.end > CANDIDATES {
            numbers.extend(self.popular.page(Some(matching), page.start.max(CANDIDATES)..page.end));
        }
        numbers
    }

    const fn order(&self, order: ResourceOrder) -> &Order {
        match order {
            ResourceOrder::Relevance => &self.popular,
            ResourceOrder::Recent => &self.recent,
        }
    }

    fn ids(&self, numbers: &[u32]) -> impl Iterator<Item = i64> {
        numbers.iter().filter_map(|number| self.documents.get(*number as usize)).map(|document| document.id)
    }

    /// The ids of the most popular others of its series, and of its author.
    #[must_use]
    pub fn related(&self, resource: &Resource, limit: usize) -> (Vec<i64>, Vec<i64>) {
        let others = |token: &str| -> Vec<i64> {
            let Some(posting) = self.postings.get(token) else { return Vec::new() };
            let first = self.popular.page(Some(posting), 0..limit.saturating_add(1));
            self.ids(&first).filter(|id| *id != resource.id).take(limit).collect()
        };
        let series = resource.series.as_deref().map(|series| others(&token::series(series)));
        (series.unwrap_or_default(), others(&token::author(resource.author.id)))
    }

    /// How many resources an author has.
    #[must_use]
    pub fn total_of_author(&self, author: i64) -> u64 {
        self.postings.get(token::author(author).as_str()).map_or(0, RoaringBitmap::len)
    }
}

fn is_ranked(query: &ResourceQuery) -> bool {
    query.order == ResourceOrder::Relevance && !query.words.is_empty() && query.ids.is_empty()
}

fn title_stems(title: &str) -> Vec<String> {
    relevance::words(title).iter().map(|word| relevance::stem(word)).collect()
}

/// Titles of the same words have the same one.
#[allow(clippy::cast_possible_truncation, reason = "half of a hash is one too")]
fn fingerprint(stems: &[String]) -> u32 {
    let mut hasher = DefaultHasher::new();
    stems.hash(&mut hasher);
    hasher.finish() as u32
}

/// How well documents fit words: as [`relevance::score`], from the index alone.
struct Fit<'i> {
    documents: &'i [Document],
    /// For each word the documents that have it in the title, and among the keywords.
    words: Vec<(Option<&'i RoaringBitmap>, Option<&'i RoaringBitmap>)>,
    title: u32,
}

impl<'i> Fit<'i> {
    fn new(index: &'i Index, words: &[String]) -> Self {
        let stems: Vec<String> = words.iter().map(|word| relevance::stem(word)).collect();
        let posting = |token: String| index.postings.get(token.as_str());
        Self {
            documents: &index.documents,
            words: stems
                .iter()
                .map(|stem| (posting(token::in_title(stem)), posting(token::in_keywords(stem))))
                .collect(),
            title: fingerprint(&stems),
        }
    }

    fn score(&self, number: u32) -> u32 {
        let Some(document) = self.documents.get(number as usize) else { return 0 };
        let has = |posting: &Option<&RoaringBitmap>| posting.is_some_and(|posting| posting.contains(number));
        relevance::Fit {
            is_whole_title: document.title == self.title
                && usize::from(document.title_words) == self.words.len(),
            in_title: self.words.iter().filter(|(title, _)| has(title)).count(),
            in_keywords: self.words.iter().filter(|(_, keywords)| has(keywords)).count(),
            title_words: usize::from(document.title_words),
        }
        .score()
    }
}

#[cfg(test)]
mod tests;
