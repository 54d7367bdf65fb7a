//! Synthesises speech: voice, breath and noise pass through resonators, as in Klatt's synthesizer.

use std::cmp::Ordering;
use std::f64::consts::PI;

use crate::audio::filter::{OnePole, Resonator, StateVariable};
use crate::random::Random;

use super::phonemes::{Manner, Phoneme, Sound};
use super::prosody::{FRAMES, Plan, Segment};
use super::voice::Voice;

/// Samples per second.
pub(super) const RATE: u32 = 22_050;
const RATE_F: f64 = RATE as f64;

/// Samples per frame. The number is rounded down, so that a plan has an exact length.
pub(super) const FRAME: usize = (RATE_F / FRAMES) as usize;

/// The state of the vocal tract in a frame.
#[derive(Debug, Clone, Copy, Default)]
struct TractState {
    formants: [f64; 3],
    bandwidths: [f64; 3],
    voice: f64,
    breath: f64,
    hiss: f64,
    centre: f64,
    q: f64,
    nasal: f64,
}

/// A speaker with the state that continues from sentence to sentence.
pub(super) struct Speaker {
    voice: Voice,
    random: Random,
    cascade: [Resonator; 6],
    nasal: Resonator,
    /// The last two inputs of the nasal zero.
    nasal_zero: [f64; 2],
    hiss: StateVariable,
    tilt: OnePole,
    level: [OnePole; 3],
    phase: f64,
    drift: f64,
    last: f64,
}

impl Speaker {
    pub(super) fn new(voice: Voice, seed: u64) -> Self {
        let tilt = OnePole::new(voice.tilt, RATE_F);
        Self {
            voice,
            random: Random::for_part(seed, "speaker"),
            cascade: Default::default(),
            nasal: Resonator::default(),
            nasal_zero: [0.0; 2],
            hiss: StateVariable::default(),
            tilt,
            level: [OnePole::new(60.0, RATE_F), OnePole::new(90.0, RATE_F), OnePole::new(220.0, RATE_F)],
            phase: 0.0,
            drift: 0.0,
            last: 0.0,
        }
    }

    /// Speaks a plan.
    ///
    /// It outputs [`FRAME`] samples for each of the plan's frames.
    pub(super) fn say(&mut self, plan: &Plan, mut out: impl FnMut(f64)) {
        let mut melody = plan.melody.iter().copied().peekable();
        let mut behind = (0.0, plan.melody.first().map_or(0.0, |(_, semitones)| *semitones));
        let mut now = 0.0;
        for (index, segment) in plan.segments.iter().enumerate() {
            let before = index.checked_sub(1).and_then(|before| plan.segments.get(before));
            let after = plan.segments.get(index + 1);
            for frame in 0..segment.frames {
                while let Some(next) = melody.next_if(|(at, _)| *at <= now) {
                    behind = next;
                }
                let semitones = match melody.peek() {
                    Some((at, ahead)) => {
                        behind.1 + (ahead - behind.1) * ((now - behind.0) / (at - behind.0).max(1.0))
                    }
                    None => behind.1,
                };
                let state = state(segment, before, after, frame);
                self.frame(&state, semitones, &mut out);
                now += 1.0;
            }
        }
    }

    fn frame(&mut self, state: &TractState, semitones: f64, out: &mut impl FnMut(f64)) {
        let Voice { formants: scale, bandwidths: narrow, breath, jitter, .. } = self.voice;
        self.drift = 0.9 * self.drift + self.random.signed() * jitter;
        let pitch = self.voice.pitch * 2f64.powf(semitones / 12.0) * (1.0 + self.drift);
        let higher = [(3400.0, 250.0), (4400.0, 320.0), (5600.0, 500.0)];
        let tuned = state.formants.into_iter().zip(state.bandwidths).chain(higher);
        for (resonator, (frequency, bandwidth)) in self.cascade.iter_mut().zip(tuned) {
            resonator.tune((frequency * scale).min(RATE_F * 0.46), bandwidth * narrow, RATE_F);
        }
        // Without a nasal, the pole and the zero coincide and cancel out.
        let (pole, zero) = (270.0, 270.0 + 230.0 * state.nasal);
        self.nasal.tune(pole, 100.0, RATE_F);
        let mut inverse = Resonator::default();
        inverse.tune(zero, 100.0, RATE_F);
        let open = 0.55;
        let [voice_level, breath_level, hiss_level] = &mut self.level;
        for _ in 0..FRAME {
            self.phase += pitch / RATE_F;
            if self.phase >= 1.0 {
                self.phase -= 1.0;
            }
            // The derivative of a flow that rises slowly and stops suddenly. It has no DC offset.
            let part = self.phase / open;
            let pulse = if part < 1.0 { 2.0 * part - 3.0 * part * part } else { 0.0 };
            let noise = self.random.signed();
            let voiced = self.tilt.low(pulse) * voice_level.low(state.voice);
            let modulated = if part < 1.0 { 1.0 } else { 0.5 };
            let breathed =
                noise * (breath_level.low(state.breath) * 0.3 + breath * state.voice * 0.25) * modulated;
            let mut value = voiced + breathed;
            let (input, [last, before]) = (value, self.nasal_zero);
            value = inverse.undo(input, last, before);
            self.nasal_zero = [input, last];
            value = self.nasal.step(value);
            for resonator in &mut self.cascade {
                value = resonator.step(value);
            }
            let hiss = hiss_level.low(state.hiss);
            if hiss > 1e-4 {
                let centre = (state.centre * (0.6 + 0.4 * scale)).min(RATE_F * 0.44);
                value += self.hiss.step(noise, centre, state.q, RATE_F).band * hiss * 1.1;
            }
            // Lips radiate high frequencies better. A difference filter reduces the low ones.
            let radiated = value - 0.4 * self.last;
            self.last = value;
            out((radiated * 0.55).tanh() * 0.92);
        }
    }
}

