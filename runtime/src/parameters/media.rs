//! Media types: matches a `Content-Type` header with the documented contents; the encodings of parts.

use crate::table::{Content, ContentFormat, Encoding};

/// The encodings of the parts of a multipart body.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PartEncodings {
    /// Those of the properties of an object. Each is a part, and so is each item of an array.
    Named(&'static [Encoding]),
    /// Those of the items of an array: the first ones, and all others.
    Positional(&'static [Encoding], Option<&'static Encoding>),
}

impl PartEncodings {
    pub(crate) fn of(content: &'static Content) -> Self {
        match content.format {
            ContentFormat::Multipart => Self::Named(content.encodings),
            _ => Self::Positional(content.prefix_encodings, content.item_encoding),
        }
    }

    /// Returns the encodings of the parts in a part.
    pub(crate) const fn inside(encoding: &'static Encoding, is_object: bool) -> Self {
        if is_object {
            Self::Named(encoding.encodings)
        } else {
            Self::Positional(encoding.prefix_encodings, encoding.item_encoding)
        }
    }

    /// Returns the encoding of the part with this name, if parts have names.
    pub(crate) fn named(self, name: &str) -> Option<&'static Encoding> {
        match self {
            Self::Named(encodings) => encodings.iter().find(|encoding| encoding.property == name),
            Self::Positional(..) => None,
        }
    }

    /// Returns the encoding of the part at `index`, if parts have no names.
    pub(crate) fn at(self, index: usize) -> Option<&'static Encoding> {
        match self {
            Self::Named(_) => None,
            Self::Positional(prefix, item) => prefix.get(index).or(item),
        }
    }
}

/// Returns the index of the content that matches a `Content-Type` header best.
///
/// Parameters and case are ignored. An exact match is best, then `application/*+json`, which also matches
/// `application/json`, then `image/*`, then `*/*`. Of equal matches, the first in the document wins.
/// The result is `None` if nothing matches.
///
/// ```
/// use openapi_crates_runtime::parameters::match_content;
/// use openapi_crates_runtime::table::{Content, ContentFormat, Schema};
///
/// let contents = [
///     Content::new("image/*", ContentFormat::Bytes, &Schema::BYTES),
///     Content::new("text/plain", ContentFormat::Text, &Schema::TEXT),
/// ];
///
/// assert_eq!(match_content(&contents, "text/plain; charset=utf-8"), Some(1));
/// assert_eq!(match_content(&contents, "image/png"), Some(0));
/// assert_eq!(match_content(&contents, "application/json"), None);
/// ```
#[must_use]
pub fn match_content(contents: &[Content], content_type: &str) -> Option<usize> {
    let media_type = media_type(content_type);
    let ranked = contents.iter().enumerate().filter_map(|(index, content)| {
        let ranks = content.media_types().filter_map(|own| closeness(self::media_type(own), media_type));
        Some((ranks.min()?, index))
    });
    // Equally close rows are ordered by their index.
    ranked.min().map(|(_, index)| index)
}

/// Returns whether one of these media types and ranges, separated by commas, matches a `Content-Type` header.
pub(crate) fn lists(documented: &str, content_type: &str) -> bool {
    let given = media_type(content_type);
    documented.split(',').any(|one| closeness(media_type(one), given).is_some())
}

/// Returns a media type without its parameters.
pub(crate) fn media_type(content_type: &str) -> &str {
    content_type.split_once(';').map_or(content_type, |(media_type, _)| media_type).trim()
}

/// Returns whether a media type is JSON.
pub(crate) fn is_json(media_type: Option<&str>) -> bool {
    media_type.map(self::media_type).is_some_and(|media_type| {
        media_type.eq_ignore_ascii_case("application/json")
            || media_type.to_ascii_lowercase().ends_with("+json")
    })
}

/// Returns whether a media type is one of multipart bodies.
pub(crate) fn is_multipart(media_type: &str) -> bool {
    media_type.get(..10).is_some_and(|start| start.eq_ignore_ascii_case("multipart/"))
}

/// Returns a parameter of a media type or disposition, without quotes.
///
/// An example is `boundary` in `multipart/form-data; boundary="x"`.
pub(crate) fn media_parameter<'a>(header: &'a str, name: &str) -> Option<std::borrow::Cow<'a, str>> {
    let (_, mut rest) = header.split_once(';')?;
    loop {
        let (key, value) = rest.split_once('=')?;
        let (value, after) = parameter_value(value.trim_start());
        if key.trim_matches([' ', '\t', ';']).eq_ignore_ascii_case(name) {
            return Some(value);
        }
        rest = after;
    }
}

