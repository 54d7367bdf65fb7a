//! The retry policy: which attempts are retried, and after how long.

use std::{fmt, time::Duration};

use http::StatusCode;

use super::{ErrorKind, RawResponse, platform::random};
use crate::types::NoError;

/// A policy for retries: which attempts are retried, and after how long.
///
/// Only attempts that can be repeated without harm are retried:
/// - a connection that could not be made, because nothing was sent;
/// - `429` and `503`, because the server did not process the request;
/// - a timeout, a broken connection, an incomplete response, `502` and `504`. The server may have processed
///   the request, so these are retried only for idempotent requests: `GET`, `HEAD`, `PUT`, `DELETE`,
///   `OPTIONS`, `TRACE`, `QUERY`, a request with an `Idempotency-Key`, and a call marked
///   [`idempotent`](super::Call::idempotent).
///
/// A response that states that it is permanent (see [`RawResponse::is_permanent`]) is not retried.
///
/// The wait before a retry is random, between zero and a bound ("full jitter"), so that clients that were
/// rejected together do not return together. The bound is [`base_delay`](Self::base_delay) at first. It
/// doubles with every attempt, up to [`max_delay`](Self::max_delay). If the response has a `Retry-After`,
/// that time is added.
///
/// The call returns at once if the wait would pass its deadline, or if `Retry-After` exceeds
/// [`max_retry_after`](Self::max_retry_after). The caller can then use the error's
/// [`retry_after`](super::Error::retry_after).
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use openapi_crates_runtime::client::RetryPolicy;
///
/// let policy = RetryPolicy::default().attempts(5).max_retry_after(Duration::from_secs(300));
/// ```
#[derive(Clone)]
#[must_use]
pub struct RetryPolicy {
    attempts: u32,
    base_delay: Duration,
    max_delay: Duration,
    max_retry_after: Duration,
    retry_unavailable: bool,
    permanent: Option<fn(&RawResponse) -> bool>,
    random: fn() -> f64,
}

impl fmt::Debug for RetryPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The addresses of functions differ from run to run, so they are not shown.
        f.debug_struct("RetryPolicy")
            .field("attempts", &self.attempts)
            .field("base_delay", &self.base_delay)
            .field("max_delay", &self.max_delay)
            .field("max_retry_after", &self.max_retry_after)
            .field("retry_unavailable", &self.retry_unavailable)
            .field("knows_permanent", &self.permanent.is_some())
            .finish_non_exhaustive()
    }
}

impl Default for RetryPolicy {
    /// Returns a policy with three attempts.
    ///
    /// The bound of the wait grows from 500 ms to 8 s. A `Retry-After` of up to 60 s is followed.
    fn default() -> Self {
        Self {
            attempts: 3,
            base_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(8),
            max_retry_after: Duration::from_secs(60),
            retry_unavailable: true,
            permanent: None,
            random,
        }
    }
}

impl RetryPolicy {
    /// Returns a policy with a single attempt.
    pub fn never() -> Self {
        Self::default().attempts(1)
    }

    /// Sets the maximum number of attempts, including the first.
    ///
    /// The default is 3. 0 counts as 1.
    pub const fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// Sets the bound of the first wait. It doubles with every attempt.
    ///
    /// The default is 500 ms.
    pub const fn base_delay(mut self, delay: Duration) -> Self {
        self.base_delay = delay;
        self
    }

    /// Sets the maximum of the bound. The default is 8 s.
    pub const fn max_delay(mut self, delay: Duration) -> Self {
        self.max_delay = delay;
        self
    }

    /// Sets the longest `Retry-After` that the client waits for. The default is 60 s.
    pub const fn max_retry_after(mut self, longest: Duration) -> Self {
        self.max_retry_after = longest;
        self
    }

    /// Sets whether a `503` without `Retry-After` is retried. The default is `true`.
    ///
    /// Some servers send `Retry-After` with every temporary `503`. For them a `503` without it is permanent:
    /// set `false`.
    pub const fn retry_unavailable(mut self, retry: bool) -> Self {
        self.retry_unavailable = retry;
        self
    }

    /// Sets a function that recognises responses that no later attempt changes.
    ///
    /// They are not retried, although their status is that of a temporary failure. Responses that the API's
    /// document marks (`x-permanent`) are recognised without this function.
    pub const fn permanent(mut self, is_permanent: fn(&RawResponse) -> bool) -> Self {
        self.permanent = Some(is_permanent);
        self
    }

    /// Sets the source of jitter, which returns numbers from 0 to 1.
    #[cfg(test)]
    pub(super) const fn random(mut self, random: fn() -> f64) -> Self {
        self.random = random;
        self
    }

    /// Returns the wait after an attempt, or `None` if there is no further attempt.
    ///
    /// `attempt` is the number of the attempt, from 1.
    pub(super) fn wait(
        &self,
        attempt: u32,
        is_repeatable: bool,
        outcome: Result<&RawResponse, &ErrorKind<NoError>>,
    ) -> Option<Duration> {
        if attempt >= self.attempts {
            return None;
        }
        let asked = match outcome {
            Err(ErrorKind::Connect(_)) => None,
            Err(ErrorKind::Timeout { .. } | ErrorKind::Transport(_)) if is_repeatable => None,
            Err(_) => return None,
            Ok(response) => {
                let asked = response.retry_after();
                if !self.is_transient(response, asked.is_some(), is_repeatable) {
                    return None;
                }
                asked
            }
        };
        let backoff = self.backoff(attempt);
        match asked {
            Some(asked) if asked > self.max_retry_after => None,
            Some(asked) => Some(asked.saturating_add(backoff)),
            None => Some(backoff),
        }
    }

