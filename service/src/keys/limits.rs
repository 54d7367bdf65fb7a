//! How often somebody may call: a token bucket for each API key, and one for each address whose keys are refused.
//!
//! A bucket is one number (the generic cell rate algorithm): when it will be full. A full bucket is as good as none, so
//! those are forgotten, and memory is bounded by who has called in the last few seconds.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How deep a bucket is and how fast it is refilled: a tier of the settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// How many calls a full bucket holds; at least 1.
    pub depth: u32,
    /// How many come back in a second; above 0.
    pub per_second: f64,
}

impl Default for Rate {
    fn default() -> Self {
        Self { depth: 50, per_second: 10.0 }
    }
}

impl Rate {
    /// The time in which one call comes back.
    fn interval(self) -> Duration {
        let seconds = 1.0 / self.per_second.max(1e-6);
        Duration::try_from_secs_f64(seconds)
            .unwrap_or(Duration::from_secs(1_000_000))
            .max(Duration::from_nanos(1))
    }
}

/// What a bucket says to a call: the headers `x-ratelimit-*`, and whether it is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// How many calls the bucket holds when it is full.
    pub limit: u32,
    /// How many are left.
    pub remaining: u32,
    /// How long until it is full.
    pub reset: Duration,
    /// How long until a call is allowed again, where this one is not.
    pub retry_after: Option<Duration>,
}

impl Verdict {
    /// Whether the call is allowed.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.retry_after.is_none()
    }
}

/// Buckets of one kind of callers.
#[derive(Debug)]
pub struct Buckets<K> {
    start: Instant,
    capacity: usize,
    full_at: Mutex<Map<K>>,
}

#[derive(Debug)]
struct Map<K> {
    /// When a bucket is full, since `start`.
    full_at: HashMap<K, Duration>,
    /// With so many buckets the full ones among them are forgotten: twice as many as were left the last time.
    sweep_at: usize,
}

const FIRST_SWEEP: usize = 1024;

