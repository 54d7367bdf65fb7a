//! Secrets and signatures of [Standard Webhooks](https://www.standardwebhooks.com) 1.0.0, by the runtime.

use axum::http::HeaderMap;
use openapi_crates_runtime::webhooks::{Secret, sign};

use crate::domain::WebhookSecret;
use crate::time::Millis;

/// Generates a secret of 32 random bytes.
#[must_use]
pub fn generate(now: Millis) -> WebhookSecret {
    WebhookSecret { bytes: rand::random::<[u8; 32]>().to_vec(), created_at: now, expires_at: None }
}

/// Returns the secret in the form that its owner uses, or nothing if the database has an invalid one.
#[must_use]
pub fn reveal(secret: &WebhookSecret) -> String {
    of(secret).map(|secret| secret.reveal()).unwrap_or_default()
}

/// Returns the headers of an attempt: id, timestamp in seconds, and one signature per secret.
///
/// During a rotation, a receiver that knows only one of the secrets can still verify. There are no headers if there is
/// no secret.
#[must_use]
pub fn headers(secrets: &[WebhookSecret], id: &str, at: Millis, body: &str) -> HeaderMap {
    let secrets: Vec<Secret> = secrets.iter().filter_map(of).collect();
    sign(&secrets, id, at.div_euclid(1000), body.as_bytes())
}

fn of(secret: &WebhookSecret) -> Option<Secret> {
    Secret::new(secret.bytes.as_slice()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_random_and_shown_as_text() {
        let secret = generate(5);
        assert_eq!(reveal(&secret).parse::<Secret>().unwrap().as_bytes(), secret.bytes);
        assert_ne!(generate(5).bytes, secret.bytes);
    }

    #[test]
    fn timestamps_are_seconds() {
        let headers = headers(&[generate(5)], "msg_1", 1_614_265_330_999, "{}");
        assert_eq!(headers["webhook-timestamp"], "1614265330");
    }
}
