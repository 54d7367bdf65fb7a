//! Sounds from films and games.

use super::{RATE_F, Recipe, fall, recipe, saw, sine, square, triangle, wander};
use crate::audio::filter::StateVariable;
use crate::sound::canvas::Canvas;
use crate::sound::character::Character;

pub(super) static RECIPES: &[Recipe] = &[
    recipe(
        "laser",
        "laser blaster raygun phaser pew lightsaber",
        "scifi sci+fi weapon gun space shoot",
        laser,
    ),
    recipe("robot", "robot android droid cyborg computing", "scifi sci+fi computer machine", robot),
    recipe(
        "spaceship",
        "spaceship ufo starship alien hyperspace warp",
        "scifi sci+fi space futuristic",
        spaceship,
    ),
    recipe(
        "teleport",
        "teleport portal powerup power+up charge materialize",
        "scifi sci+fi magic energy gaming",
        teleport,
    ),
    recipe(
        "glitch",
        "glitch static interference malfunction corrupt data digital",
        "noise electronic radio broken computer",
        glitch,
    ),
    recipe(
        "radio",
        "radio walkie static+noise tuning television white+noise noise",
        "electronic device signal",
        radio,
    ),
    recipe("coin", "coin collect pickup money cash gem", "game gaming reward arcade", coin),
    recipe("jump", "jump boing spring bounce hop", "game gaming cartoon retro arcade", jump),
    recipe("gameover", "game+over lose death defeat", "game gaming retro arcade", gameover),
    recipe("slide", "slide+whistle whistle cartoon", "funny comic comedy", slide),
];

fn laser(canvas: &mut Canvas, character: &Character) {
    let shots = character.count.unwrap_or(2);
    for at in canvas.again(shots as f64 * 0.32 / character.rate + 0.9) {
        for index in 0..shots {
            let at = at + index as f64 * 0.32 / character.rate;
            let top = canvas.random.range(2300.0, 2900.0) * character.pitch;
            let length = 0.24 * character.decay;
            canvas.glide(at, length, 0.7, (top, top * 0.07), saw);
            canvas.glide(at, length * 0.8, 0.4, (top * 1.5, top * 0.1), sine);
            canvas.burst(at, 0.3, 0.0005, 0.04, 5200.0 * character.brightness, 0.7);
        }
    }
}

fn robot(canvas: &mut Canvas, character: &Character) {
    let step = 0.11 / character.rate;
    let mut at = 0.01;
    while at < canvas.duration - step {
        if canvas.random.chance(0.78) {
            let pitch = 220.0 * character.pitch * 2f64.powf((canvas.random.unit() * 24.0).floor() / 12.0);
            let wave = if canvas.random.chance(0.5) { square } else { triangle };
            let bend = canvas.random.range(0.8, 1.3);
            canvas.glide(at, step * 0.9, 0.6, (pitch, pitch * bend), wave);
        }
        at += step;
    }
}

fn spaceship(canvas: &mut Canvas, character: &Character) {
    let mut phase = 0.0;
    let mut filter = StateVariable::default();
    let mut drift = wander(canvas, 0.7);
    let turns = (canvas.duration * 2.1 * character.rate).round().max(1.0) / canvas.duration;
    canvas.bed(|t, random| {
        let wobble = sine(t * turns);
        phase += 130.0 * character.pitch * (1.0 + 0.22 * wobble) / RATE_F;
        let source = saw(phase) * 0.4 + square(phase * 2.003) * 0.2 + random.signed() * 0.06;
        filter
            .step(source, (700.0 + 420.0 * wobble + 250.0 * drift.next()) * character.brightness, 3.0, RATE_F)
            .low
    });
}

fn teleport(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(2.6 / character.rate) {
        let length = (1.5 * character.decay / character.rate).min(canvas.duration);
        let mut phases = [0.0f64; 3];
        let mut filter = StateVariable::default();
        canvas.hit(at, length, |t, random| {
            let part = (t / length).min(1.0);
            let pitch = 170.0 * character.pitch * 2f64.powf(3.6 * part);
            let tremolo = 0.6 + 0.4 * sine(t * (8.0 + 30.0 * part));
            let mut tones = 0.0;
            for (phase, ratio) in phases.iter_mut().zip([1.0, 1.26, 1.5]) {
                *phase += pitch * ratio / RATE_F;
                tones += triangle(*phase) * 0.3;
            }
            let air =
                filter.step(random.signed(), pitch * 4.0 * character.brightness, 3.0, RATE_F).band * part;
            (tones * tremolo + air * 0.5) * (part * 12.0).min(1.0) * (1.0 - part.powi(6))
        });
    }
}

