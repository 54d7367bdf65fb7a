//! Formats of strings: whether a text has one.

use crate::{
    calendar,
    ir::{TextFormat, TextRules, first_violated},
};

/// Returns the first keyword that a text violates. Does not check `pattern`.
pub(crate) fn violated(rules: &TextRules, text: &str) -> Option<&'static str> {
    let length = text.chars().count() as u64;
    first_violated([
        (rules.min_length.is_none_or(|least| length >= least), "minLength"),
        (rules.max_length.is_none_or(|most| length <= most), "maxLength"),
        (rules.format.is_none_or(|format| has_format(format, text)), "format"),
    ])
}

/// Returns whether a text has this format.
///
/// Most checks are approximate: a text that fails is certainly invalid.
pub(crate) fn has_format(format: TextFormat, text: &str) -> bool {
    match format {
        TextFormat::DateTime => calendar::instant(text).is_some(),
        TextFormat::Date => calendar::day(text).is_some(),
        TextFormat::Uuid => {
            let groups: Vec<&str> = text.split('-').collect();
            let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
            lengths == [8, 4, 4, 4, 12] && groups.concat().chars().all(|digit| digit.is_ascii_hexdigit())
        }
        TextFormat::Time => text.contains(':'),
        TextFormat::Duration => text.starts_with(['P', 'p']),
        TextFormat::Uri => is_like_uri(text) && !text.ends_with(':'),
        TextFormat::StrictUri | TextFormat::Iri => is_like_uri(text),
        TextFormat::UriReference | TextFormat::IriReference | TextFormat::UriTemplate => !text.contains(' '),
        TextFormat::Hostname | TextFormat::IdnHostname => !text.is_empty() && !text.contains(' '),
        TextFormat::JsonPointer => text.is_empty() || text.starts_with('/'),
        TextFormat::RelativeJsonPointer => text.starts_with(|first: char| first.is_ascii_digit()),
        TextFormat::Regex => true,
        TextFormat::Email | TextFormat::StrictEmail | TextFormat::IdnEmail => {
            text.split_once('@').is_some_and(|(user, host)| !user.is_empty() && !host.is_empty())
        }
        TextFormat::Ipv4 => text.parse::<std::net::Ipv4Addr>().is_ok(),
        TextFormat::Ipv6 => text.parse::<std::net::Ipv6Addr>().is_ok(),
        TextFormat::Base64 => {
            let digits = text.trim_end_matches('=');
            text.len().is_multiple_of(4)
                && text.len() - digits.len() <= 2
                && digits.chars().all(|digit| digit.is_ascii_alphanumeric() || digit == '+' || digit == '/')
        }
    }
}

/// Returns whether a text has a scheme and no space.
fn is_like_uri(text: &str) -> bool {
    text.contains(':') && text.starts_with(|first: char| first.is_ascii_alphabetic()) && !text.contains(' ')
}
