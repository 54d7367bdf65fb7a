//! Finds the credentials of a request.

use std::borrow::Cow;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, COOKIE};
use http::request::Parts;
use percent_encoding::percent_decode;

use crate::table::{Requirement, Scheme, SchemeKind};

/// One credential of a request. Its `Debug` does not show the secret.
#[derive(Clone)]
#[non_exhaustive]
pub struct Credential<'a> {
    /// The scheme that it is for.
    pub scheme: &'static Scheme,
    /// The scopes or roles that the operation needs.
    pub scopes: &'static [&'static str],
    secret: Cow<'a, str>,
}

impl<'a> Credential<'a> {
    /// A credential, for tests of an [`Authenticate`](super::Authenticate).
    #[must_use]
    pub fn new(scheme: &'static Scheme, secret: impl Into<Cow<'a, str>>) -> Self {
        Self { scheme, scopes: &[], secret: secret.into() }
    }

    /// What the caller sent: the key, the token, `user:password`, or whatever stands behind another scheme's name.
    /// Empty for mutual TLS: the certificate is in the request's extensions, as [`ClientCertificate`].
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// User and password, where the scheme is `Basic`.
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

/// The certificate of the connection, in DER. What accepts connections puts it into the extensions of requests; there
/// it satisfies schemes of the type `mutualTLS`.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientCertificate(pub Vec<u8>);

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ClientCertificate({} bytes)", self.0.len())
    }
}

/// A credential is there, but can't be read: no text, no base64, or two of them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unusable;

/// The credentials of one alternative.
pub(super) enum Present<'a> {
    /// Most alternatives need just one, which is not worth an allocation.
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

/// The credentials of one alternative, if all of them are there.
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

/// What the request says for a scheme; nothing where it says nothing or an empty text.
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
    // Two of them: a proxy and this service might each believe another one.
    if values.next().is_some() {
        return Err(Unusable);
    }
    value.to_str().map(|value| Some(value.trim())).map_err(|_| Unusable)
}

/// What stands behind `scheme` in the `Authorization` header, if that is of this scheme.
fn authorization<'a>(scheme: &str, request: &'a Parts) -> Result<Option<&'a str>, Unusable> {
    let value = header(AUTHORIZATION.as_str(), request)?;
    let parts = value.and_then(|value| value.split_once(' '));
    Ok(parts.filter(|(given, _)| given.eq_ignore_ascii_case(scheme)).map(|(_, secret)| secret.trim()))
}

/// `user:password`.
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
        // Bytes that are no text may stand in another cookie of the same header.
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
