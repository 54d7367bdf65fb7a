//! The table rows of security schemes.

/// A security scheme.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Scheme {
    /// The name in the document.
    pub name: &'static str,
    /// The kind of credential.
    pub kind: SchemeKind,
}

/// The kind of credential that a security scheme takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemeKind {
    /// An API key in this header.
    ApiKeyHeader(&'static str),
    /// An API key in this query parameter.
    ApiKeyQuery(&'static str),
    /// An API key in this cookie.
    ApiKeyCookie(&'static str),
    /// `Authorization: Basic …`.
    Basic,
    /// `Authorization: Bearer …`, which OAuth 2.0 and OpenID Connect use too.
    Bearer,
    /// `Authorization: <scheme> …`.
    Http(&'static str),
    /// A client certificate of the connection. The request carries no credential.
    MutualTls,
}

/// A security scheme that a caller must satisfy.
#[derive(Debug)]
#[non_exhaustive]
pub struct Requirement {
    /// The scheme.
    pub scheme: &'static Scheme,
    /// The required scopes or roles.
    pub scopes: &'static [&'static str],
}
