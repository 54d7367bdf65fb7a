//! One delivery attempt: a signed POST through the guard.

use std::time::{Duration, Instant};

use reqwest::Response;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use tokio::time::timeout;

use super::{schedule, sign};
use crate::domain::{Attempt, Event, WebhookSecret};
use crate::net::failure;
use crate::net::resolve::{AddressRefused, Guard};
use crate::time::{Clock, Millis, millis};
use crate::trace;

/// The default time limit of an attempt, from name lookup to end of response.
pub const DEADLINE: Duration = Duration::from_secs(20);
/// The maximum number of bytes that are read of a response body.
const MAX_RESPONSE: usize = 64 * 1024;
/// The maximum number of bytes that are kept for the operator.
const MAX_RECORDED: usize = 1024;

/// Makes delivery attempts.
#[derive(Debug, Clone)]
pub struct Sender {
    guard: Guard,
    client: reqwest::Client,
    clock: Clock,
    deadline: Duration,
}

/// Why there was no response. Operators see the text; owners of API keys don't.
type NoResponse = String;

/// The part of a response that has arrived.
#[derive(Default)]
struct Received {
    status: Option<u16>,
    retry_after: Option<Duration>,
    body: Vec<u8>,
}

impl Sender {
    /// Creates a sender to URLs that this guard allows.
    ///
    /// # Errors
    /// TLS can't be set up.
    pub fn new(guard: Guard, clock: Clock) -> reqwest::Result<Self> {
        Ok(Self { client: guard.client()?, guard, clock, deadline: DEADLINE })
    }

    /// Replaces the default time limit, [`DEADLINE`].
    #[must_use]
    pub fn with_deadline(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// Makes one attempt, signed with each of these secrets; also returns how long the receiver asked to wait.
    ///
    /// The status decides. A 2xx response counts as delivered even if its body does not end in time, because
    /// the receiver has the event.
    pub async fn send(&self, event: &Event, secrets: &[WebhookSecret]) -> (Attempt, Option<Duration>) {
        let at = self.clock.now();
        let started = Instant::now();
        let mut received = Received::default();
        let exchange = timeout(self.deadline, self.exchange(event, secrets, at, &mut received)).await;
        let error = match (exchange, received.status) {
            (_, Some(200..=299)) => None,
            (_, Some(300..=399)) => {
                Some("the response is a redirect; webhooks do not follow redirects".to_owned())
            }
            (_, Some(status)) => Some(format!("the response has status {status}, not 2xx")),
            (Ok(Err(error)), None) => Some(error),
            (_, None) => Some(format!("no response within {} s", self.deadline.as_secs_f64())),
        };
        let duration = millis(started.elapsed());
        let Received { status, retry_after, body } = received;
        (Attempt { at, duration, status, error, response: recorded(&body) }, retry_after)
    }

    async fn exchange(
        &self,
        event: &Event,
        secrets: &[WebhookSecret],
        at: Millis,
        received: &mut Received,
    ) -> Result<(), NoResponse> {
        let mut response = self.post(event, secrets, at).await?;
        received.status = Some(response.status().as_u16());
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        received.retry_after = retry_after.and_then(|text| schedule::retry_after(text, self.clock.now()));
        // The status decides, so an error while reading the body does not matter.
        while let Ok(Some(chunk)) = response.chunk().await {
            received.body.extend_from_slice(&chunk);
            if received.body.len() >= MAX_RESPONSE {
                break;
            }
        }
        Ok(())
    }

    async fn post(
        &self,
        event: &Event,
        secrets: &[WebhookSecret],
        at: Millis,
    ) -> Result<Response, NoResponse> {
        let target =
            self.guard.policy().check_url(&event.url).map_err(|refused| format!("webhook_url {refused}"))?;
        let signed = sign::headers(secrets, &event.id, at, &event.payload);
        if signed.is_empty() {
            return Err("the API key has no webhook secret to sign with".to_owned());
        }
        let request = self
            .client
            .post(target.url().clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT_ENCODING, "identity")
            .headers(signed)
            .headers(trace::headers())
            .body(event.payload.clone());
        request.send().await.map_err(|error| {
            if AddressRefused::caused(&error) {
                AddressRefused.to_string()
            } else {
                failure::cause(&error).to_owned()
            }
        })
    }
}

/// Returns the start of a body as text without NUL, which PostgreSQL can't store.
fn recorded(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body.get(..MAX_RECORDED).unwrap_or(body));
    text.replace('\0', "\u{fffd}")
}

#[cfg(test)]
mod tests;
