//! Pink and brown noise, and slow random movement for gusts and waves.

use crate::random::Random;

/// Pink noise: it falls by 3 dB per octave (Kellet's filter).
#[derive(Debug, Clone, Default)]
pub(crate) struct Pink([f64; 3]);

impl Pink {
    pub(crate) fn next(&mut self, random: &mut Random) -> f64 {
        let white = random.signed();
        let [a, b, c] = &mut self.0;
        *a = 0.99765 * *a + white * 0.0990460;
        *b = 0.96300 * *b + white * 0.2965164;
        *c = 0.57000 * *c + white * 1.0526913;
        (*a + *b + *c + white * 0.1848) * 0.25
    }
}

/// Brown noise: it falls by 6 dB per octave.
#[derive(Debug, Clone, Default)]
pub(crate) struct Brown(f64);

impl Brown {
    pub(crate) fn next(&mut self, random: &mut Random) -> f64 {
        self.0 = (self.0 + 0.02 * random.signed()) * 0.998;
        self.0 * 3.5
    }
}

/// A value from -1 to 1 that moves smoothly to new random targets.
#[derive(Debug, Clone)]
pub(crate) struct Wander {
    random: Random,
    from: f64,
    to: f64,
    phase: f64,
    step: f64,
}

impl Wander {
    /// Creates one that reaches `frequency` targets per second.
    pub(crate) fn new(random: &mut Random, frequency: f64, rate: f64) -> Self {
        let mut random = random.fork();
        let (from, to) = (random.signed(), random.signed());
        Self { random, from, to, phase: 0.0, step: frequency / rate }
    }

    pub(crate) fn next(&mut self) -> f64 {
        self.phase += self.step;
        if self.phase >= 1.0 {
            self.phase -= 1.0;
            self.from = self.to;
            self.to = self.random.signed();
        }
        let eased = self.phase * self.phase * (3.0 - 2.0 * self.phase);
        self.from + (self.to - self.from) * eased
    }
}
