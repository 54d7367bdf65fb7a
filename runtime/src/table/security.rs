//! The table rows of security schemes.

/// A security scheme.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct Scheme {
    /// The name in the document.
    pub name: &'static str,
    /// The kind of credential.
    pub kind: SchemeKind,
    /// The method of the generated client's builder that sets the credential. Without one, it has the scheme's name.
    pub setter: Option<&'static str>,
    /// The OAuth 2.0 flows by which a client gets tokens.
    pub flows: &'static [Flow],
    /// The scopes that operations of the document require, if there are flows.
    pub scopes: &'static [&'static str],
}

/// An OAuth 2.0 flow with a token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[must_use]
pub struct Flow {
    /// The kind.
    pub kind: FlowKind,
    /// The URL of the token endpoint. It can be relative to that of the server.
    pub token_url: &'static str,
    /// The URL that refreshes tokens, if it differs from the token URL.
    pub refresh_url: Option<&'static str>,
}

/// The kind of an OAuth 2.0 flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FlowKind {
    /// `authorizationCode`.
    AuthorizationCode,
    /// `clientCredentials`.
    ClientCredentials,
    /// `deviceAuthorization`.
    DeviceAuthorization,
    /// `password`.
    Password,
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
#[must_use]
pub struct Requirement {
    /// The scheme.
    pub scheme: &'static Scheme,
    /// The required scopes or roles.
    pub scopes: &'static [&'static str],
}
