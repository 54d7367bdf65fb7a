//! Formats of strings: whether a text has one.

use crate::{calendar, ir::TextFormat};

/// Returns whether a text has this format.
///
/// The checks of URIs and addresses are approximate: a text that fails is certainly invalid.
pub(crate) fn has_format(format: TextFormat, text: &str) -> bool {
    match format {
        TextFormat::DateTime => calendar::instant(text).is_some(),
        TextFormat::Date => calendar::day(text).is_some(),
        TextFormat::Uuid => {
            let groups: Vec<&str> = text.split('-').collect();
            let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
            lengths == [8, 4, 4, 4, 12] && groups.concat().chars().all(|digit| digit.is_ascii_hexdigit())
        }
        TextFormat::Uri => text.split_once(':').is_some_and(|(scheme, rest)| {
            scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                && !rest.is_empty()
                && !text.contains(' ')
        }),
        TextFormat::Email => {
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
