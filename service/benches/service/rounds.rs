//! Contestants take turns, so that a disturbance affects all of them.
//!
//! A ratio is the median of the rounds' ratios.

use std::time::Duration;

/// The length of a turn.
const TURN: Duration = Duration::from_millis(250);

/// The result of a turn.
#[derive(Default)]
pub struct Turn {
    pub time: Duration,
    /// How long each operation took.
    pub latencies: Vec<Duration>,
}

/// A contestant of a comparison.
pub struct Contestant<'a> {
    name: &'static str,
    /// The target ratio of the first contestant's rate to this one's.
    target: Option<f64>,
    turn: Box<dyn FnMut(Duration) -> Turn + 'a>,
    /// Returns the CPU time of the contestant's process so far.
    processor: Box<dyn Fn() -> Option<Duration> + 'a>,
}

impl<'a> Contestant<'a> {
    pub fn new(
        name: &'static str,
        turn: impl FnMut(Duration) -> Turn + 'a,
        processor: impl Fn() -> Option<Duration> + 'a,
    ) -> Self {
        Self { name, target: None, turn: Box::new(turn), processor: Box::new(processor) }
    }

    /// Sets the target ratio of the first contestant's rate to this one's.
    pub fn target(mut self, part: f64) -> Self {
        self.target = Some(part);
        self
    }
}

/// The result of a contestant.
pub struct Measured {
    pub name: &'static str,
    /// Operations per second: the median of the turns.
    pub rate: f64,
    /// Sorted latencies.
    latencies: Vec<Duration>,
    /// CPU time of the process per operation.
    pub processor: Option<Duration>,
    pub ratio: Option<Ratio>,
}

/// The ratio of the first contestant's rate to another one's.
pub struct Ratio {
    pub median: f64,
    /// The first and the third quartile of the rounds.
    pub quartiles: (f64, f64),
    pub target: Option<f64>,
}

/// Runs contestants in turns, for this many seconds each.
pub fn compare(seconds: u32, mut contestants: Vec<Contestant<'_>>) -> Vec<Measured> {
    let rounds = (seconds * 4).max(1) as usize;
    let mut taken: Vec<Vec<Turn>> = contestants.iter().map(|_| Vec::with_capacity(rounds)).collect();
    let mut processor = vec![Some(Duration::ZERO); contestants.len()];
    for contestant in &mut contestants {
        (contestant.turn)(TURN);
    }
    for round in 0..rounds {
        for turn in 0..contestants.len() {
            let index = (round + turn) % contestants.len();
            let contestant = &mut contestants[index];
            let before = (contestant.processor)();
            taken[index].push((contestant.turn)(TURN));
            let spent = (contestant.processor)().zip(before).map(|(after, before)| after - before);
            processor[index] = processor[index].zip(spent).map(|(sum, spent)| sum + spent);
        }
    }
    let rates: Vec<Vec<f64>> = taken.iter().map(|turns| turns.iter().map(Turn::rate).collect()).collect();
    let mut measured = Vec::new();
    for (index, (contestant, turns)) in contestants.iter().zip(taken).enumerate() {
        let mut latencies: Vec<Duration> = turns.into_iter().flat_map(|turn| turn.latencies).collect();
        latencies.sort_unstable();
        let count = u32::try_from(latencies.len()).unwrap_or(u32::MAX).max(1);
        let ratio = (index > 0).then(|| {
            let ratios = sorted(rates[0].iter().zip(&rates[index]).map(|(ours, its)| ours / its).collect());
            Ratio {
                median: part(&ratios, 0.5),
                quartiles: (part(&ratios, 0.25), part(&ratios, 0.75)),
                target: contestant.target,
            }
        });
        measured.push(Measured {
            name: contestant.name,
            rate: part(&sorted(rates[index].clone()), 0.5),
            latencies,
            processor: processor[index].map(|spent| spent / count),
            ratio,
        });
    }
    measured
}

impl Turn {
    fn rate(&self) -> f64 {
        self.latencies.len() as f64 / self.time.as_secs_f64()
    }
}

impl Measured {
    /// Returns the latency at this quantile.
    pub fn latency(&self, part: f64) -> Duration {
        let index = (self.latencies.len() as f64 * part) as usize;
        self.latencies.get(index.min(self.latencies.len().saturating_sub(1))).copied().unwrap_or_default()
    }
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

fn part(sorted: &[f64], part: f64) -> f64 {
    sorted.get((sorted.len() as f64 * part) as usize).copied().unwrap_or(f64::NAN)
}
