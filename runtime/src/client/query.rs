//! Single parameters of an encoded query. The others stay as they are written.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use reqwest::Url;

/// The characters of a value that are escaped: all but the unreserved ones.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns the decoded value of a parameter, if the query has it.
pub(super) fn value(query: &str, name: &str) -> Option<String> {
    let (_, value) = query.split('&').find(|pair| is_of(pair, name))?.split_once('=')?;
    Some(decoded(value).into_owned())
}

/// Returns the query with another value of a parameter.
pub(super) fn with(query: &str, name: &str, value: &str) -> String {
    let [encoded, value] = [name, value].map(|text| utf8_percent_encode(text, ESCAPED).to_string());
    let pair = format!("{encoded}={value}");
    others(query, name).chain([pair.as_str()]).collect::<Vec<_>>().join("&")
}

/// Removes a parameter from the query of a URL.
pub(super) fn remove(url: &mut Url, name: &str) {
    let Some(query) = url.query().filter(|query| query.split('&').any(|pair| is_of(pair, name))) else {
        return;
    };
    let rest = others(query, name).collect::<Vec<_>>().join("&");
    url.set_query(Some(rest.as_str()).filter(|rest| !rest.is_empty()));
}

fn others<'q>(query: &'q str, name: &str) -> impl Iterator<Item = &'q str> {
    query.split('&').filter(move |pair| !pair.is_empty() && !is_of(pair, name))
}

/// Returns whether a pair of a query is that of the parameter with this name.
fn is_of(pair: &str, name: &str) -> bool {
    let (own, _) = pair.split_once('=').unwrap_or((pair, ""));
    decoded(own) == name
}

fn decoded(text: &str) -> Cow<'_, str> {
    percent_decode_str(text).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_parameter_changes() {
        assert_eq!(value("a=1&b%5B%5D=x%20y&b", "b[]").as_deref(), Some("x y"));
        assert_eq!(with("a=%7e&&b%5b%5D=1&c", "b[]", "x y"), "a=%7e&c&b%5B%5D=x%20y");
        for (before, after) in [
            ("https://a.b/c?k=1&d=%7e+&%6b=2", "https://a.b/c?d=%7e+"),
            ("https://a.b/c?k", "https://a.b/c"),
            ("https://a.b/c?d&&kk=1", "https://a.b/c?d&&kk=1"),
            ("https://a.b/c", "https://a.b/c"),
        ] {
            let mut url = Url::parse(before).unwrap();
            remove(&mut url, "k");
            assert_eq!(url.as_str(), after);
        }
    }
}
