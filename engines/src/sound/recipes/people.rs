//! Sounds of human bodies and crowds.

use super::{RATE_F, Recipe, fall, recipe, saw, sine, wander};
use crate::audio::filter::{Resonator, StateVariable};
use crate::audio::noise::Pink;
use crate::sound::canvas::Canvas;
use crate::sound::character::Character;

pub(super) static RECIPES: &[Recipe] = &[
    recipe(
        "footsteps",
        "footstep step walk walking foot shoe boot heel running march",
        "stairs floor gravel corridor",
        footsteps,
    ),
    recipe("heartbeat", "heartbeat heart pulse", "medical tension", heartbeat),
    recipe("applause", "applause clap clapping ovation audience", "crowd theater concert cheer", applause),
    recipe(
        "crowd",
        "crowd chatter people murmur restaurant cafe babble market talking voices",
        "city bar office school party human",
        crowd,
    ),
    recipe("breath", "breath breathing sigh gasp exhale inhale pant snore", "human sleep", breath),
    recipe("punch", "punch kick slap hit fight fist smack", "combat boxing", punch),
    recipe("cloth", "cloth clothing fabric zipper rustling+clothes jacket", "paper", cloth),
];

fn footsteps(canvas: &mut Canvas, character: &Character) {
    let period = 0.56 / character.rate;
    for (index, at) in canvas.rhythm(period, 0.04).into_iter().enumerate() {
        let level = if index % 2 == 0 { 1.0 } else { 0.85 } * canvas.random.range(0.85, 1.1);
        let body = 95.0 * character.pitch * if index % 2 == 0 { 1.0 } else { 1.06 };
        // The heel, the rolling sole, and the grit below.
        canvas.strike(
            at,
            0.8 * level,
            &[(body, 0.12, 1.0), (body * 2.3, 0.06, 0.5), (body * 4.1, 0.03, 0.3)],
        );
        canvas.burst(at, 0.45 * level, 0.0008, 0.035, 1900.0 * character.brightness, 0.7);
        canvas.burst(
            at + 0.07 / character.rate,
            0.28 * level,
            0.012,
            0.09,
            2600.0 * character.brightness,
            0.6,
        );
        if character.metal > 0.05 {
            canvas.strike(
                at,
                0.3 * level * character.metal,
                &[(410.0, 0.5, 1.0), (977.0, 0.4, 0.7), (1723.0, 0.3, 0.5)],
            );
        }
        for _ in 0..3 {
            let later = at + canvas.random.range(0.02, 0.14);
            let frequency = canvas.random.range(2500.0, 6000.0);
            canvas.burst(later, 0.1 * level, 0.0005, 0.01, frequency * character.brightness, 1.5);
        }
    }
}

fn heartbeat(canvas: &mut Canvas, character: &Character) {
    for at in canvas.rhythm(0.86 / character.rate, 0.015) {
        for (delay, pitch, gain) in [(0.0, 52.0, 1.0), (0.29 / character.rate.sqrt(), 66.0, 0.7)] {
            let pitch = pitch * character.pitch;
            let length = 0.19 * character.decay.sqrt();
            let mut phase = 0.0;
            canvas.hit(at + delay, length, |t, _| {
                phase += pitch * (1.0 + 0.8 * fall(t, 0.06)) / RATE_F;
                (sine(phase) + 0.35 * sine(phase * 2.0)) * gain * (t * 140.0).min(1.0) * fall(t, length)
            });
            canvas.burst(at + delay, 0.12 * gain, 0.006, 0.08, 210.0 * character.brightness, 0.8);
        }
    }
}

fn applause(canvas: &mut Canvas, character: &Character) {
    let people = (26.0 * character.intensity).clamp(3.0, 90.0) as usize;
    for _ in 0..people {
        let period = canvas.random.range(0.2, 0.34) / character.rate;
        let frequency = canvas.random.range(900.0, 2300.0) * character.pitch;
        let level = canvas.random.unit().powi(2) * 0.5 + 0.08;
        let start = canvas.random.unit() * period;
        for at in canvas.rhythm(period, 0.12) {
            canvas.burst(at + start, level, 0.0012, 0.035, frequency * character.brightness, 1.1);
        }
    }
    let mut pink = Pink::default();
    let mut filter = StateVariable::default();
    canvas.bed(|_, random| filter.step(pink.next(random), 1500.0, 0.6, RATE_F).band * 0.2);
}

