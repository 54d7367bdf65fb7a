//! Credentials, by security scheme.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{
    HeaderMap,
    header::{COOKIE, HeaderName, HeaderValue},
};
use reqwest::Url;

use super::{
    BoxError,
    error::{EncodeError, ErrorKind},
};
use crate::{
    table::{Operation, Requirement, Scheme, SchemeKind},
    types::NoError,
};

/// A credential: a key, a token, or a name and a password.
///
/// It is fixed, or a provider returns it before each attempt. Its meaning depends on the security scheme: the
/// value of an API key, a bearer token, or the text after the scheme's name in `Authorization`. Its `Debug`
/// output never contains the secret.
#[derive(Clone)]
pub struct Credential(Source);

#[derive(Clone)]
enum Source {
    Fixed(Arc<str>),
    Basic(Arc<str>),
    Provider(Arc<Provider>),
}

type Provider = dyn Fn() -> Pin<Box<dyn Future<Output = Result<String, BoxError>> + Send>> + Send + Sync;

impl Credential {
    /// Creates a credential from a name and a password, for `Authorization: Basic`.
    #[must_use]
    pub fn basic(user: impl AsRef<str>, password: impl AsRef<str>) -> Self {
        let pair = STANDARD.encode(format!("{}:{}", user.as_ref(), password.as_ref()));
        Self(Source::Basic(pair.into()))
    }

    /// Creates a credential that a provider returns before each attempt.
    ///
    /// This is for tokens that must be refreshed. The provider itself must cache a token to reuse it. If the
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
    #[must_use]
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

    /// Returns whether `scheme` can send the secret.
    ///
    /// A provider's secret is not known yet.
    pub(super) fn fits(&self, scheme: &Scheme) -> bool {
        match (&self.0, Location::of(scheme)) {
            (Source::Fixed(text), Location::Header { prefix, .. }) => secret_value(&prefix, text).is_some(),
            (Source::Fixed(text), Location::Cookie(_)) => {
                secret_value("", text).is_some() && !text.contains([';', ','])
            }
            _ => true,
        }
    }

    async fn secret(&self) -> Result<Arc<str>, ErrorKind<NoError>> {
        match &self.0 {
            Source::Fixed(text) | Source::Basic(text) => Ok(Arc::clone(text)),
            Source::Provider(provider) => provider().await.map(Arc::from).map_err(ErrorKind::Credential),
        }
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

impl Credentials {
    pub(super) fn insert(&mut self, scheme: &'static Scheme, credential: Credential) {
        self.0.retain(|(other, _)| *other != scheme);
        self.0.push((scheme, credential));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static Scheme, &Credential)> {
        self.0.iter().map(|(scheme, credential)| (*scheme, credential))
    }

    /// Adds the credentials for `operation` to a request.
    ///
    /// It uses the first alternative for which there are credentials for all schemes. If no alternative fits,
    /// it adds nothing, and the server (or the caller's own headers) decides.
    pub(super) async fn apply(
        &self,
        operation: &Operation,
        headers: &mut HeaderMap,
        url: &mut Url,
    ) -> Result<(), ErrorKind<NoError>> {
        let alternative = operation.security.iter().find_map(|alternative| self.all_of(alternative));
        for (scheme, credential) in alternative.unwrap_or_default() {
            let secret = credential.secret().await?;
            put(scheme, &secret, headers, url)?;
        }
        Ok(())
    }

    /// Returns the credentials for all schemes of an alternative.
    ///
    /// It returns `None` for an alternative without schemes: if security is optional, a client with a
    /// credential uses it.
    fn all_of(&self, alternative: &[Requirement]) -> Option<Vec<(&'static Scheme, &Credential)>> {
        if alternative.is_empty() {
            return None;
        }
        alternative
            .iter()
            .filter(|requirement| requirement.scheme.kind != SchemeKind::MutualTls)
            .map(|requirement| self.iter().find(|(scheme, _)| *scheme == requirement.scheme))
            .collect()
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|(scheme, _)| scheme.name)).finish()
    }
}

/// The location of a scheme's secret.
enum Location {
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
            url.query_pairs_mut().append_pair(name, secret);
        }
        Location::Cookie(name) => {
            let others = headers.get(COOKIE).and_then(|cookies| cookies.to_str().ok());
            let before =
                others.map(|cookies| format!("{cookies}; {name}=")).unwrap_or_else(|| format!("{name}="));
            let value = secret_value(&before, secret).ok_or_else(refuse)?;
            headers.insert(COOKIE, value);
        }
        Location::Nowhere => {}
    }
    Ok(())
}

/// Creates a header value that is marked as secret, to keep it out of logs.
fn secret_value(prefix: &str, secret: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(format!("{prefix}{secret}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}
