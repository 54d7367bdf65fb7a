//! Extraction of credentials from requests.

use std::borrow::Cow;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, COOKIE};
use http::request::Parts;
use percent_encoding::percent_decode;

use crate::table::{Requirement, Scheme, SchemeKind};

/// A credential from a request. Its `Debug` output omits the secret.
#[derive(Clone)]
#[non_exhaustive]
pub struct Credential<'a> {
    /// The security scheme of the credential.
    pub scheme: &'static Scheme,
    /// The scopes or roles that the operation requires.
    pub scopes: &'static [&'static str],
    secret: Cow<'a, str>,
}

impl<'a> Credential<'a> {
    /// Creates a credential without scopes, for tests of an authenticator.
    #[must_use]
    pub fn new(scheme: &'static Scheme, secret: impl Into<Cow<'a, str>>) -> Self {
        Self { scheme, scopes: &[], secret: secret.into() }
    }

    /// Returns the secret that the caller sent.
    ///
    /// This is the key, the token, `user:password`, or the text after the name of another HTTP scheme. It is
    /// empty for mutual TLS, where the request's extensions hold the certificate as [`ClientCertificate`].
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// Returns the user and the password, if the scheme is `Basic`.
    #[must_use]
    pub fn basic(&self) -> Option<(&str, &str)> {
        if self.scheme.kind == SchemeKind::Basic { self.secret.split_once(':') } else { None }
    }
}

impl fmt::Debug for Credential<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut credential = formatter.debug_struct("Credential");
        credential.field("scheme", &self.scheme.name).field("scopes", &self.scopes).finish_non_exhaustive()
    }
}

/// The client certificate of the connection, in DER.
///
/// The code that accepts connections adds it to the extensions of requests. There it satisfies security
/// schemes of the type `mutualTLS`.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientCertificate(pub Vec<u8>);

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ClientCertificate({} bytes)", self.0.len())
    }
}

/// A credential is present, but not readable: not text, not base64, or given twice.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unusable;

/// The credentials of one alternative.
pub(super) enum Present<'a> {
    /// Most alternatives need only one credential, which needs no allocation.
    One([Credential<'a>; 1]),
    All(Vec<Credential<'a>>),
}

impl<'a> Present<'a> {
    pub(super) fn as_slice(&self) -> &[Credential<'a>] {
        match self {
            Self::One(credential) => credential,
            Self::All(credentials) => credentials,
        }
    }
}

/// Returns the credentials of one alternative, or `None` if some are missing.
pub(super) fn present<'a>(
    alternative: &'static [Requirement],
    request: &'a Parts,
) -> Result<Option<Present<'a>>, Unusable> {
    if let [Requirement { scheme, scopes }] = alternative {
        let secret = secret(scheme.kind, request)?;
        return Ok(secret.map(|secret| Present::One([Credential { scheme, scopes, secret }])));
    }
    let mut credentials = Vec::with_capacity(alternative.len());
    for Requirement { scheme, scopes } in alternative {
        match secret(scheme.kind, request)? {
            Some(secret) => credentials.push(Credential { scheme, scopes, secret }),
            None => return Ok(None),
        }
    }
    Ok(Some(Present::All(credentials)))
}

/// Returns the secret that a request contains for a scheme, unless it is empty.
fn secret(kind: SchemeKind, request: &Parts) -> Result<Option<Cow<'_, str>>, Unusable> {
    let secret = match kind {
        SchemeKind::ApiKeyHeader(name) => header(name, request)?.map(Cow::Borrowed),
        SchemeKind::ApiKeyQuery(name) => query(name, request.uri.query().unwrap_or_default())?,
        SchemeKind::ApiKeyCookie(name) => cookie(name, request)?.map(Cow::Borrowed),
        SchemeKind::Basic => authorization("Basic", request)?.map(decode_basic).transpose()?.map(Cow::Owned),
        SchemeKind::Bearer => authorization("Bearer", request)?.map(Cow::Borrowed),
        SchemeKind::Http(scheme) => authorization(scheme, request)?.map(Cow::Borrowed),
        SchemeKind::MutualTls => {
            return Ok(request.extensions.get::<ClientCertificate>().map(|_| Cow::Borrowed("")));
        }
    };
    Ok(secret.filter(|secret| !secret.is_empty()))
}

fn header<'a>(name: &str, request: &'a Parts) -> Result<Option<&'a str>, Unusable> {
    let mut values = request.headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    // With two values, a proxy and this service might each use a different one.
    if values.next().is_some() {
        return Err(Unusable);
    }
    value.to_str().map(|value| Some(value.trim())).map_err(|_| Unusable)
}

/// Returns the text after `scheme` in an `Authorization` header of this scheme.
fn authorization<'a>(scheme: &str, request: &'a Parts) -> Result<Option<&'a str>, Unusable> {
    let value = header(AUTHORIZATION.as_str(), request)?;
    let parts = value.and_then(|value| value.split_once(' '));
    Ok(parts.filter(|(given, _)| given.eq_ignore_ascii_case(scheme)).map(|(_, secret)| secret.trim()))
}

/// Decodes `user:password`.
fn decode_basic(secret: &str) -> Result<String, Unusable> {
    let bytes = STANDARD.decode(secret).map_err(|_| Unusable)?;
    let text = String::from_utf8(bytes).map_err(|_| Unusable)?;
    if text.contains(':') { Ok(text) } else { Err(Unusable) }
}

fn query<'a>(name: &str, query: &'a str) -> Result<Option<Cow<'a, str>>, Unusable> {
    let mut values = query.split('&').filter_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        percent_decode(key.as_bytes()).eq(name.bytes()).then_some(value)
    });
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(Unusable);
    }
    percent_decode(value.as_bytes()).decode_utf8().map(Some).map_err(|_| Unusable)
}

fn cookie<'a>(name: &str, request: &'a Parts) -> Result<Option<&'a str>, Unusable> {
    for header in request.headers.get_all(COOKIE) {
        // Another cookie of the same header may contain bytes that are not text.
        for pair in header.as_bytes().split(|byte| *byte == b';') {
            let pair = pair.trim_ascii();
            let value = pair.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
            if let Some(value) = value {
                let unquoted = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\""));
                return std::str::from_utf8(unquoted.unwrap_or(value)).map(Some).map_err(|_| Unusable);
            }
        }
    }
    Ok(None)
}
