//! Collisions, breaking things and explosions.

use super::{RATE_F, Recipe, fall, recipe, sine, wander};
use crate::audio::filter::StateVariable;
use crate::audio::noise::Brown;
use crate::sound::canvas::Canvas;
use crate::sound::character::Character;

pub(super) static RECIPES: &[Recipe] = &[
    recipe(
        "explosion",
        "explosion explode bomb blast detonation grenade dynamite kaboom firework",
        "crash weapon warfare war",
        explosion,
    ),
    recipe(
        "gunshot",
        "gun gunshot rifle pistol shotgun shot gunfire cannon",
        "weapon warfare shoot firing",
        gunshot,
    ),
    recipe(
        "impact",
        "impact boom thud slam braam cinematic+impact collision",
        "cinematic trailer fall crash hit",
        impact,
    ),
    recipe("glass", "glass shatter window+break bottle+break", "break smash crash", glass),
    recipe(
        "metal",
        "clang clank anvil hammer sword blade chain clash pipe metal+hit",
        "weapon fight metal metallic",
        metal,
    ),
    recipe("wood", "wood+hit plank woodblock log chop axe", "wooden wood", wood),
    recipe(
        "debris",
        "debris rubble rock rockslide avalanche stone collapse earthquake landslide crumble",
        "crash fall destruction",
        debris,
    ),
    recipe("crash", "crash smash wreck car+crash", "collision accident destruction", crash),
];

fn explosion(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(6.0 / character.rate) {
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
        scatter(canvas, character, at + 0.25, length * 0.6, 40.0);
    }
}

/// Adds pieces that fall and come to rest.
fn scatter(canvas: &mut Canvas, character: &Character, from: f64, length: f64, pieces: f64) {
    for _ in 0..(pieces * character.intensity) as usize {
        let late = canvas.random.unit().powf(1.6);
        let frequency = canvas.random.range(500.0, 3200.0) * character.pitch * character.brightness.sqrt();
        let gain = 0.22 * (1.0 - late) * canvas.random.unit();
        canvas.burst(from + late * length, gain, 0.001, 0.04, frequency, 2.0);
    }
}

fn gunshot(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(1.8 / character.rate) {
        for index in 0..character.count.unwrap_or(1) {
            let at = at + index as f64 * 0.28 / character.rate;
            canvas.burst(at, 1.6, 0.0003, 0.03, 4200.0 * character.brightness, 0.4);
            canvas.burst(at, 1.2, 0.0008, 0.16 * character.decay, 900.0 * character.brightness, 0.5);
            canvas.burst(at + 0.004, 0.9, 0.002, 0.5 * character.decay, 280.0 * character.pitch, 0.6);
            canvas.burst(at + 0.05, 0.18, 0.02, 1.3 * character.decay, 700.0, 0.4);
        }
    }
}

fn impact(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(4.0 / character.rate) {
        for index in 0..character.count.unwrap_or(1) {
            let at = at + index as f64 * 0.9 / character.rate;
            let length = 2.4 * character.decay;
            canvas.glide(at, length, 1.0, (92.0 * character.pitch, 34.0 * character.pitch), sine);
            canvas.burst(at, 1.0, 0.0008, 0.09, 1500.0 * character.brightness, 0.5);
            canvas.burst(at, 0.9, 0.003, 0.7 * character.decay, 190.0 * character.pitch, 0.6);
            canvas.burst(at + 0.01, 0.16, 0.03, length, 520.0 * character.brightness, 0.4);
            if character.metal > 0.05 {
                ring(canvas, at, 0.5 * character.metal, 180.0 * character.pitch, 2.6 * character.decay);
            }
        }
    }
}

