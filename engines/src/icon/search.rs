//! Finds the icons that match a text.
//!
//! It uses BM25 over the stems of names and tags, with synonyms, and trigrams if no word is known.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use rust_stemmers::{Algorithm, Stemmer};

use super::set::{EmbeddedIcon, embedded};
use crate::words::words;

/// An icon and its score.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) icon: &'static EmbeddedIcon,
    pub(super) score: f64,
}

/// Words that don't describe the content of an icon.
const STOP_WORDS: &str = "a an the of for with and or in on at to from by icon icons symbol sign pictogram logo image picture \
    simple minimal minimalist modern flat outline solid color colour colored sticker style vector cute small big large \
    nice beautiful black white red orange yellow green teal blue purple pink brown gray grey golden shape draw make \
    create can representing showing shows depicting show is are it its his her their some please want need me my your that this";

/// Synonyms: each line has words, a colon, and the words of names and tags to search as well.
const SYNONYMS: &str = include_str!("../../data/lucide/synonyms.txt");

struct Index {
    documents: Vec<Document>,
    /// The number of documents that contain a stem.
    frequency: HashMap<String, f64>,
    mean_length: f64,
}

struct Document {
    stems: HashMap<String, f64>,
    name_stems: Vec<String>,
    /// Whether it is a numbered variant or a plural, such as `trash-2` or `mails`.
    is_variant: bool,
    length: f64,
}

/// The weight of a word of a name relative to one of a tag.
const NAME_WEIGHT: f64 = 3.0;
/// The term saturation of BM25 (k1).
const K1: f64 = 1.2;
/// The length normalisation of BM25 (b).
const B: f64 = 0.6;
/// The weight of a synonym relative to the word itself.
const SYNONYM_WEIGHT: f64 = 0.75;
/// The maximum number of words of a text that are searched.
const MAX_WORDS: usize = 64;

/// Returns the best icons for a text, at most `count`. There are none if no icon fits.
///
/// Ties are broken by name, so that the result is always the same.
pub(super) fn search(text: &str, count: usize) -> Vec<Candidate> {
    let stemmer = Stemmer::create(Algorithm::English);
    let words_of_text = descriptive(words(text));
    let query = query(&words_of_text, &stemmer);
    let index = index();
    let mut found: Vec<Candidate> = embedded()
        .iter()
        .zip(&index.documents)
        .map(|(icon, document)| Candidate {
            icon,
            score: score(index, icon, document, &query, &words_of_text),
        })
        .filter(|candidate| candidate.score > 0.0)
        .collect();
    if found.is_empty() {
        found = nearest(text);
    }
    found.sort_by(|left, right| {
        right.score.total_cmp(&left.score).then_with(|| left.icon.name.cmp(&right.icon.name))
    });
    found.truncate(count);
    found
}

/// A stem of the query and its weight.
struct Term {
    stem: String,
    weight: f64,
}

/// Returns the descriptive words, or all words if none is descriptive.
fn descriptive(words: Vec<String>) -> Vec<String> {
    let stop: HashSet<&str> = STOP_WORDS.split_whitespace().collect();
    let descriptive: Vec<String> =
        words.iter().filter(|word| !stop.contains(word.as_str())).cloned().collect();
    if descriptive.is_empty() { words } else { descriptive }
}

fn query(words_of_text: &[String], stemmer: &Stemmer) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    let mut add = |stem: String, weight: f64| match terms.iter_mut().find(|term| term.stem == stem) {
        Some(term) => term.weight = term.weight.max(weight),
        None => terms.push(Term { stem, weight }),
    };
    let last = words_of_text.len().saturating_sub(1);
    for (position, word) in words_of_text.iter().enumerate() {
        // Only the first words of a long text and its last one are searched.
        if position >= MAX_WORDS - 1 && position != last {
            continue;
        }
        // The last word is usually the head of an English phrase: a "birthday cake" is a cake. The first word
        // counts as much, because many texts start with the object.
        let weight = if position == last || position == 0 { 1.0 } else { 0.8 };
        add(stemmer.stem(word).into_owned(), weight);
        for (from, to) in SYNONYMS.lines().filter_map(|line| line.split_once(": ")) {
            if from.split(' ').any(|known| stemmer.stem(known) == stemmer.stem(word)) {
                for synonym in to.split([' ', '-']) {
                    add(stemmer.stem(synonym).into_owned(), weight * SYNONYM_WEIGHT);
                }
            }
        }
    }
    terms
}

