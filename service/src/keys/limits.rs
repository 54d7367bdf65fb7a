//! Rate limits by token buckets.
//!
//! Each API key has a bucket for its calls. Each address has one for the invalid keys that it sends. A bucket
//! is one number: the time at which it will be full (the generic cell rate algorithm). A full bucket is
//! equivalent to no bucket, so full ones are forgotten. The callers of the last few seconds thus bound the
//! memory.
//!
//! Several processes on one database count together: each one decides alone, and reports what it let callers use
//! ([`Buckets::report`]). What the others let them use is then missing in its bucket, also beyond an empty one. So a
//! caller may exceed its burst for a moment, and waits longer afterwards.

use std::collections::HashMap;
use std::hash::Hash;
use std::mem;
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

    /// Returns the time in which an empty bucket fills up.
    fn whole(self) -> Duration {
        self.interval().saturating_mul(self.depth.max(1))
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
    /// Whether other processes count the same callers.
    is_shared: bool,
    map: Mutex<Map<K>>,
}

#[derive(Debug)]
struct Map<K> {
    buckets: HashMap<K, Bucket>,
    /// The number of buckets at which the full ones are removed.
    ///
    /// It is twice the number of buckets that the last removal left.
    sweep_at: usize,
    /// The callers with a use that is not reported.
    unreported: Vec<K>,
}

/// A bucket. Its times are durations since [`Buckets::start`].
#[derive(Debug, Default)]
struct Bucket {
    full_at: Duration,
    /// The time in which it fills up.
    whole: Duration,
    /// The refill time of what calls have taken since the last report, and the time of the first of them.
    used: Duration,
    used_since: Duration,
}

/// The tokens that a caller's calls have taken out of its bucket, as the time in which they are refilled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Used {
    /// The time in which they are refilled.
    pub used: Duration,
    /// How long ago the first of these calls came.
    pub since: Duration,
    /// The maximum that may be missing in the bucket, over all processes.
    pub most: Duration,
}

const FIRST_SWEEP: usize = 1024;

/// How long a use waits for its report, at most.
const REPORT: Duration = Duration::from_secs(1);

/// A use of this part of what is left is reported at once.
const LARGE: u32 = 8;

/// Returns the maximum that may be missing in a bucket that fills up in this time.
///
/// It bounds what a caller owes to a larger tier that it had before. Several processes can let a caller use more than
/// its bucket holds, until they have reported.
fn most_missing(whole: Duration, is_shared: bool) -> Duration {
    if is_shared { whole.saturating_mul(16).saturating_add(2 * REPORT) } else { whole }
}

