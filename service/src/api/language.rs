//! The language of an answer: every name is there in English, some are in others, and `Accept-Language` chooses.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use asset_api_server::Context;
use axum::http::{Extensions, HeaderMap, HeaderValue, header};

use super::authenticate::Caller;
use crate::catalogue::Icon;

/// The language that every name is in.
const ENGLISH: &str = "en-US";

/// How many languages of a header are looked at.
const MOST: usize = 32;

/// The languages that an answer turned out to be in; `None`: it does not depend on what the client prefers.
#[derive(Debug, Clone, Default)]
pub struct Spoken(Arc<Mutex<Option<Vec<String>>>>);

impl Spoken {
    /// Those of the answer to the request with these extensions.
    pub fn of(extensions: &mut Extensions) -> Self {
        let spoken = Self::default();
        extensions.insert(spoken.clone());
        spoken
    }

    /// Says of the answer in which languages it is, and that it might be in others.
    pub fn tell(&self, headers: &mut HeaderMap) {
        let Some(languages) = self.take() else { return };
        headers.append(header::VARY, HeaderValue::from_static("accept-language"));
        let languages = HeaderValue::from_str(&languages.join(", ")).ok();
        if let Some(languages) = languages.filter(|all| !all.is_empty()) {
            headers.insert(header::CONTENT_LANGUAGE, languages);
        }
    }

    fn add(&self, language: Option<&str>) {
        let mut spoken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let languages = spoken.get_or_insert_default();
        if let Some(language) = language.filter(|language| !languages.iter().any(|known| known == language)) {
            languages.push(language.to_owned());
        }
    }

    fn take(&self) -> Option<Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// What a client prefers.
pub(super) struct Preference {
    /// Language tags, the best first.
    tags: Vec<String>,
    spoken: Spoken,
}

impl Preference {
    /// What this request's header says. What is no list of languages prefers nothing.
    pub(super) fn of(context: &Context<Caller>, header: Option<&str>) -> Self {
        let spoken = context.extensions.get::<Spoken>().cloned().unwrap_or_default();
        spoken.add(None);
        Self { tags: tags(header.unwrap_or_default()), spoken }
    }

    /// Puts an icon's name into the language.
    pub(super) fn icon(&self, icon: &mut Icon) {
        let name = self.title(&icon.name, &icon.names).to_owned();
        icon.name = name;
    }

    /// A title in the language, of those that there are.
    pub(super) fn title<'t>(&self, title: &'t str, others: &'t BTreeMap<String, String>) -> &'t str {
        let other = chosen(&self.tags, others);
        self.spoken.add(Some(other.map_or(ENGLISH, |(language, _)| language)));
        other.map_or(title, |(_, other)| other)
    }
}

/// The tags of an `Accept-Language` header in lower case, the best first: RFC 9110, section 12.5.4.
fn tags(header: &str) -> Vec<String> {
    let mut weighted: Vec<(f32, String)> = header
        .split(',')
        .take(MOST)
        .filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let tag = parts.next().filter(|tag| !tag.is_empty())?.to_ascii_lowercase();
            let weight =
                parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1.0), |q| q.parse().ok())?;
            (weight > 0.0).then_some((weight, tag))
        })
        .collect();
    // Those of the same weight stay in their order.
    weighted.sort_by(|a, b| b.0.total_cmp(&a.0));
    weighted.into_iter().map(|(_, tag)| tag).collect()
}

/// The name in the best language that there is, and which it is; `None`: English. A tag is cut from its end until there is
/// a name for it (RFC 4647, section 3.4): `es-MX` is content with `es`.
fn chosen<'a>(tags: &[String], others: &'a BTreeMap<String, String>) -> Option<(&'a str, &'a str)> {
    for tag in tags {
        let mut range = tag.as_str();
        loop {
            if let Some((language, name)) = others.get_key_value(range) {
                return Some((language, name));
            }
            match range.rsplit_once('-') {
                Some((shorter, _)) => range = shorter,
                None => break,
            }
        }
        if range == "en" || range == "*" {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_language_that_there_is() {
        let others = [("es", "Casa"), ("pt-br", "Casa do Brasil"), ("de", "Haus"), ("en-gb", "Home")];
        let others = others.map(|(tag, name)| (tag.to_owned(), name.to_owned())).into();
        for (header, expected) in [
            ("es", Some("es")),
            ("es-MX", Some("es")),
            ("ES-es, de;q=0.5", Some("es")),
            ("fr, de;q=0.8, es;q=0.9", Some("es")),
            ("fr;q=0.3, de; q=0.8", Some("de")),
            ("pt-BR", Some("pt-br")),
            ("pt", None),
            ("en-US", None),
            ("en-GB", Some("en-gb")),
            ("en, es", None),
            ("*, es;q=0.5", None),
            ("es;q=0, de;q=0.1", Some("de")),
            ("es;q=x, de", Some("de")),
            ("xx-XX", None),
            ("", None),
            (",;=,,q", None),
        ] {
            let language = chosen(&tags(header), &others).map(|(language, _)| language);
            assert_eq!(language, expected, "{header}");
        }
    }
}
