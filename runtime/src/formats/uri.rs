//! URIs.

use std::net::Ipv6Addr;

/// Returns whether `text` is an absolute URI that names something.
///
/// The scheme's colon must be followed by one or more characters, all of them allowed in URIs. An authority
/// must have a host, except in `file:` URIs.
pub fn is_like_uri(text: &str) -> bool {
    let scheme = leading(text, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    let (scheme, rest) = text.split_at(scheme);
    let rest = rest.strip_prefix(':').unwrap_or_default();
    if !scheme.starts_with(|first: char| first.is_ascii_alphabetic()) || rest.is_empty() {
        return false;
    }
    let (authority, behind) = match rest.strip_prefix("//") {
        Some(rest) => {
            // Shortcut: most authorities consist of a host name only.
            let name = leading(rest, is_in_name);
            let others = rest.get(name..).unwrap_or_default();
            let (authority, behind) =
                rest.split_at(name + leading(others, |byte| !matches!(byte, b'/' | b'?' | b'#')));
            if name > 0 && authority.len() == name {
                return are_in_uri(behind, false);
            }
            (Some(authority), behind)
        }
        None => (None, rest),
    };
    let may_be_empty = || scheme.eq_ignore_ascii_case("file");
    are_in_uri(behind, false)
        && authority.is_none_or(|it| are_in_uri(it, true) && is_authority(it, may_be_empty()))
}

/// Returns how many bytes at the front of `text` satisfy `is_so`.
///
/// `is_so` must treat all non-ASCII bytes alike, so that the result is a character boundary.
#[inline]
fn leading(text: &str, is_so: impl Fn(u8) -> bool) -> usize {
    text.bytes().position(|byte| !is_so(byte)).unwrap_or(text.len())
}

/// Returns whether a byte can be part of a name, as most hosts are.
const fn is_in_name(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'~')
}

/// Returns whether a byte is a delimiter in a URI, without `[`, `]`, `#` and `%`.
const fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'!' | b'$' | b'&'..=b',' | b'/' | b':' | b';' | b'=' | b'?' | b'@')
}

/// Whether a URI may contain a byte any number of times, by byte.
const PATH: [bool; 256] = {
    let mut path = [false; 256];
    let (mut rest, mut byte): (&mut [bool], u8) = (&mut path, 0);
    while let [slot, behind @ ..] = rest {
        *slot = is_in_name(byte) || is_delimiter(byte);
        rest = behind;
        byte = byte.wrapping_add(1);
    }
    path
};

/// Returns whether `text` contains only characters of a URI.
///
/// Two hexadecimal digits must follow each `%`, and there may be only one `#`.
fn are_in_uri(text: &str, with_brackets: bool) -> bool {
    let mut fragments = 0;
    let mut bytes = text.as_bytes();
    loop {
        while let [byte, rest @ ..] = bytes
            && PATH.get(usize::from(*byte)) == Some(&true)
        {
            bytes = rest;
        }
        bytes = match bytes {
            [] => return fragments <= 1,
            [b'#', rest @ ..] => {
                fragments += 1;
                rest
            }
            [b'%', high, low, rest @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => rest,
            [b'[' | b']', rest @ ..] if with_brackets => rest,
            _ => return false,
        };
    }
}

/// Returns whether `text` is a host, optionally with user information and a port.
fn is_authority(text: &str, may_be_empty: bool) -> bool {
    let user = text.bytes().rposition(|byte| byte == b'@');
    let host = user.and_then(|user| text.get(user + 1..)).unwrap_or(text);
    if host.is_empty() {
        return may_be_empty;
    }
    if let Some(rest) = host.strip_prefix('[') {
        let Some((address, port)) = rest.split_once(']') else { return false };
        return (address.parse::<Ipv6Addr>().is_ok() || address.starts_with(['v', 'V'])) && is_port(port);
    }
    let colon = host.bytes().position(|byte| byte == b':');
    let (name, port) = host.split_at(colon.unwrap_or(host.len()));
    !name.is_empty() && !host.bytes().any(|byte| matches!(byte, b'[' | b']')) && is_port(port)
}

/// Returns whether `text` is empty, or is a colon followed by digits only.
fn is_port(text: &str) -> bool {
    text.is_empty()
        || text.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
}
