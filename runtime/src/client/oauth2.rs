//! OAuth 2.0: tokens from the token endpoint of a flow (RFC 6749).

use std::{
    fmt,
    sync::{Arc, Mutex},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{
    HeaderMap, Method, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue},
};
use reqwest::Url;

use super::error::{line, message};
use super::{
    BoxError, BuildError, Outgoing, Token, TokenProvider, Transport, credential::secret_value,
    exchange::body, platform::lock, url,
};
use crate::{
    table::{Flow, FlowKind, Scheme},
    types::Value,
};

/// The maximum size of the response of a token endpoint, in bytes.
const RESPONSE: u64 = 1024 * 1024;

/// A grant of OAuth 2.0, by which the client gets its tokens.
///
/// It is a [`Credential`](super::Credential). The document's flow has the URL of the token endpoint, and the client asks
/// for [scopes](Self::scopes) that the document's operations require. All clones of the client share one token.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::client::{Credential, OAuth2};
///
/// let credential: Credential = OAuth2::client_credentials("my-service", "its secret").scopes(["read"]).into();
/// assert_eq!(format!("{credential:?}"), "Credential(secret)");
/// ```
#[derive(Clone)]
#[must_use]
pub struct OAuth2 {
    grant: Grant,
    client: Option<(Arc<str>, Option<Arc<str>>)>,
    secret_in_body: bool,
    scopes: Option<Vec<String>>,
    token_url: Option<String>,
    parameters: Vec<(String, String)>,
    on_refresh_token: Option<Arc<Store>>,
}

type Store = dyn Fn(&str) + Send + Sync;

#[derive(Clone)]
enum Grant {
    ClientCredentials,
    Password { user: Arc<str>, password: Arc<str> },
    RefreshToken(Arc<str>),
}

impl Grant {
    const fn name(&self) -> &'static str {
        match self {
            Self::ClientCredentials => "client_credentials",
            Self::Password { .. } => "password",
            Self::RefreshToken(_) => "refresh_token",
        }
    }
}

impl OAuth2 {
    /// Creates the grant `client_credentials` of a client with a secret.
    pub fn client_credentials(id: impl Into<String>, secret: impl Into<String>) -> Self {
        Self::new(Grant::ClientCredentials).client(id, secret)
    }

    /// Creates the grant `password`, with which FastAPI's servers begin.
    pub fn password(user: impl Into<String>, password: impl Into<String>) -> Self {
        Self::new(Grant::Password { user: user.into().into(), password: password.into().into() })
    }

    /// Creates the grant `refresh_token`, with a token that the user's consent gave to the program.
    ///
    /// If the server replaces the refresh token, the client uses the new one. Store it with
    /// [`on_refresh_token`](Self::on_refresh_token): the old one is no longer valid.
    pub fn refresh_token(token: impl Into<String>) -> Self {
        Self::new(Grant::RefreshToken(token.into().into()))
    }

    fn new(grant: Grant) -> Self {
        Self {
            grant,
            client: None,
            secret_in_body: false,
            scopes: None,
            token_url: None,
            parameters: Vec::new(),
            on_refresh_token: None,
        }
    }

    /// Sets the id and the secret of the client.
    pub fn client(mut self, id: impl Into<String>, secret: impl Into<String>) -> Self {
        self.client = Some((id.into().into(), Some(secret.into().into())));
        self
    }

    /// Sets the id of a client without a secret.
    pub fn public_client(mut self, id: impl Into<String>) -> Self {
        self.client = Some((id.into().into(), None));
        self
    }

    /// Sends the id and the secret of the client in the form, and not in the header `Authorization`.
    ///
    /// All servers must accept the header, but some don't.
    pub const fn secret_in_body(mut self) -> Self {
        self.secret_in_body = true;
        self
    }

    /// Sets the scopes to ask for. An empty list asks for the server's default.
    ///
    /// Without it, the client asks for all scopes that operations of the document require, except with a refresh token.
    /// The new token then has the scopes that the user granted, because a server must refuse further ones.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes = Some(scopes.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the URL of the token endpoint. The default is that of the document's flow.
    ///
    /// A relative URL is relative to that of the server.
    pub fn token_url(mut self, url: impl Into<String>) -> Self {
        self.token_url = Some(url.into());
        self
    }

