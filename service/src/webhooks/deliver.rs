//! One attempt to deliver an event: one POST through the guard.

use std::time::{Duration, Instant};

use reqwest::Response;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use tokio::time::timeout;

use super::{schedule, sign};
use crate::net::guard::UrlRefused;
use crate::net::resolve::{AddressRefused, Guard};
use crate::net::trouble;
use crate::store::{Attempt, Event, WebhookSecret};
use crate::time::{Clock, Millis, millis};

/// The time that an attempt has, from resolving the host to the end of the answer.
pub const DEADLINE: Duration = Duration::from_secs(20);
/// How much of an answer is read.
const MAX_ANSWER: usize = 64 * 1024;
/// How much of it is kept for the operator.
const MAX_RECORDED: usize = 1024;

/// What an attempt means for its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The receiver has it.
    Delivered,
    /// It does not.
    Failed {
        /// How long it has asked to wait.
        retry_after: Option<Duration>,
    },
    /// It wants no more of this task: 410.
    Gone,
}

/// An attempt that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// What is recorded of it.
    pub attempt: Attempt,
    /// What it means.
    pub verdict: Verdict,
}

/// Makes attempts.
#[derive(Debug, Clone)]
pub struct Sender {
    guard: Guard,
    client: reqwest::Client,
    clock: Clock,
    deadline: Duration,
}

/// Why there is no answer. For the operator: it is not shown to owners of API keys.
#[derive(Debug, thiserror::Error)]
enum NoAnswer {
    #[error("the API key has no webhook secret to sign with")]
    NoSecret,
    #[error("webhook_url {0}")]
    Url(#[from] UrlRefused),
    #[error("{AddressRefused}")]
    Address,
    #[error("{0}")]
    Trouble(&'static str),
}

/// As much of an answer as has come so far.
#[derive(Default)]
struct Answer {
    status: Option<u16>,
    retry_after: Option<Duration>,
    body: Vec<u8>,
}

impl Sender {
    /// A sender to what this guard allows.
    ///
    /// # Errors
    /// When TLS can't be set up.
    pub fn new(guard: Guard, clock: Clock) -> reqwest::Result<Self> {
        Ok(Self { client: guard.client()?, guard, clock, deadline: DEADLINE })
    }

    /// With another deadline than [`DEADLINE`].
    #[must_use]
    pub fn with_deadline(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// Makes one attempt, signed with all of these secrets.
    ///
    /// The status decides: an answer of 2xx whose body does not end in time is a success, as the receiver has the event.
    pub async fn send(&self, event: &Event, secrets: &[WebhookSecret]) -> Delivery {
        let at = self.clock.now();
        let started = Instant::now();
        let mut answer = Answer::default();
        let exchange = timeout(self.deadline, self.exchange(event, secrets, at, &mut answer)).await;
        let error = match (exchange, answer.status) {
            (_, Some(200..=299)) => None,
            (_, Some(300..=399)) => Some("the answer is a redirect, which is not followed".to_owned()),
            (_, Some(status)) => Some(format!("the answer's status is {status}, which is no success")),
            (Ok(Err(error)), None) => Some(error.to_string()),
            (_, None) => Some(format!("there was no answer within {} s", self.deadline.as_secs_f64())),
        };
        let verdict = match answer.status {
            Some(200..=299) => Verdict::Delivered,
            Some(410) => Verdict::Gone,
            _ => Verdict::Failed { retry_after: answer.retry_after },
        };
        let duration = millis(started.elapsed());
        Delivery {
            attempt: Attempt { at, duration, status: answer.status, error, answer: recorded(&answer.body) },
            verdict,
        }
    }

    async fn exchange(
        &self,
        event: &Event,
        secrets: &[WebhookSecret],
        at: Millis,
        answer: &mut Answer,
    ) -> Result<(), NoAnswer> {
        let mut response = self.post(event, secrets, at).await?;
        answer.status = Some(response.status().as_u16());
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        answer.retry_after = retry_after.and_then(|text| schedule::retry_after(text, self.clock.now()));
        // What goes wrong from here on changes nothing.
        while let Ok(Some(chunk)) = response.chunk().await {
            answer.body.extend_from_slice(&chunk);
            if answer.body.len() >= MAX_ANSWER {
                break;
            }
        }
        Ok(())
    }

    async fn post(&self, event: &Event, secrets: &[WebhookSecret], at: Millis) -> Result<Response, NoAnswer> {
        let target = self.guard.policy().check_url(&event.url)?;
        let timestamp = sign::timestamp(at);
        let signatures = sign::signatures(secrets, &event.id, timestamp, &event.payload);
        if signatures.is_empty() {
            return Err(NoAnswer::NoSecret);
        }
        let request = self
            .client
            .post(target.url().clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT_ENCODING, "identity")
            .header("webhook-id", &event.id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signatures)
            .body(event.payload.clone());
        request.send().await.map_err(|error| {
            if AddressRefused::caused(&error) {
                NoAnswer::Address
            } else {
                NoAnswer::Trouble(trouble::why(&error))
            }
        })
    }
}

/// The first bytes of an answer, as text that any database can hold: PostgreSQL knows no NUL.
fn recorded(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body.get(..MAX_RECORDED).unwrap_or(body));
    text.replace('\0', "\u{fffd}")
}

#[cfg(test)]
mod tests;
