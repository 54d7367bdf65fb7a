//! The string formats that are checked.

/// A string format that request validation checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// An RFC 3339 `date-time`.
    DateTime,
    /// An RFC 3339 `full-date`.
    Date,
    /// A hyphenated UUID.
    Uuid,
    /// An absolute URI.
    Uri,
    /// An e-mail address; the check is lenient.
    Email,
    /// An IPv4 address.
    Ipv4,
    /// An IPv6 address.
    Ipv6,
    /// Base64 in the standard alphabet, with padding.
    Base64,
}
