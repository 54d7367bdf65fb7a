//! The forms of strings that are checked.

/// A form of strings that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// RFC 3339 date and time.
    DateTime,
    /// RFC 3339 full date.
    Date,
    /// A UUID, hyphenated.
    Uuid,
    /// An absolute URI.
    Uri,
    /// An e-mail address, loosely.
    Email,
    /// An IPv4 address.
    Ipv4,
    /// An IPv6 address.
    Ipv6,
    /// Base64, standard alphabet.
    Base64,
}
