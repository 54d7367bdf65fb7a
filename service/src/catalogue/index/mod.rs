//! What resources are found by, in memory, the same for every database: for each token the set of resources that have it,
//! and the resources in each order.
//!
//! A search meets compressed sets (roaring bitmaps) and takes a page of what is left, so that its cost hardly depends on
//! how common its words are, and totals are exact. The records stay in the database, which the index is made from ([`Batch`]),
//! but for what is shown of resources beside others: a page names hundreds of them. All takes about 700 bytes for a resource.

mod batch;
mod entry;
mod order;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use roaring::{MultiOps as _, RoaringBitmap};

pub use self::batch::Batch;
use self::batch::{New, Title};
pub use self::entry::{Entry, Keyword};
use self::order::Order;
use super::query::{ResourceOrder, ResourceQuery};
use super::relevance::{self, CANDIDATES};
use super::tokens::{self as token, Wanted};
use super::{Author, Resource, Summary};

/// The index of all resources up to a place in the order in which they were changed.
#[derive(Debug, Default)]
pub struct Index {
    /// Up to where.
    seq: i64,
    /// Documents by the ids of their resources.
    numbers: HashMap<i64, u32>,
    documents: Vec<Document>,
    /// By their ids.
    authors: HashMap<i64, Arc<Author>>,
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
    summary: Arc<Summary>,
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

    /// Up to where all can be searched; `None`: what came last is not in order yet.
    #[must_use]
    pub fn reached(&self) -> Option<i64> {
        self.unsettled.is_empty().then_some(self.seq)
    }

    /// Whether all up to there can be searched.
    #[must_use]
    pub fn is_at(&self, seq: i64) -> bool {
        self.reached().is_some_and(|reached| reached >= seq)
    }

    /// How many resources there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Puts in resources that are new or have changed. They are found after [`Self::settle`].
    pub fn put(&mut self, batch: Batch) {
        let Batch { seq, ids, new, postings } = batch;
        self.forget(&ids);
        let numbers: Vec<u32> = new.into_iter().map(|new| self.document(new)).collect();
        self.unsettled.extend(numbers.iter().copied());
        for (token, places) in postings {
            let places = places.iter().filter_map(|place| numbers.get(*place as usize).copied());
            self.postings.entry(token).or_default().extend(places);
        }
        self.seq = seq;
    }

    /// Forgets by what these resources were found, as far as they are known.
    fn forget(&mut self, ids: &[i64]) {
        let known: RoaringBitmap = ids.iter().filter_map(|id| self.numbers.get(id)).collect();
        if !known.is_empty() {
            self.postings.retain(|_, posting| {
                *posting -= &known;
                !posting.is_empty()
            });
        }
    }

    /// Puts a resource in the place that it has, or in a new one; returns its number.
    fn document(&mut self, new: New) -> u32 {
        let New { mut summary, updated_at, downloads, title, title_words } = new;
        let author = self.authors.entry(summary.author.id).or_insert_with(|| Arc::clone(&summary.author));
        if **author == *summary.author {
            summary.author = Arc::clone(author);
        } else {
            *author = Arc::clone(&summary.author);
        }
        let id = summary.id;
        let document = Document { id, updated_at, downloads, title, title_words, summary: Arc::new(summary) };
        let number = match self.numbers.get(&id) {
            Some(number) => *number,
            // There is no memory for more than fit into the number.
            None => u32::try_from(self.documents.len()).unwrap_or(u32::MAX),
        };
        match self.documents.get_mut(number as usize) {
            Some(there) => *there = document,
            None => {
                self.numbers.insert(id, number);
                self.documents.push(document);
            }
        }
        number
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

    /// The most popular others of its series, and of its author.
    #[must_use]
    pub fn related(&self, resource: &Resource, limit: usize) -> (Vec<Arc<Summary>>, Vec<Arc<Summary>>) {
        let others = |token: &str| -> Vec<Arc<Summary>> {
            let Some(posting) = self.postings.get(token) else { return Vec::new() };
            let first = self.popular.page(Some(posting), 0..limit.saturating_add(1));
            let others = first.iter().filter_map(|number| self.documents.get(*number as usize));
            let others = others.filter(|other| other.id != resource.id).take(limit);
            others.map(|other| Arc::clone(&other.summary)).collect()
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
        let mut title = Title::default();
        stems.iter().for_each(|stem| title.add(stem));
        let posting = |token: String| index.postings.get(token.as_str());
        Self {
            documents: &index.documents,
            words: stems
                .iter()
                .map(|stem| (posting(token::in_title(stem)), posting(token::in_keywords(stem))))
                .collect(),
            title: title.fingerprint(),
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
