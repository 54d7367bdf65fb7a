//! The builder of a client.

use std::{fmt, sync::Arc, time::Duration};

use http::{HeaderMap, header::USER_AGENT};
use reqwest::Url;

use super::connection::{Options, Settings};
use super::credential::{ANY_BEARER, Credentials};
use super::{
    BuildError, Client, Credential, Http, Limits, RetryBudget, RetryPolicy, Transport, hooks::Hooks,
    pending::insert, url::is_http,
};
use crate::table::Scheme;

/// A builder of a [`Client`].
///
/// The setters never fail. [`build`](Self::build) reports invalid settings.
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use openapi_crates_runtime::client::{Client, RetryPolicy};
///
/// let client = Client::builder()
///     .base_url("https://api.example.com/v1")
///     .timeout(Duration::from_secs(10))
///     .retry(RetryPolicy::default().attempts(5))
///     .build()?;
/// assert_eq!(client.base_url(), Some("https://api.example.com/v1"));
/// # Ok::<(), openapi_crates_runtime::client::BuildError>(())
/// ```
#[derive(Clone)]
#[must_use = "a builder does nothing until a client is built"]
pub struct ClientBuilder {
    server: Option<String>,
    base_url: Option<String>,
    operation_servers: Option<bool>,
    needs_server: bool,
    pub(super) transport: Option<Arc<dyn Transport>>,
    headers: Vec<(String, String)>,
    credentials: Credentials,
    pub(super) options: Options,
}

/// The default limit of response bodies, in bytes: 64 MiB.
pub const DEFAULT_RESPONSE_LIMIT: u64 = 64 * 1024 * 1024;

impl Default for ClientBuilder {
    fn default() -> Self {
        Self {
            server: None,
            base_url: None,
            operation_servers: None,
            needs_server: true,
            transport: None,
            headers: Vec::new(),
            credentials: Credentials::default(),
            options: Options {
                require_credentials: true,
                limits: Limits { timeout: Duration::from_secs(60), deadline: None },
                retry: RetryPolicy::default(),
                budget: RetryBudget::default(),
                response_limit: DEFAULT_RESPONSE_LIMIT,
                preflight: false,
                strict_status: false,
                assume_utc: false,
                hooks: Hooks::default(),
            },
        }
    }
}

impl ClientBuilder {
    /// Sets the server that the API's document names.
    ///
    /// It is used if no [`base_url`](Self::base_url) is set. Generated clients set it.
    pub fn server(mut self, url: impl Into<String>) -> Self {
        self.server = Some(url.into());
        self
    }

    /// Sets the URL of the server, such as `https://example.com`.
    ///
    /// The URL can have a path, such as `https://example.com/api`. The paths of the operations are appended
    /// to it. It must not have a query, a fragment, a user name or a password.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Sets whether operations go to servers of their own, where the API's document has them.
    ///
    /// The default is `true`, and `false` if a [`base_url`](Self::base_url) is set: then all requests go to that URL.
    /// Credentials are sent to these servers as to the others of the document.
    pub const fn operation_servers(mut self, use_them: bool) -> Self {
        self.operation_servers = Some(use_them);
        self
    }

    /// Sets whether the client needs a server besides those of operations.
    ///
    /// The default is `true`. Generated clients set `false` if the API's document has servers of operations only. Then a
    /// call of another operation fails, unless a [`base_url`](Self::base_url) is set.
    pub const fn needs_server(mut self, needs_it: bool) -> Self {
        self.needs_server = needs_it;
        self
    }

    /// Sets the credential for a security scheme.
    ///
    /// It is sent with the operations that accept the scheme. Generated clients have a method with the
    /// scheme's name for this.
    pub fn credential(mut self, scheme: &'static Scheme, credential: impl Into<Credential>) -> Self {
        self.credentials.insert(scheme, credential.into());
        self
    }

    /// Sets the credential for all schemes that take a bearer token: HTTP bearer, OAuth 2.0, OpenID Connect.
    ///
    /// A [`credential`](Self::credential) for one scheme has precedence. An [`OAuth2`](super::OAuth2) grant needs a
    /// [`token_url`](super::OAuth2::token_url) here.
    pub fn bearer_credential(self, credential: impl Into<Credential>) -> Self {
        self.credential(&ANY_BEARER, credential)
    }

