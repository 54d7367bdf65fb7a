//! The waits between polls.

use std::time::Duration;

/// The longest wait that a server may ask for. A poll follows, whose response may ask again.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(600);

/// The wait before the next poll.
#[derive(Debug, Clone)]
pub(super) struct Delay {
    next: Duration,
    longest: Duration,
    /// The wait that the last response asked for.
    asked: Option<Duration>,
}

impl Delay {
    /// Returns the waits if the caller sets none. With events, polls are the fallback.
    pub(super) const fn usual(has_events: bool) -> Self {
        let (first, longest) = if has_events { (30, 120) } else { (1, 30) };
        Self::new(Duration::from_secs(first), Duration::from_secs(longest))
    }

    pub(super) const fn new(first: Duration, longest: Duration) -> Self {
        Self { next: first, longest, asked: None }
    }

    /// Sets the wait that a response asks for, in place of the next one if that is shorter.
    pub(super) fn ask(&mut self, wait: Option<Duration>) {
        self.asked = wait;
    }

    /// Returns the wait before the next poll, and whether the server asked for it.
    ///
    /// A server can't shorten the client's own wait: a `Retry-After` of 0 would mean polls without a pause.
    ///
    /// `random` is between 0 and 1.
    pub(super) fn take(&mut self, random: f64) -> (Duration, bool) {
        let own = self.next.min(self.longest);
        self.next = own.saturating_add(own / 2).min(self.longest);
        let own = own - own.mul_f64(random.clamp(0.0, 1.0) / 4.0).min(own);
        let asked = self.asked.take().map(|asked| asked.min(MAX_RETRY_AFTER)).filter(|asked| *asked > own);
        (asked.unwrap_or(own), asked.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn waits_grow_by_half_up_to_the_longest() {
        let mut delay = Delay::new(SECOND * 4, SECOND * 10);
        assert_eq!([0.0; 4].map(|random| delay.take(random).0.as_secs()), [4, 6, 9, 10]);
        assert_eq!(delay.take(1.0), (Duration::from_millis(7500), false));
        assert_eq!(Delay::new(Duration::MAX, Duration::MAX).take(0.0).0, Duration::MAX);
        assert_eq!(Delay::new(SECOND * 9, SECOND).take(0.0).0, SECOND);
    }

    #[test]
    fn the_server_may_ask_for_another_wait() {
        let mut delay = Delay::new(SECOND, SECOND * 10);
        delay.ask(Some(SECOND * 40));
        assert_eq!(delay.take(1.0), (SECOND * 40, true));
        delay.ask(None);
        assert_eq!(delay.take(0.0), (Duration::from_millis(1500), false));
    }

    #[test]
    fn a_wait_that_the_server_asks_for_is_bounded() {
        let mut delay = Delay::new(SECOND * 4, SECOND * 10);
        delay.ask(Some(Duration::ZERO));
        assert_eq!(delay.take(1.0), (SECOND * 3, false));
        delay.ask(Some(Duration::from_secs(u64::MAX)));
        assert_eq!(delay.take(0.0), (MAX_RETRY_AFTER, true));
    }
}
