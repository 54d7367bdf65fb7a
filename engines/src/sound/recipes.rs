//! The recipes: a dozen sounds.

use std::f64::consts::{PI, TAU};

use super::canvas::{Canvas, RATE_F};
use super::character::Character;
use crate::audio::filter::{OnePole, StateVariable};
use crate::audio::noise::{Brown, Pink, Wander};

/// A sound and the words that name it.
pub(super) struct Recipe {
    pub(super) words: &'static str,
    pub(super) render: fn(&mut Canvas, &Character),
}

impl Recipe {
    /// Returns the first of its words.
    pub(super) fn name(&self) -> &'static str {
        self.words.split(' ').next().unwrap_or_default()
    }
}

/// All recipes. Each word belongs to one of them.
pub(super) const RECIPES: &[Recipe] = &[
    Recipe { words: "rain raindrop drizzle shower downpour rainfall", render: rain },
    Recipe { words: "thunder thunderstorm lightning", render: thunder },
    Recipe { words: "wind breeze gale gust windy storm", render: wind },
    Recipe { words: "waves sea ocean surf beach shore", render: waves },
    Recipe { words: "drops drip droplet dripping leak", render: drops },
    Recipe { words: "footsteps footstep steps walking", render: footsteps },
    Recipe { words: "click tap button switch", render: click },
    Recipe { words: "beep bleep alarm alert notification", render: beep },
    Recipe { words: "whoosh swoosh swish", render: whoosh },
    Recipe { words: "explosion explode bomb blast boom", render: explosion },
    Recipe { words: "bell chime ring toll", render: bell },
    Recipe { words: "drone hum ambience", render: drone },
];

fn rain(canvas: &mut Canvas, character: &Character) {
    let mut pink = Pink::default();
    let (mut body, mut hiss) = (StateVariable::default(), StateVariable::default());
    let mut swell = wander(canvas, 0.4);
    let bright = character.brightness;
    let wash = 0.35 * character.intensity.powf(0.6);
    canvas.bed(|_, random| {
        let level = 1.0 + 0.18 * swell.next();
        let low = body.step(pink.next(random), 900.0 * bright, 0.5, RATE_F).band;
        let high = hiss.step(random.signed(), 5200.0 * bright, 0.4, RATE_F).band;
        (low * 0.9 + high * 0.35) * wash * level
    });
    for at in canvas.moments(140.0 * character.intensity * character.rate) {
        let size = canvas.random.unit().powi(3);
        let frequency =
            canvas.random.range(1400.0, 6500.0) * character.pitch * bright.sqrt() * (1.0 - 0.5 * size);
        let decay = 0.012 + 0.05 * size * character.decay;
        canvas.burst(at, 0.05 + 0.35 * size, 0.0008, decay, frequency, 2.5);
    }
}

fn thunder(canvas: &mut Canvas, character: &Character) {
    for at in canvas.repeats(7.0 / character.rate) {
        let length = (5.5 * character.decay).min(9.0);
        let mut crack = at;
        // The parts of the lightning are heard one after another, the nearest first.
        for part in 0..7 {
            let near = f64::from(7 - part) / 7.0;
            let frequency = (180.0 + 1500.0 * near * near) * character.brightness;
            let decay = canvas.random.range(0.25, 0.65);
            canvas.burst(crack, 0.9 * near, 0.004, decay, frequency, 0.6);
            crack += canvas.random.range(0.03, 0.22);
        }
        let mut brown = Brown::default();
        let mut filter = StateVariable::default();
        let mut roll = wander(canvas, 4.0);
        canvas.hit(at, length, |t, random| {
            let envelope = (t / 0.15).min(1.0) * fall(t, length) * (0.65 + 0.35 * roll.next());
            let cutoff = (70.0 + 260.0 * fall(t, 2.0)) * character.pitch.sqrt() * character.brightness;
            filter.step(brown.next(random) * 3.0, cutoff, 0.7, RATE_F).low * envelope * 2.2
        });
    }
}

