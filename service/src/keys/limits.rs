//! Rate limits by token buckets.
//!
//! Each API key has a bucket for its calls. Each address has one for the invalid keys that it sends. A bucket
//! is one number: the time at which it will be full (the generic cell rate algorithm). A full bucket is
//! equivalent to no bucket, so full ones are forgotten. The callers of the last few seconds thus bound the
//! memory.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// The size and the refill rate of a bucket: a tier of the settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// The number of calls in a full bucket; at least 1.
    pub depth: u32,
    /// The number of calls that come back per second; above 0.
    pub per_second: f64,
}

impl Default for Rate {
    fn default() -> Self {
        Self { depth: 50, per_second: 10.0 }
    }
}

impl Rate {
    /// Returns the time in which one call comes back.
    fn interval(self) -> Duration {
        let seconds = 1.0 / self.per_second.max(1e-6);
        Duration::try_from_secs_f64(seconds)
            .unwrap_or(Duration::from_secs(1_000_000))
            .max(Duration::from_nanos(1))
    }
}

/// The decision on a call, with the values of the `x-ratelimit-*` headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// The number of calls in a full bucket.
    pub limit: u32,
    /// The number of calls that are left.
    pub remaining: u32,
    /// The time until the bucket is full.
    pub reset: Duration,
    /// The time until a call is allowed; `None` if this one is allowed.
    pub retry_after: Option<Duration>,
}

impl Verdict {
    /// Returns whether the call is allowed.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.retry_after.is_none()
    }
}

/// The buckets of one kind of caller.
#[derive(Debug)]
pub struct Buckets<K> {
    start: Instant,
    capacity: usize,
    full_at: Mutex<Map<K>>,
}

#[derive(Debug)]
struct Map<K> {
    /// The time at which each bucket is full, since `start`.
    full_at: HashMap<K, Duration>,
    /// The number of buckets at which the full ones are removed.
    ///
    /// It is twice the number of buckets that the last removal left.
    sweep_at: usize,
}

const FIRST_SWEEP: usize = 1024;

impl<K: Hash + Eq> Buckets<K> {
    /// Creates buckets for at most this many callers at a time.
    ///
    /// If a flood of callers fills them, all buckets are forgotten. That is wrong in the callers' favour, but
    /// it never runs out of memory.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let map = Map { full_at: HashMap::new(), sweep_at: FIRST_SWEEP };
        Self { start: Instant::now(), capacity, full_at: Mutex::new(map) }
    }

    /// Takes one call out of the caller's bucket, if one is left.
    pub fn take(&self, caller: K, rate: Rate) -> Verdict {
        self.take_at(caller, rate, self.start.elapsed())
    }

    /// Returns the decision on a call without taking one.
    pub fn peek(&self, caller: &K, rate: Rate) -> Verdict {
        self.peek_at(caller, rate, self.start.elapsed())
    }

    fn take_at(&self, caller: K, rate: Rate, now: Duration) -> Verdict {
        let mut map = self.full_at.lock();
        map.sweep(self.capacity, now);
        let full_at = map.full_at.entry(caller).or_insert(now);
        let (after, verdict) = decide(*full_at, rate, now);
        *full_at = after;
        verdict
    }

    fn peek_at(&self, caller: &K, rate: Rate, now: Duration) -> Verdict {
        let full_at = self.full_at.lock().full_at.get(caller).copied().unwrap_or(now);
        decide(full_at, rate, now).1
    }
}

impl<K: Hash + Eq> Map<K> {
    fn sweep(&mut self, capacity: usize, now: Duration) {
        if self.full_at.len() < self.sweep_at.min(capacity) {
            return;
        }
        self.full_at.retain(|_, full_at| *full_at > now);
        // Only a flood leaves this many buckets. If they stayed, every call would sweep again and remove few of
        // them.
        if self.full_at.len() > capacity / 2 {
            self.full_at.clear();
        }
        self.full_at.shrink_to(FIRST_SWEEP);
        self.sweep_at = (self.full_at.len() * 2).max(FIRST_SWEEP);
    }
}

/// Decides on a call now, for a bucket that is full at `full_at`.
///
/// Returns the time at which the bucket is full afterwards, and the verdict.
fn decide(full_at: Duration, rate: Rate, now: Duration) -> (Duration, Verdict) {
    let interval = rate.interval();
    let limit = rate.depth.max(1);
    let whole = interval.saturating_mul(limit);
    // No more can be missing than the bucket holds: the tier may have become smaller.
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

/// Limits how often an address may present an invalid key.
///
/// A caller without a valid key may try some, and must then wait. The store is not asked about its guesses in
/// the meantime.
#[derive(Debug)]
pub struct Failures {
    buckets: Buckets<IpAddr>,
    rate: Rate,
}

impl Failures {
    /// Creates limits from a burst and a long-term rate of failures.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Self { buckets: Buckets::new(100_000), rate }
    }

    /// Checks whether this address may try a key.
    ///
    /// # Errors
    /// Returns how long the address must wait.
    pub fn check(&self, address: IpAddr) -> Result<(), Duration> {
        self.buckets.peek(&site(address), self.rate).retry_after.map_or(Ok(()), Err)
    }

    /// Counts an invalid key from this address.
    pub fn failed(&self, address: IpAddr) {
        self.buckets.take(site(address), self.rate);
    }
}

/// Returns the address under which a caller is counted.
///
/// A caller can use any number of IPv6 addresses, but usually only of one network of 64 bits.
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
    fn peeking_takes_no_token() {
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
            "the deficit of the larger tier does not count"
        );
    }

    #[test]
    fn invalid_rates_do_not_panic() {
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
            // Ten callers in each millisecond; each bucket is full again after a tenth of a second.
            buckets.take_at(caller, RATE, at(caller / 10));
        }
        assert!(
            buckets.full_at.lock().full_at.len() <= 4 * FIRST_SWEEP,
            "{}",
            buckets.full_at.lock().full_at.len()
        );
    }

    #[test]
    fn memory_is_bounded() {
        let buckets = Buckets::new(2000);
        for caller in 0..100_000 {
            buckets.take_at(caller, RATE, at(0));
        }
        assert!(buckets.full_at.lock().full_at.len() <= 2000);
    }

    #[test]
    fn failures_are_counted_per_address() {
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
        /// In every window of time, at most as many calls pass as the rate permits.
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
                    prop_assert!(again.is_allowed(), "a call after `retry_after` is allowed");
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