/// Adds a ringing plate or bar of metal.
fn ring(canvas: &mut Canvas, at: f64, gain: f64, pitch: f64, decay: f64) {
    let modes: Vec<(f64, f64, f64)> = [1.0, 1.52, 2.76, 3.41, 5.4, 6.87, 8.93, 11.3, 13.34]
        .iter()
        .enumerate()
        .map(|(index, ratio)| {
            let detune = canvas.random.range(0.985, 1.015);
            (pitch * ratio * detune, decay / (1.0 + 0.35 * index as f64), 0.5 / (1.0 + 0.4 * index as f64))
        })
        .collect();
    canvas.strike(at, gain, &modes);
}

fn metal(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(2.2 / character.rate) {
        for index in 0..character.count.unwrap_or(1) {
            let at = at + index as f64 * 0.55 / character.rate;
            let pitch = canvas.random.range(380.0, 520.0) * character.pitch;
            canvas.burst(at, 0.5, 0.0004, 0.02, 5000.0 * character.brightness, 0.6);
            ring(canvas, at, 1.0, pitch, 1.9 * character.decay);
        }
    }
}

fn wood(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(1.6 / character.rate) {
        for index in 0..character.count.unwrap_or(1) {
            let at = at + index as f64 * 0.4 / character.rate;
            let pitch = canvas.random.range(260.0, 330.0) * character.pitch;
            let decay = 0.13 * character.decay;
            canvas.strike(
                at,
                1.0,
                &[(pitch, decay, 1.0), (pitch * 2.42, decay * 0.6, 0.6), (pitch * 4.3, decay * 0.4, 0.35)],
            );
            canvas.burst(at, 0.5, 0.0005, 0.03, 1500.0 * character.brightness, 0.7);
        }
    }
}

fn glass(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(3.2 / character.rate) {
        canvas.burst(at, 1.0, 0.0004, 0.05, 5200.0 * character.brightness, 0.5);
        canvas.burst(at, 0.5, 0.001, 0.09, 900.0 * character.pitch, 0.7);
        for _ in 0..(46.0 * character.intensity.sqrt()) as usize {
            let late = canvas.random.unit().powi(3);
            let pitch = canvas.random.range(1900.0, 6800.0) * character.pitch;
            let decay = canvas.random.range(0.06, 0.3) * character.decay;
            let gain = 0.3 * (1.0 - late).powi(2) * canvas.random.range(0.2, 1.0) + 0.03;
            canvas.strike(
                at + late * 1.3,
                gain,
                &[(pitch, decay, 1.0), (pitch * 1.83, decay * 0.7, 0.5), (pitch * 2.61, decay * 0.5, 0.3)],
            );
        }
    }
}

fn debris(canvas: &mut Canvas, character: &Character) {
    let mut brown = Brown::default();
    let mut filter = StateVariable::default();
    let mut roll = wander(canvas, 6.0 * character.rate);
    canvas.bed(|_, random| {
        filter.step(brown.next(random) * 2.0, 180.0 * character.pitch, 0.8, RATE_F).low
            * (0.7 + 0.3 * roll.next())
    });
    for at in canvas.moments(34.0 * character.intensity * character.rate) {
        let size = canvas.random.unit().powi(2);
        let pitch = (230.0 + 1500.0 * (1.0 - size)) * character.pitch;
        canvas.strike(at, 0.4 * size, &[(pitch, 0.05, 1.0), (pitch * 1.9, 0.03, 0.6)]);
        canvas.burst(
            at,
            0.12 + 0.5 * size,
            0.001,
            0.03 + 0.05 * size,
            pitch * 1.6 * character.brightness,
            0.9,
        );
    }
}

fn crash(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(4.0 / character.rate) {
        canvas.burst(at, 1.3, 0.0008, 0.3, 800.0 * character.brightness, 0.4);
        canvas.glide(at, 0.6, 0.9, (110.0 * character.pitch, 38.0 * character.pitch), sine);
        for index in 0..6 {
            let later = at + canvas.random.unit() * 0.3;
            let pitch = canvas.random.range(160.0, 900.0) * character.pitch;
            ring(canvas, later, 0.35 / f64::from(1 + index), pitch, 0.8 * character.decay);
        }
        scatter(canvas, character, at + 0.1, 1.6 * character.decay, 60.0);
    }
}
