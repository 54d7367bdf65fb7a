//! Rounds in which contestants take turns. The result is the median ratio.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// The amount of measurement.
#[derive(Clone, Copy)]
pub struct Pace {
    /// The approximate length of a turn.
    turn: Duration,
    rounds: usize,
}

impl Pace {
    /// Short turns compared with the time slices of an operating system.
    ///
    /// Most of them run without a disturbance.
    pub const SHORT: Self = Self { turn: Duration::from_micros(500), rounds: 500 };
    /// Turns long enough for connections to reach their full speed.
    pub const LONG: Self = Self { turn: Duration::from_millis(20), rounds: 100 };
}

/// A contestant in a comparison.
pub struct Contestant<'a> {
    name: &'static str,
    /// Does the work this many times and returns the duration.
    turn: Box<dyn FnMut(usize) -> Duration + 'a>,
}

impl<'a> Contestant<'a> {
    /// Creates a contestant that is timed as a whole.
    pub fn new<T>(name: &'static str, mut run: impl FnMut() -> T + 'a) -> Self {
        Self::timed(name, move |times| {
            let start = Instant::now();
            for _ in 0..times {
                black_box(run());
            }
            start.elapsed()
        })
    }

    /// Creates a contestant that excludes its preparations from the time.
    pub fn timed(name: &'static str, turn: impl FnMut(usize) -> Duration + 'a) -> Self {
        Self { name, turn: Box::new(turn) }
    }
}

/// The target for a row's ratio.
#[derive(Clone, Copy)]
pub enum Target {
    /// Our time is at most this many times the floor's time.
    AtMost(f64),
    /// We are at least this many times faster.
    TimesFaster(f64),
    /// Our throughput is at least this fraction of the floor's.
    Throughput(f64),
}

/// The table of the rows that are wanted. Each is printed as soon as it is measured.
pub struct Table {
    /// Parts of the names of the wanted rows; empty if all are wanted.
    wanted: Vec<String>,
    rows: Vec<Row>,
}

/// A row of the table.
struct Row {
    what: String,
    floor: &'static str,
    ours: Duration,
    theirs: Duration,
    /// Our time divided by the floor's time.
    ratio: f64,
    target: Target,
}

impl Table {
    /// Creates a table of the rows whose names contain one of these texts, or of all rows.
    pub fn new(wanted: Vec<String>) -> Self {
        print_cells(["what", "against", "ours", "theirs", "ratio", "target", "verdict"]);
        Self { wanted, rows: Vec::new() }
    }

    /// Returns whether a row is wanted.
    pub fn wants(&self, what: &str) -> bool {
        self.wanted.is_empty() || self.wanted.iter().any(|part| what.contains(part))
    }

    /// Returns the numbers of rows and of missed targets.
    pub fn totals(&self) -> (usize, usize) {
        (self.rows.len(), self.rows.iter().filter(|row| !row.is_met()).count())
    }

    /// Compares the first contestant with each of the others, if the row is wanted.
    ///
    /// `what` is the row's name. `targets` are in the order of the others.
    pub fn compare(
        &mut self,
        what: &str,
        pace: Pace,
        mut contestants: Vec<Contestant<'_>>,
        targets: &[Target],
    ) {
        if !self.wants(what) {
            return;
        }
        let times = take_turns(pace, &mut contestants);
        let (ours, others) = times.split_first().expect("there are contestants");
        for ((contestant, theirs), target) in contestants.iter().skip(1).zip(others).zip(targets) {
            let ratio = median(ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect());
            let row = Row {
                what: what.to_owned(),
                floor: contestant.name,
                ours: Duration::from_secs_f64(median(ours.clone())),
                theirs: Duration::from_secs_f64(median(theirs.clone())),
                ratio,
                target: *target,
            };
            row.print();
            self.rows.push(row);
        }
    }
}

/// Returns the times of each contestant, in seconds per repetition, one for each round.
fn take_turns(pace: Pace, contestants: &mut [Contestant<'_>]) -> Vec<Vec<f64>> {
    let mut counts: Vec<usize> = contestants.iter_mut().map(|it| calibrate(it, pace.turn)).collect();
    let mut times: Vec<Vec<f64>> = vec![Vec::with_capacity(pace.rounds); contestants.len()];
    for round in 0..pace.rounds {
        // Each contestant is first, second and so on equally often.
        for turn in 0..contestants.len() {
            let index = (round + turn) % contestants.len();
            let count = counts[index].max(1);
            times[index].push((contestants[index].turn)(count).as_secs_f64() / count as f64);
        }
        if round == pace.rounds / 20 {
            // Everything is warm now.
            counts = contestants.iter_mut().map(|it| calibrate(it, pace.turn)).collect();
            times.iter_mut().for_each(Vec::clear);
        }
    }
    times
}

/// Returns how many repetitions fit into a turn.
fn calibrate(contestant: &mut Contestant<'_>, turn: Duration) -> usize {
    let mut count = 1;
    loop {
        let time = (contestant.turn)(count).max(Duration::from_nanos(1));
        if time > turn / 4 {
            let fitting = count as f64 * turn.as_secs_f64() / time.as_secs_f64();
            return (fitting as usize).max(1);
        }
        count *= 2;
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

impl Row {
    /// Returns whether the target is met.
    fn is_met(&self) -> bool {
        match self.target {
            Target::AtMost(most) => self.ratio <= most,
            Target::TimesFaster(least) => 1.0 / self.ratio >= least,
            Target::Throughput(least) => 1.0 / self.ratio >= least,
        }
    }

    fn print(&self) {
        let (ratio, target) = match self.target {
            Target::AtMost(most) => (self.ratio, format!("<= {most}")),
            Target::TimesFaster(least) => (1.0 / self.ratio, format!(">= {least} times faster")),
            Target::Throughput(least) => (1.0 / self.ratio, format!(">= {least} of its requests/s")),
        };
        let (ours, theirs) = match self.target {
            Target::Throughput(_) => (per_second(self.ours), per_second(self.theirs)),
            _ => (nanoseconds(self.ours), nanoseconds(self.theirs)),
        };
        let verdict = if self.is_met() { "met" } else { "MISSED" };
        print_cells([&self.what, self.floor, &ours, &theirs, &format!("{ratio:.2}"), &target, verdict]);
    }
}

fn print_cells([what, floor, ours, theirs, ratio, target, verdict]: [&str; 7]) {
    println!("{what:<40}  {floor:<24}  {ours:>12}  {theirs:>12}  {ratio:>6}  {target:<24}  {verdict}");
}

fn nanoseconds(time: Duration) -> String {
    format!("{:.0} ns", time.as_secs_f64() * 1e9)
}

fn per_second(time: Duration) -> String {
    format!("{:.0} /s", 1.0 / time.as_secs_f64())
}