fn wind(canvas: &mut Canvas, character: &Character) {
    let mut gusts = wander(canvas, 0.45 * character.rate);
    let mut flutter = wander(canvas, 3.0 * character.rate);
    let mut pink = Pink::default();
    let (mut low, mut whistle) = (StateVariable::default(), StateVariable::default());
    let force = character.intensity.powf(0.5);
    canvas.bed(|_, random| {
        let gust = (0.5 + 0.5 * gusts.next()).powf(1.4) + 0.06 * flutter.next();
        let noise = pink.next(random);
        let roar = low.step(noise, (180.0 + 620.0 * gust * force) * character.brightness, 0.7, RATE_F).low;
        let howl = whistle.step(noise, (420.0 + 680.0 * gust) * character.pitch, 9.0, RATE_F).band * 2.0;
        (0.25 + gust) * roar + (gust * gust * force) * howl
    });
}

fn waves(canvas: &mut Canvas, character: &Character) {
    let mut brown = Brown::default();
    let mut deep = OnePole::new(240.0 * character.brightness, RATE_F);
    canvas.bed(|_, random| deep.low(brown.next(random)) * 0.5);
    let period = 6.5 / character.rate;
    for at in canvas.rhythm(period, 0.15) {
        let height = canvas.random.range(0.6, 1.0) * character.intensity.sqrt();
        let crest = period * canvas.random.range(0.3, 0.42);
        let mut filter = StateVariable::default();
        let mut pink = Pink::default();
        canvas.hit(at, period * 1.35, |t, random| {
            let level = (t / crest).min(1.0).powf(2.2) * fall((t - crest).max(0.0), period);
            let cutoff = (350.0 + 5200.0 * level.powf(0.8)) * character.brightness;
            let noise = pink.next(random) + 0.25 * random.signed();
            filter.step(noise, cutoff, 0.55, RATE_F).low * level * height
        });
    }
}

fn drops(canvas: &mut Canvas, character: &Character) {
    for at in canvas.rhythm(0.85 / (character.rate * character.intensity.sqrt()), 0.4) {
        let frequency = canvas.random.range(750.0, 1500.0) * character.pitch;
        canvas.burst(at, 0.25, 0.0005, 0.02, 4200.0 * character.brightness, 1.0);
        for (delay, gain, pitch, length) in [(0.012, 0.7, 1.0, 0.11), (0.06, 0.25, 1.35, 0.07)] {
            // A bubble rises in pitch as it closes.
            let (length, pitch) = (length * character.decay, frequency * pitch);
            canvas.glide(at + delay, length, gain, (pitch, 1.9 * pitch), sine);
        }
    }
}

fn footsteps(canvas: &mut Canvas, character: &Character) {
    for (index, at) in canvas.rhythm(0.56 / character.rate, 0.04).into_iter().enumerate() {
        let (foot, tone) = if index % 2 == 0 { (1.0, 1.0) } else { (0.85, 1.06) };
        let level = foot * canvas.random.range(0.85, 1.1);
        let body = 95.0 * character.pitch * tone;
        // The heel, the rolling sole, and the grit below.
        canvas.strike(
            at,
            0.8 * level,
            &[(body, 0.12, 1.0), (body * 2.3, 0.06, 0.5), (body * 4.1, 0.03, 0.3)],
        );
        canvas.burst(at, 0.45 * level, 0.0008, 0.035, 1900.0 * character.brightness, 0.7);
        let sole = at + 0.07 / character.rate;
        canvas.burst(sole, 0.28 * level, 0.012, 0.09, 2600.0 * character.brightness, 0.6);
        for _ in 0..3 {
            let later = at + canvas.random.range(0.02, 0.14);
            let frequency = canvas.random.range(2500.0, 6000.0) * character.brightness;
            canvas.burst(later, 0.1 * level, 0.0005, 0.01, frequency, 1.5);
        }
    }
}

fn click(canvas: &mut Canvas, character: &Character) {
    for at in canvas.repeats(1.1 / character.rate) {
        for (delay, gain) in [(0.0, 1.0), (0.06, 0.45)] {
            let pitch = 2400.0 * character.pitch;
            let modes = [(pitch, 0.014, 1.0), (pitch * 1.9, 0.008, 0.6), (pitch * 0.4, 0.02, 0.5)];
            canvas.strike(at + delay, gain, &modes);
            canvas.burst(at + delay, gain * 0.6, 0.0002, 0.004, 6000.0 * character.brightness, 0.7);
        }
    }
}

fn beep(canvas: &mut Canvas, character: &Character) {
    let pitch = 1000.0 * character.pitch;
    for at in canvas.repeats(1.26 / character.rate) {
        for delay in [0.0, 0.28 / character.rate] {
            // Some third harmonic makes it audible on small loudspeakers.
            let wave = |phase| sine(phase) + 0.15 * sine(3.0 * phase);
            canvas.glide(at + delay, 0.16 * character.decay.min(1.8), 0.8, (pitch, pitch), wave);
        }
    }
}

