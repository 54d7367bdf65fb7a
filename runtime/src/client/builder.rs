//! How a client is made.

use std::{fmt, time::Duration};

use http::{
    HeaderMap,
    header::{HeaderName, HeaderValue, USER_AGENT},
};
use reqwest::{Url, redirect};

use super::{
    connection::{Client, Settings},
    credential::{Credential, Credentials},
    retry::RetryPolicy,
};
use crate::table::Scheme;

/// Settings of a [`Client`] to be. Nothing here fails; [`build`](Self::build) tells what is wrong.
#[derive(Clone)]
pub struct ClientBuilder {
    server: Option<String>,
    base_url: Option<String>,
    http: Option<reqwest::Client>,
    headers: Vec<(String, String)>,
    credentials: Credentials,
    timeout: Duration,
    deadline: Option<Duration>,
    retry: RetryPolicy,
    response_limit: u64,
    preflight: bool,
}

/// The longest body of an answer unless a builder says otherwise: 64 MiB.
pub const DEFAULT_RESPONSE_LIMIT: u64 = 64 * 1024 * 1024;

impl Default for ClientBuilder {
    fn default() -> Self {
        Self {
            server: None,
            base_url: None,
            http: None,
            headers: Vec::new(),
            credentials: Credentials::default(),
            timeout: Duration::from_secs(60),
            deadline: None,
            retry: RetryPolicy::default(),
            response_limit: DEFAULT_RESPONSE_LIMIT,
            preflight: false,
        }
    }
}

impl ClientBuilder {
    /// The server that the API's document names: used unless there is a [`base_url`](Self::base_url). Generated
    /// clients set it.
    #[must_use]
    pub fn server(mut self, url: impl Into<String>) -> Self {
        self.server = Some(url.into());
        self
    }

    /// The server's URL: `https://example.com`, or with a path that every operation's path is put behind,
    /// `https://example.com/api`. It has no query and no fragment.
    #[must_use]
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// What proves the caller where an operation asks for this security scheme. Generated clients have a method with
    /// the scheme's name for it.
    #[must_use]
    pub fn credential(mut self, scheme: &'static Scheme, credential: impl Into<Credential>) -> Self {
        self.credentials.insert(scheme, credential.into());
        self
    }

    /// The HTTP client to use, with its own proxies, certificates and redirects.
    ///
    /// Without one, connections may take 10 s to be made. Redirects are followed only on the same origin, because a
    /// credential that goes along must not reach another one; and only where the method stays: `307` and `308`, and
    /// for `GET` and `HEAD` also `301`, `302` and `303`. Any other redirect is the answer.
    ///
    /// **With one, its redirect policy holds.** That of [`reqwest`] by default takes `Authorization` and `Cookie` out
    /// of a request to another origin, but not other headers, such as an API key's, and makes a `GET` of a redirected
    /// `POST`. Give it `reqwest::redirect::Policy::none()`, or a policy of your own.
    #[must_use]
    pub fn http(mut self, http: reqwest::Client) -> Self {
        self.http = Some(http);
        self
    }

    /// How long one attempt may take, from connecting to the last byte of the answer; of an answer that is a stream, to
    /// its head, and then from each piece to the next. 60 s by default; [`Duration::MAX`] is no limit.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// How long a call may take with all its attempts and the waits between them, and with an answer that is a stream. No
    /// limit by default.
    #[must_use]
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// When and how often calls are tried again.
    #[must_use]
    pub const fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// How long the body of an answer may be, in bytes: [`DEFAULT_RESPONSE_LIMIT`] unless set. Of a longer one no more
    /// is read, and the call fails ([`Error::TooLarge`](super::Error::TooLarge)); [`u64::MAX`] is no limit. Of an answer
    /// that is a stream it is how much is held at once: by `collect`, or as one item.
    #[must_use]
    pub const fn response_limit(mut self, bytes: u64) -> Self {
        self.response_limit = bytes;
        self
    }

    /// The value of `User-Agent`.
    #[must_use]
    pub fn user_agent(self, agent: impl Into<String>) -> Self {
        self.header(USER_AGENT.as_str(), agent)
    }

    /// A header for every request; the operation's own and the call's win over it. The last of one name counts.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Whether inputs are checked against the API's rules before they are sent, so that a call that the server would
    /// refuse fails at once, with every violation ([`Error::Invalid`](super::Error::Invalid)). Off by default: a
    /// newer server may allow more than this client knows.
    #[must_use]
    pub const fn preflight(mut self, check: bool) -> Self {
        self.preflight = check;
        self
    }