fn sound(segment: Option<&Segment>) -> Option<Sound> {
    segment?.phone.map(|phone| phone.phoneme.sound())
}

fn state(segment: &Segment, before: Option<&Segment>, after: Option<&Segment>, frame: usize) -> TractState {
    let (previous, next) = (sound(before), sound(after));
    let Some(own) = sound(Some(segment)) else {
        // The vocal tract keeps its last position during silence.
        let rest = previous.map_or([500.0, 1500.0, 2500.0], |sound| sound.to);
        return TractState {
            formants: rest,
            bandwidths: [80.0, 110.0, 170.0],
            centre: 4000.0,
            q: 0.7,
            ..TractState::default()
        };
    };
    let stress = segment.phone.map_or(0, |phone| phone.stress);
    let time = (frame as f64 + 0.5) / FRAMES;
    let length = segment.frames as f64 / FRAMES;
    let hiss = own.hiss;
    let mut state = TractState {
        formants: formants(&own, previous.as_ref(), next.as_ref(), time, length),
        bandwidths: own.bandwidths,
        centre: hiss.centre,
        q: hiss.q,
        ..TractState::default()
    };
    let into_release = frame + segment.release >= segment.frames;
    match own.manner {
        Manner::Vowel => {
            state.voice = if stress == 0 { 0.8 } else { 1.0 };
            let nasal = |side: Option<Sound>| side.is_some_and(|sound| sound.manner == Manner::Nasal);
            let near_end = (1.0 - (length - time) / 0.06).clamp(0.0, 1.0);
            state.nasal = if nasal(next) { 0.4 * near_end } else { 0.0 };
        }
        Manner::Glide => state.voice = 0.75,
        Manner::Nasal => {
            state.voice = 0.55;
            state.nasal = 1.0;
        }
        Manner::Aspirate => {
            state.breath = 0.8;
            state.voice = if previous.is_some_and(|sound| sound.voiced) { 0.25 } else { 0.0 };
        }
        Manner::Fricative => {
            state.hiss = hiss.level;
            state.voice = if own.voiced { 0.38 } else { 0.0 };
        }
        Manner::Stop | Manner::Affricate if !into_release => {
            state.voice = if own.voiced { 0.16 } else { 0.0 };
            state.bandwidths = [150.0, 300.0, 400.0];
        }
        Manner::Affricate => {
            state.hiss = hiss.level;
            state.voice = if own.voiced { 0.25 } else { 0.0 };
        }
        Manner::Stop => {
            let since = (frame + segment.release - segment.frames) as f64 / FRAMES;
            state.hiss = hiss.level * (1.0 - since / 0.02).max(0.0) * 1.4;
            state.breath = if segment.aspirated && since > 0.005 { 0.65 } else { 0.0 };
            state.voice = if own.voiced { 0.5 } else { 0.0 };
            // Before an r, t and d are articulated further back.
            let is_r = after.and_then(|after| after.phone).is_some_and(|phone| phone.phoneme == Phoneme::R);
            if is_r && hiss.centre > 3500.0 {
                (state.centre, state.q) = (2700.0, 1.3);
            }
            // The burst of a k is at the second formant of the next vowel.
            if hiss.q > 2.0 {
                state.centre = next.map_or(hiss.centre, |next| locus(&own, &next)[1]);
            }
        }
    }
    state
}

