//! Bells, drums and strings.

use super::{RATE_F, Recipe, fall, recipe, saw, sine};
use crate::audio::filter::StateVariable;
use crate::sound::canvas::Canvas;
use crate::sound::character::Character;

pub(super) static RECIPES: &[Recipe] = &[
    recipe("bell", "bell doorbell church+bell toll jingle", "church ring school", bell),
    recipe("gong", "gong tam temple singing+bowl", "meditation asian ceremony", gong),
    recipe(
        "drums",
        "drum drumbeat beat percussion kick snare hihat loop+drum groove",
        "loop rhythm one+shot",
        drums,
    ),
    recipe("drumroll", "drum+roll snare+roll timpani", "circus suspense announcement", drumroll),
    recipe("cymbal", "cymbal crash+cymbal hi+hat", "drum percussion", cymbal),
    recipe(
        "piano",
        "piano keys melody marimba xylophone kalimba music+box",
        "music musical melodic note soft",
        piano,
    ),
    recipe(
        "strings",
        "violin guitar harp string chord strum pluck",
        "music musical melodic acoustic",
        strings,
    ),
    recipe("synth", "synth synthesizer bass arpeggio techno", "music electronic musical loop retro", synth),
    recipe(
        "fanfare",
        "fanfare trumpet brass horn+fanfare triumph",
        "music orchestral royal intro victory",
        fanfare,
    ),
];

/// The minor pentatonic scale. It sounds like a tune in any order.
const SCALE: [f64; 8] = [1.0, 1.1892, 1.3348, 1.4983, 1.7818, 2.0, 2.3784, 2.6697];

fn bell(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(2.8 / character.rate) {
        for index in 0..character.count.unwrap_or(1) {
            let at = at + index as f64 * 0.9 / character.rate;
            let prime = 440.0 * character.pitch;
            let decay = 3.0 * character.decay;
            // Hum, prime, tierce, quint, nominal and higher partials, as in a tuned bell.
            canvas.strike(
                at,
                0.6,
                &[
                    (prime * 0.5, decay * 1.3, 0.4),
                    (prime, decay, 0.7),
                    (prime * 1.2, decay * 0.7, 0.6),
                    (prime * 1.5, decay * 0.5, 0.35),
                    (prime * 2.0, decay * 0.45, 0.6),
                    (prime * 2.61, decay * 0.25, 0.3),
                    (prime * 3.01, decay * 0.2, 0.25),
                    (prime * 4.17, decay * 0.12, 0.2),
                ],
            );
            canvas.burst(at, 0.2, 0.0004, 0.015, 5000.0 * character.brightness, 0.8);
        }
    }
}

fn gong(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(7.0 / character.rate) {
        let decay = 6.0 * character.decay;
        let modes: Vec<(f64, f64, f64)> = (0..22)
            .map(|index| {
                let ratio = 1.0 + 0.47 * f64::from(index) + canvas.random.range(-0.12, 0.12);
                (
                    82.0 * character.pitch * ratio,
                    decay / (1.0 + 0.12 * f64::from(index)),
                    0.4 / (1.0 + 0.2 * f64::from(index)),
                )
            })
            .collect();
        canvas.strike(at, 0.7, &modes);
        canvas.burst(at, 0.25, 0.35, decay * 0.5, 2400.0 * character.brightness, 0.5);
    }
}

fn kick(canvas: &mut Canvas, character: &Character, at: f64, gain: f64) {
    canvas.glide(at, 0.3 * character.decay, gain, (150.0 * character.pitch, 44.0 * character.pitch), sine);
    canvas.burst(at, 0.3 * gain, 0.0004, 0.012, 2600.0 * character.brightness, 0.7);
}

fn snare(canvas: &mut Canvas, character: &Character, at: f64, gain: f64) {
    let decay = 0.19 * character.decay;
    canvas.burst(at, 0.8 * gain, 0.0006, decay, 3300.0 * character.brightness, 0.5);
    let pitch = 190.0 * character.pitch;
    canvas.strike(at, 0.6 * gain, &[(pitch, 0.13, 1.0), (pitch * 1.74, 0.09, 0.6)]);
}

fn hat(canvas: &mut Canvas, character: &Character, at: f64, gain: f64, decay: f64) {
    canvas.burst(at, gain, 0.0004, decay * character.decay, 9500.0 * character.brightness.min(1.3), 0.9);
}

fn drums(canvas: &mut Canvas, character: &Character) {
    // Whole bars of sixteenths, so that a loop keeps its beat.
    let bars = (canvas.duration * character.rate / 2.0).round().max(1.0);
    let step = canvas.duration / (bars * 16.0);
    for index in 0..(bars * 16.0) as usize {
        let at = 0.003 + index as f64 * step;
        let place = index % 16;
        if matches!(place, 0 | 7 | 10) || (place == 14 && canvas.random.chance(0.3)) {
            kick(canvas, character, at, 1.0);
        }
        if matches!(place, 4 | 12) || canvas.random.chance(0.05) {
            snare(canvas, character, at, if place % 4 == 0 { 0.9 } else { 0.3 });
        }
        if place % 2 == 0 || canvas.random.chance(0.25) {
            let accent = if place % 4 == 2 { 0.4 } else { 0.25 };
            hat(canvas, character, at, accent, if place == 14 { 0.2 } else { 0.06 });
        }
    }
}

