//! The attempts of a call, and the waits between them.

use std::{future::Future, pin::Pin, time::Duration};

use bytes::Bytes;
use http::StatusCode;

use super::pending::{Origin, Prepared};
use super::platform::{Instant, sleep_until, timeout_at};
#[cfg(feature = "tracing")]
use super::trace;
use super::{
    Attempt, Error, ErrorKind, Outgoing, Pending, RawResponse, Received, RetryBudget, RetryPolicy,
    TransportError, incoming, redirect, reply, transport::ResponseUrl,
};
use crate::types::{ByteStream, NoError, StreamErrorKind};

const TOO_MANY: StatusCode = StatusCode::TOO_MANY_REQUESTS;

/// The result of an attempt: a response with any status, or an error without one.
pub(super) type Outcome = Result<Received, ErrorKind<NoError>>;

/// Sends a call, with retries.
///
/// The future is boxed once here, so that the futures of all operations are small. `streams` is whether a
/// success that the document declares as a stream is returned when its head has been received.
pub(super) fn exchange(
    pending: Box<Pending>,
    streams: bool,
) -> Pin<Box<dyn Future<Output = Result<Received, Error<NoError>>> + Send>> {
    Box::pin(async move {
        let operation = Some(pending.operation);
        let prepared = pending.prepare().map_err(|kind| Error::new(kind, operation, 0))?;
        let Pending { client, limits, retry, .. } = &*prepared.call;
        let once = RetryPolicy::never();
        let policy = if prepared.is_sent_once { &once } else { retry };
        let (end, budget) = (limits.end(), &client.options().budget);
        let rules = Rules { policy, budget, is_repeatable: prepared.is_repeatable, end };
        let renew = |outcome: &Outcome| prepared.can_renew(outcome);
        let attempt = |number| traced_attempt(&prepared, number, streams, end);
        let (attempts, outcome) = repeat(rules, renew, attempt).await;
        outcome.map_err(|kind| Error::new(kind, operation, attempts))
    })
}

/// The rules for the repetition of attempts.
#[derive(Clone, Copy)]
struct Rules<'a> {
    policy: &'a RetryPolicy,
    budget: &'a RetryBudget,
    is_repeatable: bool,
    end: Option<Instant>,
}

/// The time limits of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The limit of one attempt.
    pub timeout: Duration,
    /// The limit of all attempts and the waits between them.
    pub deadline: Option<Duration>,
}

/// Makes attempts until the rules allow no more, or the deadline would pass.
///
/// `can_renew` returns whether the credentials of an attempt can be renewed. The attempt is then repeated without a
/// wait, because the server did not process it. This happens once.
async fn repeat<F>(
    rules: Rules<'_>,
    can_renew: impl Fn(&Outcome) -> bool,
    mut attempt: impl FnMut(u32) -> F,
) -> (u32, Outcome)
where
    F: Future<Output = Outcome>,
{
    let Rules { policy, budget, is_repeatable, end } = rules;
    let (mut attempts, mut renewals) = (1, 0);
    loop {
        let mut outcome = attempt(attempts).await;
        if let Ok(received) = &mut outcome {
            received.raw.attempts = attempts;
        }
        if renewals == 0 && can_renew(&outcome) {
            (renewals, attempts) = (1, attempts + 1);
            continue;
        }
        let tries = attempts - renewals;
        let response = outcome.as_ref().map(|received| &received.raw);
        let Some(wait) = policy.wait(tries, is_repeatable, response) else {
            let is_up = response.is_ok_and(|raw| !raw.status.is_server_error() && raw.status != TOO_MANY);
            if is_up {
                budget.earn(tries > 1);
            }
            return (attempts, outcome);
        };
        match Instant::now().checked_add(wait) {
            Some(resume) if end.is_none_or(|end| resume < end) && budget.spend() => sleep_until(resume).await,
            _ => return (attempts, outcome),
        }
        attempts += 1;
    }
}

