//! Credentials, by security scheme.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{
    HeaderMap,
    header::{COOKIE, HeaderName, HeaderValue},
};
use reqwest::Url;

use super::{
    BoxError, BuildError, EncodeError, ErrorKind, OAuth2, TokenProvider, Transport, query, token::Tokens,
};
use crate::{
    table::{Operation, Requirement, Scheme, SchemeKind},
    types::NoError,
};

/// A credential: a key, a token, or a name and a password.
///
/// It is fixed, or a provider returns it. Its meaning depends on the security scheme: the
/// value of an API key, a bearer token, or the text after the scheme's name in `Authorization`. Its `Debug`
/// output never contains the secret.
#[derive(Clone)]
#[must_use]
pub struct Credential(Source);

#[derive(Clone)]
enum Source {
    Fixed(Arc<str>),
    /// The name for Basic authentication contains a colon.
    InvalidName,
    Provider(Arc<Provider>),
    Tokens(Arc<Tokens>),
    /// It becomes `Tokens` when the client is built, which knows the token endpoint.
    OAuth2(Box<OAuth2>),
}

type Provider = dyn Fn() -> Pin<Box<dyn Future<Output = Result<String, BoxError>> + Send>> + Send + Sync;

impl Credential {
    /// Creates a credential from a name and a password, for `Authorization: Basic`.
    ///
    /// A client can't be built with a name that contains a colon: a server would take what follows as the password.
    pub fn basic(user: impl AsRef<str>, password: impl AsRef<str>) -> Self {
        let (user, password) = (user.as_ref(), password.as_ref());
        if user.contains(':') {
            return Self(Source::InvalidName);
        }
        Self(Source::Fixed(STANDARD.encode(format!("{user}:{password}")).into()))
    }

    /// Creates a credential that a provider returns before each attempt.
    ///
    /// The provider itself must cache a secret to reuse it. For tokens that expire, use [`tokens`](Self::tokens). If the
    /// provider fails, the call fails with [`ErrorKind::Credential`] and nothing is sent.
    ///
    /// # Examples
    /// ```
    /// use openapi_crates_runtime::client::Credential;
    ///
    /// async fn token() -> Result<String, std::io::Error> {
    ///     std::fs::read_to_string("/run/secrets/token")
    /// }
    /// let credential = Credential::provider(token);
    /// ```
    pub fn provider<P, F, E>(provider: P) -> Self
    where
        P: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = Result<String, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        Self(Source::Provider(Arc::new(move || {
            let secret = provider();
            Box::pin(async move { secret.await.map_err(Into::into) })
        })))
    }

    /// Creates a credential whose tokens a provider fetches.
    ///
    /// All clones of the client share one token. A new one is fetched before it expires. If the server rejects a token
    /// (`401`), the call fetches a new one and is repeated once, unless the token was fetched just now or the request body
    /// is a stream. If the provider fails, the call fails with [`ErrorKind::Credential`] and nothing is sent.
    ///
    /// # Examples
    /// ```
    /// use std::time::Duration;
    ///
    /// use openapi_crates_runtime::client::{Credential, Token};
    ///
    /// async fn token() -> Result<Token, std::io::Error> {
    ///     let secret = std::fs::read_to_string("/run/secrets/token")?;
    ///     Ok(Token::new(secret).expires_in(Duration::from_secs(600)))
    /// }
    /// let credential = Credential::tokens(token);
    /// ```
    pub fn tokens(provider: impl TokenProvider) -> Self {
        Self(Source::Tokens(Tokens::new(provider)))
    }

    /// Returns whether `scheme` can send the secret.
    ///
    /// A provider's secret is not known yet.
    pub(super) fn fits(&self, scheme: &Scheme) -> bool {
        match (&self.0, Location::of(scheme)) {
            (Source::Fixed(text), Location::Header { prefix, .. }) => secret_value(&prefix, text).is_some(),
            (Source::InvalidName, _) => false,
            (Source::Fixed(text), Location::Cookie(_)) => secret_value("", text).is_some() && is_cookie(text),
            _ => true,
        }
    }

    /// Returns the credential as a client uses it: a grant of OAuth 2.0 with its token endpoint.
    fn resolved(
        self,
        scheme: &Scheme,
        base: Option<&str>,
        transport: &Arc<dyn Transport>,
    ) -> Result<Self, BuildError> {
        match self.0 {
            Source::OAuth2(grant) => Ok(Self::tokens(grant.endpoint(scheme, base, transport)?)),
            _ => Ok(self),
        }
    }

    async fn secret(&self) -> Result<Arc<str>, BoxError> {
        match &self.0 {
            Source::Fixed(text) => Ok(Arc::clone(text)),
            Source::InvalidName => Err("the name contains a colon".into()),
            Source::Provider(provider) => provider().await.map(Arc::from),
            Source::Tokens(tokens) => tokens.secret().await,
            Source::OAuth2(_) => Err("the client does not know its token endpoint".into()),
        }
    }
}