fn drumroll(canvas: &mut Canvas, character: &Character) {
    let end = (canvas.duration - 0.45).max(0.2);
    let mut at = 0.01;
    while at < end {
        let level = 0.25 + 0.5 * (at / end).powi(2);
        let stroke = level * canvas.random.range(0.8, 1.1);
        snare(canvas, character, at, stroke);
        at += 0.047 / character.rate * canvas.random.range(0.92, 1.08);
    }
    kick(canvas, character, end, 1.0);
    snare(canvas, character, end, 1.0);
    cymbal_at(canvas, character, end);
}

fn cymbal_at(canvas: &mut Canvas, character: &Character, at: f64) {
    let length = 2.2 * character.decay;
    let mut filter = StateVariable::default();
    let pitch = 410.0 * character.pitch;
    canvas.hit(at, length, |t, random| {
        // Six square waves with unrelated pitches, as in drum machines.
        let metal: f64 =
            [1.0, 1.342, 1.488, 1.85, 2.42, 2.97].iter().map(|ratio| sine(t * pitch * ratio).signum()).sum();
        let source = metal * 0.12 + random.signed() * 0.6;
        filter.step(source, 6200.0 * character.brightness.min(1.6), 0.5, RATE_F).high * fall(t, length) * 0.7
    });
}

fn cymbal(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(3.0 / character.rate) {
        cymbal_at(canvas, character, at);
    }
}

/// Returns a random tune in the scale: start times and frequencies.
fn tune(canvas: &mut Canvas, character: &Character, root: f64, step: f64) -> Vec<(f64, f64)> {
    let count = (canvas.duration / step * character.rate).round().max(1.0);
    let step = canvas.duration / count;
    let mut note = canvas.random.below(4);
    let mut notes = Vec::new();
    for index in 0..count as usize {
        if index == 0 || canvas.random.chance(0.75) {
            note = (note + canvas.random.below(5)).saturating_sub(2).min(SCALE.len() - 1);
            let ratio = SCALE.get(note).copied().unwrap_or(1.0);
            notes.push((0.01 + index as f64 * step, root * ratio * character.pitch));
        }
    }
    notes
}

fn piano(canvas: &mut Canvas, character: &Character) {
    for (at, pitch) in tune(canvas, character, 220.0, 0.3) {
        let decay = 1.6 * character.decay;
        let modes: Vec<(f64, f64, f64)> = (1..9)
            .map(|harmonic| {
                let n = f64::from(harmonic);
                // The harmonics of stiff strings are slightly too high.
                (pitch * n * (1.0 + 0.0004 * n * n).sqrt(), decay / (0.7 + 0.3 * n), 0.6 / n.powf(1.3))
            })
            .collect();
        canvas.strike(at, 0.6, &modes);
        canvas.burst(at, 0.08, 0.0008, 0.02, 1800.0 * character.brightness, 0.8);
    }
}

fn strings(canvas: &mut Canvas, character: &Character) {
    for (at, pitch) in tune(canvas, character, 164.8, 0.35) {
        // Karplus-Strong: a burst of noise in a loop that loses treble.
        let period = (RATE_F / pitch).max(2.0) as usize;
        let mut string: Vec<f64> = (0..period).map(|_| canvas.random.signed()).collect();
        let (mut place, mut last) = (0, 0.0);
        let loss = 0.9985 - 0.004 / character.decay;
        canvas.hit(at, 1.8 * character.decay, |_, _| {
            let Some(sample) = string.get_mut(place) else { return 0.0 };
            let value = *sample;
            *sample = (value + last) * 0.5 * loss;
            last = value;
            place = (place + 1) % period;
            value * 0.5
        });
    }
}

fn synth(canvas: &mut Canvas, character: &Character) {
    for (at, pitch) in tune(canvas, character, 110.0, 0.17) {
        let mut filter = StateVariable::default();
        let length = 0.3 * character.decay;
        canvas.hit(at, length, |t, _| {
            let source = saw(t * pitch) * 0.5 + saw(t * pitch * 1.006) * 0.4;
            let cutoff = (250.0 + 3600.0 * fall(t, 0.25)) * character.brightness;
            filter.step(source, cutoff, 2.5, RATE_F).low * (t * 300.0).min(1.0) * fall(t, length * 1.6)
        });
    }
}

fn fanfare(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(3.4 / character.rate) {
        for (delay, length, pitch) in
            [(0.0, 0.16, 392.0), (0.2, 0.16, 392.0), (0.4, 0.16, 392.0), (0.6, 1.3, 523.25)]
        {
            for ratio in [1.0, 1.26, 1.498] {
                let mut filter = StateVariable::default();
                let pitch = pitch * ratio * character.pitch;
                let length = length * character.decay.sqrt() / character.rate;
                canvas.hit(at + delay / character.rate, length, |t, _| {
                    let swell = (t * 22.0).min(1.0);
                    let vibrato = t * pitch + 0.012 * pitch / 60.0 * sine(t * 5.2);
                    let cutoff = (500.0 + 2600.0 * swell) * character.brightness;
                    filter.step(saw(vibrato), cutoff, 0.8, RATE_F).low * swell * 0.3
                });
            }
        }
    }
}
