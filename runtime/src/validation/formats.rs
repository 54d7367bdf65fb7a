//! The string formats that are validated.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::codec::to_value;
use crate::table::Format;
use crate::types::{Base64, Date, Timestamp, Value, parse_uuid};

/// Returns whether `text` has the format.
pub fn is(format: Format, text: &str) -> bool {
    match format {
        Format::DateTime => text.parse::<Timestamp>().is_ok(),
        Format::Date => text.parse::<Date>().is_ok(),
        Format::Uuid => parse_uuid(text).is_ok(),
        Format::Base64 => text.parse::<Base64>().is_ok(),
        Format::Uri => is_uri(text),
        Format::Email => is_email(text),
        Format::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
        Format::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
    }
}

/// Returns whether values of the format have a Rust type of their own.
///
/// Text that does not have the format can't be decoded into that type.
pub const fn is_typed(format: Format) -> bool {
    matches!(format, Format::DateTime | Format::Date | Format::Uuid | Format::Base64)
}

/// Returns the text that the Rust type of a format writes for the value in `text`.
///
/// Constraints apply to this text, not to the spelling that was sent. Returns `None` if `text` does not have
/// the format, or if the format has no Rust type of its own.
pub fn written(format: Format, text: &str) -> Option<String> {
    let value = match format {
        Format::DateTime => to_value(&text.parse::<Timestamp>().ok()?),
        Format::Date => to_value(&text.parse::<Date>().ok()?),
        Format::Uuid => to_value(&parse_uuid(text).ok()?),
        Format::Base64 => to_value(&text.parse::<Base64>().ok()?),
        Format::Uri | Format::Email | Format::Ipv4 | Format::Ipv6 => return None,
    };
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// Returns whether `text` is an absolute URI (RFC 3986).
///
/// The scheme's colon must be followed by one or more characters, all of them allowed in URIs. An authority
/// must have a host, except in `file:` URIs.
fn is_uri(text: &str) -> bool {
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
    while let [place, behind @ ..] = rest {
        *place = is_in_name(byte) || is_delimiter(byte);
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

/// Returns whether `text` looks like an e-mail address.
///
/// It must have a local part before the last `@` and a host name after it. Whether the address exists is not
/// checked.
fn is_email(text: &str) -> bool {
    let Some((local, host)) = text.rsplit_once('@') else { return false };
    let is_local = !local.is_empty()
        && local.len() <= 64
        && !local.chars().any(|it| it.is_whitespace() || it.is_control())
        && (local.starts_with('"') && local.ends_with('"') && local.len() > 2
            || !local.contains(['@', '"']) && local.split('.').all(|part| !part.is_empty()));
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|it| it.is_alphanumeric() || it == '-')
    };
    is_local && host.len() <= 253 && host.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        for (format, good, bad) in [
            (
                Format::Uri,
                &[
                    "https://example.com",
                    "HTTPS://user:pw@example.com:8080/a%20b?c=d#e",
                    "http://[::1]:80/",
                    "http://127.0.0.1/x",
                    "file:///etc",
                    "urn:isbn:0451450523",
                    "mailto:a@b.c",
                    "data:image/png;base64,AAAA",
                    "s3://bucket/key",
                ][..],
                &[
                    "",
                    "example.com",
                    "/path",
                    "//example.com/x",
                    "1http://a",
                    "http:",
                    "http://",
                    "http:///path",
                    "http://:80/",
                    "http://a b",
                    "http://a/%zz",
                    "http://a/%4",
                    "http://a/ä",
                    "http://a:x/",
                    "http://[::1",
                    "http://a/[x]",
                    "http://a#b#c",
                    "http://a\n",
                ][..],
            ),
            (
                Format::Email,
                &["a@b", "a.b+c@example.com", "ä@exämple.com", "\"a@b\"@c.d"],
                &[
                    "", "a", "@b", "a@", "a b@c", "a..b@c", ".a@c", "a@b..c", "a@-b", "a@b.", "a@b c",
                    "a@b@c", "a\n@b",
                ],
            ),
            (
                Format::Ipv4,
                &["127.0.0.1", "255.255.255.255"],
                &["", "1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4 "],
            ),
            (
                Format::Ipv6,
                &["::1", "2001:db8::1", "::ffff:1.2.3.4"],
                &["", "1.2.3.4", "::1::", "[::1]", "::1%eth0"],
            ),
            (
                Format::DateTime,
                &["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5+01:00"],
                &["", "2026-01-31", "x"],
            ),
            (Format::Date, &["2026-01-31"], &["", "2026-02-30", "2026-1-1", "2026-01-31T00:00:00Z"]),
            (
                Format::Uuid,
                &["9b2e5f6c-0c3b-4a53-9f1d-0d0a7b1f2c3d", "9B2E5F6C-0C3B-4A53-9F1D-0D0A7B1F2C3D"],
                &["", "9b2e5f6c0c3b4a539f1d0d0a7b1f2c3d", "9b2e5f6c-0c3b-4a53-9f1d-0d0a7b1f2c3"],
            ),
            (Format::Base64, &["", "AAAA", "AA=="], &["A", "AA-_", "A A A A"]),
        ] {
            for text in good {
                assert!(is(format, text), "{text:?} is {format:?}");
            }
            for text in bad {
                assert!(!is(format, text), "{text:?} is not {format:?}");
            }
        }
    }
}
