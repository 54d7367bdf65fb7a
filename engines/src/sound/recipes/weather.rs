//! Weather and water.

use super::{RATE_F, Recipe, fall, recipe, sine, wander};
use crate::audio::filter::{OnePole, StateVariable};
use crate::audio::noise::{Brown, Pink};
use crate::sound::canvas::Canvas;
use crate::sound::character::Character;

pub(super) static RECIPES: &[Recipe] = &[
    recipe(
        "rain",
        "rain raindrop drizzle shower downpour rainfall rainstorm monsoon",
        "storm weather wet umbrella",
        rain,
    ),
    recipe("thunder", "thunder thunderstorm lightning thunderclap", "storm", thunder),
    recipe(
        "wind",
        "wind breeze gale gust windy blizzard hurricane tornado",
        "storm desert air howling",
        wind,
    ),
    recipe("sea", "sea ocean wave surf beach shore seashore tide", "coast sailing harbor", sea),
    recipe(
        "stream",
        "stream river brook creek waterfall fountain faucet tap pouring pour",
        "water flowing running",
        stream,
    ),
    recipe("drops", "drip drop droplet dripping waterdrop leak", "water cave", drops),
    recipe("bubbles", "bubble bubbling boil boiling gurgle underwater simmer", "water potion soup", bubbles),
    recipe("splash", "splash dive plunge splashing", "water pool jump", splash),
    recipe(
        "fire",
        "fire campfire flame bonfire fireplace crackle crackling burning burn",
        "hearth wood torch",
        fire,
    ),
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
        let gain = 0.05 + 0.35 * size;
        canvas.burst(at, gain, 0.0008, 0.012 + 0.05 * size * character.decay, frequency, 2.5);
        if character.metal > 0.05 && size > 0.1 {
            let ring = frequency * 0.45;
            canvas.strike(
                at,
                0.22 * size * character.metal,
                &[(ring, 0.2, 1.0), (ring * 2.76, 0.12, 0.6), (ring * 5.4, 0.06, 0.3)],
            );
        }
    }
}

fn thunder(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(7.0 / character.rate) {
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
            let envelope = (t / 0.15).min(1.0) * fall(t, length);
            let rolling = 0.65 + 0.35 * roll.next();
            let cutoff = (70.0 + 260.0 * fall(t, 2.0)) * character.pitch.sqrt() * character.brightness;
            filter.step(brown.next(random) * 3.0, cutoff, 0.7, RATE_F).low * envelope * rolling * 2.2
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
        let tone = (420.0 + 680.0 * gust) * character.pitch;
        let howl = whistle.step(noise, tone, 9.0, RATE_F).band * 2.0;
        (0.25 + gust) * roar + (gust * gust * force) * howl
    });
}

fn sea(canvas: &mut Canvas, character: &Character) {
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
            let rise = (t / crest).min(1.0).powf(2.2);
            let back = fall((t - crest).max(0.0), period * 1.0);
            let foam = (rise * back).powf(0.8);
            let cutoff = (350.0 + 5200.0 * foam) * character.brightness;
            let noise = pink.next(random) + 0.25 * random.signed();
            filter.step(noise, cutoff, 0.55, RATE_F).low * rise * back * height
        });
    }
}

fn stream(canvas: &mut Canvas, character: &Character) {
    let mut pink = Pink::default();
    let mut filter = StateVariable::default();
    let mut flow = wander(canvas, 1.5);
    canvas.bed(|_, random| {
        let cutoff = (1100.0 + 400.0 * flow.next()) * character.brightness;
        filter.step(pink.next(random), cutoff, 0.5, RATE_F).band * 0.45 * character.intensity.sqrt()
    });
    for at in canvas.moments(55.0 * character.intensity * character.rate) {
        let frequency = canvas.random.range(350.0, 1900.0) * character.pitch;
        let gain = 0.16 * canvas.random.unit();
        bubble(canvas, at, frequency, gain, 0.05);
    }
}

/// Adds an air bubble: a sine that rises while it fades.
fn bubble(canvas: &mut Canvas, at: f64, frequency: f64, gain: f64, length: f64) {
    let mut phase = 0.0;
    canvas.hit(at, length, |t, _| {
        phase += frequency * (1.0 + 0.9 * t / length) / RATE_F;
        sine(phase) * gain * fall(t, length) * (t * 900.0).min(1.0)
    });
}

fn drops(canvas: &mut Canvas, character: &Character) {
    for at in canvas.rhythm(0.85 / (character.rate * character.intensity.sqrt()), 0.4) {
        let frequency = canvas.random.range(750.0, 1500.0) * character.pitch;
        canvas.burst(at, 0.25, 0.0005, 0.02, 4200.0 * character.brightness, 1.0);
        bubble(canvas, at + 0.012, frequency, 0.7, 0.11 * character.decay);
        if canvas.random.chance(0.6) {
            bubble(canvas, at + 0.06, frequency * 1.35, 0.25, 0.07 * character.decay);
        }
    }
}

fn bubbles(canvas: &mut Canvas, character: &Character) {
    let mut brown = Brown::default();
    let mut low = OnePole::new(300.0 * character.brightness, RATE_F);
    canvas.bed(|_, random| low.low(brown.next(random)) * 0.12);
    for at in canvas.moments(16.0 * character.intensity * character.rate) {
        let size = canvas.random.range(0.3, 1.0);
        let length = (0.04 + 0.12 * size) * character.decay.sqrt();
        bubble(canvas, at, (260.0 + 600.0 * (1.0 - size)) * character.pitch, 0.35 * size, length);
    }
}

fn splash(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(3.0 / character.rate) {
        let weight = character.intensity.sqrt();
        canvas.burst(at, 0.9 * weight, 0.006, 0.28, 420.0 * character.pitch, 0.6);
        let mut filter = StateVariable::default();
        let length = 1.3 * character.decay;
        canvas.hit(at, length, |t, random| {
            let cutoff = (1200.0 + 4200.0 * fall(t, 0.8)) * character.brightness;
            let envelope = (t / 0.03).min(1.0) * fall(t, length);
            filter.step(random.signed(), cutoff, 0.6, RATE_F).band * envelope * 0.9
        });
        for _ in 0..(24.0 * weight) as usize {
            let later = at + 0.12 + canvas.random.unit().powi(2) * length;
            let frequency = canvas.random.range(500.0, 2200.0) * character.pitch;
            bubble(canvas, later, frequency, 0.12, 0.05);
        }
    }
}

fn fire(canvas: &mut Canvas, character: &Character) {
    let mut brown = Brown::default();
    let mut flicker = wander(canvas, 7.0 * character.rate);
    let mut filter = StateVariable::default();
    let mut air = OnePole::new(900.0 * character.brightness, RATE_F);
    let mut pink = Pink::default();
    canvas.bed(|_, random| {
        let level = 0.7 + 0.3 * flicker.next();
        let roar = filter.step(brown.next(random), 160.0, 0.7, RATE_F).low * 1.1;
        (roar + air.low(pink.next(random)) * 0.25) * level * character.intensity.sqrt() * 0.6
    });
    for at in canvas.moments(14.0 * character.rate * character.intensity) {
        let size = canvas.random.unit().powi(4);
        let frequency = canvas.random.range(1200.0, 5200.0) * character.pitch * (1.0 - 0.6 * size);
        let decay = 0.006 + 0.05 * size * character.decay;
        canvas.burst(at, 0.15 + 0.9 * size, 0.0004, decay, frequency, 1.2);
    }
}
