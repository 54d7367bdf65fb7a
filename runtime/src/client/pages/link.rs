//! The header `Link` (RFC 8288).

use http::{HeaderMap, header::LINK};

/// Returns the first URL with the relation `next`.
pub(super) fn next(headers: &HeaderMap) -> Option<String> {
    let texts = headers.get_all(LINK).iter().filter_map(|value| value.to_str().ok());
    // A URL in angle brackets contains none.
    let links = texts.flat_map(|text| text.split('<').skip(1)).filter_map(|link| link.split_once('>'));
    let is_next = |parameters: &str| parameters.split([';', ',']).any(is_relation_next);
    links.into_iter().find(|(_, parameters)| is_next(parameters)).map(|(url, _)| url.trim().to_owned())
}

fn is_relation_next(parameter: &str) -> bool {
    parameter.split_once('=').is_some_and(|(name, value)| {
        let mut relations = value.trim().trim_matches('"').split_ascii_whitespace();
        name.trim().eq_ignore_ascii_case("rel") && relations.any(|it| it.eq_ignore_ascii_case("next"))
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
