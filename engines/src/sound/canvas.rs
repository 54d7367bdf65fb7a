//! The canvas that recipes write to: a continuous `bed` and momentary `hits`.
//!
//! They are separate because they loop differently. A bed's end is faded into its beginning. The tails of
//! hits that ring beyond the end are added to the beginning.

use std::f64::consts::{FRAC_PI_2, TAU};

use crate::audio::filter::{OnePole, StateVariable};
use crate::audio::level::{fade_in, fade_out, remove_mean};
use crate::random::Random;

use super::character::Character;

/// Samples per second.
pub(crate) const RATE: u32 = 44_100;
pub(super) const RATE_F: f64 = RATE as f64;

/// The longest ringing of a hit beyond the end, in seconds.
const TAIL: f64 = 3.0;

pub(super) struct Canvas {
    /// The random numbers of the recipe.
    pub(super) random: Random,
    /// The duration of the whole sound, in seconds.
    pub(super) duration: f64,
    length: usize,
    bed: Vec<f32>,
    hits: Vec<f32>,
}

impl Canvas {
    pub(super) fn new(length: usize, random: Random) -> Self {
        let all = length + (TAIL * RATE_F) as usize;
        Self {
            random,
            duration: length as f64 / RATE_F,
            length,
            bed: vec![0.0; length + fade_length(length)],
            hits: vec![0.0; all],
        }
    }

    /// Adds to the bed.
    ///
    /// `sound` receives the time in seconds and a stream of random numbers.
    pub(super) fn bed(&mut self, mut sound: impl FnMut(f64, &mut Random) -> f64) {
        let mut random = self.random.fork();
        for (index, sample) in self.bed.iter_mut().enumerate() {
            *sample += sound(index as f64 / RATE_F, &mut random) as f32;
        }
    }

    /// Adds a hit at `at` seconds with a length of `length` seconds.
    ///
    /// `sound` receives the seconds since the start of the hit.
    pub(super) fn hit(&mut self, at: f64, length: f64, mut sound: impl FnMut(f64, &mut Random) -> f64) {
        let mut random = self.random.fork();
        let start = (at.max(0.002) * RATE_F) as usize;
        let count = (length.min(self.duration + TAIL) * RATE_F) as usize;
        // Fade out the end, so that a sound never ends with a click.
        let release = (count / 8).clamp(1, 400);
        for (index, sample) in self.hits.iter_mut().skip(start).take(count).enumerate() {
            let ending = ((count - index) as f64 / release as f64).min(1.0);
            *sample += (sound(index as f64 / RATE_F, &mut random) * ending) as f32;
        }
    }

    /// Adds a struck body: a decaying sine per mode.
    ///
    /// Each mode has a frequency, the seconds until it falls to a thousandth, and a gain.
    pub(super) fn strike(&mut self, at: f64, gain: f64, modes: &[(f64, f64, f64)]) {
        for &(frequency, decay, level) in modes.iter().filter(|mode| mode.0 < RATE_F * 0.45) {
            let phase = self.random.range(0.0, 0.3);
            let radius = (-6.9 / (decay.max(0.005) * RATE_F)).exp();
            let step = TAU * frequency / RATE_F;
            let turn = 2.0 * radius * step.cos();
            let (mut before, mut last) = ((phase - step).sin() / radius, phase.sin());
            let attack = (RATE_F * 0.0008).max(1.0);
            let mut index = 0.0;
            self.hit(at, decay * 1.1, |_, _| {
                let value = last;
                (before, last) = (last, turn * last - radius * radius * before);
                index += 1.0;
                value * gain * level * (index / attack).min(1.0)
            });
        }
    }

    /// Adds a burst of band-passed noise at `frequency`.
    ///
    /// After the attack, it falls to a thousandth in `decay` seconds.
    pub(super) fn burst(&mut self, at: f64, gain: f64, attack: f64, decay: f64, frequency: f64, q: f64) {
        let mut filter = StateVariable::default();
        self.hit(at, attack + decay, |t, random| {
            let envelope = (t / attack.max(0.0003)).min(1.0) * (-6.9 * (t - attack).max(0.0) / decay).exp();
            filter.step(random.signed(), frequency, q, RATE_F).band * envelope * gain * (1.0 + q).sqrt()
        });
    }