impl<K: Hash + Eq> Buckets<K> {
    /// Buckets for at most this many callers at a time. When a flood of callers fills them, all are forgotten: wrong in
    /// the callers' favour, and never out of memory.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let map = Map { full_at: HashMap::new(), sweep_at: FIRST_SWEEP };
        Self { start: Instant::now(), capacity, full_at: Mutex::new(map) }
    }

    /// Takes one call out of the caller's bucket, if there is one.
    pub fn take(&self, caller: K, rate: Rate) -> Verdict {
        self.take_at(caller, rate, self.start.elapsed())
    }

    /// What the caller's bucket would say to a call, without taking one.
    pub fn peek(&self, caller: &K, rate: Rate) -> Verdict {
        self.peek_at(caller, rate, self.start.elapsed())
    }

    fn take_at(&self, caller: K, rate: Rate, now: Duration) -> Verdict {
        let mut map = self.lock();
        map.sweep(self.capacity, now);
        let full_at = map.full_at.entry(caller).or_insert(now);
        let (after, verdict) = decide(*full_at, rate, now);
        *full_at = after;
        verdict
    }

    fn peek_at(&self, caller: &K, rate: Rate, now: Duration) -> Verdict {
        let full_at = self.lock().full_at.get(caller).copied().unwrap_or(now);
        decide(full_at, rate, now).1
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Map<K>> {
        self.full_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Hash + Eq> Map<K> {
    fn sweep(&mut self, capacity: usize, now: Duration) {
        if self.full_at.len() < self.sweep_at.min(capacity) {
            return;
        }
        self.full_at.retain(|_, full_at| *full_at > now);
        // Only a flood leaves so many. If they stayed, every call would sweep again, and few would be gone each time.
        if self.full_at.len() > capacity / 2 {
            self.full_at.clear();
        }
        self.full_at.shrink_to(FIRST_SWEEP);
        self.sweep_at = (self.full_at.len() * 2).max(FIRST_SWEEP);
    }
}

/// What a bucket that is full at `full_at` says to a call now, and when it is full after that.
fn decide(full_at: Duration, rate: Rate, now: Duration) -> (Duration, Verdict) {
    let interval = rate.interval();
    let limit = rate.depth.max(1);
    let whole = interval.saturating_mul(limit);
    // Never emptier than empty: a tier may have become smaller.
    let missing = full_at.saturating_sub(now).min(whole);
    let after = missing.saturating_add(interval);
    if after <= whole {
        let remaining = (whole - after).as_nanos() / interval.as_nanos().max(1);
        let remaining = u32::try_from(remaining).unwrap_or(limit);
        (now.saturating_add(after), Verdict { limit, remaining, reset: after, retry_after: None })
    } else {
        let verdict = Verdict { limit, remaining: 0, reset: missing, retry_after: Some(after - whole) };
        (now.saturating_add(missing), verdict)
    }
}

/// Addresses whose keys were refused too often. Who has no good key may try some, and then waits; the store is not asked
/// for their guesses meanwhile.
#[derive(Debug)]
pub struct Failures {
    buckets: Buckets<IpAddr>,
    rate: Rate,
}

impl Failures {
    /// With this many failures at a time and in the long run.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Self { buckets: Buckets::new(100_000), rate }
    }

    /// Whether this address may try a key.
    ///
    /// # Errors
    /// How long it has to wait.
    pub fn check(&self, address: IpAddr) -> Result<(), Duration> {
        self.buckets.peek(&site(address), self.rate).retry_after.map_or(Ok(()), Err)
    }

    /// Its key was refused.
    pub fn failed(&self, address: IpAddr) {
        self.buckets.take(site(address), self.rate);
    }
}

/// Whom an address stands for. One caller has as many IPv6 addresses as it likes, but mostly one network of 64 bits.
#[must_use]
pub fn site(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RATE: Rate = Rate { depth: 5, per_second: 10.0 };

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_bucket_empties_and_refills() {
        let buckets = Buckets::new(10);
        for (remaining, reset) in [(4, 100), (3, 200), (2, 300), (1, 400), (0, 500)] {
            let verdict = buckets.take_at("a", RATE, at(0));
            assert_eq!(verdict, Verdict { limit: 5, remaining, reset: at(reset), retry_after: None });
        }
        let refused = buckets.take_at("a", RATE, at(30));
        assert_eq!(refused, Verdict { limit: 5, remaining: 0, reset: at(470), retry_after: Some(at(70)) });
        assert!(
            !buckets.take_at("a", RATE, at(99)).is_allowed(),
            "a refused call costs nothing, and is refused again"
        );
        assert!(buckets.take_at("a", RATE, at(100)).is_allowed());
        assert_eq!(buckets.take_at("a", RATE, at(10_000)).remaining, 4, "not fuller than full");
        assert_eq!(buckets.take_at("b", RATE, at(10_000)).remaining, 4, "everybody has a bucket");
    }

    #[test]
    fn looking_takes_nothing() {
        let buckets = Buckets::new(10);
        for _ in 0..10 {
            assert!(buckets.peek_at(&"a", RATE, at(0)).is_allowed());
        }
        assert_eq!(buckets.take_at("a", RATE, at(0)).remaining, 4);
    }

    #[test]
    fn a_smaller_tier_counts_at_once() {
        let buckets = Buckets::new(10);
        for _ in 0..50 {
            buckets.take_at("a", Rate { depth: 50, per_second: 0.1 }, at(0));
        }
        let verdict = buckets.take_at("a", RATE, at(0));
        assert_eq!((verdict.is_allowed(), verdict.reset), (false, at(500)));
        assert!(
            buckets.take_at("a", RATE, at(100)).is_allowed(),
            "and nobody waits for what the old one owed"
        );
    }

    #[test]
    fn senseless_rates_do_no_harm() {
        for per_second in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 1e-300] {
            for depth in [0, 1, u32::MAX] {
                let buckets = Buckets::new(10);
                assert!(buckets.take_at("a", Rate { depth, per_second }, at(0)).is_allowed());
                buckets.take_at("a", Rate { depth, per_second }, Duration::MAX);
            }
        }
    }

    #[test]
    fn full_buckets_are_forgotten() {
        let buckets = Buckets::new(1_000_000);
        for caller in 0..100_000_u64 {
            // Ten callers in each millisecond, each for a tenth of a second.
            buckets.take_at(caller, RATE, at(caller / 10));
        }
        assert!(buckets.lock().full_at.len() <= 4 * FIRST_SWEEP, "{}", buckets.lock().full_at.len());
    }

    #[test]
    fn memory_has_a_bound() {
        let buckets = Buckets::new(2000);
        for caller in 0..100_000 {
            buckets.take_at(caller, RATE, at(0));
        }
        assert!(buckets.lock().full_at.len() <= 2000);
    }

    #[test]
    fn failures_of_an_address_are_counted_and_nobody_elses() {
        let failures = Failures::new(Rate { depth: 3, per_second: 0.001 });
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        for _ in 0..3 {
            assert!(failures.check(address("192.0.2.1")).is_ok());
            failures.failed(address("192.0.2.1"));
            failures.failed(address("2001:db8::1"));
        }
        assert!(failures.check(address("192.0.2.1")).unwrap_err() > Duration::from_secs(900));
        assert!(failures.check(address("::ffff:192.0.2.1")).is_err(), "the same address in another form");
        assert!(failures.check(address("192.0.2.2")).is_ok());
        assert!(failures.check(address("2001:db8::ffff:1")).is_err(), "the same network of 64 bits");
        assert!(failures.check(address("2001:db8:0:1::1")).is_ok());
    }

    proptest! {
        /// Whatever the order of calls, no more go through than the bucket holds and gets back.
        #[test]
        fn no_window_lets_more_through(gaps in proptest::collection::vec(0..400u64, 1..200)) {
            let buckets = Buckets::new(10);
            let mut now = 0;
            let mut allowed = Vec::new();
            for gap in gaps {
                now += gap;
                let verdict = buckets.take_at("a", RATE, at(now));
                if verdict.is_allowed() {
                    allowed.push(now);
                } else {
                    let again = buckets.peek_at(&"a", RATE, at(now) + verdict.retry_after.unwrap());
                    prop_assert!(again.is_allowed(), "who waits as long as told is let through");
                }
                prop_assert!(verdict.remaining < 5 && verdict.reset <= at(500));
            }
            for (index, start) in allowed.iter().enumerate() {
                for (count, end) in allowed[index..].iter().enumerate() {
                    prop_assert!((count as u64) < 5 + (end - start) / 100);
                }
            }
        }
    }
}