/// Interpolates the formants within a phoneme.
///
/// They start at the border with the previous phoneme, reach the phoneme's own values, and end at the border
/// with the next one.
fn formants(own: &Sound, previous: Option<&Sound>, next: Option<&Sound>, time: f64, length: f64) -> [f64; 3] {
    let start = previous.map_or(own.from, |previous| border(previous, own));
    let end = next.map_or(own.to, |next| border(own, next));
    let speed = |side: Option<&Sound>| -> f64 {
        match side.map(|sound| sound.manner) {
            Some(Manner::Glide) => 0.085,
            Some(Manner::Vowel) => 0.07,
            _ => 0.055,
        }
    };
    let limit = length * 0.48;
    let (rise, fall) = (speed(previous).min(limit).max(1e-3), speed(next).min(limit).max(1e-3));
    let part = (time / length).clamp(0.0, 1.0);
    // Diphthongs hold their start, move, and hold their end.
    let moved = smooth(((part - 0.2) / 0.6).clamp(0.0, 1.0));
    let arriving = smooth((time / rise).min(1.0));
    let leaving = smooth(((length - time) / fall).clamp(0.0, 1.0));
    let mut formants = [0.0; 3];
    let borders = start.into_iter().zip(end);
    let targets = own.from.into_iter().zip(own.to);
    for ((formant, (start, end)), (from, to)) in formants.iter_mut().zip(borders).zip(targets) {
        let target = from + (to - from) * moved;
        *formant = target + (start - target) * (1.0 - arriving) + (end - target) * (1.0 - leaving);
    }
    formants
}

fn smooth(part: f64) -> f64 {
    0.5 - 0.5 * (PI * part).cos()
}

/// Returns the formants at the border of two phonemes.
///
/// The consonant dominates: the formants of a vowel move toward its locus.
fn border(left: &Sound, right: &Sound) -> [f64; 3] {
    let (dominant, other, formants) = match rank(left).cmp(&rank(right)) {
        Ordering::Greater => (left, right, right.from),
        Ordering::Less => (right, left, left.to),
        Ordering::Equal => return mixed(left.to, right.from, [0.5; 3]),
    };
    let parts = match dominant.manner {
        Manner::Aspirate => [0.9; 3],
        Manner::Glide => [0.25, 0.25, 0.3],
        Manner::Nasal => [0.55, 0.4, 0.5],
        _ => [0.35, 0.42, 0.5],
    };
    mixed(locus(dominant, other), formants, parts)
}

/// Returns the rank of a sound. Stops and affricates are equal.
fn rank(sound: &Sound) -> u8 {
    (sound.manner as u8).min(Manner::Stop as u8)
}

/// Returns the locus of a consonant next to a vowel.
///
/// The locus of k and g depends on the vowel.
fn locus(consonant: &Sound, vowel: &Sound) -> [f64; 3] {
    let [first, second, third] = consonant.from;
    let is_velar = consonant.manner == Manner::Stop && consonant.hiss.q > 2.0;
    if is_velar {
        let near = (vowel.from[1] * 0.8 + 550.0).clamp(1000.0, 2350.0);
        return [first, near, (near + 350.0).max(2100.0)];
    }
    [first, second, third]
}

fn mixed(from: [f64; 3], to: [f64; 3], parts: [f64; 3]) -> [f64; 3] {
    let mut values = from;
    for ((value, to), part) in values.iter_mut().zip(to).zip(parts) {
        *value += (to - *value) * part;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speech::phonemes::Phone;
    use crate::speech::{SpeechParameters, voice::voice};

    /// Returns the frequency with the most power between two bounds, in hertz.
    fn peak(samples: &[f64], from: f64, to: f64) -> f64 {
        let power = |frequency: f64| {
            let (mut re, mut im) = (0.0, 0.0);
            for (index, sample) in samples.iter().enumerate() {
                let window = 0.5 - 0.5 * (std::f64::consts::TAU * index as f64 / samples.len() as f64).cos();
                let angle = std::f64::consts::TAU * frequency * index as f64 / RATE_F;
                re += window * sample * angle.cos();
                im += window * sample * angle.sin();
            }
            re.hypot(im)
        };
        let steps = ((to - from) / 20.0) as usize;
        let candidates = (0..steps).map(|step| from + 20.0 * step as f64);
        candidates.max_by(|left, right| power(*left).total_cmp(&power(*right))).unwrap()
    }

    fn vowel(phoneme: Phoneme) -> Vec<f64> {
        let mut man = voice(&SpeechParameters::new("x", "x"), 1);
        (man.pitch, man.formants, man.jitter) = (90.0, 1.0, 0.0);
        let phone = Some(Phone { phoneme, stress: 1 });
        let segment = Segment { phone, frames: 80, release: 0, aspirated: false };
        let mut samples = Vec::new();
        Speaker::new(man, 1)
            .say(&Plan { segments: vec![segment], melody: vec![] }, |sample| samples.push(sample));
        assert_eq!(samples.len(), 80 * FRAME);
        samples[2205..6615].to_vec()
    }

    #[test]
    fn vowels_have_their_formants() {
        for phoneme in [Phoneme::Iy, Phoneme::Aa, Phoneme::Ae, Phoneme::Eh] {
            let [first, second, _] = phoneme.sound().from;
            let samples = vowel(phoneme);
            let found = (
                peak(&samples, 200.0, (first + second) / 2.0),
                peak(&samples, (first + second) / 2.0, 2400.0),
            );
            assert!((found.0 - first).abs() < 110.0, "{phoneme:?}: {found:?}, not {first}");
            assert!((found.1 - second).abs() < 160.0, "{phoneme:?}: {found:?}, not {second}");
        }
    }
}
