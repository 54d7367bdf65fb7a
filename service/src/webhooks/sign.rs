//! Signatures of [Standard Webhooks](https://www.standardwebhooks.com) 1.0.0.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::domain::WebhookSecret;
use crate::time::Millis;

/// The valid length of a secret, in bytes.
pub const SECRET_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

const PREFIX: &str = "whsec_";

/// The error for a malformed secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a webhook secret must be `whsec_` followed by {} to {} base64-encoded bytes", SECRET_BYTES.start(), SECRET_BYTES.end())]
pub struct NoSecret;

/// Generates a secret of 32 random bytes.
#[must_use]
pub fn generate(now: Millis) -> WebhookSecret {
    WebhookSecret { bytes: rand::random::<[u8; 32]>().to_vec(), created_at: now, expires_at: None }
}

/// Returns the secret in the form that its owner uses.
#[must_use]
pub fn reveal(secret: &WebhookSecret) -> String {
    format!("{PREFIX}{}", STANDARD.encode(&secret.bytes))
}

/// Parses a secret in the form that [`reveal`] returns.
///
/// # Errors
/// The text is malformed.
pub fn parse(text: &str) -> Result<Vec<u8>, NoSecret> {
    let encoded = text.strip_prefix(PREFIX).ok_or(NoSecret)?;
    let bytes = STANDARD.decode(encoded).map_err(|_| NoSecret)?;
    if SECRET_BYTES.contains(&bytes.len()) { Ok(bytes) } else { Err(NoSecret) }
}

/// Returns the `webhook-timestamp` of an attempt, in seconds since 1970.
#[must_use]
pub fn timestamp(at: Millis) -> i64 {
    at.div_euclid(1000)
}

/// Returns the `webhook-signature` header: one signature per secret.
///
/// Spaces separate the signatures. During a rotation, a receiver that knows only one of the secrets can still
/// verify.
#[must_use]
pub fn signatures(secrets: &[WebhookSecret], id: &str, timestamp: i64, body: &str) -> String {
    let sign = |secret: &WebhookSecret| {
        let hmac = Hmac::<Sha256>::new_from_slice(&secret.bytes).ok()?;
        let hmac = hmac.chain_update(format!("{id}.{timestamp}.")).chain_update(body);
        Some(format!("v1,{}", STANDARD.encode(hmac.finalize().into_bytes())))
    };
    secrets.iter().filter_map(sign).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> WebhookSecret {
        WebhookSecret { bytes: parse(text).unwrap(), created_at: 0, expires_at: None }
    }

    /// The example of the specification's libraries, and one from Python's `hmac`.
    #[test]
    fn signatures_are_those_of_other_implementations() {
        let old = secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let new = secret("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
        let (id, at, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        let by_old = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        let by_new = "v1,O4Gjv1HqPqsMrjmczoggs/sWA8gZD0VyHG+fLh4+ktI=";
        assert_eq!(signatures(std::slice::from_ref(&old), id, at, body), by_old);
        assert_eq!(signatures(&[new, old], id, at, body), format!("{by_new} {by_old}"));
        assert_eq!(signatures(&[], id, at, body), "");
    }

    #[test]
    fn secrets_are_read_as_they_were_shown() {
        let generated = generate(5);
        assert_eq!(parse(&reveal(&generated)).unwrap(), generated.bytes);
        assert_ne!(generate(5).bytes, generated.bytes);
    }

    #[test]
    fn secrets_of_another_length_or_form_are_refused() {
        let of = |length: usize| format!("whsec_{}", STANDARD.encode(vec![7; length]));
        for length in [24, 32, 64] {
            assert!(parse(&of(length)).is_ok(), "{length}");
        }
        for length in [0, 23, 65] {
            assert_eq!(parse(&of(length)), Err(NoSecret), "{length}");
        }
        for text in ["", "whsec_", "whsec_!!!!", &of(32)[6..], &of(32)[..30]] {
            assert_eq!(parse(text), Err(NoSecret), "{text}");
        }
    }

    #[test]
    fn timestamps_are_seconds() {
        assert_eq!(timestamp(1_614_265_330_999), 1_614_265_330);
    }
}