    /// Adds a parameter to the token request, such as `audience` or `resource`.
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// Sets a function that gets each new refresh token, to store it.
    pub fn on_refresh_token(mut self, store: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_refresh_token = Some(Arc::new(store));
        self
    }

    /// Finds the token endpoint in a scheme's flows. `base` is the URL of the server.
    pub(super) fn endpoint(
        &self,
        scheme: &Scheme,
        base: Option<&str>,
        transport: &Arc<dyn Transport>,
    ) -> Result<Endpoint, BuildError> {
        let refuse = |reason: String| BuildError::TokenUrl { scheme: scheme.name, reason };
        let of_flow = || {
            let flow = self.flow(scheme.flows)?;
            let refresh_url = flow.refresh_url.filter(|_| matches!(self.grant, Grant::RefreshToken(_)));
            Some(refresh_url.unwrap_or(flow.token_url))
        };
        let Some(text) = self.token_url.as_deref().or_else(of_flow) else {
            return Err(refuse(
                "the document has no such flow: set the URL with `OAuth2::token_url`".to_owned(),
            ));
        };
        let url = url::join(base, text).map_err(|error| refuse(error.to_string()))?;
        if !url::is_http(&url) {
            return Err(refuse("it is neither http nor https".to_owned()));
        }
        let scopes = match (&self.scopes, &self.grant) {
            (Some(scopes), _) => scopes.join(" "),
            (None, Grant::RefreshToken(_)) => String::new(),
            (None, _) => scheme.scopes.join(" "),
        };
        let refresh_token = match &self.grant {
            Grant::RefreshToken(token) => Arc::clone(token),
            _ => "".into(),
        };
        let (grant, transport) = (self.clone(), Arc::clone(transport));
        Ok(Endpoint { grant, transport, url, scopes, refresh_token: Mutex::new(refresh_token) })
    }

    /// Returns the flow of the grant. A refresh token is one of any flow but `clientCredentials`, which has none.
    fn flow(&self, flows: &'static [Flow]) -> Option<&'static Flow> {
        flows.iter().find(|flow| match self.grant {
            Grant::ClientCredentials => flow.kind == FlowKind::ClientCredentials,
            Grant::Password { .. } => flow.kind == FlowKind::Password,
            Grant::RefreshToken(_) => flow.kind != FlowKind::ClientCredentials,
        })
    }
}

impl fmt::Debug for OAuth2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth2")
            .field("grant", &self.grant.name())
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

/// A grant with its token endpoint.
pub(super) struct Endpoint {
    grant: OAuth2,
    transport: Arc<dyn Transport>,
    url: Url,
    scopes: String,
    /// The current refresh token; empty if the grant has none.
    refresh_token: Mutex<Arc<str>>,
}

impl TokenProvider for Endpoint {
    async fn token(&self) -> Result<Token, BoxError> {
        let response = self.transport.send(Outgoing::new(None, self.request())).await?;
        let (http::response::Parts { status, headers, .. }, received) = response.into_parts();
        let body = body(received, RESPONSE).await?;
        let body = body.ok_or("the response of the token endpoint is too large")?;
        if !status.is_success() {
            return Err(self.refusal(status, &headers, &body));
        }
        // An error never quotes this response, which may contain a token.
        let response: Value =
            serde_json::from_slice(&body).map_err(|_| "the response of the token endpoint is not JSON")?;
        let token = self.read(&response);
        token.ok_or_else(|| "the response of the token endpoint has no `access_token`".into())
    }
}

impl Endpoint {
    fn request(&self) -> reqwest::Request {
        let OAuth2 { grant, client, secret_in_body, parameters, .. } = &self.grant;
        let refresh_token = self.current();
        let mut form = vec![("grant_type", grant.name())];
        match grant {
            Grant::ClientCredentials => {}
            Grant::Password { user, password } => {
                form.extend([("username", &**user), ("password", &**password)])
            }
            Grant::RefreshToken(_) => form.push(("refresh_token", &*refresh_token)),
        }
        if !self.scopes.is_empty() {
            form.push(("scope", &self.scopes));
        }
        let mut authorization = None;
        match client {
            Some((id, Some(secret))) if *secret_in_body => {
                form.extend([("client_id", &**id), ("client_secret", &**secret)]);
            }
            Some((id, Some(secret))) => authorization = secret_value("Basic ", &self.basic(id, secret)),
            Some((id, None)) => form.push(("client_id", &**id)),
            None => {}
        }
        form.extend(parameters.iter().map(|(name, value)| (name.as_str(), value.as_str())));

        let mut request = reqwest::Request::new(Method::POST, self.url.clone());
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        headers.extend(authorization.map(|value| (AUTHORIZATION, value)));
        *request.body_mut() = Some(self.encoded(form).into());
        request
    }