impl Limits {
    /// Returns the time at which the call must be done.
    fn end(&self) -> Option<Instant> {
        Instant::now().checked_add(self.deadline?)
    }

    /// Runs one attempt until its timeout or the deadline, whichever is first.
    async fn apply(self, end: Option<Instant>, attempt: impl Future<Output = Outcome>) -> Outcome {
        // A sum beyond the clock's range means no limit.
        let own = Instant::now().checked_add(self.timeout);
        let (limit, cut_off) = match (own, end, self.deadline) {
            (Some(own), Some(end), Some(after)) if end <= own => (end, ErrorKind::Deadline { after }),
            (None, Some(end), Some(after)) => (end, ErrorKind::Deadline { after }),
            (Some(own), ..) => (own, ErrorKind::Timeout { after: self.timeout }),
            (None, ..) => return attempt.await,
        };
        timeout_at(limit, attempt).await.unwrap_or(Err(cut_off))
    }
}

/// Runs one attempt within its limits. Calls the hooks and records the trace.
async fn traced_attempt(prepared: &Prepared, number: u32, streams: bool, end: Option<Instant>) -> Outcome {
    let Pending { operation, limits, ref client, .. } = *prepared.call;
    let attempt = Attempt { operation, number };
    let began = Instant::now();
    let sending = limits.apply(end, send(prepared, attempt, streams.then_some((limits, end))));
    #[cfg(feature = "tracing")]
    let span = trace::start(attempt, &prepared.method, &prepared.url);
    #[cfg(feature = "tracing")]
    let sending = tracing::Instrument::instrument(sending, span.clone());
    let outcome = sending.await;
    #[cfg(feature = "tracing")]
    trace::end(&span, &outcome);
    client.options().hooks.after(attempt, began.elapsed(), &outcome);
    outcome
}

/// The limits of a response that is streamed.
type Streaming = Option<(Limits, Option<Instant>)>;

/// Sends a request and receives the response.
///
/// It receives only the head if the body is streamed, and otherwise the whole response.
async fn send(prepared: &Prepared, attempt: Attempt, streaming: Streaming) -> Outcome {
    let Pending { client, operation, origin, is_download, .. } = &*prepared.call;
    let (settings, options) = (client.settings(), client.options());
    let mut request = prepared.request().await?;
    if *origin == Origin::Own {
        options.hooks.before(attempt, &mut request)?;
    }
    let began = Instant::now();
    let failed = |error| cause(error, began.elapsed());
    let sent = redirect::follow(&*settings.transport, Outgoing::new(Some(attempt), request)).await;
    let (http::response::Parts { status, headers, mut extensions, .. }, received) =
        sent.map_err(failed)?.into_parts();
    let (limit, is_strict) = (options.response_limit, options.strict_status);
    let mut raw = RawResponse::new(status, headers, Bytes::new());
    raw.assumes_utc = options.assume_utc;
    raw.url = extensions.remove::<ResponseUrl>().map(|url| Box::new(url.0));
    if let Some((limits, end)) = streaming
        && (*is_download && status.is_success() || reply::is_streamed(operation, &raw, is_strict))
    {
        let stream = incoming::stream(received, limits, end).with_limit(limit).of_call(attempt.into());
        return Ok(Received { raw, stream: Some(stream), is_strict });
    }
    let body = body(received, limit).await.map_err(failed)?;
    raw.body = body.ok_or(ErrorKind::TooLarge { status, limit })?;
    raw.is_permanent = reply::is_permanent(operation, &raw);
    Ok(Received { raw, stream: None, is_strict })
}

