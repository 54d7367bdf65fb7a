//! Verification of messages by their headers and bytes.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::Mac;
use http::{HeaderMap, HeaderName};

use super::secret::{ID, SIGNATURE, Secret, TIMESTAMP, VERSION};

/// The difference between the timestamp and the clock that is allowed by default: 5 minutes.
const TOLERANCE: Duration = Duration::from_secs(300);

/// The maximum length of an id, in bytes.
const MAX_ID: usize = 256;

/// Verifies the signatures of [Standard Webhooks](https://www.standardwebhooks.com) 1.0.0.
///
/// # Examples
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
/// use openapi_crates_runtime::webhooks::{Secret, Verifier, VerifyError, sign};
///
/// let secret: Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse()?;
/// let headers = sign(&[secret.clone()], "msg_1", 1_700_000_000, b"{}");
/// let now = UNIX_EPOCH + Duration::from_secs(1_700_000_060);
///
/// let verifier = Verifier::new(secret); // `verify` uses the clock of the system
/// assert_eq!(verifier.verify_at(&headers, b"{}", now)?.id.as_deref(), Some("msg_1"));
/// assert_eq!(verifier.verify_at(&headers, b"[]", now), Err(VerifyError::Signature));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Verifier {
    secrets: Vec<Secret>,
    tolerance: Duration,
}

/// The verified properties of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The id of the event, which is the same in each attempt to deliver it.
    pub id: Option<String>,
    /// The time of the attempt.
    pub sent_at: Option<SystemTime>,
}

/// The reason why a message is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A header is missing.
    #[error("the header `{0}` is missing")]
    MissingHeader(&'static str),
    /// A header has no valid value, or several different ones.
    #[error("the header `{0}` is not valid")]
    InvalidHeader(&'static str),
    /// The timestamp is too old. The message may be a replay.
    #[error("the timestamp is too old")]
    TooOld,
    /// The timestamp is too far in the future. A clock may be wrong.
    #[error("the timestamp is in the future")]
    TooNew,
    /// No signature matches a secret.
    #[error("the signature does not match")]
    Signature,
}

/// A rule by which a [`Receiver`](super::Receiver) trusts messages.
///
/// [`Verifier`] implements it, and functions of headers and body do, for APIs with signatures of their own.
pub trait Verify: Send + Sync + 'static {
    /// Checks the headers alone, before the body is read.
    ///
    /// # Errors
    /// Returns an error if no body can make the message valid.
    fn check_headers(&self, headers: &HeaderMap) -> Result<(), VerifyError> {
        let _ = headers;
        Ok(())
    }

    /// Verifies a message.
    ///
    /// # Errors
    /// Returns the reason why the message is not trusted.
    fn verify(&self, headers: &HeaderMap, body: &[u8]) -> Result<Verified, VerifyError>;
}

impl<F> Verify for F
where
    F: Fn(&HeaderMap, &[u8]) -> Result<Verified, VerifyError> + Send + Sync + 'static,
{
    fn verify(&self, headers: &HeaderMap, body: &[u8]) -> Result<Verified, VerifyError> {
        self(headers, body)
    }
}

impl Verify for Verifier {
    fn check_headers(&self, headers: &HeaderMap) -> Result<(), VerifyError> {
        self.read(headers, SystemTime::now()).map(|_| ())
    }

    fn verify(&self, headers: &HeaderMap, body: &[u8]) -> Result<Verified, VerifyError> {
        Self::verify(self, headers, body)
    }
}

impl Verifier {
    /// Creates a verifier of messages that are signed with this secret.
    pub fn new(secret: Secret) -> Self {
        Self { secrets: vec![secret], tolerance: TOLERANCE }
    }

    /// Also accepts messages that are signed with this secret, while the other one is replaced.
    pub fn or(mut self, secret: Secret) -> Self {
        self.secrets.push(secret);
        self
    }

    /// Sets the difference between the timestamp and the clock that is allowed. The default is 5 minutes.
    pub fn tolerance(mut self, tolerance: Duration) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Verifies a message by its headers and the bytes of its body, exactly as they were received.
    ///
    /// The result does not say whether the message was received before: see [`Seen`](super::Seen).
    ///
    /// # Errors
    /// Returns the reason why the message is not trusted.
    pub fn verify(&self, headers: &HeaderMap, body: &[u8]) -> Result<Verified, VerifyError> {
        self.verify_at(headers, body, SystemTime::now())
    }

    /// Verifies a message as [`verify`](Self::verify) does, at this time instead of the system's.
    ///
    /// # Errors
    /// Returns the reason why the message is not trusted.
    pub fn verify_at(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        now: SystemTime,
    ) -> Result<Verified, VerifyError> {
        let (id, timestamp) = self.read(headers, now)?;
        let codes: Vec<_> =
            self.secrets.iter().filter_map(|secret| secret.code(id, timestamp.into(), body)).collect();
        let texts = headers.get_all(SIGNATURE).iter().filter_map(|value| value.to_str().ok());
        let given = texts.flat_map(|text| text.split(' ')).filter_map(|one| one.strip_prefix(VERSION));
        let mut given = given.filter_map(|text| STANDARD.decode(text).ok());
        // `verify_slice` compares in constant time.
        if given.any(|given| codes.iter().any(|code| code.clone().verify_slice(&given).is_ok())) {
            Ok(Verified { id: Some(id.to_owned()), sent_at: Some(sent_at(timestamp)) })
        } else {
            Err(VerifyError::Signature)
        }
    }

    /// Reads the id and the timestamp, and checks the time.
    fn read<'h>(&self, headers: &'h HeaderMap, now: SystemTime) -> Result<(&'h str, u32), VerifyError> {
        let id = single(headers, &ID, "webhook-id")?;
        // Full stops separate the parts of the signed text: with one in the id, a text could be divided in another way.
        if id.is_empty() || id.len() > MAX_ID || id.contains('.') {
            return Err(VerifyError::InvalidHeader("webhook-id"));
        }
        let text = single(headers, &TIMESTAMP, "webhook-timestamp")?;
        let invalid = VerifyError::InvalidHeader("webhook-timestamp");
        let timestamp =
            text.parse::<u32>().ok().filter(|seconds| seconds.to_string() == text).ok_or(invalid)?;
        if !headers.contains_key(SIGNATURE) {
            return Err(VerifyError::MissingHeader("webhook-signature"));
        }
        match now.duration_since(sent_at(timestamp)) {
            Ok(age) if age > self.tolerance => Err(VerifyError::TooOld),
            Err(ahead) if ahead.duration() > self.tolerance => Err(VerifyError::TooNew),
            _ => Ok((id, timestamp)),
        }
    }
}

fn sent_at(timestamp: u32) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(timestamp.into())
}

/// Returns the only value of a header. A second one could be the one that another program reads.
fn single<'h>(headers: &'h HeaderMap, name: &HeaderName, text: &'static str) -> Result<&'h str, VerifyError> {
    let mut values = headers.get_all(name).iter();
    let first = values.next().ok_or(VerifyError::MissingHeader(text))?;
    match (first.to_str(), values.next()) {
        (Ok(value), None) => Ok(value),
        _ => Err(VerifyError::InvalidHeader(text)),
    }
}