impl From<OAuth2> for Credential {
    fn from(grant: OAuth2) -> Self {
        Self(Source::OAuth2(Box::new(grant)))
    }
}

impl From<&str> for Credential {
    fn from(secret: &str) -> Self {
        Self(Source::Fixed(secret.into()))
    }
}

impl From<String> for Credential {
    fn from(secret: String) -> Self {
        Self(Source::Fixed(secret.into()))
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credential(secret)")
    }
}

/// The credentials of a client, at most one per scheme.
#[derive(Clone, Default)]
pub(super) struct Credentials(Vec<(&'static Scheme, Credential)>);

/// The scheme of the credential for all schemes that take a bearer token and have no credential of their own.
pub(super) static ANY_BEARER: Scheme = Scheme::new("bearer_credential", SchemeKind::Bearer);

/// A token of which the server may say that it is out of date.
pub(super) struct Sent {
    pub tokens: Arc<Tokens>,
    pub secret: Arc<str>,
    scheme: &'static Scheme,
}

impl Sent {
    /// Returns whether these headers of a call replace the token.
    pub(super) fn is_replaced(&self, headers: &HeaderMap) -> bool {
        match Location::of(self.scheme) {
            Location::Header { name, .. } => headers.contains_key(name),
            Location::Cookie(_) => headers.contains_key(COOKIE),
            Location::Query(_) | Location::Nowhere => false,
        }
    }
}

impl Credentials {
    pub(super) fn insert(&mut self, scheme: &'static Scheme, credential: Credential) {
        self.0.retain(|(other, _)| *other != scheme);
        self.0.push((scheme, credential));
    }

    /// Returns the credentials as a client uses them. Reports the first that its scheme can't send.
    pub(super) fn resolved(
        self,
        base: Option<&str>,
        transport: &Arc<dyn Transport>,
    ) -> Result<Self, BuildError> {
        let resolve = |(scheme, credential): (&'static Scheme, Credential)| {
            let credential = credential.resolved(scheme, base, transport)?;
            let is_sendable = credential.fits(scheme);
            if is_sendable {
                Ok((scheme, credential))
            } else {
                Err(BuildError::Credential { scheme: scheme.name })
            }
        };
        self.0.into_iter().map(resolve).collect::<Result<_, _>>().map(Self)
    }

    /// Adds the credentials for `operation` to a request. Returns the tokens among them.
    ///
    /// It uses the first alternative for which there are credentials for all schemes. If no alternative fits,
    /// it adds nothing, and the server (or the caller's own headers) decides.
    pub(super) async fn apply(
        &self,
        operation: &Operation,
        headers: &mut HeaderMap,
        url: &mut Url,
    ) -> Result<Vec<Sent>, ErrorKind<NoError>> {
        let alternative = operation.security.iter().find_map(|alternative| self.all_of(alternative));
        let mut sent = Vec::new();
        for (scheme, credential) in alternative.unwrap_or_default() {
            let secret = credential.secret().await.map_err(ErrorKind::Credential)?;
            put(scheme, &secret, headers, url)?;
            if let Source::Tokens(tokens) = &credential.0 {
                sent.push(Sent { tokens: Arc::clone(tokens), secret, scheme });
            }
        }
        Ok(sent)
    }

    /// Removes the credentials that are set for an operation from a URL, which a server may have written into it.
    pub(super) fn remove_from(&self, operation: &Operation, url: &mut Url) {
        let schemes = operation.security.iter().copied().flatten().map(|requirement| requirement.scheme);
        for scheme in schemes.filter(|scheme| self.of(scheme).is_some()) {
            if let Location::Query(name) = Location::of(scheme) {
                query::remove(url, name);
            }
        }
    }

    /// Returns whether each alternative has a scheme without a credential, for which `has` returns `false`.
    pub(super) fn lack(&self, operation: &Operation, has: impl Fn(&Location) -> bool) -> bool {
        let is_met = |requirement: &Requirement| {
            self.of(requirement.scheme).is_some() || has(&Location::of(requirement.scheme))
        };
        let is_missing = |alternative: &&[Requirement]| !alternative.iter().all(is_met);
        !operation.security.is_empty() && operation.security.iter().all(is_missing)
    }

    fn of(&self, scheme: &Scheme) -> Option<&Credential> {
        let own = |scheme: &Scheme| self.0.iter().find(|(other, _)| *other == scheme);
        let any = || own(&ANY_BEARER).filter(|_| scheme.kind == SchemeKind::Bearer);
        own(scheme).or_else(any).map(|(_, credential)| credential)
    }

    /// Returns the credentials for all schemes of an alternative.
    ///
    /// It returns `None` for an alternative without credentials: if security is optional, or a certificate of the
    /// connection is enough, a client with a credential uses it.
    fn all_of(&self, alternative: &[Requirement]) -> Option<Vec<(&'static Scheme, &Credential)>> {
        let needed = alternative.iter().map(|requirement| requirement.scheme);
        let needed = needed.filter(|scheme| scheme.kind != SchemeKind::MutualTls);
        let all: Option<Vec<_>> = needed.map(|scheme| Some((scheme, self.of(scheme)?))).collect();
        all.filter(|all| !all.is_empty())
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.iter().map(|(scheme, _)| scheme.name)).finish()
    }
}

/// The location of a scheme's secret.
pub(super) enum Location {
    Header { name: &'static str, prefix: String },
    Query(&'static str),
    Cookie(&'static str),
    Nowhere,
}

impl Location {
    fn of(scheme: &Scheme) -> Self {
        let authorization =
            |scheme: &str| Self::Header { name: "authorization", prefix: format!("{scheme} ") };
        match scheme.kind {
            SchemeKind::ApiKeyHeader(name) => Self::Header { name, prefix: String::new() },
            SchemeKind::ApiKeyQuery(name) => Self::Query(name),
            SchemeKind::ApiKeyCookie(name) => Self::Cookie(name),
            SchemeKind::Basic => authorization("Basic"),
            SchemeKind::Bearer => authorization("Bearer"),
            SchemeKind::Http(scheme) => authorization(scheme),
            SchemeKind::MutualTls => Self::Nowhere,
        }
    }
}

fn put(
    scheme: &Scheme,
    secret: &str,
    headers: &mut HeaderMap,
    url: &mut Url,
) -> Result<(), ErrorKind<NoError>> {
    let refuse = || ErrorKind::Encode(EncodeError::Credential { scheme: scheme.name });
    match Location::of(scheme) {
        Location::Header { name, prefix } => {
            let value = secret_value(&prefix, secret).ok_or_else(refuse)?;
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refuse())?;
            headers.insert(name, value);
        }
        Location::Query(name) => {
            // Not every server reads a plus as a space, so the query is not encoded as a form.
            url.set_query(Some(&query::with(url.query().unwrap_or_default(), name, secret)));
        }
        Location::Cookie(name) => {
            let others = headers.get(COOKIE).and_then(|cookies| cookies.to_str().ok());
            let before =
                others.map(|cookies| format!("{cookies}; {name}=")).unwrap_or_else(|| format!("{name}="));
            let value = secret_value(&before, secret).filter(|_| is_cookie(secret)).ok_or_else(refuse)?;
            headers.insert(COOKIE, value);
        }
        Location::Nowhere => {}
    }
    Ok(())
}

/// Returns whether a server reads a secret in a cookie as a whole.
fn is_cookie(secret: &str) -> bool {
    !secret.contains([';', ','])
}

/// Creates a header value that is marked as secret, to keep it out of logs.
pub(super) fn secret_value(prefix: &str, secret: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(format!("{prefix}{secret}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}
