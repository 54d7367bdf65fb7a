//! One process counts alone; several count together, in simulated time.

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
    assert!(buckets.map.lock().buckets.len() <= 4 * FIRST_SWEEP, "{}", buckets.map.lock().buckets.len());
}

#[test]
fn memory_is_bounded() {
    let buckets = Buckets::new(2000);
    for caller in 0..100_000 {
        buckets.take_at(caller, RATE, at(0));
    }
    assert!(buckets.map.lock().buckets.len() <= 2000);
}

#[test]
fn failures_are_counted_per_address() {
    let failures = Failures::new(Rate { depth: 3, per_second: 0.001 }, false);
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

/// The buckets of several processes, and of the database as `store/postgres/limits.rs` counts them.
struct Fleet {
    processes: [Buckets<u8>; 3],
    full_at: Duration,
    /// When the processes have last reported.
    reported: [Duration; 3],
}

impl Fleet {
    fn new() -> Self {
        // They do not report at the same time.
        let reported = [0, 33, 67].map(at);
        Self { processes: [(); 3].map(|()| Buckets::new(10).shared(true)), full_at: Duration::ZERO, reported }
    }

    fn take(&mut self, process: usize, rate: Rate, now: Duration) -> bool {
        for (buckets, reported) in self.processes.iter().zip(&mut self.reported) {
            while *reported <= now {
                let moment = *reported;
                *reported += at(100);
                for (caller, Used { used, since, most }) in buckets.report_at(moment) {
                    self.full_at = (self.full_at.max(moment - since) + used).min(moment + most);
                    buckets.settle_at(&caller, self.full_at.saturating_sub(moment), moment);
                }
            }
        }
        self.processes[process].take_at(0, rate, now).is_allowed()
    }

    /// Returns how many of the calls pass in each 100 ms, if `process` says which process each call of a moment reaches.
    fn passed(
        rate: Rate,
        per_second: f64,
        seconds: u64,
        process: impl Fn(u64, Duration) -> usize,
    ) -> Vec<u64> {
        let (mut fleet, mut passed) = (Self::new(), vec![0; 10 * seconds as usize]);
        for call in 0..(per_second * seconds as f64) as u64 {
            let now = Duration::from_secs_f64(call as f64 / per_second);
            passed[now.as_millis() as usize / 100] += u64::from(fleet.take(process(call, now), rate, now));
        }
        passed
    }
}

/// Which process a call reaches.
type Route = fn(u64, Duration) -> usize;

const ROUTES: [(&str, Route); 5] = [
    ("one", |_, _| 0),
    ("even", |call, _| (call % 3) as usize),
    ("skewed", |call, _| if call % 10 < 9 { 0 } else { (call / 10 % 3) as usize }),
    ("moving each second", |_, now| now.as_secs() as usize % 3),
    ("moving often", |_, now| now.as_millis() as usize / 250 % 3),
];

#[test]
fn processes_keep_a_rate_together() {
    for (name, route) in ROUTES {
        for (depth, per_second) in
            [(50, 100.0), (200, 100.0), (10, 100.0), (50, 10.0), (500, 1000.0), (1, 5.0)]
        {
            let rate = Rate { depth, per_second };
            let passed = Fleet::passed(rate, 3.0 * per_second, 30, route);
            let all: u64 = passed.iter().sum();
            let allowed = f64::from(depth) + 30.0 * per_second;
            let error = (all as f64 / allowed - 1.0).abs();
            assert!(error < 0.03, "{name} {rate:?}: {all} of {allowed}");
            // No second exceeds the rate by more than the bursts of the other processes.
            let most = passed.windows(10).map(|second| second.iter().sum::<u64>()).max().unwrap();
            assert!(
                most as f64 <= 3.0 * f64::from(depth) + 1.3 * per_second,
                "{name} {rate:?}: {most} in a second"
            );
        }
    }
}

#[test]
fn a_caller_within_its_rate_is_never_refused() {
    for (name, route) in ROUTES {
        for (depth, per_second) in [(50, 100.0), (20, 10.0), (500, 1000.0)] {
            let passed = Fleet::passed(Rate { depth, per_second }, 0.95 * per_second, 30, route);
            assert_eq!(
                passed.iter().sum::<u64>(),
                (0.95 * per_second * 30.0) as u64,
                "{name} {depth} {per_second}"
            );
        }
    }
}

#[test]
fn few_uses_are_reported_at_once() {
    let buckets = Buckets::new(10).shared(true);
    let rate = Rate { depth: 80, per_second: 1.0 };
    let take = |calls: u32, now| {
        for _ in 0..calls {
            buckets.take_at("a", rate, at(now));
        }
    };
    take(8, 0);
    assert_eq!(buckets.report_at(at(100)), [], "less than an eighth of what is left");
    assert_eq!(buckets.report_at(at(1000)).len(), 1);
    buckets.settle_at(&"a", at(60_000), at(1000));
    take(3, 1100);
    let [(_, used)] = buckets.report_at(at(1200))[..] else { panic!("nothing is due") };
    assert_eq!((used.used, used.since), (at(3000), at(100)));
    assert!(buckets.report_at(at(9000)).is_empty());
    // If a report has failed, the next one contains its use.
    buckets.map.lock().note("a", used.used, at(1100));
    take(1, 1300);
    let [(_, used)] = buckets.report_at(at(1300))[..] else { panic!("nothing is due") };
    assert_eq!((used.used, used.since), (at(4000), at(200)));
}

#[test]
fn a_process_that_is_alone_reports_nothing() {
    let buckets = Buckets::new(10);
    buckets.take_at("a", RATE, at(0));
    assert!(buckets.report_at(at(5000)).is_empty() && buckets.map.lock().unreported.is_empty());
}
