//! Rows of security schemes.

/// A security scheme.
#[derive(Debug, PartialEq, Eq)]
pub struct Scheme {
    /// Its name in the document.
    pub name: &'static str,
    /// How a caller proves itself.
    pub kind: SchemeKind,
}

/// How a caller proves itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemeKind {
    /// A key in this header.
    ApiKeyHeader(&'static str),
    /// A key in this query parameter.
    ApiKeyQuery(&'static str),
    /// A key in this cookie.
    ApiKeyCookie(&'static str),
    /// `Authorization: Basic …`.
    Basic,
    /// `Authorization: Bearer …`; OAuth 2.0 and OpenID Connect are that on the wire.
    Bearer,
    /// `Authorization: <scheme> …`.
    Http(&'static str),
    /// The connection's certificate; nothing in the request.
    MutualTls,
}

/// One scheme that a caller must satisfy.
#[derive(Debug)]
pub struct Requirement {
    /// The scheme.
    pub scheme: &'static Scheme,
    /// The scopes or roles that are needed.
    pub scopes: &'static [&'static str],
}
