//! Finds the documents of a folder, and draws samples.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::Result;
use openapi_crates_suite::{fuzz::Random, prefix};

use crate::files;

/// A document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The path relative to the folder.
    pub name: String,
    /// The path.
    pub path: PathBuf,
    /// The unique prefix for the names of its crates and its folder.
    pub prefix: String,
}

/// The start of all prefixes, by which the build output of documents is found.
pub const MARK: &str = "corpus-";

/// Returns all documents in a folder, at any depth, sorted by path.
pub fn documents(folder: &Path) -> Result<Vec<Source>> {
    let mut paths = files::below(folder)?;
    // Broken links are not documents.
    paths.retain(|path| is_document(path) && path.is_file());
    paths.sort();
    let mut prefixes = BTreeSet::new();
    let source = |path: PathBuf| {
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let prefix = prefix(MARK, &name, &mut prefixes);
        Source { name, path, prefix }
    };
    Ok(paths.into_iter().map(source).collect())
}

fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ["json", "yaml", "yml"].iter().any(|known| ending == *known))
}

/// Returns `count` random documents, in their order.
///
/// The same seed gives the same sample.
pub fn sample(mut sources: Vec<Source>, count: usize, seed: u64) -> Vec<Source> {
    let mut random = Random::new(seed);
    // The first steps of a Fisher–Yates shuffle.
    for index in 0..count.min(sources.len()) {
        let offset = random.below(sources.len() - index);
        sources.swap(index, index + offset);
    }
    sources.truncate(count);
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(count: usize) -> Vec<Source> {
        let source = |index: usize| {
            let name = format!("{index:04}.json");
            Source { path: PathBuf::from(&name), prefix: name.clone(), name }
        };
        (0..count).map(source).collect()
    }

    #[test]
    fn a_sample_depends_on_its_seed_alone() {
        let one = sample(sources(1000), 100, 7);
        assert_eq!(one.len(), 100);
        assert!(one.is_sorted_by(|a, b| a.path < b.path), "no document may occur twice");
        assert_eq!(one, sample(sources(1000), 100, 7));
        assert_ne!(one, sample(sources(1000), 100, 8));
        assert_eq!(sample(sources(3), 10, 7), sources(3));
    }
}
