//! Security schemes: credentials of requests, and where clients get tokens.

use super::{Ident, Origin};

/// A security scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecurityScheme {
    /// The name in the document.
    pub name: String,
    /// The name of the table row: `API_KEY`.
    pub constant: Ident,
    /// The method of the client's builder: `api_key`.
    pub method: Ident,
    /// The kind.
    pub kind: SchemeKind,
    /// The description.
    pub description: Option<String>,
    /// Whether the document deprecates it.
    pub deprecated: bool,
    /// The OAuth 2.0 flows by which a client gets tokens.
    pub flows: Vec<OAuthFlow>,
    /// The source location.
    pub origin: Origin,
}

/// An OAuth 2.0 flow with a token endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OAuthFlow {
    /// The kind.
    pub kind: FlowKind,
    /// The URL of the token endpoint.
    pub token_url: String,
    /// The URL that refreshes tokens, if the document has one.
    pub refresh_url: Option<String>,
}

/// The kind of an OAuth 2.0 flow with a token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

impl FlowKind {
    /// All kinds.
    pub const ALL: [Self; 4] =
        [Self::AuthorizationCode, Self::ClientCredentials, Self::DeviceAuthorization, Self::Password];

    /// Returns the name in OpenAPI: `clientCredentials`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AuthorizationCode => "authorizationCode",
            Self::ClientCredentials => "clientCredentials",
            Self::DeviceAuthorization => "deviceAuthorization",
            Self::Password => "password",
        }
    }
}

/// The kind of a security scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemeKind {
    /// An API key in this header.
    ApiKeyHeader(String),
    /// An API key in this query parameter.
    ApiKeyQuery(String),
    /// An API key in this cookie.
    ApiKeyCookie(String),
    /// HTTP basic authentication.
    Basic,
    /// A bearer token: HTTP bearer, OAuth 2.0, OpenID Connect.
    Bearer,
    /// Another HTTP authentication scheme, by name.
    Http(String),
    /// A client certificate.
    MutualTls,
}

/// A security scheme that a request must satisfy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecurityRequirement {
    /// An index of [`Api::security_schemes`](super::Api::security_schemes).
    pub scheme: usize,
    /// The required scopes or roles.
    pub scopes: Vec<String>,
}
