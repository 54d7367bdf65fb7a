//! Finds the documents of a folder, and draws samples.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use openapi_crates_suite::fuzz::Random;

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
    let mut paths = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let path = entry.with_context(|| format!("cannot list {}", folder.display()))?.path();
            // Linked folders are skipped, because they may lead upwards. Broken links are not documents.
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if is_document(&path) {
                paths.insert(path);
            }
        }
    }
    let mut prefixes = BTreeSet::new();
    let source = |path: PathBuf| {
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let prefix = unused(&mut prefixes, &format!("{MARK}{}", slug(&name)));
        Source { name, path, prefix }
    };
    Ok(paths.into_iter().map(source).collect())
}

fn is_document(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ["json", "yaml", "yml"].contains(&ending) && path.is_file()
}

/// Returns the ASCII words of a file name in lower case, joined by `-`.
fn slug(name: &str) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_ascii_lowercase();
    let words: Vec<&str> =
        stem.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join("-")
}

fn unused(taken: &mut BTreeSet<String>, wanted: &str) -> String {
    let mut name = wanted.to_owned();
    let mut number = 2;
    while !taken.insert(name.clone()) {
        name = format!("{wanted}-{number}");
        number += 1;
    }
    name
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
            Source { path: PathBuf::from(&name), prefix: slug(&name), name }
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

    #[test]
    fn prefixes_are_names_of_packages() {
        let mut taken = BTreeSet::new();
        let names = ["api/Pets_v1.0.json", "api/pets-v1-0.yaml", "été.yml"];
        let prefixes = names.map(|name| unused(&mut taken, &slug(name)));
        assert_eq!(prefixes, ["api-pets-v1-0", "api-pets-v1-0-2", "t"]);
    }
}
