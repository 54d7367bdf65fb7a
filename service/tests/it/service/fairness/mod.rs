//! Measures a well-behaved client while another one attacks: `cargo xtask bench fairness`.
//!
//! The client gets a task of its own, again and again, before and during each attack. None of its requests may
//! fail, and the 99th percentile during an attack may be at most [`MAX_RATIO`] times that of the same run before it. The
//! service may grow by less than [`GROWTH`].

mod attacks;
mod crowds;

use std::cell::Cell;
use std::io::PipeReader;
use std::time::{Duration, Instant};

use futures_util::future::LocalBoxFuture;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use self::crowds::Receiver;
use super::programs::Program;
use super::running::Running;
use super::victim::{GROWTH, MAX_RATIO, Measured, Victim, memory, peak, reset_peak};

/// How long each percentile is measured.
const TIME: Duration = Duration::from_secs(8);

/// How many times an attack that misses a target is measured. Other work on the machine delays requests, too.
const TRIES: usize = 3;

/// How long an attack runs before the client begins its own work.
const AHEAD: Duration = Duration::from_secs(2);

/// A service, its well-behaved client, and what some attacks need.
struct Stage {
    running: Running,
    victim: Victim,
    receiver: Receiver,
    /// The task that the attacker gets: its URL or its path.
    task: String,
    _program: Option<Program>,
    _stderr: Option<PipeReader>,
}

impl Stage {
    /// Starts a service with these settings and one thread for engines.
    async fn new(settings: &str) -> Self {
        Self::of(Running::start_with(settings, &["--threads", "1"], &[])).await
    }

    async fn of(running: Running) -> Self {
        let victim = Victim::start(&running).await;
        let (receiver, task) = (Receiver::start().await, String::new());
        Self { running, victim, receiver, task, _program: None, _stderr: None }
    }
}

/// The client's other requests, and whether they succeeded.
type Own = (String, bool);

/// An attack, as a row of the table.
struct Attack {
    name: &'static str,
    stage: fn() -> LocalBoxFuture<'static, Stage>,
    /// Attacks, until it ends or is dropped. It is repeated.
    attack: for<'a> fn(&'a Stage) -> LocalBoxFuture<'a, ()>,
    /// Uses the attacked resource.
    own: for<'a> fn(&'a Stage) -> LocalBoxFuture<'a, Own>,
}

/// The measurements of an attack.
struct Row {
    name: &'static str,
    calm: Measured,
    attacked: Measured,
    /// How much the service grew, in MiB.
    growth: u64,
    own: Own,
}

impl Row {
    fn ratio(&self) -> f64 {
        self.attacked.percentile(0.99) / self.calm.percentile(0.99)
    }

    fn is_good(&self) -> bool {
        let failures = self.calm.failures + self.attacked.failures;
        failures == 0 && self.ratio() <= MAX_RATIO && self.growth < GROWTH && self.own.1
    }

    fn print(&self) {
        let [before, during] = [&self.calm, &self.attacked]
            .map(|one| format!("{:>7.2} ms {:>7.2} ms", one.percentile(0.5), one.percentile(0.99)));
        println!(
            "{:<46} {before} {during} {:>6.2} {:>8} {:>6} MiB  {}{}",
            self.name,
            self.ratio(),
            self.attacked.failures,
            self.growth,
            self.own.0,
            if self.is_good() { "" } else { "  MISSED" }
        );
    }
}

/// Measures the client before and during an attack.
async fn measure(attack: &Attack) -> Row {
    let stage = (attack.stage)().await;
    let (victim, id) = (&stage.victim, stage.running.id());
    // The first requests open connections and fill caches.
    victim.measure(for_(TIME / 8)).await;
    let calm = victim.measure(for_(TIME)).await;
    let before = memory(id, "VmRSS").unwrap();
    reset_peak(id);
    let (has_time, is_done) = (for_(TIME), Cell::new(false));
    let own = async {
        tokio::time::sleep(AHEAD).await;
        let own = (attack.own)(&stage).await;
        is_done.set(true);
        own
    };
    let during = async { tokio::join!(victim.measure(|| has_time() || !is_done.get()), own) };
    let (attacked, own) = tokio::task::block_in_place(|| {
        std::thread::scope(|scope| {
            let (stop, stopped) = oneshot::channel();
            scope.spawn(|| go_on(attack, &stage, stopped));
            let measured = Handle::current().block_on(during);
            drop(stop);
            measured
        })
    });
    Row { name: attack.name, calm, attacked, growth: peak(id).saturating_sub(before), own }
}

/// Attacks again and again, until `stopped` ends.
///
/// An attacker has a machine of its own. Here, its client lets the service and the other client go first.
fn go_on(attack: &Attack, stage: &Stage, stopped: oneshot::Receiver<()>) {
    rustix::process::nice(10).unwrap();
    let attacks = async {
        loop {
            (attack.attack)(stage).await;
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        tokio::select! {
            never = attacks => never,
            _ = stopped => (),
        }
    });
}

/// Returns whether this time, from now, is not over.
fn for_(time: Duration) -> impl Fn() -> bool {
    let begun = Instant::now();
    move || begun.elapsed() < time
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it measures times: `cargo xtask bench fairness`"]
async fn attacks_do_not_slow_down_other_clients() {
    println!(
        "{:<46} {:>10} {:>10} {:>10} {:>10} {:>6} {:>8} {:>10}  the client's own",
        "get-task", "p50", "p99", "p50 then", "p99 then", "ratio", "failures", "growth"
    );
    let only = std::env::var("ASSET_SERVICE_ATTACK").unwrap_or_default();
    let mut missed = Vec::new();
    for attack in attacks::ALL.iter().filter(|attack| attack.name.contains(&only)) {
        let mut row = measure(attack).await;
        for _ in 1..TRIES {
            if row.is_good() {
                break;
            }
            row = measure(attack).await;
        }
        row.print();
        if !row.is_good() {
            missed.push(row.name);
        }
    }
    assert!(missed.is_empty(), "a target is missed: {missed:?}");
}
