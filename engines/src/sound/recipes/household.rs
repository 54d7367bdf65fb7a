//! Doors, clocks and other household objects.

use super::{RATE_F, Recipe, fall, recipe, saw, wander};
use crate::audio::filter::StateVariable;
use crate::sound::canvas::Canvas;
use crate::sound::character::Character;

pub(super) static RECIPES: &[Recipe] = &[
    recipe("knock", "knock knocking door+knock rap", "door visitor", knock),
    recipe("creak", "creak creaky squeak squeaky hinge door+open", "door haunted old floor", creak),
    recipe("door", "door door+close door+slam gate cupboard drawer", "house household room close open", door),
    recipe("clock", "clock tick tick+tock ticking stopwatch metronome watch", "time timer countdown", clock),
    recipe("lock", "lock latch key+turn unlock bolt switch lever", "door key mechanism household", lock),
    recipe("paper", "paper page book newspaper crumple tear rip", "writing office library", paper),
    recipe("dishes", "dishes plate cup cutlery fork spoon cook", "kitchen dinner household object", dishes),
];

fn knock(canvas: &mut Canvas, character: &Character) {
    let knocks = character.count.unwrap_or(3);
    let step = 0.24 / character.rate;
    for at in canvas.again((knocks as f64 * step + 1.6).max(2.2)) {
        for index in 0..knocks {
            let at = at + index as f64 * step + canvas.random.range(0.0, 0.012);
            let level = canvas.random.range(0.85, 1.0) * if index == 0 { 0.9 } else { 1.0 };
            panel(canvas, character, at, level);
        }
    }
}

/// Adds a blow on a door: the panel and the knuckle.
fn panel(canvas: &mut Canvas, character: &Character, at: f64, level: f64) {
    let body = 135.0 * character.pitch;
    let decay = 0.16 * character.decay;
    canvas.strike(
        at,
        level,
        &[
            (body, decay, 1.0),
            (body * 1.71, decay * 0.8, 0.7),
            (body * 2.93, decay * 0.5, 0.5),
            (body * 4.6, decay * 0.3, 0.3),
        ],
    );
    canvas.burst(at, 0.5 * level, 0.0006, 0.022, 1700.0 * character.brightness, 0.8);
    if character.metal > 0.05 {
        let ring = 0.9 * character.decay;
        canvas.strike(
            at,
            0.4 * level * character.metal,
            &[
                (313.0, ring, 1.0),
                (871.0, ring * 0.8, 0.8),
                (1567.0, ring * 0.6, 0.5),
                (2741.0, ring * 0.4, 0.4),
            ],
        );
    }
}

fn creak(canvas: &mut Canvas, character: &Character) {
    let length = 1.6 * character.decay / character.rate;
    for at in canvas.again(length + 0.8) {
        // Stick and slip: pulses at a varying rate, each of which makes the wood ring.
        let mut speed = wander(canvas, 3.0);
        let mut tone = wander(canvas, 1.7);
        let mut bands = [StateVariable::default(), StateVariable::default(), StateVariable::default()];
        let mut phase = 0.0;
        canvas.hit(at, length, |t, random| {
            let part = t / length;
            let pulses = (45.0 + 75.0 * part + 38.0 * speed.next()) * character.rate.sqrt();
            phase += pulses / RATE_F;
            let slip = if phase >= 1.0 {
                phase -= 1.0;
                9.0 + 3.0 * random.signed()
            } else {
                0.02 * random.signed()
            };
            let shift = character.pitch * (1.0 + 0.1 * tone.next());
            let ringing: f64 = bands
                .iter_mut()
                .zip([640.0, 1130.0, 2150.0])
                .map(|(band, frequency)| {
                    band.step(slip, frequency * shift * character.brightness.sqrt(), 16.0, RATE_F).band
                })
                .sum();
            ringing * (std::f64::consts::PI * part.min(1.0)).sin().powf(0.6)
        });
    }
}

fn door(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(2.6 / character.rate) {
        panel(canvas, character, at + 0.02, 1.0);
        canvas.burst(at + 0.02, 0.9, 0.001, 0.2, 240.0 * character.pitch, 0.6);
        for delay in [0.0, 0.06, 0.1] {
            canvas.burst(at + delay, 0.3, 0.0005, 0.02, 3100.0 * character.brightness, 2.0);
            canvas.strike(
                at + delay,
                0.12,
                &[(1850.0 * character.pitch, 0.06, 1.0), (3270.0 * character.pitch, 0.04, 0.7)],
            );
        }
    }
}

fn clock(canvas: &mut Canvas, character: &Character) {
    for (index, at) in canvas.rhythm(0.5 / character.rate, 0.0).into_iter().enumerate() {
        let pitch = if index % 2 == 0 { 2350.0 } else { 1870.0 } * character.pitch;
        let decay = 0.035 * character.decay;
        canvas.strike(
            at,
            0.7,
            &[(pitch, decay, 1.0), (pitch * 1.78, decay * 0.6, 0.6), (pitch * 0.31, decay * 1.4, 0.4)],
        );
        canvas.burst(at, 0.4, 0.0003, 0.006, 5200.0 * character.brightness, 0.8);
    }
}

fn lock(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(1.8 / character.rate) {
        for (delay, level, pitch) in [(0.0, 0.5, 1.3), (0.13, 0.35, 1.6), (0.3, 1.0, 1.0)] {
            let at = at + delay / character.rate;
            let pitch = 920.0 * pitch * character.pitch;
            canvas.strike(
                at,
                level * 0.7,
                &[(pitch, 0.05, 1.0), (pitch * 2.3, 0.035, 0.8), (pitch * 3.9, 0.02, 0.5)],
            );
            canvas.burst(at, level * 0.6, 0.0004, 0.018, 3800.0 * character.brightness, 0.9);
        }
    }
}

fn paper(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(1.5 / character.rate) {
        let length = 0.7 * character.decay / character.rate.sqrt();
        let mut grain = wander(canvas, 90.0 * character.rate);
        let mut filter = StateVariable::default();
        canvas.hit(at, length, |t, random| {
            let part = t / length;
            let level = (std::f64::consts::PI * part.min(1.0)).sin() * grain.next().max(0.0);
            filter.step(random.signed(), (2600.0 + 2600.0 * part) * character.brightness, 0.7, RATE_F).band
                * level
        });
        for _ in 0..(22.0 * character.intensity) as usize {
            let later = at + canvas.random.unit() * length;
            let frequency = canvas.random.range(2500.0, 7500.0) * character.brightness;
            canvas.burst(later, 0.3, 0.0004, 0.008, frequency, 1.2);
        }
    }
}

fn dishes(canvas: &mut Canvas, character: &Character) {
    for at in canvas.moments(2.6 * character.rate * character.intensity.sqrt()) {
        let pitch = canvas.random.range(1300.0, 3200.0) * character.pitch;
        let decay = canvas.random.range(0.15, 0.5) * character.decay;
        let gain = canvas.random.range(0.25, 0.9);
        canvas.strike(
            at,
            gain,
            &[(pitch, decay, 1.0), (pitch * 1.57, decay * 0.7, 0.6), (pitch * 2.71, decay * 0.4, 0.4)],
        );
        canvas.burst(at, gain * 0.4, 0.0003, 0.01, 6000.0 * character.brightness, 0.8);
    }
    let mut hum = StateVariable::default();
    canvas.bed(|t, random| {
        let air = hum.step(random.signed(), 420.0, 0.6, RATE_F).low * 0.02;
        air + saw(t * 50.0) * 0.0008 * fall(0.0, 1.0)
    });
}
