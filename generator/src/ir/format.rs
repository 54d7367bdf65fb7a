//! The string formats that are checked.

use super::{TextRules, TextType};
use crate::options::Formats;

/// The string formats that are checked.
///
/// The runtime's `table::Format` has the same names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextFormat {
    /// RFC 3339 date and time.
    DateTime,
    /// RFC 3339 full date.
    Date,
    /// RFC 3339 full time.
    Time,
    /// Duration of RFC 3339, appendix A.
    Duration,
    /// UUID.
    Uuid,
    /// Absolute URI, checked leniently.
    Uri,
    /// URI exactly as RFC 3986 defines it.
    StrictUri,
    /// URI reference.
    UriReference,
    /// IRI.
    Iri,
    /// IRI reference.
    IriReference,
    /// URI template.
    UriTemplate,
    /// E-mail address, checked leniently.
    Email,
    /// E-mail address exactly as RFC 5321 defines it.
    StrictEmail,
    /// E-mail address with characters beyond ASCII.
    IdnEmail,
    /// Host name.
    Hostname,
    /// Internationalized host name.
    IdnHostname,
    /// IPv4 address.
    Ipv4,
    /// IPv6 address.
    Ipv6,
    /// JSON pointer.
    JsonPointer,
    /// Relative JSON pointer.
    RelativeJsonPointer,
    /// Regular expression of ECMA-262.
    Regex,
    /// Base64.
    Base64,
}

impl TextFormat {
    /// Returns the format that a document calls by this name, if these settings check it.
    #[must_use]
    pub fn from_name(name: &str, formats: Formats) -> Option<Self> {
        match formats {
            Formats::Annotation => None,
            Formats::Common => Self::common(name),
            Formats::Assert => Self::specified(name).or_else(|| Self::common(name)),
        }
    }

    /// Returns the format with this name, if it is checked by default.
    #[must_use]
    pub fn common(name: &str) -> Option<Self> {
        Some(match name {
            "date-time" => Self::DateTime,
            "date" => Self::Date,
            "uuid" => Self::Uuid,
            "byte" | "base64" => Self::Base64,
            "uri" | "url" => Self::Uri,
            "email" => Self::Email,
            "ipv4" => Self::Ipv4,
            "ipv6" => Self::Ipv6,
            _ => return None,
        })
    }

    /// Returns the format with this name, if it is checked only when all are, or more strictly then.
    #[must_use]
    pub fn specified(name: &str) -> Option<Self> {
        Some(match name {
            "time" => Self::Time,
            "duration" => Self::Duration,
            "uri" => Self::StrictUri,
            "uri-reference" => Self::UriReference,
            "iri" => Self::Iri,
            "iri-reference" => Self::IriReference,
            "uri-template" => Self::UriTemplate,
            "email" => Self::StrictEmail,
            "idn-email" => Self::IdnEmail,
            "hostname" => Self::Hostname,
            "idn-hostname" => Self::IdnHostname,
            "json-pointer" => Self::JsonPointer,
            "relative-json-pointer" => Self::RelativeJsonPointer,
            "regex" => Self::Regex,
            _ => return None,
        })
    }

    /// Returns the Rust type of texts with the format.
    #[must_use]
    pub const fn ty(self) -> TextType {
        match self {
            Self::DateTime => TextType::Timestamp,
            Self::Date => TextType::Date,
            Self::Uuid => TextType::Uuid,
            Self::Base64 => TextType::Base64,
            _ => TextType::String,
        }
    }

