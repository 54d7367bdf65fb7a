//! Tokens: what records are found by. Words and facets alike are made of lower-case letters and digits alone, the same for
//! both databases, so that neither's own idea of words is asked. (A series is what it is: it is no part of any statement.)

use super::index::Entry;
use super::query::{AudioQuery, ResourceQuery};
use super::relevance::{each_stem, stem, words};
use super::{Effect, Track};
use crate::time::Millis;

/// What a search asks for: of each group one token has to be there.
pub type Wanted = Vec<Vec<String>>;

/// A word as a token.
fn word(word: &str) -> String {
    format!("w{}", stem(word))
}

/// A facet, such as `kind:photo`, as a token.
fn facet(text: &str) -> String {
    let mut token = String::new();
    write_facet(&mut token, &[text]);
    token
}

/// Writes a facet as a token.
fn write_facet(token: &mut String, parts: &[&str]) {
    token.clear();
    token.push('f');
    for part in parts {
        token.extend(part.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase));
    }
}

/// What tokens of words in titles begin with.
const IN_TITLE: &str = "t";

/// What tokens of words among keywords begin with.
const IN_KEYWORDS: &str = "k";

/// A word in a resource's title, by its stem, as a token.
#[must_use]
pub fn in_title(stem: &str) -> String {
    format!("{IN_TITLE}{stem}")
}

/// A word among a resource's keywords, by its stem, as a token.
#[must_use]
pub fn in_keywords(stem: &str) -> String {
    format!("{IN_KEYWORDS}{stem}")
}

/// An author as a token.
#[must_use]
pub fn author(id: i64) -> String {
    facet(&format!("author:{id}"))
}

/// A series as a token.
#[must_use]
pub fn series(name: &str) -> String {
    format!("s{name}")
}

fn of_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Vec<String> {
    texts.into_iter().flat_map(words).map(|text| word(&text)).collect()
}

fn once(mut tokens: Vec<String>) -> Vec<String> {
    tokens.sort();
    tokens.dedup();
    tokens
}

/// The tokens of a resource, one after the other; some come more than once.
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

/// The tokens of music.
#[must_use]
pub fn of_track(track: &Track) -> Vec<String> {
    let mut tokens = of_texts([track.title.as_str(), track.artist.as_str()]);
    tokens.extend(of_texts(track.genres.iter().chain(&track.moods).map(String::as_str)));
    tokens.extend(track.genres.iter().map(|genre| facet(&format!("genre:{genre}"))));
    tokens.extend(track.moods.iter().map(|mood| facet(&format!("mood:{mood}"))));
    tokens.push(license(track.premium));
    once(tokens)
}

/// The tokens of a sound effect.
#[must_use]
pub fn of_effect(effect: &Effect) -> Vec<String> {
    let mut tokens =
        of_texts(std::iter::once(effect.title.as_str()).chain(effect.tags.iter().map(String::as_str)));
    tokens.extend(of_texts([effect.category.name.as_str()]));
    tokens.push(facet(&format!("category:{}", effect.category.name)));
    tokens.push(license(effect.premium));
    once(tokens)
}

fn license(premium: bool) -> String {
    facet(if premium { "license:premium" } else { "license:freemium" })
}

/// What a search for resources asks for.
#[must_use]
pub fn wanted_resources(query: &ResourceQuery) -> Wanted {
    let stems = query.words.iter().map(|word| stem(word));
    let mut wanted: Wanted = stems.map(|stem| vec![in_title(&stem), in_keywords(&stem)]).collect();
    wanted.extend(query.any_of.iter().map(|group| group.iter().map(|text| facet(text)).collect()));
    wanted.extend(query.author.map(|id| vec![author(id)]));
    wanted.extend(query.published_since.map(|since| weeks(since, query.now)));
    wanted
}

/// What a search for music or sound effects asks for.
#[must_use]
pub fn wanted_audio(query: &AudioQuery) -> Wanted {
    let mut wanted: Wanted = query.words.iter().map(|text| vec![word(text)]).collect();
    wanted.extend(query.any_of.iter().map(|group| group.iter().map(|text| facet(text)).collect()));
    if !query.premium {
        wanted.push(vec![license(false)]);
    }
    wanted
}

/// A period of time is as exact as a week: that is enough for "last month", and lets a search with a period cost no more
/// than one without.
const WEEK: Millis = 7 * 24 * 60 * 60 * 1000;

/// The weeks since then, to now; at most those of about a year.
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