/// Returns the body, or `None` if it is larger than `limit`.
///
/// It reads nothing if the transport knows that the body is larger.
pub(super) async fn body(body: ByteStream, limit: u64) -> Result<Option<Bytes>, TransportError> {
    match body.with_limit(limit).collect().await {
        Ok(body) => Ok(Some(body)),
        Err(error) if matches!(error.kind(), StreamErrorKind::TooLarge { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns the cause of an attempt without a response. `after` is its duration.
pub(super) fn cause(error: TransportError, after: Duration) -> ErrorKind<NoError> {
    match error {
        TransportError::Connect(error) => ErrorKind::Connect(error),
        TransportError::Timeout => ErrorKind::Timeout { after },
        TransportError::Broken(error) => ErrorKind::Transport(error),
        TransportError::Refused(error) => ErrorKind::Refused(error),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use http::header::{self, HeaderMap};
    use tokio::time::sleep;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn response(status: u16) -> Outcome {
        Ok(RawResponse::new(StatusCode::from_u16(status).unwrap(), HeaderMap::new(), Bytes::new()).into())
    }

    fn later(seconds: &str) -> Outcome {
        let mut response = response(503)?;
        response.raw.headers.insert(header::RETRY_AFTER, seconds.parse().unwrap());
        Ok(response)
    }

    fn lost() -> Outcome {
        Err(ErrorKind::Transport("reset".into()))
    }

    /// Returns a policy of five attempts with waits of 1, 2, 4 and 8 seconds.
    fn policy() -> RetryPolicy {
        RetryPolicy::default().attempts(5).base_delay(SECOND).random(|| 1.0)
    }

    /// Runs attempts with these durations in seconds and these results.
    ///
    /// Returns the times at which the attempts began, the time at which the call ended, and its result.
    async fn run(
        script: impl IntoIterator<Item = (u64, Outcome)>,
        policy: RetryPolicy,
        deadline: Option<u64>,
    ) -> (Vec<u64>, u64, Outcome) {
        run_with(script, policy, deadline, &RetryBudget::unlimited()).await
    }

    /// Runs attempts as `run` does, with a budget. Credentials can be renewed.
    async fn run_with(
        script: impl IntoIterator<Item = (u64, Outcome)>,
        policy: RetryPolicy,
        deadline: Option<u64>,
        budget: &RetryBudget,
    ) -> (Vec<u64>, u64, Outcome) {
        let start = Instant::now();
        let mut script: VecDeque<_> = script.into_iter().collect();
        let mut begins = Vec::new();
        let limits = Limits { timeout: SECOND * 10, deadline: deadline.map(Duration::from_secs) };
        let end = limits.end();
        let rules = Rules { policy: &policy, budget, is_repeatable: true, end };
        let is_rejected =
            |outcome: &Outcome| outcome.as_ref().is_ok_and(|received| received.raw.status.as_u16() == 401);
        let (attempts, outcome) = repeat(rules, is_rejected, |number| {
            begins.push(start.elapsed().as_secs());
            assert_eq!(number as usize, begins.len());
            let (seconds, outcome) = script.pop_front().expect("one attempt too many");
            limits.apply(end, async move {
                sleep(SECOND * u32::try_from(seconds).unwrap()).await;
                outcome
            })
        })
        .await;
        assert!(script.is_empty(), "attempts are missing");
        assert_eq!(attempts as usize, begins.len());
        (begins, start.elapsed().as_secs(), outcome)
    }

    fn reported(outcome: Outcome) -> Result<(u16, u32), String> {
        outcome
            .map(|received| (received.raw.status.as_u16(), received.raw.attempts))
            .map_err(|error| error.to_string())
    }

    #[tokio::test(start_paused = true)]
    async fn waits_grow_until_a_response_arrives() {
        let script = [(0, response(503)), (0, response(429)), (1, lost()), (0, response(200))];
        let (begins, over, outcome) = run(script, policy(), None).await;
        assert_eq!((begins, over), (vec![0, 1, 3, 8], 8));
        assert_eq!(reported(outcome), Ok((200, 4)));
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_attempt_is_the_outcome() {
        let (begins, _, outcome) = run([(0, lost()), (0, response(503))], policy().attempts(2), None).await;
        assert_eq!(begins, [0, 1]);
        assert_eq!(reported(outcome), Ok((503, 2)));
    }

    #[tokio::test(start_paused = true)]
    async fn retry_after_is_added_to_the_wait() {
        let (begins, ..) = run([(0, later("30")), (0, response(200))], policy(), None).await;
        assert_eq!(begins, [0, 31]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_attempt_is_cut_off_at_its_timeout_and_repeated() {
        let (begins, over, outcome) = run([(60, response(200)), (9, response(200))], policy(), None).await;
        assert_eq!((begins, over), (vec![0, 11], 20));
        assert_eq!(reported(outcome), Ok((200, 2)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_beyond_the_deadline_is_not_begun() {
        let (_, over, outcome) = run([(0, response(503)), (0, response(429))], policy(), Some(3)).await;
        assert_eq!(over, 1);
        assert_eq!(reported(outcome), Ok((429, 2)));

        let (_, over, outcome) = run([(0, later("5"))], policy(), Some(3)).await;
        assert_eq!(over, 0);
        assert_eq!(outcome.unwrap().raw.retry_after(), Some(SECOND * 5));
    }

    #[tokio::test(start_paused = true)]
    async fn an_attempt_is_cut_off_at_the_deadline() {
        let (_, over, outcome) = run([(0, response(503)), (5, response(200))], policy(), Some(3)).await;
        assert_eq!(over, 3);
        assert_eq!(reported(outcome), Err("the call didn't finish within its deadline of 3s".to_owned()));
    }

    #[tokio::test(start_paused = true)]
    async fn durations_beyond_the_clock_are_no_limits() {
        let forever = Limits { timeout: Duration::MAX, deadline: Some(Duration::MAX) };
        let slow = |_| {
            forever.apply(forever.end(), async {
                sleep(SECOND * 1_000_000).await;
                response(200)
            })
        };
        let (policy, budget) = (policy(), RetryBudget::default());
        let rules = Rules { policy: &policy, budget: &budget, is_repeatable: true, end: forever.end() };
        assert_eq!(reported(repeat(rules, |_| false, slow).await.1), Ok((200, 1)));
    }

    #[tokio::test(start_paused = true)]
    async fn credentials_are_renewed_once_and_at_once() {
        let script = [(0, response(401)), (0, response(503)), (0, response(503)), (0, response(200))];
        let (begins, _, outcome) = run(script, policy().attempts(3), None).await;
        assert_eq!(begins, [0, 0, 1, 3], "it is not one of the policy's attempts");
        assert_eq!(reported(outcome), Ok((200, 4)));
        let (begins, _, outcome) = run([(0, response(401)), (0, response(401))], policy(), None).await;
        assert_eq!((begins, reported(outcome)), (vec![0, 0], Ok((401, 2))));
    }

    #[tokio::test(start_paused = true)]
    async fn an_empty_budget_allows_no_retry() {
        let budget = RetryBudget::new(2);
        let down = || [(0, response(503)), (0, response(503)), (0, response(503))];
        let (begins, ..) = run_with(down(), policy().attempts(3), None, &budget).await;
        assert_eq!(begins.len(), 3);
        let (begins, _, outcome) = run_with([(0, response(503))], policy(), None, &budget).await;
        assert_eq!((begins.len(), reported(outcome)), (1, Ok((503, 1))));
        for _ in 0..10 {
            let (begins, ..) = run_with([(0, response(404))], policy(), None, &budget).await;
            assert_eq!(begins.len(), 1);
        }
        let (begins, ..) = run_with([(0, response(503)), (0, response(200))], policy(), None, &budget).await;
        assert_eq!(begins.len(), 2, "ten calls that succeed pay for a retry");
        let (begins, ..) = run_with([(0, response(503)), (0, response(200))], policy(), None, &budget).await;
        assert_eq!(begins.len(), 2, "one that succeeded after a retry pays for it");
        let (begins, ..) = run_with([(0, later("5"))], policy(), Some(3), &budget).await;
        assert_eq!(begins.len(), 1);
        assert!(budget.spend(), "a wait that is not begun costs nothing");
    }
}
