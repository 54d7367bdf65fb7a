//! Transitions between scenes, and ambience below scenes.

use super::{RATE_F, Recipe, fall, recipe, saw, sine, wander};
use crate::audio::filter::StateVariable;
use crate::audio::noise::{Brown, Pink};
use crate::sound::canvas::Canvas;
use crate::sound::character::Character;

pub(super) static RECIPES: &[Recipe] = &[
    recipe(
        "whoosh",
        "whoosh swoosh swish swipe whip swing flyby sweep",
        "transition fast pass arrow throw",
        whoosh,
    ),
    recipe(
        "riser",
        "riser rise uplifter buildup build+up crescendo tension",
        "transition cinematic intro suspense",
        riser,
    ),
    recipe(
        "downer",
        "downer downlifter drop+down fall+down sub+drop powerdown",
        "transition outro falling",
        downer,
    ),
    recipe(
        "drone",
        "drone atmosphere pad soundscape horror ghost eerie",
        "ambience dark haunted space ominous spooky",
        drone,
    ),
    recipe(
        "shimmer",
        "shimmer sparkle magic fairy spell twinkle glitter chimes enchant",
        "fantasy dream wand transition",
        shimmer,
    ),
    recipe(
        "roomtone",
        "room+tone ambience ambient silence hall office",
        "room interior quiet indoor air",
        roomtone,
    ),
    recipe("city", "city traffic street urban highway town", "car people ambience road", city),
];

fn whoosh(canvas: &mut Canvas, character: &Character) {
    let length = (0.9 * character.decay / character.rate).min(canvas.duration.max(0.3));
    for at in canvas.again(length + 0.5) {
        let mut filter = StateVariable::default();
        let mut pink = Pink::default();
        canvas.hit(at, length, |t, random| {
            let part = (t / length).min(1.0);
            let near = (std::f64::consts::PI * part.powf(0.8)).sin().powi(2);
            // It comes high and leaves low, like an object that flies past.
            let cutoff =
                (260.0 + 2600.0 * near * (1.25 - 0.7 * part)) * character.pitch * character.brightness;
            let noise = pink.next(random) + 0.4 * random.signed();
            filter.step(noise, cutoff, 1.3, RATE_F).band * near * 1.2
        });
    }
}

fn riser(canvas: &mut Canvas, character: &Character) {
    let length = (canvas.duration - 0.06).max(0.3);
    let mut filter = StateVariable::default();
    let mut phases = [0.0f64; 3];
    canvas.hit(0.01, length, |t, random| {
        let part = (t / length).min(1.0);
        let pitch = 90.0 * character.pitch * 2f64.powf(3.0 * part);
        let mut tones = 0.0;
        for (phase, detune) in phases.iter_mut().zip([1.0, 1.007, 1.498]) {
            *phase += pitch * detune / RATE_F;
            tones += saw(*phase) * 0.2;
        }
        let cutoff = (250.0 + 6500.0 * part * part) * character.brightness;
        let pulse = 1.0 - 0.35 * part * (0.5 + 0.5 * sine(t * (3.0 + 9.0 * part) * character.rate));
        filter.step(tones + 0.5 * random.signed() * part, cutoff, 1.2, RATE_F).low * part.powf(1.6) * pulse
    });
}

fn downer(canvas: &mut Canvas, character: &Character) {
    let length = (canvas.duration * 0.9).min(4.0 * character.decay);
    let mut filter = StateVariable::default();
    let mut phase = 0.0;
    canvas.hit(0.01, length, |t, random| {
        let part = (t / length).min(1.0);
        phase += 420.0 * character.pitch * 2f64.powf(-4.0 * part) / RATE_F;
        let cutoff = (200.0 + 5200.0 * (1.0 - part).powi(2)) * character.brightness;
        let noise = random.signed() * 0.4 * (1.0 - part);
        filter.step(saw(phase) * 0.5 + sine(phase * 0.5) + noise, cutoff, 1.0, RATE_F).low
            * (1.0 - part).powf(0.8)
    });
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
    let mut brown = Brown::default();
    canvas.bed(|_, random| brown.next(random) * 0.15);
}

fn shimmer(canvas: &mut Canvas, character: &Character) {
    const SCALE: [f64; 6] = [1.0, 1.125, 1.25, 1.5, 1.6667, 2.0];
    let rises = canvas.again(2.4 / character.rate);
    for at in rises {
        let notes = (18.0 * character.intensity.sqrt()) as usize;
        for index in 0..notes {
            let octave = 1.0 + (index as f64 / notes as f64 * 2.0).floor();
            let step = canvas.random.pick(&SCALE).copied().unwrap_or(1.0);
            let pitch = 1046.5 * character.pitch * step * octave / 1.2;
            let later = at + index as f64 * 0.055 / character.rate + canvas.random.range(0.0, 0.03);
            let decay = 0.8 * character.decay;
            canvas.strike(
                later,
                0.3,
                &[(pitch, decay, 1.0), (pitch * 2.0, decay * 0.5, 0.3), (pitch * 3.01, decay * 0.3, 0.15)],
            );
        }
    }
}

fn roomtone(canvas: &mut Canvas, character: &Character) {
    let mut brown = Brown::default();
    let mut pink = Pink::default();
    let mut filter = StateVariable::default();
    let mut drift = wander(canvas, 0.3);
    canvas.bed(|t, random| {
        let air = filter.step(pink.next(random), 700.0 * character.brightness, 0.5, RATE_F).low;
        let mains = sine(t * 100.0 * character.pitch) * 0.012 + sine(t * 200.0 * character.pitch) * 0.005;
        (brown.next(random) * 0.5 + air * 0.4) * (1.0 + 0.1 * drift.next()) + mains
    });
}

fn city(canvas: &mut Canvas, character: &Character) {
    let mut brown = Brown::default();
    let mut pink = Pink::default();
    let mut filter = StateVariable::default();
    let mut drift = wander(canvas, 0.5);
    canvas.bed(|_, random| {
        let far = filter.step(pink.next(random), 480.0 * character.brightness, 0.5, RATE_F).low;
        (brown.next(random) * 0.7 + far * 0.5) * (1.0 + 0.2 * drift.next())
    });
    for at in canvas.moments(0.5 * character.intensity * character.rate) {
        let length = canvas.random.range(2.0, 3.5);
        let pitch = canvas.random.range(70.0, 110.0) * character.pitch;
        let level = canvas.random.range(0.2, 0.7);
        let mut filter = StateVariable::default();
        let mut phase = 0.0;
        canvas.hit(at, length, |t, random| {
            let part = t / length;
            let near = (std::f64::consts::PI * part.min(1.0)).sin().powi(2);
            phase += pitch * (1.06 - 0.12 * part) / RATE_F;
            let noise = random.signed() * 0.8 + saw(phase) * 0.3;
            filter.step(noise, 300.0 + 900.0 * near, 0.6, RATE_F).low * near * level
        });
    }
    for at in canvas.moments(0.12 * character.intensity) {
        for pitch in [415.0, 523.0] {
            canvas.tone(at, 0.35, 0.06 * fall(0.0, 1.0), pitch * character.pitch, saw);
        }
    }
}
