//! The transport of a client, which sends its requests and receives the responses.

mod error;
mod http_client;
mod service;

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use http::Uri;
use reqwest::Url;

pub(super) use self::http_client::body;
pub use self::{error::TransportError, http_client::Http};
use super::{Attempt, ClientBuilder};
use crate::types::ByteStream;

/// A way to send requests, for [`ClientBuilder::transport`](super::ClientBuilder::transport).
///
/// A client calls it for each attempt, for each redirect that it follows, and for the tokens of an
/// [`OAuth2`](super::OAuth2) grant. Retries, timeouts, credentials and decoding are not its concern.
///
/// Each [`tower_service::Service`] that takes an [`http::Request<ByteStream>`](ByteStream), returns an `http::Response`
/// with a body of any type, and is `Clone + Send + Sync` is a transport: an axum router, a generated server, or a service
/// behind layers. [`Http`] is the transport of a client that has no other.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::client::{
///     Client, Http, Outgoing, Sending, Transport,
/// };
///
/// /// Prints each request.
/// struct Printing(Http);
///
/// impl Transport for Printing {
///     fn send(&self, outgoing: Outgoing) -> Sending<'_> {
///         println!("{} {}", outgoing.request.method(), outgoing.request.url().path());
///         self.0.send(outgoing)
///     }
/// }
///
/// let client = Client::builder().base_url("https://example.com").transport(Printing(Http::new()?)).build()?;
/// # Ok::<(), openapi_crates_runtime::client::BuildError>(())
/// ```
pub trait Transport: Send + Sync + 'static {
    /// Sends a request. Returns the response when its head has arrived.
    ///
    /// # Errors
    /// The variant of the error determines whether the attempt can be repeated.
    fn send(&self, outgoing: Outgoing) -> Sending<'_>;
}

/// The operation id of requests to a token endpoint.
pub(super) const TOKEN_REQUEST: &str = "(token)";

/// The URL of a response after redirects, in its extensions.
#[derive(Debug, Clone)]
pub(super) struct ResponseUrl(pub Url);

/// Sends a request. The response has its URL.
pub(super) async fn send(
    transport: &dyn Transport,
    outgoing: Outgoing,
) -> Result<http::Response<ByteStream>, TransportError> {
    let url = ResponseUrl(outgoing.request.url().clone());
    let mut response = transport.send(outgoing).await?;
    // A transport that follows redirects has set it.
    response.extensions_mut().get_or_insert(url);
    Ok(response)
}

/// The future of [`Transport::send`].
pub type Sending<'a> =
    Pin<Box<dyn Future<Output = Result<http::Response<ByteStream>, TransportError>> + Send + 'a>>;

/// A request on its way to the server, with its credentials.
///
/// Its `Debug` output has neither the query nor headers, which may contain secrets.
#[non_exhaustive]
pub struct Outgoing {
    /// The attempt that it belongs to. `None` for a request to a token endpoint, which belongs to no operation.
    pub attempt: Option<Attempt>,
    /// The request.
    pub request: reqwest::Request,
}

impl Outgoing {
    pub(super) const fn new(attempt: Option<Attempt>, request: reqwest::Request) -> Self {
        Self { attempt, request }
    }

    /// Returns the id of the operation, or `(token)` for a request to a token endpoint.
    #[must_use]
    pub fn operation_id(&self) -> &'static str {
        self.attempt.map_or(TOKEN_REQUEST, |attempt| attempt.operation.id)
    }

    /// Converts the request into the type of other HTTP libraries. Its extensions have the [`Attempt`].
    ///
    /// # Errors
    /// Returns [`TransportError::Refused`] if the URL can't be a [`Uri`].
    pub fn into_http(self) -> Result<http::Request<ByteStream>, TransportError> {
        let Self { attempt, mut request } = self;
        let uri =
            request.url().as_str().parse::<Uri>().map_err(|error| TransportError::Refused(error.into()))?;
        let body = request.body_mut().take().map(http_client::stream).unwrap_or_default();
        let mut http = http::Request::new(body);
        *http.method_mut() = request.method().clone();
        *http.uri_mut() = uri;
        *http.headers_mut() = std::mem::take(request.headers_mut());
        if let Some(attempt) = attempt {
            http.extensions_mut().insert(attempt);
        }
        Ok(http)
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outgoing")
            .field("attempt", &self.attempt)
            .field("method", self.request.method())
            .field("path", &self.request.url().path())
            .finish_non_exhaustive()
    }
}

impl ClientBuilder {
    /// Sets the HTTP client to use, with its own proxies and certificates.
    ///
    /// Build it with [`http_builder`](super::http_builder).
    ///
    /// Without it, a connection attempt takes at most 10 s. Redirects are followed only to the same origin,
    /// because a credential must not reach another one. They are followed only if the method stays the same:
    /// `307` and `308`, and for `GET` and `HEAD` also `301`, `302` and `303`. At most 10 are followed in one
    /// attempt. Any other redirect is the response to the call.
    ///
    /// **A redirect policy of the given client applies first.** A client of `http_builder` follows none. The default
    /// policy of [`reqwest`] sends the headers of API keys, and the bodies of requests for tokens, to other origins, and
    /// turns a redirected `POST` into a `GET`.
    pub fn http(self, http: reqwest::Client) -> Self {
        self.transport(Http::from(http))
    }

    /// Sets the transport, which sends all requests, in place of an HTTP client.
    ///
    /// It is a [`Transport`] or a tower service, such as an axum router or a generated server.
    pub fn transport(mut self, transport: impl Transport) -> Self {
        self.transport = Some(Arc::new(transport));
        self
    }
}