    /// Adds a tone that glides between two frequencies.
    ///
    /// `wave` receives the phase from 0 to 1.
    pub(super) fn glide(
        &mut self,
        at: f64,
        length: f64,
        gain: f64,
        (from, to): (f64, f64),
        wave: fn(f64) -> f64,
    ) {
        let mut phase = 0.0f64;
        self.hit(at, length, |t, _| {
            let part = (t / length).min(1.0);
            phase = (phase + from * (to / from).powf(part) / RATE_F).fract();
            wave(phase) * gain * (part * 60.0).min(1.0) * (1.0 - part).powf(0.7)
        });
    }

    /// Returns random moments at an average rate per second.
    pub(super) fn moments(&mut self, per_second: f64) -> Vec<f64> {
        let mut moments = Vec::new();
        let mut at = self.random.unit() / per_second.max(0.01);
        while at < self.duration && moments.len() < 60_000 {
            moments.push(at);
            at += -(1.0 - self.random.unit()).ln() / per_second.max(0.01);
        }
        moments
    }

    /// Returns moments of a slightly irregular rhythm.
    ///
    /// `jitter` is relative to the period.
    pub(super) fn rhythm(&mut self, period: f64, jitter: f64) -> Vec<f64> {
        let count = ((self.duration - 0.02) / period).ceil().clamp(1.0, 2000.0) as usize;
        let moments = (0..count).map(|index| {
            0.01 + period * (index as f64 + if index > 0 { jitter * self.random.signed() } else { 0.0 })
        });
        moments.collect()
    }

    /// Returns start times for a sound that takes `every` seconds.
    ///
    /// The sound occurs once, and again as long as there is time.
    pub(super) fn repeats(&mut self, every: f64) -> Vec<f64> {
        let count = ((self.duration + every * 0.35) / every).floor().clamp(1.0, 200.0) as usize;
        (0..count).map(|index| 0.01 + index as f64 * every).collect()
    }

    /// Returns the recipe's sound in the requested length. A distance muffles it.
    pub(super) fn finish(mut self, character: &Character, looped: bool) -> Vec<f32> {
        for part in [&mut self.bed, &mut self.hits] {
            apply_distance(part, character);
        }
        let fade = fade_length(self.length);
        let mut whole: Vec<f32> = self.bed.iter().take(self.length).copied().collect();
        if looped {
            for (index, (sample, end)) in whole.iter_mut().zip(self.bed.iter().skip(self.length)).enumerate()
            {
                let angle = FRAC_PI_2 * index as f64 / fade as f64;
                *sample = (f64::from(*sample) * angle.sin() + f64::from(*end) * angle.cos()) as f32;
            }
            fade_out(&mut self.hits, RATE as usize / 4);
            for (index, hit) in self.hits.iter().enumerate() {
                if let Some(sample) = whole.get_mut(index % self.length.max(1)) {
                    *sample += hit;
                }
            }
        } else {
            fade_in(&mut whole, RATE as usize / 50);
            for (sample, hit) in whole.iter_mut().zip(&self.hits) {
                *sample += hit;
            }
            fade_out(&mut whole, (RATE as usize / 25).min(self.length / 8));
        }
        remove_mean(&mut whole);
        whole
    }
}

/// Removes inaudible bass, and applies distance as a low-pass.
fn apply_distance(samples: &mut [f32], character: &Character) {
    let cutoff = 18_000.0 * (0.045f64).powf(character.distance.clamp(0.0, 1.0));
    let mut far = [OnePole::new(cutoff, RATE_F), OnePole::new(cutoff * 1.3, RATE_F)];
    let mut rumble = OnePole::new(18.0, RATE_F);
    for sample in samples.iter_mut() {
        let mut value = rumble.high(f64::from(*sample));
        if character.distance > 0.01 {
            value = far.iter_mut().fold(value, |value, filter| filter.low(value));
        }
        *sample = value as f32;
    }
}

/// Returns the length of the cross-fade in a looped bed, in samples.
fn fade_length(length: usize) -> usize {
    (length / 3).clamp(1, RATE as usize)
}
