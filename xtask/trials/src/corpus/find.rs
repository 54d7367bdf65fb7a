//! Which documents there are, and which of them a sample takes.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

/// A document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its path within the folder.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// What the names of its crates and its folder begin with; no other document has the same.
    pub prefix: String,
}

/// What all prefixes begin with, so that what was built of documents can be told from what they depend on.
pub const MARK: &str = "corpus-";

/// All documents of a folder, by name.
pub fn documents(folder: &Path) -> Result<Vec<Source>> {
    let mut paths = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).with_context(|| format!("{} can't be listed", folder.display()))?;
        for entry in entries {
            let path = entry.with_context(|| format!("{} can't be listed", folder.display()))?.path();
            // A link that leads nowhere is no document, and one that leads upwards no folder to enter.
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

/// The words of a name, without its ending, in small ASCII letters, joined by `-`.
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

/// So many of the documents, in their order; the same ones for the same seed.
pub fn sample(mut sources: Vec<Source>, count: usize, seed: u64) -> Vec<Source> {
    let mut state = seed;
    // The first places of a shuffle (Fisher and Yates).
    for place in 0..count.min(sources.len()) {
        let left = (sources.len() - place) as u64;
        let offset = usize::try_from(next(&mut state) % left).unwrap_or_default();
        sources.swap(place, place + offset);
    }
    sources.truncate(count);
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

/// A random number (SplitMix64).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
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
        assert!(one.is_sorted_by(|a, b| a.path < b.path), "no document twice");
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
