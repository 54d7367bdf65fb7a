//! The search index of resources, in memory and the same for every database.
//!
//! It holds the set of resources for each token, and all resources in each order. A search intersects
//! compressed sets (roaring bitmaps) and takes a page of the result. Its cost thus hardly depends on how
//! common its words are, and totals are exact.
//!
//! The index is built from the records in the database ([`Batch`]), which stay there. Only the summaries that
//! responses show with other resources are in memory too, because one page names hundreds of them.

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

/// The index of all resources up to a certain `seq`.
#[derive(Debug, Default)]
pub struct Index {
    /// The last `seq` in the index.
    seq: i64,
    /// The document numbers, by the ids of their resources.
    numbers: HashMap<i64, u32>,
    documents: Vec<Document>,
    /// The documents whose resources have not been removed.
    live: RoaringBitmap,
    /// The authors, by their ids.
    authors: HashMap<i64, Arc<Author>>,
    postings: HashMap<Box<str>, RoaringBitmap>,
    popular: Order,
    recent: Order,
    /// The documents that were added or changed since the last [`Index::settle`].
    unsettled: RoaringBitmap,
}

/// A resource in the index; its number is its position among the documents.
#[derive(Debug)]
struct Document {
    id: i64,
    updated_at: i64,
    downloads: u32,
    title: u32,
    title_words: u8,
    summary: Arc<Summary>,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hits {
    /// The ids of the requested page, in order.
    pub ids: Vec<i64>,
    /// The number of all matches.
    pub total: u64,
}

impl Index {
    /// Returns the last `seq` that was put into the index.
    #[must_use]
    pub const fn seq(&self) -> i64 {
        self.seq
    }

    /// Returns the `seq` up to which searches are complete.
    ///
    /// `None` means that the index must settle first.
    #[must_use]
    pub fn reached(&self) -> Option<i64> {
        self.unsettled.is_empty().then_some(self.seq)
    }

    /// Returns whether searches are complete up to this `seq`.
    #[must_use]
    pub fn is_at(&self, seq: i64) -> bool {
        self.reached().is_some_and(|reached| reached >= seq)
    }

    /// Returns the number of resources.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::try_from(self.live.len()).unwrap_or(usize::MAX)
    }

    /// Returns whether the index has no resources.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live.is_empty()
    }

    /// Adds new and changed resources, which searches find after [`Self::settle`], and forgets removed ones.
    pub fn put(&mut self, batch: Batch) {
        let Batch { seq, ids, removed, new, postings } = batch;
        self.forget(&ids);
        for number in removed.iter().filter_map(|id| self.numbers.get(id)) {
            self.live.remove(*number);
        }
        let numbers: Vec<u32> = new.into_iter().map(|new| self.document(new)).collect();
        self.live.extend(numbers.iter().copied());
        self.unsettled.extend(numbers.iter().copied());
        for (token, offsets) in postings {
            let offsets = offsets.iter().filter_map(|offset| numbers.get(*offset as usize).copied());
            self.postings.entry(token).or_default().extend(offsets);
        }
        self.seq = seq;
    }

    /// Removes the tokens of these resources, as far as they are known.
    fn forget(&mut self, ids: &[i64]) {
        let known: RoaringBitmap = ids.iter().filter_map(|id| self.numbers.get(id)).collect();
        if !known.is_empty() {
            self.postings.retain(|_, posting| {
                *posting -= &known;
                !posting.is_empty()
            });
        }
    }

    /// Stores a resource under its existing or a new number; returns the number.
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
            // A `u32` counts more resources than fit into memory.
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

    /// Moves new and changed documents to their positions in each order.
    pub fn settle(&mut self) {
        let Self { documents, popular, recent, unsettled, .. } = self;
        popular.rank(unsettled, documents, |document| (-i64::from(document.downloads), document.id));
        recent.rank(unsettled, documents, |document| (-document.updated_at, document.id));
        unsettled.clear();
    }

    /// Searches the index.
    #[must_use]
    pub fn search(&self, query: &ResourceQuery) -> Hits {
        let matching = if query.ids.is_empty() {
            self.matching(&token::wanted_resources(query))
        } else {
            let numbers = query.ids.iter().filter_map(|id| self.numbers.get(id));
            Some(Cow::Owned(numbers.copied().filter(|number| self.live.contains(*number)).collect()))
        };
        let total = matching.as_ref().map_or(self.live.len(), |matching| matching.len());
        let from = usize::try_from(query.offset).unwrap_or(usize::MAX);
        let page = from..from.saturating_add(query.limit as usize);
        let numbers = match matching.as_deref() {
            Some(matching) if is_ranked(query) => self.ranked(matching, query, page),
            matching => self.order(query.order).page(matching, page),
        };
        Hits { ids: self.ids(&numbers).collect(), total }
    }

    /// Returns the documents with one token of each group; `None` means all, of which none was removed.
    fn matching(&self, wanted: &Wanted) -> Option<Cow<'_, RoaringBitmap>> {
        if wanted.is_empty() {
            return (self.len() < self.documents.len()).then_some(Cow::Borrowed(&self.live));
        }
        let mut groups: Vec<Cow<'_, RoaringBitmap>> = wanted.iter().map(|group| self.any_of(group)).collect();
        // Starts with the smallest set, because intersections only get smaller.
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

    /// Returns a page of matches, ranked by relevance.
    ///
    /// The most popular [`CANDIDATES`] come first, ranked by their scores. The others follow by popularity.
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

    /// Returns the most popular other resources of its series and of its author.
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

    /// Returns the number of resources of an author.
    #[must_use]
    pub fn total_of_author(&self, author: i64) -> u64 {
        self.postings.get(token::author(author).as_str()).map_or(0, RoaringBitmap::len)
    }
}

fn is_ranked(query: &ResourceQuery) -> bool {
    query.order == ResourceOrder::Relevance && !query.words.is_empty() && query.ids.is_empty()
}

/// Scores documents like [`relevance::score`], but from the index alone.
struct Fit<'i> {
    documents: &'i [Document],
    /// For each word, the documents with it in the title and among the keywords.
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
