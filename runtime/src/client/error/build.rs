//! The reasons why a client can't be built.

use crate::client::BoxError;

/// The reason why a client can't be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Neither the caller nor the API's document sets a server.
    #[error("The client has no server: set its URL with `ClientBuilder::base_url`.")]
    NoServer,

    /// The URL of the server can't be used.
    #[error("The server's URL can't be used: {reason}.")]
    BaseUrl {
        /// The problem with the URL.
        reason: String,
    },

    /// The name or the value of a header has characters that are not allowed there.
    #[error("The header `{name}` has characters that are not allowed in headers.")]
    Header {
        /// The name of the header.
        name: String,
    },

    /// A credential has characters that its scheme can't send.
    #[error("The credential for `{scheme}` has characters that can't be sent.")]
    Credential {
        /// The name of the scheme.
        scheme: &'static str,
    },

    /// The token endpoint of an OAuth 2.0 grant is not known.
    #[error("The token URL for `{scheme}` can't be used: {reason}.")]
    TokenUrl {
        /// The name of the scheme.
        scheme: &'static str,
        /// The problem with the URL.
        reason: String,
    },

    /// The HTTP client could not be created.
    #[error("The HTTP client couldn't be created.")]
    Http(#[source] BoxError),
}
