//! A circuit breaker: an engine that fails gets few requests, and its tasks wait.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::engine::Failure;

/// The number of failures in a row that opens the breaker.
const FAILURES: u32 = 3;

/// How long the breaker is open at first; each further failure doubles it.
const FIRST: Duration = Duration::from_secs(5);

/// The longest time that the breaker is open.
const MAX_OPEN: Duration = Duration::from_secs(5 * 60);

/// The wait for a busy engine that does not ask for a pause itself.
const BUSY: Duration = Duration::from_secs(5);

/// The circuit breaker of an engine.
#[derive(Debug, Default)]
pub struct Breaker(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    failures: u32,
    open_until: Option<Instant>,
}

impl Breaker {
    /// Returns how many of `free` requests the engine may get now.
    ///
    /// `is_unused` is whether no request is in progress.
    #[must_use]
    pub fn admits(&self, free: usize, is_unused: bool, now: Instant) -> usize {
        let state = self.0.lock();
        match state.open_until {
            Some(until) if until > now => 0,
            // One request finds out whether the engine works again.
            Some(_) if state.failures >= FAILURES => usize::from(is_unused).min(free),
            _ => free,
        }
    }

    /// Returns the failures since the last success, and how long the breaker is still open.
    ///
    /// The time is `None` if the breaker is closed. It is 0 once a request may find out whether the engine works.
    #[must_use]
    pub fn state(&self, now: Instant) -> (u32, Option<Duration>) {
        let state = self.0.lock();
        let left = state.open_until.map(|until| until.saturating_duration_since(now));
        (state.failures, left.filter(|left| !left.is_zero() || state.failures >= FAILURES))
    }

    /// Learns from the outcome of a request.
    pub fn record(&self, failure: Option<&Failure>, now: Instant) {
        let mut state = self.0.lock();
        match failure {
            Some(Failure::Busy { retry_after }) => {
                let pause = Failure::requested_wait(*retry_after).unwrap_or(BUSY);
                state.open_until = Some(now + pause.min(MAX_OPEN));
            }
            Some(failure) if failure.is_of_engine() => {
                state.failures = state.failures.saturating_add(1);
                if let Some(doublings) = state.failures.checked_sub(FAILURES) {
                    let open = FIRST.saturating_mul(2_u32.saturating_pow(doublings)).min(MAX_OPEN);
                    state.open_until = Some(now + open);
                }
            }
            // The attempt says nothing about the engine.
            Some(Failure::Cancelled | Failure::Storage(_)) => {}
            // An engine that refuses a request works.
            _ => *state = State::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn down() -> Failure {
        Failure::Unavailable("connection refused".to_owned())
    }

    /// Checks that the engine gets nothing until this time, and this many of four requests from then on.
    fn is_open_until(breaker: &Breaker, until: Instant, then: usize) {
        assert_eq!(breaker.admits(4, true, until - Duration::from_millis(1)), 0);
        assert_eq!(breaker.admits(4, true, until), then);
    }

    #[test]
    fn three_failures_open_it_and_a_success_closes_it() {
        let (breaker, now) = (Breaker::default(), Instant::now());
        breaker.record(Some(&down()), now);
        breaker.record(Some(&down()), now);
        assert_eq!((breaker.admits(4, true, now), breaker.state(now)), (4, (2, None)));
        breaker.record(Some(&down()), now);
        let later = now + FIRST;
        assert_eq!(breaker.state(now), (3, Some(FIRST)));
        assert_eq!(breaker.state(later), (3, Some(Duration::ZERO)));
        is_open_until(&breaker, later, 1);
        assert_eq!(breaker.admits(4, false, later), 0, "a request finds out already");
        breaker.record(Some(&down()), later);
        is_open_until(&breaker, later + FIRST * 2, 1);
        for _ in 0..40 {
            breaker.record(Some(&down()), later);
        }
        is_open_until(&breaker, later + MAX_OPEN, 1);
        breaker.record(Some(&Failure::Storage("the database does not respond".to_owned())), later);
        is_open_until(&breaker, later + MAX_OPEN, 1);
        breaker.record(None, later + MAX_OPEN);
        assert_eq!(breaker.admits(4, false, later + MAX_OPEN), 4);
    }

    #[test]
    fn a_busy_engine_is_left_alone_and_is_not_broken() {
        let (breaker, now) = (Breaker::default(), Instant::now());
        let retry_after = Duration::from_secs(7);
        breaker.record(Some(&Failure::Busy { retry_after: Some(retry_after) }), now);
        is_open_until(&breaker, now + retry_after, 4);
        breaker.record(Some(&Failure::Busy { retry_after: Some(Duration::ZERO) }), now);
        is_open_until(&breaker, now + BUSY, 4);
        breaker.record(Some(&Failure::Busy { retry_after: Some(retry_after) }), now);
        for _ in 0..9 {
            breaker.record(Some(&Failure::Moderation("no".to_owned())), now);
            breaker.record(Some(&Failure::Cancelled), now);
        }
        assert_eq!(breaker.admits(4, false, now), 4);
    }
}
