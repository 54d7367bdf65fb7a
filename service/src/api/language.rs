//! The language of names in responses, chosen by `Accept-Language`.
//!
//! Every name exists in English; some exist in other languages too.

use std::collections::BTreeMap;
use std::iter::successors;
use std::sync::Arc;

use asset_api_server::Context;
use axum::http::{Extensions, HeaderMap, HeaderValue, header};
use parking_lot::Mutex;

use super::authenticate::Caller;
use crate::catalogue::Icon;

/// The language that every name exists in.
const ENGLISH: &str = "en-US";

/// The maximum number of language ranges that are read from a header.
const MAX_RANGES: usize = 32;

/// The languages that a response contains, shared between handler and front.
///
/// `None` means that the response does not depend on `Accept-Language`.
#[derive(Debug, Clone, Default)]
pub struct ResponseLanguages(Arc<Mutex<Option<Vec<String>>>>);

impl ResponseLanguages {
    /// Attaches a new record to the extensions of a request.
    pub fn of(extensions: &mut Extensions) -> Self {
        let spoken = Self::default();
        extensions.insert(spoken.clone());
        spoken
    }

    /// Sets `Vary` and `Content-Language` on the response.
    pub fn add_to(&self, headers: &mut HeaderMap) {
        let Some(languages) = self.0.lock().take() else { return };
        headers.append(header::VARY, HeaderValue::from_static("accept-language"));
        let languages = HeaderValue::from_str(&languages.join(", ")).ok();
        if let Some(languages) = languages.filter(|all| !all.is_empty()) {
            headers.insert(header::CONTENT_LANGUAGE, languages);
        }
    }

    fn add(&self, language: Option<&str>) {
        let mut spoken = self.0.lock();
        let languages = spoken.get_or_insert_default();
        if let Some(language) = language.filter(|language| !languages.iter().any(|known| known == language)) {
            languages.push(language.to_owned());
        }
    }
}

/// The languages that a client prefers.
pub(super) struct Preference {
    /// Language tags, best first.
    tags: Vec<String>,
    spoken: ResponseLanguages,
}

impl Preference {
    /// Reads the preference of a request; a malformed header prefers nothing.
    pub(super) fn of(context: &Context<Caller>, header: Option<&str>) -> Self {
        let spoken = context.extensions.get::<ResponseLanguages>().cloned().unwrap_or_default();
        spoken.add(None);
        Self { tags: tags(header.unwrap_or_default()), spoken }
    }

    /// Replaces an icon's name with the preferred language's.
    pub(super) fn icon(&self, icon: &mut Icon) {
        let name = self.title(&icon.name, &icon.names).to_owned();
        icon.name = name;
    }

    /// Returns the title in the preferred language, if it exists in it.
    pub(super) fn title<'t>(&self, title: &'t str, others: &'t BTreeMap<String, String>) -> &'t str {
        let other = chosen(&self.tags, others);
        self.spoken.add(Some(other.map_or(ENGLISH, |(language, _)| language)));
        other.map_or(title, |(_, other)| other)
    }
}

/// Returns the tags of an `Accept-Language` header in lower case, best first.
///
/// See RFC 9110, section 12.5.4.
fn tags(header: &str) -> Vec<String> {
    let mut weighted: Vec<(f32, String)> = header
        .split(',')
        .take(MAX_RANGES)
        .filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let tag = parts.next().filter(|tag| !tag.is_empty())?.to_ascii_lowercase();
            let weight =
                parts.find_map(|part| part.strip_prefix("q=")).map_or(Some(1.0), |q| q.parse().ok())?;
            (weight > 0.0).then_some((weight, tag))
        })
        .collect();
    // The sort is stable: ranges of equal weight keep their order.
    weighted.sort_by(|a, b| b.0.total_cmp(&a.0));
    weighted.into_iter().map(|(_, tag)| tag).collect()
}

/// Returns the best available language and its name; `None` means English.
///
/// Each tag is shortened from its end until a name matches (RFC 4647, section 3.4): `es-MX` finds `es`.
fn chosen<'a>(tags: &[String], others: &'a BTreeMap<String, String>) -> Option<(&'a str, &'a str)> {
    for tag in tags {
        let mut ranges = successors(Some(tag.as_str()), |range| Some(range.rsplit_once('-')?.0));
        if let Some((language, name)) = ranges.find_map(|range| others.get_key_value(range)) {
            return Some((language, name));
        }
        if matches!(tag.split('-').next(), Some("en" | "*")) {
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
