//! Contestants take turns: what disturbs one of them disturbs the others, and a ratio is the median of those of the rounds.

use std::time::Duration;

/// How long a turn takes.
const TURN: Duration = Duration::from_millis(250);

/// What was done in a turn.
#[derive(Default)]
pub struct Turn {
    pub time: Duration,
    /// How long each of what was done has taken.
    pub latencies: Vec<Duration>,
}

/// One of those who are compared.
pub struct Contestant<'a> {
    name: &'static str,
    /// What the first contestant has to reach of this one's rate.
    target: Option<f64>,
    turn: Box<dyn FnMut(Duration) -> Turn + 'a>,
    /// The processors' time that its process has had so far.
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

    /// The first contestant is to reach this part of its rate.
    pub fn target(mut self, part: f64) -> Self {
        self.target = Some(part);
        self
    }
}

/// What came of a contestant.
pub struct Measured {
    pub name: &'static str,
    /// In a second: the median of its turns.
    pub rate: f64,
    /// Sorted.
    latencies: Vec<Duration>,
    /// Of its process, for each.
    pub processor: Option<Duration>,
    pub ratio: Option<Ratio>,
}

/// The first contestant's rate through another one's.
pub struct Ratio {
    pub median: f64,
    /// A quarter of the rounds is below, a quarter above.
    pub quartiles: (f64, f64),
    pub target: Option<f64>,
}

/// Lets contestants take turns, for so many seconds each.
pub fn compare(seconds: u32, mut contestants: Vec<Contestant<'_>>) -> Vec<Measured> {
    let rounds = (seconds * 4).max(1) as usize;
    let mut taken: Vec<Vec<Turn>> = contestants.iter().map(|_| Vec::with_capacity(rounds)).collect();
    let mut processor = vec![Some(Duration::ZERO); contestants.len()];
    for contestant in &mut contestants {
        (contestant.turn)(TURN);
    }
    for round in 0..rounds {
        for turn in 0..contestants.len() {
            let place = (round + turn) % contestants.len();
            let contestant = &mut contestants[place];
            let before = (contestant.processor)();
            taken[place].push((contestant.turn)(TURN));
            let spent = (contestant.processor)().zip(before).map(|(after, before)| after - before);
            processor[place] = processor[place].zip(spent).map(|(sum, spent)| sum + spent);
        }
    }
    let rates: Vec<Vec<f64>> = taken.iter().map(|turns| turns.iter().map(Turn::rate).collect()).collect();
    let mut measured = Vec::new();
    for (place, (contestant, turns)) in contestants.iter().zip(taken).enumerate() {
        let mut latencies: Vec<Duration> = turns.into_iter().flat_map(|turn| turn.latencies).collect();
        latencies.sort_unstable();
        let count = u32::try_from(latencies.len()).unwrap_or(u32::MAX).max(1);
        let ratio = (place > 0).then(|| {
            let ratios = sorted(rates[0].iter().zip(&rates[place]).map(|(ours, its)| ours / its).collect());
            Ratio {
                median: part(&ratios, 0.5),
                quartiles: (part(&ratios, 0.25), part(&ratios, 0.75)),
                target: contestant.target,
            }
        });
        measured.push(Measured {
            name: contestant.name,
            rate: part(&sorted(rates[place].clone()), 0.5),
            latencies,
            processor: processor[place].map(|spent| spent / count),
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
    /// What this part of all has not exceeded.
    pub fn latency(&self, part: f64) -> Duration {
        let place = (self.latencies.len() as f64 * part) as usize;
        self.latencies.get(place.min(self.latencies.len().saturating_sub(1))).copied().unwrap_or_default()
    }
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

fn part(sorted: &[f64], part: f64) -> f64 {
    sorted.get((sorted.len() as f64 * part) as usize).copied().unwrap_or(f64::NAN)
}
