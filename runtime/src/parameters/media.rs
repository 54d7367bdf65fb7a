//! Media types: which documented content a `Content-Type` header means.

use crate::table::Content;

/// The row of `contents` that a `Content-Type` of `content_type` means: by its media type, whatever its parameters and
/// case. An exact match wins over `application/*+json`, that over `image/*`, and that over `*/*`.
#[must_use]
pub fn match_content(contents: &[Content], content_type: &str) -> Option<usize> {
    let media_type = media_type(content_type);
    let ranked = contents.iter().enumerate().filter_map(|(index, content)| {
        Some((closeness(self::media_type(content.media_type), media_type)?, index))
    });
    // Of equally close rows, the first of the document.
    ranked.min().map(|(_, index)| index)
}

/// A media type without its parameters.
pub(crate) fn media_type(content_type: &str) -> &str {
    content_type.split_once(';').map_or(content_type, |(media_type, _)| media_type).trim()
}

/// Whether a media type is JSON.
pub(crate) fn is_json(media_type: Option<&str>) -> bool {
    media_type.map(self::media_type).is_some_and(|media_type| {
        media_type.eq_ignore_ascii_case("application/json")
            || media_type.to_ascii_lowercase().ends_with("+json")
    })
}

/// A parameter of a media type or disposition: `boundary` of `multipart/form-data; boundary="x"`, unquoted.
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

/// A token or quoted string at the start of `text`, and what stands behind it.
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
            // Only quotes and backslashes are escaped: old browsers send `C:\folder\file` as it is.
            '\\' => match characters.next_if(|(_, next)| matches!(next, '"' | '\\')) {
                Some((_, escaped)) => value.push(escaped),
                None => value.push('\\'),
            },
            other => value.push(other),
        }
    }
    (value.into(), "")
}

/// How closely a documented type or range fits; 0 is exact.
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
        Some(suffix) => ends_with(actual_subtype, suffix).then_some(1),
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
        let row = |media_type: &&'static str| Content {
            media_type,
            format: ContentFormat::Bytes,
            schema: &ANY,
            encodings: &[],
        };
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
