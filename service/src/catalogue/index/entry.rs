//! The part of a resource's record that the index needs; parsing skips the rest.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::catalogue::{Author, Facets, Thumbnail};
use crate::time::Millis;

/// A resource as far as searches and summaries need it.
///
/// The fields are those of [`Resource`](crate::catalogue::Resource).
#[derive(Debug, Deserialize)]
#[allow(missing_docs, reason = "the fields are documented on `Resource`")]
pub struct Entry<'r> {
    pub id: i64,
    #[serde(borrow)]
    pub title: Cow<'r, str>,
    #[serde(default)]
    pub titles: BTreeMap<String, String>,
    #[serde(borrow)]
    pub key: Cow<'r, str>,
    #[serde(borrow)]
    pub keywords: Vec<Keyword<'r>>,
    pub facets: Facets,
    pub preview: Thumbnail,
    pub formats: BTreeMap<String, IgnoredAny>,
    pub series: Option<String>,
    pub author: Author,
    pub published_at: Millis,
    pub updated_at: Millis,
    pub downloads: u32,
}

/// A keyword without its slug.
#[derive(Debug, Deserialize)]
pub struct Keyword<'r> {
    /// The display name.
    #[serde(borrow)]
    pub name: Cow<'r, str>,
}