/// Splits off the token or quoted string at the start of `text`.
fn parameter_value(text: &str) -> (std::borrow::Cow<'_, str>, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let (token, rest) = text.split_once(';').unwrap_or((text, ""));
        return (token.trim().into(), rest);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value.into(), quoted.get(at + 1..).unwrap_or_default()),
            // Only quotes and backslashes are escaped: old browsers send `C:\folder\file` without escapes.
            '\\' => match characters.next_if(|(_, next)| matches!(next, '"' | '\\')) {
                Some((_, escaped)) => value.push(escaped),
                None => value.push('\\'),
            },
            other => value.push(other),
        }
    }
    (value.into(), "")
}

/// Ranks the match of a documented type or range; 0 is an exact match.
fn closeness(documented: &str, actual: &str) -> Option<u8> {
    if documented.eq_ignore_ascii_case(actual) {
        return Some(0);
    }
    let (documented_type, documented_subtype) = documented.split_once('/')?;
    let (actual_type, actual_subtype) = actual.split_once('/')?;
    let any_type = documented_type == "*";
    if !any_type && !documented_type.eq_ignore_ascii_case(actual_type) {
        return None;
    }
    match documented_subtype.strip_prefix('*') {
        Some("") => Some(if any_type { 3 } else { 2 }),
        Some(suffix) => {
            let is_base =
                suffix.strip_prefix('+').is_some_and(|base| base.eq_ignore_ascii_case(actual_subtype));
            (is_base || ends_with(actual_subtype, suffix)).then_some(1)
        }
        None => None,
    }
}

fn ends_with(text: &str, suffix: &str) -> bool {
    let start = text.len().checked_sub(suffix.len());
    start.and_then(|start| text.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{ContentFormat, Schema, Type};

    static ANY: Schema = Schema::new(Type::Any);

    fn rows(media_types: &[&'static str]) -> Vec<Content> {
        let row = |media_type: &&'static str| Content::new(media_type, ContentFormat::Bytes, &ANY);
        media_types.iter().map(row).collect()
    }

    #[test]
    fn finds_the_closest_row() {
        let contents =
            rows(&["*/*", "image/*", "application/*+json", "application/json", "image/png", "IMAGE/PNG"]);
        let cases = [
            ("application/json", Some(3)),
            ("Application/JSON; charset=utf-8", Some(3)),
            ("application/problem+json", Some(2)),
            ("application/vnd.x+JSON ;a=b", Some(2)),
            ("image/png", Some(4)),
            ("image/webp", Some(1)),
            ("text/plain", Some(0)),
        ];
        for (content_type, expected) in cases {
            assert_eq!(match_content(&contents, content_type), expected, "{content_type}");
        }
        assert_eq!(match_content(&rows(&["application/*+json"]), "application/json"), Some(0));
        let text = |media_type| Content::new(media_type, ContentFormat::Text, &ANY);
        let several = [text("text/plain").also(&["text/csv"]), text("text/*")];
        for (content_type, expected) in
            [("text/csv", Some(0)), ("text/plain", Some(0)), ("text/html", Some(1))]
        {
            assert_eq!(match_content(&several, content_type), expected, "{content_type}");
        }
        let narrow = rows(&["application/json", "image/*"]);
        for content_type in ["", "application", "application/jsonx", "imag/png", "é", "text/plain", ";"] {
            assert_eq!(match_content(&narrow, content_type), None, "{content_type}");
        }
    }

    #[test]
    fn finds_parameters() {
        let cases: &[(&str, &str, Option<&str>)] = &[
            ("multipart/form-data; boundary=abc", "boundary", Some("abc")),
            ("multipart/form-data; BOUNDARY=\"a;b\" ; x=y", "boundary", Some("a;b")),
            ("multipart/form-data; x=\"boundary=no\"; boundary=yes", "boundary", Some("yes")),
            ("form-data; name=\"a\\\"b\"; filename=\"C:\\dir\\f\"", "name", Some("a\"b")),
            ("form-data; name=\"a\"; filename=\"C:\\dir\\f\"", "filename", Some("C:\\dir\\f")),
            ("form-data; name=\"unclosed", "name", Some("unclosed")),
            ("form-data", "name", None),
            ("form-data; name", "name", None),
        ];
        for (header, name, expected) in cases {
            assert_eq!(media_parameter(header, name).as_deref(), *expected, "{header}");
        }
    }
}