    /// Returns what follows `Basic` in the header `Authorization`. Id and secret are encoded as in a form (RFC 6749,
    /// section 2.3.1).
    fn basic(&self, id: &str, secret: &str) -> String {
        STANDARD.encode(format!("{}:{}", self.escaped(id), self.escaped(secret)))
    }

    fn escaped(&self, text: &str) -> String {
        self.encoded(vec![("", text)]).replacen('=', "", 1)
    }

    /// Encodes a form. The queries of URLs have the same format.
    fn encoded(&self, form: Vec<(&str, &str)>) -> String {
        let mut url = self.url.clone();
        url.query_pairs_mut().clear().extend_pairs(form);
        url.query().unwrap_or_default().to_owned()
    }

    /// Reads the response of the token endpoint. Keeps a new refresh token.
    fn read(&self, response: &Value) -> Option<Token> {
        let text = |name: &str| response.get(name)?.as_str().filter(|text| !text.is_empty());
        let token = Token::new(text("access_token")?);
        if let (Grant::RefreshToken(_), Some(new)) = (&self.grant.grant, text("refresh_token"))
            && new != &*self.current()
        {
            *lock(&self.refresh_token) = new.into();
            if let Some(store) = &self.grant.on_refresh_token {
                store(new);
            }
        }
        // Some servers send a string.
        let seconds = response
            .get("expires_in")
            .and_then(|value| value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()));
        Some(match seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
            Some(lifetime) => token.expires_in(lifetime),
            None => token,
        })
    }

    /// Returns the error of a response without a token. It quotes no secret of the request.
    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> BoxError {
        let code = serde_json::from_slice::<Value>(body).ok();
        let code = code.as_ref().and_then(|body| body.get("error")?.as_str()).unwrap_or_default();
        let mut text = message(headers, body).unwrap_or_default();
        if !code.is_empty() && !text.contains(code) {
            text = format!("{code}: {text}");
        }
        for secret in self.secrets() {
            text = text.replace(&secret, "REDACTED");
        }
        let separator = if text.is_empty() { "" } else { ": " };
        format!("the token endpoint responded {status}{separator}{}", line(&text)).into()
    }

    /// Returns the secrets of a request as texts that it contains, the longest one first.
    fn secrets(&self) -> Vec<String> {
        let refresh_token = self.current();
        let password = match &self.grant.grant {
            Grant::Password { password, .. } => &**password,
            _ => "",
        };
        let basic = match &self.grant.client {
            Some((id, Some(secret))) => self.basic(id, secret),
            _ => String::new(),
        };
        let secret = self.grant.client.as_ref().and_then(|(_, secret)| secret.as_deref()).unwrap_or_default();
        let parameters = self.grant.parameters.iter().map(|(_, value)| value.as_str());
        let plain = [&*refresh_token, password, secret].into_iter().chain(parameters);
        let mut secrets: Vec<String> = plain.flat_map(|text| [text.to_owned(), self.escaped(text)]).collect();
        secrets.push(basic);
        secrets.retain(|secret| !secret.is_empty());
        secrets.sort_unstable_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets
    }

    fn current(&self) -> Arc<str> {
        Arc::clone(&lock(&self.refresh_token))
    }
}