    /// Sets whether a call fails if no credential is set for the security schemes of its operation.
    ///
    /// The default is `true`: the call fails with [`ErrorKind::MissingCredential`](super::ErrorKind::MissingCredential),
    /// and nothing is sent. It does not fail if a header of the client or of the call can be the credential, or if a
    /// [hook](Self::before_attempt) can add it. Set `false` for a server that requires no credential, and if the
    /// [HTTP client](Self::http) adds it.
    pub const fn require_credentials(mut self, require: bool) -> Self {
        self.options.require_credentials = require;
        self
    }

    /// Sets the maximum duration of one attempt.
    ///
    /// It covers the time from connecting to the last byte of the response. For a streamed response it covers
    /// the time to the head, and then from each piece to the next. The default is 60 s. [`Duration::MAX`]
    /// means no limit.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.options.limits.timeout = timeout;
        self
    }

    /// Sets the maximum duration of a call.
    ///
    /// It covers all attempts, the waits between them, and a streamed response. The default is no limit.
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.options.limits.deadline = Some(deadline);
        self
    }

    /// Sets the policy for retries. The default is [`RetryPolicy::default`].
    pub const fn retry(mut self, policy: RetryPolicy) -> Self {
        self.options.retry = policy;
        self
    }

    /// Sets the budget of retries, which all clones of the client share. The default is [`RetryBudget::default`].
    pub fn retry_budget(mut self, budget: RetryBudget) -> Self {
        self.options.budget = budget;
        self
    }

    /// Sets the maximum size of a response body, in bytes.
    ///
    /// The client stops reading a larger body, and the call fails with
    /// [`ErrorKind::TooLarge`](super::ErrorKind::TooLarge). For a streamed response the limit applies to the bytes
    /// held at once: by `collect`, or for one item. The default is [`DEFAULT_RESPONSE_LIMIT`]. [`u64::MAX`]
    /// means no limit.
    pub const fn response_limit(mut self, bytes: u64) -> Self {
        self.options.response_limit = bytes;
        self
    }

    /// Sets the value of the `User-Agent` header.
    pub fn user_agent(self, agent: impl Into<String>) -> Self {
        self.header(USER_AGENT.as_str(), agent)
    }

    /// Adds a header to every request.
    ///
    /// Headers of the operation and of the call have precedence. If a name is added twice, the last value is
    /// used.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets whether inputs are validated before they are sent.
    ///
    /// A call with an invalid input then fails at once with its violations
    /// ([`ErrorKind::Invalid`](super::ErrorKind::Invalid)). The default is `false`, because a newer server may allow
    /// more than this client knows.
    pub const fn preflight(mut self, check: bool) -> Self {
        self.options.preflight = check;
        self
    }

    /// Sets whether a success with an undocumented status is an error.
    ///
    /// By default, a response with an undocumented 2xx status is decoded as the operation's only documented
    /// success, if its body fits. [`Response::is_documented`](super::Response::is_documented) is then `false`.
    /// Some servers send 201 where their document says 200.
    pub const fn strict_status(mut self, strict: bool) -> Self {
        self.options.strict_status = strict;
        self
    }

    /// Sets whether a date-time without an offset in a response, such as `2024-01-01T00:00:00`, is one in UTC.
    ///
    /// By default it is an error, because RFC 3339 requires an offset.
    pub const fn assume_utc(mut self, assume: bool) -> Self {
        self.options.assume_utc = assume;
        self
    }

    /// Builds the client.
    ///
    /// # Errors
    /// Returns an error if no server is set, or if a setting is invalid.
    pub fn build(self) -> Result<Client, BuildError> {
        let operation_servers = self.operation_servers.unwrap_or(self.base_url.is_none());
        let base = match self.base_url.or(self.server) {
            Some(url) => Some(base(url)?),
            None if self.needs_server || !operation_servers => return Err(BuildError::NoServer),
            None => None,
        };
        let mut headers = HeaderMap::new();
        for (name, value) in self.headers {
            insert(&mut headers, &name, &value).map_err(|_| BuildError::Header { name })?;
        }
        let transport: Arc<dyn Transport> = match self.transport {
            Some(transport) => transport,
            None => Arc::new(Http::new()?),
        };
        let credentials = self.credentials.resolved(base.as_deref(), &transport)?;
        let options = self.options;
        Ok(Client::new(Settings { base, operation_servers, transport, headers, credentials, options }))
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // URLs may contain a password, and header values may be secret.
        f.debug_struct("ClientBuilder")
            .field("headers", &self.headers.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("credentials", &self.credentials)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// Returns the URL in the form to which the paths of operations are appended.
fn base(text: String) -> Result<String, BuildError> {
    let refuse = |reason: &str| Err(BuildError::BaseUrl { reason: reason.to_owned() });
    // `Url::parse` takes the name in `localhost:8080` for a scheme.
    let url = match Url::parse(&text) {
        Ok(url) if is_http(&url) => url,
        Err(error) if text.contains("://") => return refuse(&error.to_string()),
        _ => return refuse("it doesn't begin with `http://` or `https://`"),
    };
    if url.query().is_some() || url.fragment().is_some() {
        return refuse("it has a query or a fragment");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("it has a user name or a password; use a credential or a header instead");
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// Returns a builder of HTTP clients for [`ClientBuilder::http`].
///
/// It follows no redirects; [`Client`] follows those that stay on the origin. In a browser, `fetch` follows all.
///
/// With the feature `rustls`, use it instead of `reqwest::Client::new` and `reqwest::Client::builder`. Those
/// panic if the process has no default provider of cryptography. This function installs ring as the default
/// provider, unless the program has installed another one before.
pub fn http_builder() -> reqwest::ClientBuilder {
    // An error means that a provider is installed already.
    #[cfg(feature = "rustls")]
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder();
    // In a browser, only `fetch` can follow redirects.
    #[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
    let builder = builder.redirect(reqwest::redirect::Policy::none());
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_keeps_its_path() {
        let cases = [
            ("https://example.com", Ok("https://example.com")),
            ("https://example.com/", Ok("https://example.com")),
            ("http://example.com:8080/api/v1/", Ok("http://example.com:8080/api/v1")),
            ("HTTPS://EXAMPLE.com/API", Ok("https://example.com/API")),
            (
                "https://example.com/?a=b",
                Err("The server's URL can't be used: it has a query or a fragment."),
            ),
            ("https://", Err("The server's URL can't be used: empty host.")),
        ];
        let schemeless = "The server's URL can't be used: it doesn't begin with `http://` or `https://`.";
        let without = ["ftp://example.com", "/v1", "localhost:8080", "127.0.0.1:8080", "example.com"];
        let cases = cases.into_iter().chain(without.map(|text| (text, Err(schemeless))));
        for (text, expected) in cases {
            let found = base(text.to_owned()).map_err(|error| error.to_string());
            assert_eq!(found.as_deref().map_err(String::as_str), expected);
        }
        let refused = base("https://user:hunter2@example.com".to_owned()).unwrap_err();
        assert!(!format!("{refused:?} {refused}").contains("hunter2"));
    }

    #[test]
    fn build_reports_invalid_settings() {
        assert!(matches!(Client::builder().build(), Err(BuildError::NoServer)));
        let server = Client::builder().server("https://a.example");
        let own = Client::builder().needs_server(false);
        assert_eq!(own.clone().build().unwrap().base_url(), None);
        assert!(matches!(own.operation_servers(false).build(), Err(BuildError::NoServer)));
        assert_eq!(server.clone().build().unwrap().base_url(), Some("https://a.example"));
        assert_eq!(
            server.clone().base_url("https://b.example/c").build().unwrap().base_url(),
            Some("https://b.example/c")
        );
        assert!(
            matches!(server.clone().header("a b", "c").build(), Err(BuildError::Header { name }) if name == "a b")
        );
        assert!(
            matches!(server.header("a", "b\nc").build(), Err(BuildError::Header { name }) if name == "a")
        );
    }
}