impl<K: Clone + Hash + Eq> Buckets<K> {
    /// Creates buckets for at most this many callers at a time.
    ///
    /// If a flood of callers fills them, all buckets are forgotten. That is wrong in the callers' favour, but
    /// it never runs out of memory.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let map = Map { buckets: HashMap::new(), sweep_at: FIRST_SWEEP, unreported: Vec::new() };
        Self { start: Instant::now(), capacity, is_shared: false, map: Mutex::new(map) }
    }

    /// Notes whether other processes count the same callers.
    #[must_use]
    pub fn shared(self, is_shared: bool) -> Self {
        Self { is_shared, ..self }
    }

    /// Takes one call out of the caller's bucket, if one is left.
    pub fn take(&self, caller: K, rate: Rate) -> Verdict {
        self.take_at(caller, rate, self.start.elapsed())
    }

    /// Returns the decision on a call without taking one.
    pub fn peek(&self, caller: &K, rate: Rate) -> Verdict {
        self.peek_at(caller, rate, self.start.elapsed())
    }

    /// Returns the uses that are large or old enough for a report to the other processes.
    ///
    /// [`Self::settle`] takes the result of a report, and [`Self::put_back`] a use that could not be reported.
    pub fn report(&self) -> Vec<(K, Used)> {
        self.report_at(self.start.elapsed())
    }

    /// Notes how much is missing in the caller's bucket, over all processes.
    pub fn settle(&self, caller: &K, missing: Duration) {
        self.settle_at(caller, missing, self.start.elapsed());
    }

    /// Takes back a use that could not be reported.
    pub fn put_back(&self, caller: K, used: Used) {
        let now = self.start.elapsed();
        self.map.lock().note(caller, used.used, now.saturating_sub(used.since));
    }

    fn take_at(&self, caller: K, rate: Rate, now: Duration) -> Verdict {
        let mut map = self.map.lock();
        map.sweep(self.capacity, now);
        let noted = self.is_shared.then(|| caller.clone());
        let bucket = map.buckets.entry(caller).or_default();
        bucket.whole = rate.whole();
        let (after, verdict) = decide(bucket.full_at, rate, now, self.is_shared);
        bucket.full_at = after;
        if let Some(caller) = noted.filter(|_| verdict.is_allowed()) {
            map.note(caller, rate.interval(), now);
        }
        verdict
    }

    fn peek_at(&self, caller: &K, rate: Rate, now: Duration) -> Verdict {
        let full_at = self.map.lock().buckets.get(caller).map_or(now, |bucket| bucket.full_at);
        decide(full_at, rate, now, self.is_shared).1
    }

    fn report_at(&self, now: Duration) -> Vec<(K, Used)> {
        let mut map = self.map.lock();
        let mut due = Vec::new();
        for caller in mem::take(&mut map.unreported) {
            // A flood of callers may have removed it.
            let Some(bucket) = map.buckets.get_mut(&caller) else { continue };
            let since = now.saturating_sub(bucket.used_since);
            let left = bucket.whole.saturating_sub(bucket.full_at.saturating_sub(now));
            if since >= REPORT || bucket.used >= left / LARGE {
                let used = mem::take(&mut bucket.used);
                due.push((caller, Used { used, since, most: most_missing(bucket.whole, self.is_shared) }));
            } else {
                map.unreported.push(caller);
            }
        }
        due
    }

    fn settle_at(&self, caller: &K, missing: Duration, now: Duration) {
        if let Some(bucket) = self.map.lock().buckets.get_mut(caller) {
            bucket.full_at = now.saturating_add(missing).saturating_add(bucket.used);
        }
    }
}

impl<K: Hash + Eq> Map<K> {
    /// Notes what a caller has used since this time.
    fn note(&mut self, caller: K, used: Duration, since: Duration) {
        let Some(bucket) = self.buckets.get_mut(&caller) else { return };
        if bucket.used.is_zero() {
            bucket.used_since = since;
            self.unreported.push(caller);
        }
        bucket.used = bucket.used.saturating_add(used);
        bucket.used_since = bucket.used_since.min(since);
    }

    fn sweep(&mut self, capacity: usize, now: Duration) {
        if self.buckets.len() < self.sweep_at.min(capacity) {
            return;
        }
        self.buckets.retain(|_, bucket| bucket.full_at > now || !bucket.used.is_zero());
        // Only a flood leaves this many buckets. If they stayed, every call would sweep again and remove few of
        // them.
        if self.buckets.len() > capacity / 2 {
            self.buckets.clear();
            self.unreported.clear();
        }
        self.buckets.shrink_to(FIRST_SWEEP);
        self.sweep_at = (self.buckets.len() * 2).max(FIRST_SWEEP);
    }
}

/// Decides on a call now, for a bucket that is full at `full_at`.
///
/// Returns the time at which the bucket is full afterwards, and the verdict.
fn decide(full_at: Duration, rate: Rate, now: Duration, is_shared: bool) -> (Duration, Verdict) {
    let (interval, limit, whole) = (rate.interval(), rate.depth.max(1), rate.whole());
    // The tier may have become smaller.
    let missing = full_at.saturating_sub(now).min(most_missing(whole, is_shared));
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
    pub(super) buckets: Buckets<IpAddr>,
    rate: Rate,
}

impl Failures {
    /// Creates limits from a burst and a long-term rate of failures.
    #[must_use]
    pub fn new(rate: Rate, is_shared: bool) -> Self {
        Self { buckets: Buckets::new(100_000).shared(is_shared), rate }
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
mod tests;
