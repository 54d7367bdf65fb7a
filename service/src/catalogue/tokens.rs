//! Tokens: what records are found by. Words and facets alike are made of lower-case letters and digits alone, the same for
//! both databases, so that neither's own idea of words is asked. (A series is what it is: it is no part of any statement.)

use super::query::{AudioQuery, ResourceQuery};
use super::relevance::{stem, words};
use super::{Effect, Resource, Track};
use crate::time::Millis;

/// What a search asks for: of each group one token has to be there.
pub type Wanted = Vec<Vec<String>>;

/// A word as a token.
fn word(word: &str) -> String {
    format!("w{}", stem(word))
}

/// A facet, such as `kind:photo`, as a token.
fn facet(text: &str) -> String {
    std::iter::once('f')
        .chain(text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase))
        .collect()
}

/// A word in a resource's title, by its stem, as a token.
#[must_use]
pub fn in_title(stem: &str) -> String {
    format!("t{stem}")
}

/// A word among a resource's keywords, by its stem, as a token.
#[must_use]
pub fn in_keywords(stem: &str) -> String {
    format!("k{stem}")
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

/// The tokens of a resource.
#[must_use]
pub fn of_resource(resource: &Resource) -> Vec<String> {
    let facets = &resource.facets;
    let keywords = resource.keywords.iter().flat_map(|keyword| words(&keyword.name));
    let mut tokens: Vec<String> = words(&resource.title).iter().map(|word| in_title(&stem(word))).collect();
    tokens.extend(keywords.map(|word| in_keywords(&stem(&word))));
    let mut add = |text: &str| tokens.push(facet(text));
    add(&format!("kind:{}", facets.kind));
    add(&format!("orientation:{}", facets.orientation));
    add(if facets.premium { "license:premium" } else { "license:freemium" });
    add(if facets.ai_generated { "ai:yes" } else { "ai:no" });
    facets.colors.iter().for_each(|color| add(&format!("color:{color}")));
    match facets.people {
        None => {}
        Some(0) => add("people:none"),
        Some(number) => {
            add("people:some");
            add(&if number > 3 { "people:more".to_owned() } else { format!("people:{number}") });
        }
    }
    facets.ages.iter().for_each(|age| add(&format!("age:{age}")));
    facets.genders.iter().for_each(|gender| add(&format!("gender:{gender}")));
    facets.vector_style.iter().for_each(|style| add(&format!("style:{style}")));
    resource.formats.keys().for_each(|format| add(&format!("format:{format}")));
    add(&week(resource.published_at));
    tokens.push(author(resource.author.id));
    tokens.extend(resource.series.as_deref().map(series));
    once(tokens)
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

const WEEK: Millis = 7 * 24 * 60 * 60 * 1000;

/// The week of a moment. A period of time is as exact as a week: that is enough for "last month", and lets a search with a
/// period cost no more than one without.
fn week(at: Millis) -> String {
    format!("week:{}", at.div_euclid(WEEK))
}

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
