//! The string formats that are checked.

/// A string format that request validation checks.
///
/// A format that needs further crates exists only with a cargo feature: `formats` or `formats-idn`. So a table
/// that names such a format does not compile without the code that checks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// An RFC 3339 `date-time`.
    DateTime,
    /// An RFC 3339 `full-date`.
    Date,
    /// An RFC 3339 `full-time`.
    Time,
    /// A `duration` of RFC 3339, appendix A.
    Duration,
    /// A hyphenated UUID.
    Uuid,
    /// An absolute URI; the check is lenient about paths and queries.
    Uri,
    /// A URI exactly as RFC 3986 defines it.
    #[cfg(feature = "formats")]
    StrictUri,
    /// A URI reference (RFC 3986).
    #[cfg(feature = "formats")]
    UriReference,
    /// An IRI (RFC 3987).
    #[cfg(feature = "formats")]
    Iri,
    /// An IRI reference (RFC 3987).
    #[cfg(feature = "formats")]
    IriReference,
    /// A URI template (RFC 6570).
    UriTemplate,
    /// An e-mail address; the check is lenient.
    Email,
    /// An e-mail address exactly as RFC 5321 defines it: a `Mailbox`.
    StrictEmail,
    /// An e-mail address with characters beyond ASCII (RFC 6531).
    #[cfg(feature = "formats-idn")]
    IdnEmail,
    /// A host name (RFC 1123); labels in Punycode are decoded and checked.
    #[cfg(feature = "formats-idn")]
    Hostname,
    /// An internationalized host name (RFC 5890).
    #[cfg(feature = "formats-idn")]
    IdnHostname,
    /// An IPv4 address.
    Ipv4,
    /// An IPv6 address.
    Ipv6,
    /// A JSON pointer (RFC 6901).
    JsonPointer,
    /// A relative JSON pointer.
    RelativeJsonPointer,
    /// A regular expression of ECMA-262.
    #[cfg(feature = "formats")]
    Regex,
    /// Base64 in the standard alphabet, with padding.
    Base64,
}