fn score(
    index: &Index,
    icon: &EmbeddedIcon,
    document: &Document,
    query: &[Term],
    words_of_text: &[String],
) -> f64 {
    let total = index.documents.len() as f64;
    let (mut score, mut covered) = (0.0, 0.0);
    for term in query {
        let Some(count) = document.stems.get(&term.stem) else { continue };
        let frequency = index.frequency.get(&term.stem).copied().unwrap_or(1.0);
        let rarity = (1.0 + (total - frequency + 0.5) / (frequency + 0.5)).ln();
        let norm = 1.0 - B + B * document.length / index.mean_length;
        score += term.weight * rarity * count * (K1 + 1.0) / (count + K1 * norm);
        covered += term.weight;
    }
    if score > 0.0 {
        // Prefer icons whose whole name was requested: `bell` before `bell-off`.
        let named =
            document.name_stems.iter().filter(|stem| query.iter().any(|term| term.stem == **stem)).count();
        if named == document.name_stems.len() {
            score *= 2.0;
        }
        score *= 0.5 + named as f64 / document.name_stems.len().max(1) as f64;
        if document.is_variant {
            score *= 0.8;
        }
        if words_of_text.contains(&icon.name) {
            score *= 1.3;
        }
        score *= 1.0 + 0.2 * covered.min(3.0);
    }
    score
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let stemmer = Stemmer::create(Algorithm::English);
        let documents: Vec<Document> = embedded().iter().map(|icon| document(icon, &stemmer)).collect();
        let mut frequency: HashMap<String, f64> = HashMap::new();
        for stem in documents.iter().flat_map(|document| document.stems.keys()) {
            *frequency.entry(stem.clone()).or_default() += 1.0;
        }
        let length: f64 = documents.iter().map(|document| document.length).sum();
        let mean_length = (length / documents.len().max(1) as f64).max(1.0);
        Index { documents, frequency, mean_length }
    })
}

fn document(icon: &EmbeddedIcon, stemmer: &Stemmer) -> Document {
    let mut stems: HashMap<String, f64> = HashMap::new();
    let mut name_stems = Vec::new();
    for word in icon.name.split('-').filter(|word| word.parse::<u32>().is_err()) {
        let stem = stemmer.stem(word).into_owned();
        *stems.entry(stem.clone()).or_default() += NAME_WEIGHT;
        name_stems.push(stem);
    }
    for word in icon.tags.iter().flat_map(|tag| tag.split(|c: char| !c.is_alphanumeric())) {
        if !word.is_empty() {
            *stems.entry(stemmer.stem(word).into_owned()).or_default() += 1.0;
        }
    }
    let length = stems.values().sum();
    let singular = icon.name.strip_suffix('s').unwrap_or_default();
    let is_plural = embedded().binary_search_by(|other| other.name.as_str().cmp(singular)).is_ok();
    let is_variant = is_plural || icon.name.ends_with(|c: char| c.is_ascii_digit());
    Document { stems, name_stems, is_variant, length }
}

/// Returns the icons with similar names, for misspelled words.
fn nearest(text: &str) -> Vec<Candidate> {
    let words: Vec<HashSet<[char; 3]>> = words(text).iter().take(32).map(|word| trigrams(word)).collect();
    let similarity = |icon: &EmbeddedIcon| {
        let candidates = icon.name.split('-').chain([icon.name.as_str()]).map(trigrams);
        let pairs = candidates.flat_map(|name| words.iter().map(move |word| dice(word, &name)));
        pairs.fold(0.0, f64::max) / (1.0 + 0.05 * icon.name.matches('-').count() as f64)
    };
    embedded()
        .iter()
        .map(|icon| Candidate { icon, score: similarity(icon) })
        .filter(|candidate| candidate.score > MIN_SIMILARITY)
        .collect()
}

/// The similarity that a name must exceed to match a misspelled word.
const MIN_SIMILARITY: f64 = 0.4;

fn trigrams(word: &str) -> HashSet<[char; 3]> {
    let padded: Vec<char> = [' '].into_iter().chain(word.chars().take(40)).chain([' ']).collect();
    padded.windows(3).filter_map(|window| window.try_into().ok()).collect()
}

fn dice(left: &HashSet<[char; 3]>, right: &HashSet<[char; 3]>) -> f64 {
    let common = left.intersection(right).count() as f64;
    2.0 * common / (left.len() + right.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(text: &str) -> &'static str {
        search(text, 10).first().unwrap().icon.name.as_str()
    }

    #[test]
    fn words_find_their_icons() {
        for (text, name) in [
            ("bell", "bell"),
            ("a cute cat", "cat"),
            ("red heart icon", "heart"),
            ("rocket", "rocket"),
            ("shopping cart", "shopping-cart"),
            ("a puppy", "dog"),
            ("an envelope", "mail"),
            ("cups of coffee", "coffee"),
            ("birthday cake", "cake"),
            ("magnifying glass", "search"),
            ("lightbulb", "lightbulb"),
            ("trash can", "trash"),
            ("padlock", "lock"),
            ("users", "users"),
            ("user profile", "user"),
            ("airplane", "plane"),
            ("settings gear", "settings"),
            ("trophies", "trophy"),
        ] {
            assert_eq!(best(text), name, "{text}");
        }
    }

    #[test]
    fn the_first_and_the_last_word_of_a_long_text_are_searched() {
        let unknown = "qqq ".repeat(100);
        assert_eq!(best(&format!("{unknown} rocket")), "rocket");
        assert_eq!(best(&format!("rocket {unknown}")), "rocket");
        assert!(search(&format!("{unknown} rocket {unknown}"), 10).is_empty());
    }

    #[test]
    fn misspelled_words_find_similar_names() {
        assert_eq!(best("rokcet rockett"), "rocket");
        assert_eq!(best("umbrela"), "umbrella");
    }

    #[test]
    fn unknown_words_find_nothing() {
        for text in ["", "猫", "!!!", "qqqqqqqqq", "zxcvbnm asdfgh"] {
            assert!(search(text, 10).is_empty(), "{text}: {}", best(text));
        }
    }
}
