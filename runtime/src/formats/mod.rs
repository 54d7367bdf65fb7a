//! The string formats that are validated.
//!
//! Each function takes a text and returns whether it has the format. Texts come from clients, so the time of a
//! check grows at most linearly with the length of the text. If a dependency takes longer, the check refuses long texts.

mod email;
mod host;
#[cfg(feature = "formats-idn")]
mod idn;
mod pointer;
#[cfg(feature = "formats")]
mod regex;
mod template;
mod time;
mod uri;

use std::cmp::Ordering;
use std::net::{Ipv4Addr, Ipv6Addr};

#[cfg(feature = "formats")]
use iri_string::{
    spec::{IriSpec, UriSpec},
    validate,
};

use crate::codec::{Format, to_value};
use crate::types::{Base64, Date, Timestamp, Value, parse_uuid};

/// Returns whether `text` has the format.
pub fn is(format: Format, text: &str) -> bool {
    match format {
        Format::DateTime => text.parse::<Timestamp>().is_ok(),
        Format::Date => text.parse::<Date>().is_ok(),
        Format::Time => Timestamp::of_time(text).is_some(),
        Format::Duration => time::is_duration(text),
        Format::Uuid => parse_uuid(text).is_ok(),
        Format::Uri => uri::is_like_uri(text),
        #[cfg(feature = "formats")]
        Format::StrictUri => validate::iri::<UriSpec>(text).is_ok(),
        #[cfg(feature = "formats")]
        Format::UriReference => validate::iri_reference::<UriSpec>(text).is_ok(),
        #[cfg(feature = "formats")]
        Format::Iri => validate::iri::<IriSpec>(text).is_ok(),
        #[cfg(feature = "formats")]
        Format::IriReference => validate::iri_reference::<IriSpec>(text).is_ok(),
        Format::UriTemplate => template::is_uri_template(text),
        Format::Email => email::is_like_email(text),
        Format::StrictEmail => email::is_email(text),
        #[cfg(feature = "formats-idn")]
        Format::IdnEmail => email::is_idn_email(text),
        #[cfg(feature = "formats-idn")]
        Format::Hostname => host::is_hostname(text),
        #[cfg(feature = "formats-idn")]
        Format::IdnHostname => idn::is_hostname(text),
        Format::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
        Format::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
        Format::JsonPointer => pointer::is_json_pointer(text),
        Format::RelativeJsonPointer => pointer::is_relative_json_pointer(text),
        #[cfg(feature = "formats")]
        Format::Regex => regex::is_regex(text),
        Format::Base64 => text.parse::<Base64>().is_ok(),
    }
}

/// Returns the order of two dates, two times or two instants. `None` stands for all other texts.
///
/// Times are those of one day in their own offsets.
pub fn compare(one: &str, other: &str) -> Option<Ordering> {
    if !other.contains(':') {
        return Some(one.parse::<Date>().ok()?.cmp(&other.parse().ok()?));
    }
    match Timestamp::of_time(other) {
        Some(time) => Some(Timestamp::of_time(one)?.cmp(&time)),
        None => Some(one.parse::<Timestamp>().ok()?.cmp(&other.parse().ok()?)),
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
        _ => return None,
    };
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// Returns the words for a format in messages: `an IPv4 address`.
pub const fn words(format: Format) -> &'static str {
    match format {
        Format::DateTime => "a date and time such as 2026-01-31T12:00:00Z",
        Format::Date => "a date such as 2026-01-31",
        Format::Time => "a time such as 12:00:00Z",
        Format::Duration => "a duration such as P1DT12H",
        Format::Uuid => "a UUID",
        Format::Uri => "an absolute URI",
        #[cfg(feature = "formats")]
        Format::StrictUri => "an absolute URI",
        #[cfg(feature = "formats")]
        Format::UriReference => "a URI or a relative reference",
        #[cfg(feature = "formats")]
        Format::Iri => "an absolute IRI",
        #[cfg(feature = "formats")]
        Format::IriReference => "an IRI or a relative reference",
        Format::UriTemplate => "a URI template such as /pets/{id}",
        Format::Email | Format::StrictEmail => "an e-mail address",
        #[cfg(feature = "formats-idn")]
        Format::IdnEmail => "an e-mail address",
        #[cfg(feature = "formats-idn")]
        Format::Hostname => "a host name",
        #[cfg(feature = "formats-idn")]
        Format::IdnHostname => "a host name",
        Format::Ipv4 => "an IPv4 address",
        Format::Ipv6 => "an IPv6 address",
        Format::JsonPointer => "a JSON pointer such as /pets/0",
        Format::RelativeJsonPointer => "a relative JSON pointer such as 1/name",
        #[cfg(feature = "formats")]
        Format::Regex => "a regular expression",
        Format::Base64 => "text in base64",
    }
}

#[cfg(test)]
mod tests;