fn crowd(canvas: &mut Canvas, character: &Character) {
    // Meaningless voices: saw-tooth waves with wandering vowels and pauses.
    let voices = (9.0 * character.intensity.sqrt()).clamp(3.0, 18.0) as usize;
    for _ in 0..voices {
        let pitch = if canvas.random.chance(0.5) { 115.0 } else { 205.0 } * canvas.random.range(0.85, 1.2);
        let mut open = wander(canvas, 5.5 * character.rate);
        let mut front = wander(canvas, 4.2 * character.rate);
        let mut melody = wander(canvas, 1.8);
        let mut pauses = wander(canvas, 0.9);
        let mut syllables = wander(canvas, 9.0 * character.rate);
        let mut formants = [Resonator::default(), Resonator::default()];
        let level = canvas.random.range(0.3, 1.0);
        let (mut phase, mut count) = (0.0, 0u32);
        canvas.bed(|_, random| {
            phase += pitch * character.pitch * (1.0 + 0.16 * melody.next()) / RATE_F;
            let (open, front) = (open.next(), front.next());
            if count.is_multiple_of(64) {
                let [first, second] = &mut formants;
                first.tune(480.0 + 230.0 * open, 90.0, RATE_F);
                second.tune(1450.0 + 600.0 * front, 120.0, RATE_F);
            }
            count = count.wrapping_add(1);
            let talks = (pauses.next() * 4.0 + 1.5).clamp(0.0, 1.0) * (0.5 + 0.6 * syllables.next()).max(0.0);
            let source = saw(phase) * 0.3 + 0.08 * random.signed();
            formants.iter_mut().fold(source, |value, formant| formant.step(value)) * talks * level * 0.2
        });
    }
    let mut pink = Pink::default();
    let mut filter = StateVariable::default();
    canvas.bed(|_, random| {
        filter.step(pink.next(random), 500.0 * character.brightness, 0.5, RATE_F).low * 0.15
    });
}

fn breath(canvas: &mut Canvas, character: &Character) {
    let period = 3.2 / character.rate;
    for at in canvas.rhythm(period, 0.06) {
        for (delay, length, frequency, gain) in [(0.0, 0.36, 1750.0, 0.7), (0.44, 0.46, 1150.0, 1.0)] {
            let length = length * period;
            let mut filters = [StateVariable::default(), StateVariable::default()];
            canvas.hit(at + delay * period, length, |t, random| {
                let envelope = (std::f64::consts::PI * (t / length).min(1.0)).sin().powf(1.5);
                let noise = random.signed();
                let [mouth, throat] = &mut filters;
                let high =
                    mouth.step(noise, frequency * character.pitch * (0.9 + 0.2 * envelope), 1.8, RATE_F).band;
                let low = throat.step(noise, 520.0 * character.pitch, 1.2, RATE_F).band;
                (high + 0.5 * low) * envelope * gain
            });
        }
    }
}

fn punch(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(1.4 / character.rate) {
        for index in 0..character.count.unwrap_or(1) {
            let at = at + 0.09 + index as f64 * 0.4 / character.rate;
            canvas.burst(at - 0.08, 0.2, 0.06, 0.05, 900.0 * character.brightness, 0.8);
            canvas.burst(at, 1.0, 0.0008, 0.06, 1300.0 * character.brightness, 0.6);
            canvas.burst(at, 0.9, 0.002, 0.16 * character.decay, 260.0 * character.pitch, 0.7);
            canvas.glide(
                at,
                0.16 * character.decay,
                0.9,
                (150.0 * character.pitch, 52.0 * character.pitch),
                sine,
            );
        }
    }
}

fn cloth(canvas: &mut Canvas, character: &Character) {
    let mut stroke = wander(canvas, 3.2 * character.rate);
    let mut grain = wander(canvas, 45.0 * character.rate);
    let mut filter = StateVariable::default();
    canvas.bed(|_, random| {
        let level = stroke.next().max(0.0).powf(1.3) * (0.6 + 0.4 * grain.next());
        filter.step(random.signed(), (2600.0 + 1500.0 * level) * character.brightness, 0.7, RATE_F).band
            * level
    });
}