    /// Returns the name that documents use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DateTime => "date-time",
            Self::Date => "date",
            Self::Time => "time",
            Self::Duration => "duration",
            Self::Uuid => "uuid",
            Self::Uri | Self::StrictUri => "uri",
            Self::UriReference => "uri-reference",
            Self::Iri => "iri",
            Self::IriReference => "iri-reference",
            Self::UriTemplate => "uri-template",
            Self::Email | Self::StrictEmail => "email",
            Self::IdnEmail => "idn-email",
            Self::Hostname => "hostname",
            Self::IdnHostname => "idn-hostname",
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
            Self::JsonPointer => "json-pointer",
            Self::RelativeJsonPointer => "relative-json-pointer",
            Self::Regex => "regex",
            Self::Base64 => "byte",
        }
    }

    /// Returns the name in the runtime's `table::Format`.
    #[must_use]
    pub const fn variant(self) -> &'static str {
        match self {
            Self::DateTime => "DateTime",
            Self::Date => "Date",
            Self::Time => "Time",
            Self::Duration => "Duration",
            Self::Uuid => "Uuid",
            Self::Uri => "Uri",
            Self::StrictUri => "StrictUri",
            Self::UriReference => "UriReference",
            Self::Iri => "Iri",
            Self::IriReference => "IriReference",
            Self::UriTemplate => "UriTemplate",
            Self::Email => "Email",
            Self::StrictEmail => "StrictEmail",
            Self::IdnEmail => "IdnEmail",
            Self::Hostname => "Hostname",
            Self::IdnHostname => "IdnHostname",
            Self::Ipv4 => "Ipv4",
            Self::Ipv6 => "Ipv6",
            Self::JsonPointer => "JsonPointer",
            Self::RelativeJsonPointer => "RelativeJsonPointer",
            Self::Regex => "Regex",
            Self::Base64 => "Base64",
        }
    }

    /// Returns the feature with which the runtime checks the format, if it needs one.
    #[must_use]
    pub const fn feature(self) -> Option<&'static str> {
        match self {
            Self::StrictUri | Self::UriReference | Self::Iri | Self::IriReference | Self::Regex => {
                Some("formats")
            }
            Self::Hostname | Self::IdnHostname | Self::IdnEmail => Some("formats-idn"),
            _ => None,
        }
    }

    /// Returns a text that has the format.
    #[must_use]
    pub const fn sample(self) -> &'static str {
        match self {
            Self::DateTime => "2026-01-01T12:00:00Z",
            Self::Date => "2026-01-01",
            Self::Time => "12:00:00Z",
            Self::Duration => "P1D",
            Self::Uuid => "046b6c7f-0b8a-43b9-b35d-6489e6daee91",
            Self::Uri | Self::StrictUri | Self::UriReference | Self::Iri | Self::IriReference => {
                "https://example.com/"
            }
            Self::UriTemplate => "https://example.com/{id}",
            Self::Email | Self::StrictEmail | Self::IdnEmail => "someone@example.com",
            Self::Hostname | Self::IdnHostname => "example.com",
            Self::Ipv4 => "127.0.0.1",
            Self::Ipv6 => "::1",
            Self::JsonPointer => "/name",
            Self::RelativeJsonPointer => "0/name",
            Self::Regex => "^[a-z]+$",
            Self::Base64 => "dGV4dA==",
        }
    }

    /// Returns the sentence of the documentation.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::DateTime => "An RFC 3339 date and time.",
            Self::Date => "An RFC 3339 date.",
            Self::Time => "An RFC 3339 time.",
            Self::Duration => "An RFC 3339 duration.",
            Self::Uuid => "A UUID.",
            Self::Uri | Self::StrictUri => "An absolute URI.",
            Self::UriReference => "A URI or a relative reference.",
            Self::Iri => "An absolute IRI.",
            Self::IriReference => "An IRI or a relative reference.",
            Self::UriTemplate => "A URI template.",
            Self::Email | Self::StrictEmail => "An e-mail address.",
            Self::IdnEmail => "An internationalized e-mail address.",
            Self::Hostname => "A host name.",
            Self::IdnHostname => "An internationalized host name.",
            Self::Ipv4 => "An IPv4 address.",
            Self::Ipv6 => "An IPv6 address.",
            Self::JsonPointer => "A JSON pointer.",
            Self::RelativeJsonPointer => "A relative JSON pointer.",
            Self::Regex => "A regular expression.",
            Self::Base64 => "Base64-encoded bytes.",
        }
    }
}

impl TextRules {
    /// Returns the format to check: that of the Rust type, else the document's.
    #[must_use]
    pub fn checked_format(&self) -> Option<TextFormat> {
        let of_type = match self.ty {
            TextType::String | TextType::Foreign(_) => None,
            TextType::Uuid => Some(TextFormat::Uuid),
            TextType::Timestamp => Some(TextFormat::DateTime),
            TextType::Date => Some(TextFormat::Date),
            TextType::Base64 => Some(TextFormat::Base64),
        };
        of_type.or(self.format)
    }
}
