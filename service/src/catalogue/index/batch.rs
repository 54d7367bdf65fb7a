//! Batches of resources on their way into the index.
//!
//! Records are parsed on other threads, several batches at a time.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::Entry;
use crate::catalogue::{Summary, relevance, tokens};

/// Consecutive resources, in the order in which they were changed.
#[derive(Debug, Default)]
pub struct Batch {
    /// The last `seq` of the batch.
    pub(super) seq: i64,
    /// The ids of all records, including records that can't be parsed.
    pub(super) ids: Vec<i64>,
    /// The ids of records that were removed.
    pub(super) removed: Vec<i64>,
    pub(super) new: Vec<New>,
    /// For each token, the positions in `new` of the resources that have it.
    ///
    /// They are sorted and have no duplicates.
    pub(super) postings: HashMap<Box<str>, Vec<u32>>,
}

/// A resource that becomes a document.
#[derive(Debug)]
pub(super) struct New {
    pub summary: Summary,
    pub updated_at: i64,
    pub downloads: u32,
    pub title: u32,
    pub title_words: u8,
}

impl Batch {
    /// Parses rows of `seq`, id and record; an empty record stands for a removed one.
    #[must_use]
    pub fn read(rows: &[(i64, i64, String)]) -> Self {
        let mut batch = Self::default();
        for (seq, id, record) in rows {
            batch.seq = batch.seq.max(*seq);
            batch.ids.push(*id);
            if record.is_empty() {
                batch.removed.push(*id);
                continue;
            }
            match serde_json::from_str(record) {
                Ok(entry) => batch.add(entry),
                // One record that can't be parsed must not hide all others.
                Err(error) => tracing::error!(id, %error, "left a resource out of all searches"),
            }
        }
        batch
    }

    fn add(&mut self, entry: Entry<'_>) {
        // A `u32` counts more resources than fit into memory.
        let position = u32::try_from(self.new.len()).unwrap_or(u32::MAX);
        tokens::of_resource(&entry, |token| match self.postings.get_mut(token) {
            Some(indexes) if indexes.last() == Some(&position) => {}
            Some(indexes) => indexes.push(position),
            None => {
                self.postings.insert(token.into(), vec![position]);
            }
        });
        let mut title = Title::default();
        relevance::each_stem(&entry.title, |stem| title.add(stem));
        self.new.push(New {
            updated_at: entry.updated_at,
            downloads: entry.downloads,
            title: title.fingerprint(),
            title_words: title.words,
            summary: Summary {
                id: entry.id,
                title: entry.title.into(),
                titles: entry.titles,
                key: entry.key.into(),
                appearance: entry.facets.appearance(),
                preview: entry.preview,
                author: Arc::new(entry.author),
            },
        });
    }
}

/// The word stems of a title; equal stems have an equal fingerprint.
#[derive(Default)]
pub(super) struct Title {
    hasher: DefaultHasher,
    words: u8,
}

impl Title {
    pub(super) fn add(&mut self, stem: &str) {
        stem.hash(&mut self.hasher);
        self.words = self.words.saturating_add(1);
    }

    #[allow(clippy::cast_possible_truncation, reason = "half of a hash is a hash too")]
    pub(super) fn fingerprint(&self) -> u32 {
        self.hasher.finish() as u32
    }
}