    /// The client.
    ///
    /// # Errors
    /// There is no server's URL, or a setting can't be used.
    pub fn build(self) -> Result<Client, BuildError> {
        let base = base(self.base_url.or(self.server).ok_or(BuildError::NoServer)?)?;
        let headers = headers(self.headers)?;
        if let Some((scheme, _)) =
            self.credentials.iter().find(|(scheme, credential)| !credential.fits(scheme))
        {
            return Err(BuildError::Credential { scheme: scheme.name });
        }
        let follows_redirects = self.http.is_none();
        let http = match self.http {
            Some(http) => http,
            None => default_http().map_err(|error| BuildError::Http(error.into()))?,
        };
        Ok(Client::new(Settings {
            base,
            http,
            follows_redirects,
            headers,
            credentials: self.credentials,
            timeout: self.timeout,
            deadline: self.deadline,
            retry: self.retry,
            response_limit: self.response_limit,
            preflight: self.preflight,
        }))
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither URLs (they may hold a password) nor the values of headers.
        f.debug_struct("ClientBuilder")
            .field("headers", &self.headers.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("credentials", &self.credentials)
            .field("timeout", &self.timeout)
            .field("deadline", &self.deadline)
            .field("retry", &self.retry)
            .field("response_limit", &self.response_limit)
            .field("preflight", &self.preflight)
            .finish_non_exhaustive()
    }
}

/// Why a client can't be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Neither the caller nor the API's document names a server.
    #[error("The client has no server: set its base URL.")]
    NoServer,

    /// The server's URL can't be used.
    #[error("The server's URL can't be used: {reason}.")]
    BaseUrl {
        /// What is wrong with it.
        reason: String,
    },

    /// A header's name or value has characters that no header may have.
    #[error("The header `{name}` has characters that no header may have.")]
    Header {
        /// The header's name.
        name: String,
    },

    /// A credential has characters that can't stand where its scheme puts it.
    #[error("The credential for `{scheme}` has characters that can't be sent.")]
    Credential {
        /// The scheme.
        scheme: &'static str,
    },

    /// The HTTP client couldn't be made.
    #[error("The HTTP client couldn't be made.")]
    Http(#[source] super::BoxError),
}

/// The URL as operations' paths are appended to it.
fn base(text: String) -> Result<String, BuildError> {
    let refuse = |reason: &str| Err(BuildError::BaseUrl { reason: reason.to_owned() });
    let url = Url::parse(&text).map_err(|error| BuildError::BaseUrl { reason: error.to_string() })?;
    if !matches!(url.scheme(), "http" | "https") {
        return refuse("it is neither http nor https");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refuse("it has a query or a fragment");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("it has a user's name or password; use a credential or a header");
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

fn headers(pairs: Vec<(String, String)>) -> Result<HeaderMap, BuildError> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        match (HeaderName::try_from(&name), HeaderValue::try_from(value)) {
            (Ok(name), Ok(value)) => headers.insert(name, value),
            _ => return Err(BuildError::Header { name }),
        };
    }
    Ok(headers)
}

/// Follows no redirects itself, as its policies don't know a request's method.
fn default_http() -> reqwest::Result<reqwest::Client> {
    let builder = reqwest::Client::builder().connect_timeout(Duration::from_secs(10));
    builder.redirect(redirect::Policy::none()).build()
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
            ("ftp://example.com", Err("The server's URL can't be used: it is neither http nor https.")),
            ("/v1", Err("The server's URL can't be used: relative URL without a base.")),
        ];
        for (text, expected) in cases {
            let found = base(text.to_owned()).map_err(|error| error.to_string());
            assert_eq!(found.as_deref().map_err(String::as_str), expected);
        }
        let refused = base("https://user:hunter2@example.com".to_owned()).unwrap_err();
        assert!(!format!("{refused:?} {refused}").contains("hunter2"));
    }

    #[test]
    fn what_is_wrong_is_told_by_build() {
        assert!(matches!(Client::builder().build(), Err(BuildError::NoServer)));
        let server = Client::builder().server("https://a.example");
        assert_eq!(server.clone().build().unwrap().base_url(), "https://a.example");
        assert_eq!(
            server.clone().base_url("https://b.example/c").build().unwrap().base_url(),
            "https://b.example/c"
        );
        assert!(
            matches!(server.clone().header("a b", "c").build(), Err(BuildError::Header { name }) if name == "a b")
        );
        assert!(
            matches!(server.header("a", "b\nc").build(), Err(BuildError::Header { name }) if name == "a")
        );
    }
}
