//! Tokens: the terms by which searches find records.
//!
//! Tokens of words and facets consist of lower-case letters and digits only. Both databases thus find the
//! same records, although their own rules for words differ. A token of a series holds the name unchanged,
//! because it is never part of a statement.

use super::index::Entry;
use super::query::{AudioQuery, ResourceQuery};
use super::relevance::{MAX_WORD_CHARACTERS, each_stem, stem, words};
use super::{Effect, Track};
use crate::time::Millis;

/// The token groups of a search; a record must have one token of each group.
pub type Wanted = Vec<Vec<String>>;

/// Returns the token of a word.
fn word(word: &str) -> String {
    format!("w{}", stem(word))
}

/// Returns the token of a facet such as `kind:photo`.
fn facet(text: &str) -> String {
    let mut token = String::new();
    write_facet(&mut token, &[text]);
    token
}

/// Writes the token of a facet.
fn write_facet(token: &mut String, parts: &[&str]) {
    token.clear();
    token.push('f');
    for part in parts {
        let letters = part.chars().filter(|c| c.is_alphanumeric()).take(MAX_WORD_CHARACTERS);
        token.extend(letters.flat_map(char::to_lowercase));
    }
}

/// The prefix of tokens for words in titles.
const IN_TITLE: &str = "t";

/// The prefix of tokens for words among keywords.
const IN_KEYWORDS: &str = "k";

/// Returns the token of a word in a resource's title, by its stem.
#[must_use]
pub fn in_title(stem: &str) -> String {
    format!("{IN_TITLE}{stem}")
}

/// Returns the token of a word among a resource's keywords, by its stem.
#[must_use]
pub fn in_keywords(stem: &str) -> String {
    format!("{IN_KEYWORDS}{stem}")
}

/// Returns the token of an author.
#[must_use]
pub fn author(id: i64) -> String {
    facet(&format!("author:{id}"))
}

/// Returns the token of a series.
#[must_use]
pub fn series(name: &str) -> String {
    format!("s{name}")
}

fn of_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    texts.into_iter().flat_map(words).map(|text| word(&text)).collect()
}

fn sorted_unique(mut tokens: Vec<String>) -> Vec<String> {
    tokens.sort();
    tokens.dedup();
    tokens
}

/// Passes each token of a resource to `add`; some tokens come more than once.
pub fn of_resource(entry: &Entry<'_>, mut add: impl FnMut(&str)) {
    let mut token = String::new();
    let mut words = |kind: &str, text: &str| {
        each_stem(text, |stem| {
            token.clear();
            token.push_str(kind);
            token.push_str(stem);
            add(&token);
        });
    };
    words(IN_TITLE, &entry.title);
    entry.keywords.iter().for_each(|keyword| words(IN_KEYWORDS, &keyword.name));
    let facets = &entry.facets;
    let mut is = |group: &str, value: &str| {
        write_facet(&mut token, &[group, value]);
        add(&token);
    };
    is("kind", &facets.kind);
    is("orientation", &facets.orientation);
    is("license", if facets.premium { "premium" } else { "freemium" });
    is("ai", if facets.ai_generated { "yes" } else { "no" });
    facets.colors.iter().for_each(|color| is("color", color));
    match facets.people {
        None => {}
        Some(0) => is("people", "none"),
        Some(number) => {
            is("people", "some");
            let number = if number > 3 { "more".to_owned() } else { number.to_string() };
            is("people", &number);
        }
    }
    facets.ages.iter().for_each(|age| is("age", age));
    facets.genders.iter().for_each(|gender| is("gender", gender));
    facets.vector_style.iter().for_each(|style| is("style", style));
    entry.formats.keys().for_each(|format| is("format", format));
    is("week", &entry.published_at.div_euclid(WEEK).to_string());
    is("author", &entry.author.id.to_string());
    if let Some(name) = &entry.series {
        add(&series(name));
    }
}

/// Returns the tokens of a track.
#[must_use]
pub fn of_track(track: &Track) -> Vec<String> {
    let mut tokens = of_texts([track.title.as_str(), track.artist.as_str()]);
    tokens.extend(of_texts(track.genres.iter().chain(&track.moods).map(String::as_str)));
    tokens.extend(track.genres.iter().map(|genre| facet(&format!("genre:{genre}"))));
    tokens.extend(track.moods.iter().map(|mood| facet(&format!("mood:{mood}"))));
    tokens.push(license(track.premium));
    sorted_unique(tokens)
}

/// Returns the tokens of a sound effect.
#[must_use]
pub fn of_effect(effect: &Effect) -> Vec<String> {
    let mut tokens =
        of_texts(std::iter::once(effect.title.as_str()).chain(effect.tags.iter().map(String::as_str)));
    tokens.extend(of_texts([effect.category.name.as_str()]));
    tokens.push(facet(&format!("category:{}", effect.category.name)));
    tokens.push(license(effect.premium));
    sorted_unique(tokens)
}

fn license(premium: bool) -> String {
    facet(if premium { "license:premium" } else { "license:freemium" })
}

/// Returns the token groups of a search for resources.
#[must_use]
pub fn wanted_resources(query: &ResourceQuery) -> Wanted {
    let stems = query.words.iter().map(|word| stem(word));
    let mut wanted: Wanted = stems.map(|stem| vec![in_title(&stem), in_keywords(&stem)]).collect();
    wanted.extend(query.any_of.iter().map(|group| group.iter().map(|text| facet(text)).collect()));
    wanted.extend(query.author.map(|id| vec![author(id)]));
    wanted.extend(query.published_since.map(|since| weeks(since, query.now)));
    wanted
}

/// Returns the token groups of a search for music or sound effects.
#[must_use]
pub fn wanted_audio(query: &AudioQuery) -> Wanted {
    let mut wanted: Wanted = query.words.iter().map(|text| vec![word(text)]).collect();
    wanted.extend(query.any_of.iter().map(|group| group.iter().map(|text| facet(text)).collect()));
    if !query.premium {
        wanted.push(vec![license(false)]);
    }
    wanted
}

/// The precision of a period of time: a week, in milliseconds.
///
/// That is enough for "last month", and turns a period into a group of tokens like any other filter.
const WEEK: Millis = 7 * 24 * 60 * 60 * 1000;

/// Returns the tokens of the weeks from `since` to `now`, at most of the last 61.
fn weeks(since: Millis, now: Millis) -> Vec<String> {
    let (first, last) = (since.div_euclid(WEEK), now.div_euclid(WEEK));
    (first.max(last - 60)..=last).map(|week| facet(&format!("week:{week}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_and_singulars_are_one_token() {
        for (one, other) in [("house", "houses"), ("city", "cities"), ("cat", "cats")] {
            assert_eq!(word(one), word(other));
        }
        for alone in ["glass", "bus", "is"] {
            assert_eq!(word(alone), format!("w{alone}"));
        }
    }

    #[test]
    fn tokens_are_letters_and_digits() {
        assert_eq!(facet("age:young-adult"), "fageyoungadult");
        assert_eq!(facet("genre:Hip Hop"), "fgenrehiphop");
        assert!(
            of_texts(["a \"quoted\" OR (word)*"])
                .iter()
                .all(|token| token.chars().all(char::is_alphanumeric))
        );
    }

    #[test]
    fn a_period_is_the_weeks_in_it() {
        let now = 100 * WEEK + 5;
        assert_eq!(weeks(now - 2 * WEEK, now), ["fweek98", "fweek99", "fweek100"]);
        assert_eq!(weeks(0, now).len(), 61);
    }
}
