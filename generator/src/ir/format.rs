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
    pub fn from_name(name: &str, formats: Formats) -> Option<Self> {
        match formats {
            Formats::Annotation => None,
            Formats::Common => Self::common(name),
            Formats::Assert => Self::specified(name).or_else(|| Self::common(name)),
        }
    }

    /// Returns the format with this name, if it is checked by default.
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
    pub const fn name(self) -> &'static str {
        self.words().0
    }

    /// Returns a text that has the format.
    pub const fn sample(self) -> &'static str {
        self.words().1
    }

    /// Returns the sentence of the documentation.
    pub const fn sentence(self) -> &'static str {
        self.words().2
    }

    /// Returns the name, a sample and the sentence of the documentation.
    const fn words(self) -> (&'static str, &'static str, &'static str) {
        const URI: &str = "https://example.com/";
        const EMAIL: &str = "someone@example.com";
        const UUID: &str = "046b6c7f-0b8a-43b9-b35d-6489e6daee91";
        match self {
            Self::DateTime => ("date-time", "2026-01-01T12:00:00Z", "An RFC 3339 date and time."),
            Self::Date => ("date", "2026-01-01", "An RFC 3339 date."),
            Self::Time => ("time", "12:00:00Z", "An RFC 3339 time."),
            Self::Duration => ("duration", "P1D", "An RFC 3339 duration."),
            Self::Uuid => ("uuid", UUID, "A UUID."),
            Self::Uri | Self::StrictUri => ("uri", URI, "An absolute URI."),
            Self::UriReference => ("uri-reference", URI, "A URI or a relative reference."),
            Self::Iri => ("iri", URI, "An absolute IRI."),
            Self::IriReference => ("iri-reference", URI, "An IRI or a relative reference."),
            Self::UriTemplate => ("uri-template", "https://example.com/{id}", "A URI template."),
            Self::Email | Self::StrictEmail => ("email", EMAIL, "An e-mail address."),
            Self::IdnEmail => ("idn-email", EMAIL, "An internationalized e-mail address."),
            Self::Hostname => ("hostname", "example.com", "A host name."),
            Self::IdnHostname => ("idn-hostname", "example.com", "An internationalized host name."),
            Self::Ipv4 => ("ipv4", "127.0.0.1", "An IPv4 address."),
            Self::Ipv6 => ("ipv6", "::1", "An IPv6 address."),
            Self::JsonPointer => ("json-pointer", "/name", "A JSON pointer."),
            Self::RelativeJsonPointer => ("relative-json-pointer", "0/name", "A relative JSON pointer."),
            Self::Regex => ("regex", "^[a-z]+$", "A regular expression."),
            Self::Base64 => ("byte", "dGV4dA==", "Base64-encoded bytes."),
        }
    }

    /// Returns the feature with which the runtime checks the format, if it needs one.
    pub const fn feature(self) -> Option<&'static str> {
        match self {
            Self::StrictUri | Self::UriReference | Self::Iri | Self::IriReference | Self::Regex => {
                Some("formats")
            }
            Self::Hostname | Self::IdnHostname | Self::IdnEmail => Some("formats-idn"),
            _ => None,
        }
    }
}

impl TextRules {
    /// Returns the format to check: that of the Rust type, else the document's.
    pub fn checked_format(&self) -> Option<TextFormat> {
        let types = [TextFormat::Uuid, TextFormat::DateTime, TextFormat::Date, TextFormat::Base64];
        let of_type = types.into_iter().find(|format| format.ty() == self.ty);
        of_type.or(self.format)
    }
}
