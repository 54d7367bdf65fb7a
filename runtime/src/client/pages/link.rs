//! The header `Link` (RFC 8288).

use http::{HeaderMap, header::LINK};

/// Returns the first URL with the relation `next`.
pub(super) fn next(headers: &HeaderMap) -> Option<String> {
    let texts = headers.get_all(LINK).iter().filter_map(|value| value.to_str().ok());
    texts.flat_map(|text| split(text, ',')).find_map(|link| {
        let mut parts = split(link, ';').map(str::trim);
        let url = parts.next()?.strip_prefix('<')?.strip_suffix('>')?;
        parts.any(is_relation_next).then(|| url.trim().to_owned())
    })
}

fn is_relation_next(parameter: &str) -> bool {
    parameter.split_once('=').is_some_and(|(name, value)| {
        let mut relations = value.trim().trim_matches('"').split_ascii_whitespace();
        name.trim().eq_ignore_ascii_case("rel") && relations.any(|it| it.eq_ignore_ascii_case("next"))
    })
}

/// Splits a header at separators that are neither in a URL in angle brackets nor in a quoted text.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut closing, mut is_escaped) = (None, false);
    text.split(move |next: char| {
        match closing {
            Some(_) if is_escaped => is_escaped = false,
            Some('"') if next == '\\' => is_escaped = true,
            Some(end) if next == end => closing = None,
            Some(_) => {}
            None if next == separator => return true,
            None if next == '<' => closing = Some('>'),
            None if next == '"' => closing = Some('"'),
            None => {}
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_found() {
        for (lines, expected) in [
            (&["</a?page=2>; rel=\"next\", </a?page=9>; rel=\"last\""][..], Some("/a?page=2")),
            (&["</a?page=1>; rel=\"prev\", </a?x=1,2>; title=\"b\"; rel=\"first next\""], Some("/a?x=1,2")),
            (&["</a>; rel=prev", "<https://a.b/c>;REL=Next"], Some("https://a.b/c")),
            (&["</a>; rel=\"prev\""], None),
            (&["</a>; title=\"x; rel=next\"; rel=prev, </b>; title=\"\\\", <\"; rel=next"], Some("/b")),
            (&["next"], None),
            (&[], None),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(LINK, line.parse().unwrap());
            }
            assert_eq!(next(&headers).as_deref(), expected, "{lines:?}");
        }
    }
}
