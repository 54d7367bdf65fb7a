//! Which outcomes are tried again, and after how long.

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use http::StatusCode;

use super::{
    error::Error,
    response::{RawResponse, retry_after},
};
use crate::types::NoError;

/// When a call is tried again, and after how long.
///
/// Tried again is only what can't do harm twice:
/// - a connection that could not be made: nothing was sent;
/// - `429` and `503`: the server refused the request, it did not process it;
/// - a timeout, a broken connection, a cut-off answer, `502` and `504`: the request may have been processed, so only
///   where processing it twice is the same as once: `GET`, `HEAD`, `PUT`, `DELETE`, `OPTIONS`, a request that carries
///   an `Idempotency-Key`, and a call marked [`idempotent`](super::Call::idempotent).
///
/// The wait doubles from [`base_delay`](Self::base_delay) with every attempt, up to [`max_delay`](Self::max_delay),
/// and is drawn between nothing and that bound ("full jitter"), so that clients refused together don't return
/// together. A `Retry-After` is waited for as well, before that.
///
/// An answer that says of itself that it is permanent (see [`RawResponse::is_permanent`]) is not tried again.
///
/// A wait that would pass the call's deadline, or a `Retry-After` beyond [`max_retry_after`](Self::max_retry_after),
/// is not begun: the caller gets the outcome at once, and its [`retry_after`](super::Error::retry_after) with it.
#[derive(Clone)]
pub struct RetryPolicy {
    attempts: u32,
    base_delay: Duration,
    max_delay: Duration,
    max_retry_after: Duration,
    retry_unavailable: bool,
    permanent: Option<fn(&RawResponse) -> bool>,
    random: fn() -> f64,
    now: fn() -> SystemTime,
}

impl fmt::Debug for RetryPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the addresses of functions, which differ from run to run.
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
    /// Three attempts; delays from 500 ms up to 8 s; a `Retry-After` of up to a minute.
    fn default() -> Self {
        Self {
            attempts: 3,
            base_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(8),
            max_retry_after: Duration::from_secs(60),
            retry_unavailable: true,
            permanent: None,
            random: fastrand::f64,
            now: SystemTime::now,
        }
    }
}

impl RetryPolicy {
    /// One attempt and no more.
    #[must_use]
    pub fn never() -> Self {
        Self::default().attempts(1)
    }

    /// How many attempts there are at most, the first included; 0 counts as 1.
    #[must_use]
    pub const fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// The bound of the first wait; it doubles with every attempt.
    #[must_use]
    pub const fn base_delay(mut self, delay: Duration) -> Self {
        self.base_delay = delay;
        self
    }

    /// What the bound does not grow beyond.
    #[must_use]
    pub const fn max_delay(mut self, delay: Duration) -> Self {
        self.max_delay = delay;
        self
    }

    /// The longest `Retry-After` that is waited for.
    #[must_use]
    pub const fn max_retry_after(mut self, longest: Duration) -> Self {
        self.max_retry_after = longest;
        self
    }

    /// Whether a `503` without `Retry-After` is tried again (it is, by default). Some servers name a `Retry-After`
    /// whenever they expect to be back, and mean "not here, not later" without one: turn this off for them.
    #[must_use]
    pub const fn retry_unavailable(mut self, retry: bool) -> Self {
        self.retry_unavailable = retry;
        self
    }

    /// Which answers no later try will change although their status says so, told by whatever marks them (mostly the
    /// body). They are not tried again. Those that the API's document marks (`x-permanent`) are known without this.
    #[must_use]
    pub const fn permanent(mut self, is_permanent: fn(&RawResponse) -> bool) -> Self {
        self.permanent = Some(is_permanent);
        self
    }

    /// Where jitter comes from: numbers from 0 to 1. Tests put a constant here.
    #[must_use]
    pub const fn random(mut self, random: fn() -> f64) -> Self {
        self.random = random;
        self
    }

    /// The clock against which a `Retry-After` date is measured where the answer has no `Date`.
    #[must_use]
    pub const fn now(mut self, now: fn() -> SystemTime) -> Self {
        self.now = now;
        self
    }

    /// How long to wait after the `attempt`th attempt (from 1) came out so, or `None`: that was the last.
    pub(super) fn wait(
        &self,
        attempt: u32,
        is_repeatable: bool,
        outcome: Result<&RawResponse, &Error<NoError>>,
    ) -> Option<Duration> {
        if attempt >= self.attempts {
            return None;
        }
        let asked = match outcome {
            Err(Error::Connect(_)) => None,
            Err(Error::Timeout { .. } | Error::Transport(_)) if is_repeatable => None,
            Err(_) => return None,
            Ok(response) => {
                let asked = retry_after(&response.headers, (self.now)());
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

    fn backoff(&self, attempt: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(attempt.saturating_sub(1));
        let bound = self.base_delay.saturating_mul(doubled).min(self.max_delay);
        // A factor that is no number from 0 to 1 would make this panic.
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

    fn answer(status: u16, retry_after: Option<&str>) -> Result<RawResponse, Error<NoError>> {
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
    fn only_what_does_no_harm_is_repeated() {
        let cases = [
            // outcome, of a repeatable request, of any other
            (Err(Error::Connect("refused".into())), true, true),
            (Err(Error::Transport("reset".into())), true, false),
            (Err(Error::Timeout { after: SECOND }), true, false),
            (Err(Error::Deadline { after: SECOND }), false, false),
            (Err(Error::Credential("no token".into())), false, false),
            (answer(429, None), true, true),
            (answer(503, None), true, true),
            (answer(502, None), true, false),
            (answer(504, None), true, false),
            (answer(500, None), false, false),
            (answer(408, None), false, false),
            (answer(404, Some("1")), false, false),
            (answer(200, Some("1")), false, false),
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
            [1, 2, 3, 4, 100].map(|attempt| policy.wait(attempt, true, answer(503, None).as_ref()).unwrap())
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
        assert_eq!(policy.wait(1, false, answer(429, Some("10")).as_ref()), Some(SECOND * 11));
        assert_eq!(policy.wait(1, false, answer(429, Some("11")).as_ref()), None);
        let epoch = policy.now(|| SystemTime::UNIX_EPOCH + Duration::from_secs(60));
        assert_eq!(
            epoch.wait(1, false, answer(503, Some("Thu, 01 Jan 1970 00:01:05 GMT")).as_ref()),
            Some(SECOND * 6)
        );
    }

    #[test]
    fn it_is_shown_without_addresses() {
        assert_eq!(
            format!("{:?}", policy().permanent(|_| true)),
            "RetryPolicy { attempts: 3, base_delay: 1s, max_delay: 8s, max_retry_after: 60s, \
             retry_unavailable: true, knows_permanent: true, .. }"
        );
    }

    #[test]
    fn a_permanent_refusal_is_not_repeated() {
        let strict = policy().retry_unavailable(false);
        assert_eq!(strict.wait(1, true, answer(503, None).as_ref()), None);
        assert!(strict.wait(1, true, answer(503, Some("1")).as_ref()).is_some());
        assert!(strict.wait(1, true, answer(429, None).as_ref()).is_some());

        let told = policy().permanent(|response| response.body.starts_with(b"no engine"));
        assert_eq!(told.wait(1, true, answer(503, Some("1")).as_ref()), None);
    }
}