fn whoosh(canvas: &mut Canvas, character: &Character) {
    let length = (0.9 * character.decay / character.rate).min(canvas.duration.max(0.3));
    for at in canvas.repeats(length + 0.5) {
        let mut filter = StateVariable::default();
        let mut pink = Pink::default();
        canvas.hit(at, length, |t, random| {
            let part = (t / length).min(1.0);
            let near = (PI * part.powf(0.8)).sin().powi(2);
            // The object sounds higher while it approaches than while it leaves (the Doppler effect).
            let height = (260.0 + 2600.0 * near * (1.25 - 0.7 * part)) * character.pitch;
            let noise = pink.next(random) + 0.4 * random.signed();
            filter.step(noise, height * character.brightness, 1.3, RATE_F).band * near * 1.2
        });
    }
}

fn explosion(canvas: &mut Canvas, character: &Character) {
    for at in canvas.repeats(6.0 / character.rate) {
        let length = 3.6 * character.decay;
        canvas.burst(at, 1.2, 0.0006, 0.08, 2600.0 * character.brightness, 0.5);
        canvas.glide(at, 1.1 * character.decay, 1.1, (120.0 * character.pitch, 26.0 * character.pitch), sine);
        let mut filter = StateVariable::default();
        let mut brown = Brown::default();
        let mut roll = wander(canvas, 11.0);
        canvas.hit(at, length, |t, random| {
            let cutoff = (90.0 + 3800.0 * fall(t, 1.1)) * character.brightness;
            let noise = random.signed() * fall(t, 1.2) + brown.next(random) * 3.0;
            let envelope = (t * 400.0).min(1.0) * fall(t, length) * (0.8 + 0.2 * roll.next());
            filter.step(noise, cutoff, 0.6, RATE_F).low * envelope * 1.6
        });
    }
}

fn bell(canvas: &mut Canvas, character: &Character) {
    for at in canvas.repeats(2.8 / character.rate) {
        let (prime, decay) = (440.0 * character.pitch, 3.0 * character.decay);
        // Hum, prime, tierce, quint, nominal and higher partials, as in a tuned bell.
        let partials = [
            (0.5, 1.3, 0.4),
            (1.0, 1.0, 0.7),
            (1.2, 0.7, 0.6),
            (1.5, 0.5, 0.35),
            (2.0, 0.45, 0.6),
            (2.61, 0.25, 0.3),
            (3.01, 0.2, 0.25),
        ];
        let modes = partials.map(|(ratio, ringing, gain)| (prime * ratio, decay * ringing, gain));
        canvas.strike(at, 0.6, &modes);
        canvas.burst(at, 0.2, 0.0004, 0.015, 5000.0 * character.brightness, 0.8);
    }
}

fn drone(canvas: &mut Canvas, character: &Character) {
    let root = 55.0 * character.pitch;
    for ratio in [1.0, 1.498, 2.003, 2.378, 3.01] {
        let mut swell = wander(canvas, 0.3 * character.rate);
        let mut detune = wander(canvas, 0.5);
        let mut filter = StateVariable::default();
        let mut phase = 0.0;
        canvas.bed(|_, _| {
            phase += root * ratio * (1.0 + 0.004 * detune.next()) / RATE_F;
            let swell = 0.5 + 0.5 * swell.next();
            let cutoff = (180.0 + 900.0 * swell) * character.brightness;
            filter.step(saw(phase), cutoff, 1.5, RATE_F).low * swell / ratio * 0.5
        });
    }
}

fn wander(canvas: &mut Canvas, frequency: f64) -> Wander {
    Wander::new(&mut canvas.random, frequency, RATE_F)
}

fn sine(phase: f64) -> f64 {
    (TAU * phase).sin()
}

/// Returns a saw-tooth wave with a softened edge.
fn saw(phase: f64) -> f64 {
    let phase = phase.fract();
    if phase < 0.94 { phase / 0.47 - 1.0 } else { (PI * (phase - 0.94) / 0.06).cos() }
}

/// Returns an envelope that falls from 1 to a thousandth in `time` seconds.
fn fall(t: f64, time: f64) -> f64 {
    (-6.9 * t / time).exp()
}