fn glitch(canvas: &mut Canvas, character: &Character) {
    let mut at = 0.01;
    while at < canvas.duration - 0.02 {
        let length = canvas.random.range(0.012, 0.11) / character.rate;
        match canvas.random.below(4) {
            0 => {
                let pitch = canvas.random.range(150.0, 3200.0) * character.pitch;
                canvas.tone(at, length, 0.6, pitch, square);
            }
            1 => {
                // Sample and hold: noise with few values per second.
                let hold = canvas.random.range(20.0, 400.0);
                let (mut held, mut left) = (0.0, 0.0);
                canvas.hit(at, length, |_, random| {
                    left -= 1.0;
                    if left <= 0.0 {
                        (held, left) = (random.signed(), hold / 8.0);
                    }
                    held * 0.55
                });
            }
            2 => {
                let frequency = canvas.random.range(800.0, 6000.0) * character.brightness;
                for index in 0..5 {
                    canvas.burst(at + length * f64::from(index) * 0.2, 0.6, 0.0003, 0.01, frequency, 1.5);
                }
            }
            _ => {}
        }
        at += length * canvas.random.range(0.9, 1.8);
    }
}

fn radio(canvas: &mut Canvas, character: &Character) {
    let mut fade = wander(canvas, 2.5 * character.rate);
    let mut tune = wander(canvas, 0.9 * character.rate);
    let mut filter = StateVariable::default();
    let mut phase = 0.0;
    canvas.bed(|_, random| {
        let fade = fade.next();
        phase += (900.0 + 700.0 * tune.next()) * character.pitch / RATE_F;
        let crackle = if random.chance(0.0006) { random.signed() * 3.0 } else { 0.0 };
        let noise = random.signed() * (0.7 + 0.3 * fade) + crackle;
        filter.step(noise, 2100.0 * character.brightness, 0.5, RATE_F).band
            + sine(phase) * 0.06 * fade.max(0.0)
    });
}

fn coin(canvas: &mut Canvas, character: &Character) {
    let coins = character.count.unwrap_or(1);
    for at in canvas.again(coins as f64 * 0.3 / character.rate + 1.0) {
        for index in 0..coins {
            let at = at + index as f64 * 0.3 / character.rate;
            let (first, second) = (987.8 * character.pitch, 1318.5 * character.pitch);
            canvas.tone(at, 0.08, 0.5, first, square);
            let length = 0.5 * character.decay;
            canvas.hit(at + 0.08, length, |t, _| square(t * second) * 0.5 * fall(t, length * 1.3));
        }
    }
}

fn jump(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(1.2 / character.rate) {
        let length = 0.32 * character.decay / character.rate.sqrt();
        let pitch = 210.0 * character.pitch;
        let mut phase = 0.0;
        canvas.hit(at, length, |t, _| {
            let part = (t / length).min(1.0);
            phase += pitch * (1.0 + 2.6 * part) * (1.0 + 0.08 * sine(t * 28.0)) / RATE_F;
            (square(phase) * 0.4 + sine(phase) * 0.4) * (t * 200.0).min(1.0) * (1.0 - part).powf(0.7)
        });
    }
}

fn gameover(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(3.4 / character.rate) {
        for (index, pitch) in [523.25, 493.88, 466.16, 440.0, 329.63].into_iter().enumerate() {
            let length = if index == 4 { 0.9 } else { 0.2 } / character.rate;
            let at = at + index as f64 * 0.24 / character.rate;
            canvas.glide(at, length, 0.5, (pitch * character.pitch, pitch * character.pitch * 0.97), square);
        }
    }
}

fn slide(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(1.8 / character.rate) {
        let length = 0.9 * character.decay / character.rate;
        let rising = canvas.random.chance(0.5);
        let (from, to) = if rising { (520.0, 1900.0) } else { (1900.0, 520.0) };
        canvas.glide(at, length, 0.8, (from * character.pitch, to * character.pitch), sine);
        canvas.burst(at, 0.05, 0.05, length, 2500.0 * character.brightness, 0.7);
    }
}
