//! Chooses recipes by the words of a text.

use rust_stemmers::{Algorithm, Stemmer};

use super::recipes::{self, Recipe};

/// A recipe and its strength relative to the strongest one, 0 to 1.
pub(super) struct Choice {
    pub(super) recipe: &'static Recipe,
    pub(super) share: f64,
}

/// The largest number of recipes that sound at once.
const MOST: usize = 4;

/// Returns the words in lower case, without negated ones ("no birds").
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut denied = false;
    let lower = text.to_lowercase();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        match word {
            "no" | "without" | "not" => denied = true,
            "a" | "an" | "the" | "any" => {}
            _ if denied => denied = false,
            word => words.push(word.to_owned()),
        }
    }
    words
}

/// Returns the recipes for these words, the strongest first. There may be none.
pub(super) fn choose(words: &[String]) -> Vec<Choice> {
    let stemmer = Stemmer::create(Algorithm::English);
    let stems: Vec<String> = words.iter().map(|word| stemmer.stem(word).into_owned()).collect();
    let mut scored: Vec<(f64, &'static Recipe)> = recipes::all()
        .map(|recipe| (score(recipe, words, &stems, &stemmer), recipe))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    scored.sort_by(|left, right| right.0.total_cmp(&left.0));
    let strongest = scored.first().map_or(0.0, |(score, _)| *score);
    scored
        .into_iter()
        .filter(|(score, _)| *score >= 0.4 * strongest)
        .take(MOST)
        .map(|(score, recipe)| Choice { recipe, share: score / strongest })
        .collect()
}

/// Returns the weight of a recipe in the text.
///
/// Two words that stand together weigh most, a lesser word least. Earlier words weigh slightly more.
fn score(recipe: &Recipe, words: &[String], stems: &[String], stemmer: &Stemmer) -> f64 {
    let place = |index: usize| 1.0 - 0.3 * (index as f64 / words.len().max(1) as f64);
    let mut total = 0.0;
    for (known, weight) in [(recipe.words, 3.0), (recipe.lesser, 1.0)] {
        for entry in known.split_whitespace() {
            let mut parts = entry.split('+').map(|part| stemmer.stem(part));
            let (Some(first), second) = (parts.next(), parts.next()) else { continue };
            for (index, stem) in stems.iter().enumerate() {
                if *stem != first {
                    continue;
                }
                match &second {
                    None => total += weight * place(index),
                    Some(second) if stems.get(index + 1).is_some_and(|next| next == second) => {
                        total += 2.2 * weight * place(index);
                    }
                    Some(_) => {}
                }
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&'static str> {
        choose(&words(text)).iter().map(|choice| choice.recipe.name).collect()
    }

    #[test]
    fn words_find_their_recipes() {
        for (text, name) in [
            ("Heavy rain on a tin roof", "rain"),
            ("raining", "rain"),
            ("ocean waves crashing on the shore", "sea"),
            ("someone knocking at the door", "knock"),
            ("creaky door opening", "creak"),
            ("crickets at night", "crickets"),
            ("mouse click", "click"),
            ("a laser gun firing", "laser"),
            ("audience clapping", "applause"),
            ("a coin is picked up", "coin"),
            ("heartbeats", "heartbeat"),
            ("glass breaking", "glass"),
            ("epic cinematic impact", "impact"),
            ("dog barks", "dog"),
            ("old car engine idling", "engine"),
        ] {
            assert_eq!(names(text).first(), Some(&name), "{text}: {:?}", names(text));
        }
    }

    #[test]
    fn what_is_joined_by_and_is_mixed() {
        assert_eq!(names("rain and thunder"), ["rain", "thunder"]);
        assert_eq!(names("rain without thunder"), ["rain"]);
    }

    #[test]
    fn unknown_words_choose_nothing() {
        for text in ["xyzzy", "雨", "???", "loud and heavy"] {
            assert!(names(text).is_empty(), "{text}: {:?}", names(text));
        }
    }
}
