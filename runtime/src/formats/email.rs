//! E-mail addresses.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::host;

/// The maximum length of the part before `@`, in bytes.
const MAX_LOCAL: usize = 64;

/// Returns whether `text` is a `Mailbox` of RFC 5321.
pub fn is_email(text: &str) -> bool {
    text.is_ascii() && is_mailbox(text, host::is_ascii_name)
}

/// Returns whether `text` is a `Mailbox` of RFC 6531, which also has characters beyond ASCII.
#[cfg(feature = "formats-idn")]
pub fn is_idn_email(text: &str) -> bool {
    is_mailbox(text, super::idn::is_hostname)
}

/// Returns whether `text` looks like an e-mail address.
///
/// It must have a local part before the last `@` and a host name after it. Whether the address exists is not
/// checked.
pub fn is_like_email(text: &str) -> bool {
    let Some((local, name)) = text.rsplit_once('@') else { return false };
    let is_local = !local.is_empty()
        && local.len() <= MAX_LOCAL
        && !local.chars().any(|it| it.is_whitespace() || it.is_control())
        && (local.starts_with('"') && local.ends_with('"') && local.len() > 2
            || !local.contains(['@', '"']) && local.split('.').all(|part| !part.is_empty()));
    is_local && host::is_name(name, char::is_alphanumeric)
}

fn is_mailbox(text: &str, is_domain: impl Fn(&str) -> bool) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let literal = domain.strip_prefix('[').and_then(|literal| literal.strip_suffix(']'));
    local.len() <= MAX_LOCAL
        && (is_quoted(local) || local.split('.').all(is_atom))
        && literal.map_or_else(|| is_domain(domain), is_address)
}

fn is_atom(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|character| {
        character.is_ascii_alphanumeric()
            || matches!(
                character,
                '!' | '#' | '$' | '%' | '&' | '\'' | '*' | '+' | '-' | '/' | '=' | '?' | '^'..='`' | '{'..='~'
            )
            || !character.is_ascii()
    })
}

/// Returns whether `text` is a quoted string, in which a backslash escapes a quote or a backslash.
fn is_quoted(text: &str) -> bool {
    let inner = text.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
    let Some(inner) = inner else { return false };
    let is_printable = |character: char| matches!(character, ' '..='~') || !character.is_ascii();
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        let is_valid = match character {
            '"' => false,
            '\\' => matches!(characters.next(), Some(' '..='~')),
            character => is_printable(character),
        };
        if !is_valid {
            return false;
        }
    }
    true
}

/// Returns whether `text` is the inside of an address literal: `127.0.0.1`, `IPv6:::1`.
///
/// The grammar allows other kinds of address, but none is registered.
fn is_address(text: &str) -> bool {
    match text.split_once(':') {
        Some((kind, address)) => kind.eq_ignore_ascii_case("IPv6") && address.parse::<Ipv6Addr>().is_ok(),
        None => text.parse::<Ipv4Addr>().is_ok(),
    }
}
