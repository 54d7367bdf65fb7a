//! Secrets, and the signatures that they make.

use std::{
    fmt,
    ops::RangeInclusive,
    str::FromStr,
    time::{SystemTime, UNIX_EPOCH},
};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, HeaderName, HeaderValue, Request, header::CONTENT_TYPE};
use sha2::Sha256;

use crate::server::Body;

pub(super) const ID: HeaderName = HeaderName::from_static("webhook-id");
pub(super) const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
pub(super) const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// The beginning of a signature by HMAC-SHA256.
pub(super) const VERSION: &str = "v1,";

const PREFIX: &str = "whsec_";

/// The valid length of a secret, in bytes.
const LENGTHS: RangeInclusive<usize> = 24..=64;

/// A secret that the sender and the receiver of webhooks share.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::webhooks::Secret;
///
/// let secret: Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse()?;
/// assert_eq!(format!("{secret:?}"), "Secret");
/// # Ok::<(), openapi_crates_runtime::webhooks::InvalidSecret>(())
/// ```
#[derive(Clone)]
pub struct Secret(Vec<u8>);

/// The error for a malformed secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a webhook secret must be {} to {} bytes in base64, which `whsec_` can precede", LENGTHS.start(), LENGTHS.end())]
pub struct InvalidSecret;

impl Secret {
    /// Creates a secret of 24 to 64 bytes.
    ///
    /// # Errors
    /// Returns an error if there are fewer or more bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Result<Self, InvalidSecret> {
        let bytes = bytes.into();
        if LENGTHS.contains(&bytes.len()) { Ok(Self(bytes)) } else { Err(InvalidSecret) }
    }

    /// Returns the bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the secret as text, which [`str::parse`] reads: `whsec_…`.
    #[must_use]
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }

    /// Returns the code of a message before its end. `None` never occurs: HMAC takes keys of any length.
    pub(super) fn code(&self, id: &str, timestamp: i64, body: &[u8]) -> Option<Hmac<Sha256>> {
        let hmac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        Some(hmac.chain_update(format!("{id}.{timestamp}.")).chain_update(body))
    }
}

/// Reads the text that the sender shows: base64, with or without `whsec_` before it.
impl FromStr for Secret {
    type Err = InvalidSecret;

    fn from_str(text: &str) -> Result<Self, InvalidSecret> {
        let encoded = text.strip_prefix(PREFIX).unwrap_or(text);
        Self::new(STANDARD.decode(encoded).map_err(|_| InvalidSecret)?)
    }
}

/// Omits the bytes.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Returns the headers of a signed message: its id, its timestamp, and a signature for each secret.
///
/// `timestamp` is the time of the attempt, in seconds since 1970. While a secret is replaced, a sender signs with the old
/// one and the new one, so that a receiver that knows one of them can verify. Returns no headers if there is no secret,
/// or if the id can't be the value of a header.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::webhooks::{Secret, sign};
///
/// let secret: Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse()?;
/// let headers = sign(&[secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
/// assert_eq!(headers["webhook-signature"], "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
/// # Ok::<(), openapi_crates_runtime::webhooks::InvalidSecret>(())
/// ```
#[must_use]
pub fn sign(secrets: &[Secret], id: &str, timestamp: i64, body: &[u8]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let codes = secrets.iter().filter_map(|secret| secret.code(id, timestamp, body));
    let signatures: Vec<String> =
        codes.map(|code| format!("{VERSION}{}", STANDARD.encode(code.finalize().into_bytes()))).collect();
    let signatures = signatures.join(" ");
    if let (false, Ok(id), Ok(signatures)) =
        (signatures.is_empty(), HeaderValue::from_str(id), HeaderValue::from_str(&signatures))
    {
        headers.insert(ID, id);
        headers.insert(TIMESTAMP, timestamp.into());
        headers.insert(SIGNATURE, signatures);
    }
    headers
}

/// Returns a request with a JSON body that is signed now, for tests of receivers.
///
/// # Errors
/// Returns an error if `uri` is not one.
pub fn signed_request(
    secret: &Secret,
    uri: &str,
    id: &str,
    body: impl Into<Bytes>,
) -> Result<Request<Body>, http::Error> {
    let body = body.into();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let headers = sign(std::slice::from_ref(secret), id, i64::try_from(now).unwrap_or(i64::MAX), &body);
    let mut request = Request::post(uri).header(CONTENT_TYPE, "application/json").body(Body::from(body))?;
    request.headers_mut().extend(headers);
    Ok(request)
}
