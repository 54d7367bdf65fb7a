//! Filters: a state-variable filter with a moving cutoff, a one-pole filter, and a resonator for formants.

use std::f64::consts::{PI, TAU};

/// A two-pole state-variable filter in trapezoidal form.
///
/// It stays stable while its cutoff changes, even with every sample.
#[derive(Debug, Clone, Default)]
pub(crate) struct StateVariable {
    first: f64,
    second: f64,
}

/// The outputs of a [`StateVariable`] filter for one sample.
pub(crate) struct Bands {
    pub(crate) low: f64,
    /// The band-pass output. Its gain is 1 at the cutoff for every Q.
    pub(crate) band: f64,
}

impl StateVariable {
    pub(crate) fn step(&mut self, input: f64, cutoff: f64, q: f64, rate: f64) -> Bands {
        let g = (PI * (cutoff / rate).clamp(1e-5, 0.49)).tan();
        let k = 1.0 / q.max(0.05);
        let v1 = (self.first + g * (input - self.second)) / (1.0 + g * (g + k));
        let v2 = self.second + g * v1;
        self.first = 2.0 * v1 - self.first;
        self.second = 2.0 * v2 - self.second;
        Bands { low: v2, band: k * v1 }
    }
}

/// A one-pole low-pass filter.
#[derive(Debug, Clone)]
pub(crate) struct OnePole {
    coefficient: f64,
    state: f64,
}

impl OnePole {
    pub(crate) fn new(cutoff: f64, rate: f64) -> Self {
        Self { coefficient: 1.0 - (-TAU * (cutoff / rate).min(0.5)).exp(), state: 0.0 }
    }

    pub(crate) fn low(&mut self, input: f64) -> f64 {
        self.state += self.coefficient * (input - self.state);
        self.state
    }

    pub(crate) fn high(&mut self, input: f64) -> f64 {
        input - self.low(input)
    }
}

/// A two-pole resonance as in Klatt's synthesizer, for a formant.
///
/// Its gain is 1 at 0 Hz.
#[derive(Debug, Clone, Default)]
pub(crate) struct Resonator {
    a: f64,
    b: f64,
    c: f64,
    last: f64,
    before: f64,
}

impl Resonator {
    /// Changes the frequency and the bandwidth without resetting the state.
    pub(crate) fn tune(&mut self, frequency: f64, bandwidth: f64, rate: f64) {
        let radius = (-PI * bandwidth / rate).exp();
        self.c = -radius * radius;
        self.b = 2.0 * radius * (TAU * frequency / rate).cos();
        self.a = 1.0 - self.b - self.c;
    }

    pub(crate) fn step(&mut self, input: f64) -> f64 {
        let output = self.a * input + self.b * self.last + self.c * self.before;
        self.before = self.last;
        self.last = output;
        output
    }

    /// Applies the inverse of the resonance: an anti-resonance.
    ///
    /// It uses no state of its own. The caller passes the two previous inputs.
    pub(crate) fn undo(&self, input: f64, last: f64, before: f64) -> f64 {
        (input - self.b * last - self.c * before) / self.a
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gain(mut filter: impl FnMut(f64) -> f64, frequency: f64) -> f64 {
        let tone = |n: usize| (TAU * frequency * n as f64 / 44_100.0).sin();
        (0..44_100)
            .map(|n| (n, filter(tone(n))))
            .filter(|(n, _)| *n > 22_050)
            .fold(0.0, |peak, (_, y)| y.abs().max(peak))
    }

    #[test]
    fn a_filter_passes_its_band() {
        let mut filter = StateVariable::default();
        assert!((gain(|x| filter.step(x, 1000.0, 5.0, 44_100.0).band, 1000.0) - 1.0).abs() < 0.02);
        let mut filter = StateVariable::default();
        assert!(gain(|x| filter.step(x, 1000.0, 0.7, 44_100.0).low, 8000.0) < 0.02);
    }

    #[test]
    fn a_formant_rings_at_its_frequency() {
        let at = |frequency| {
            let mut formant = Resonator::default();
            formant.tune(500.0, 60.0, 44_100.0);
            gain(|x| formant.step(x), frequency)
        };
        assert!(at(500.0) > 3.0 * at(1000.0) && at(500.0) > 3.0 * at(100.0));
    }
}