    fn is_transient(&self, response: &RawResponse, has_retry_after: bool, is_repeatable: bool) -> bool {
        let by_status = match response.status {
            StatusCode::TOO_MANY_REQUESTS => true,
            StatusCode::SERVICE_UNAVAILABLE => has_retry_after || self.retry_unavailable,
            StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT => is_repeatable,
            _ => false,
        };
        by_status
            && !response.is_permanent
            && !self.permanent.is_some_and(|is_permanent| is_permanent(response))
    }

    /// Returns a random wait, whose bound grows with the number of the attempt.
    pub(super) fn backoff(&self, attempt: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
        let bound = self.base_delay.saturating_mul(doubled).min(self.max_delay);
        // A factor outside 0 to 1 could cause a panic.
        let factor = (self.random)().clamp(0.0, 1.0);
        Duration::try_from_secs_f64(bound.as_secs_f64() * factor).unwrap_or(bound)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{HeaderMap, header};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn policy() -> RetryPolicy {
        RetryPolicy::default().base_delay(SECOND).random(|| 1.0)
    }

    fn response(status: u16, retry_after: Option<&str>) -> Result<RawResponse, ErrorKind<NoError>> {
        let mut headers = HeaderMap::new();
        if let Some(text) = retry_after {
            headers.insert(header::RETRY_AFTER, text.parse().unwrap());
        }
        Ok(RawResponse::new(
            StatusCode::from_u16(status).unwrap(),
            headers,
            Bytes::from_static(b"no engine configured"),
        ))
    }

    #[test]
    fn requests_are_retried_only_if_repetition_is_safe() {
        let cases = [
            // outcome, whether it is retried for an idempotent request, and for any other
            (Err(ErrorKind::Connect("refused".into())), true, true),
            (Err(ErrorKind::Transport("reset".into())), true, false),
            (Err(ErrorKind::Timeout { after: SECOND }), true, false),
            (Err(ErrorKind::Deadline { after: SECOND }), false, false),
            (Err(ErrorKind::Credential("no token".into())), false, false),
            (response(429, None), true, true),
            (response(503, None), true, true),
            (response(502, None), true, false),
            (response(504, None), true, false),
            (response(500, None), false, false),
            (response(408, None), false, false),
            (response(404, Some("1")), false, false),
            (response(200, Some("1")), false, false),
        ];
        for (outcome, repeatable, other) in cases {
            assert_eq!(policy().wait(1, true, outcome.as_ref()).is_some(), repeatable, "{outcome:?}");
            assert_eq!(policy().wait(1, false, outcome.as_ref()).is_some(), other, "{outcome:?}");
            assert_eq!(
                policy().wait(3, true, outcome.as_ref()),
                None,
                "the third attempt is the last: {outcome:?}"
            );
            assert_eq!(RetryPolicy::never().wait(1, true, outcome.as_ref()), None, "{outcome:?}");
        }
    }

    #[test]
    fn the_wait_doubles_up_to_its_bound_and_is_drawn_below_it() {
        let policy = policy().attempts(u32::MAX).max_delay(SECOND * 5);
        let waits = |policy: &RetryPolicy| {
            [1, 2, 3, 4, 100].map(|attempt| policy.wait(attempt, true, response(503, None).as_ref()).unwrap())
        };
        assert_eq!(waits(&policy), [1, 2, 4, 5, 5].map(Duration::from_secs));
        assert_eq!(
            waits(&policy.clone().random(|| 0.5)),
            [500, 1000, 2000, 2500, 2500].map(Duration::from_millis)
        );
        assert_eq!(waits(&policy.random(|| f64::NEG_INFINITY)), [Duration::ZERO; 5]);
    }

    #[test]
    fn retry_after_is_waited_for_up_to_its_bound() {
        let policy = policy().max_retry_after(SECOND * 10);
        assert_eq!(policy.wait(1, false, response(429, Some("10")).as_ref()), Some(SECOND * 11));
        assert_eq!(policy.wait(1, false, response(429, Some("11")).as_ref()), None);
    }

    #[test]
    fn debug_shows_no_addresses_of_functions() {
        assert_eq!(
            format!("{:?}", policy().permanent(|_| true)),
            "RetryPolicy { attempts: 3, base_delay: 1s, max_delay: 8s, max_retry_after: 60s, \
             retry_unavailable: true, knows_permanent: true, .. }"
        );
    }

    #[test]
    fn a_permanent_refusal_is_not_repeated() {
        let strict = policy().retry_unavailable(false);
        assert_eq!(strict.wait(1, true, response(503, None).as_ref()), None);
        assert!(strict.wait(1, true, response(503, Some("1")).as_ref()).is_some());
        assert!(strict.wait(1, true, response(429, None).as_ref()).is_some());

        let reported = policy().permanent(|response| response.body.starts_with(b"no engine"));
        assert_eq!(reported.wait(1, true, response(503, Some("1")).as_ref()), None);
    }
}
