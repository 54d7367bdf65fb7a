//! Machines and vehicles.

use super::{RATE_F, Recipe, fall, recipe, saw, sine, square, wander};
use crate::audio::filter::{OnePole, StateVariable};
use crate::audio::noise::{Brown, Pink};
use crate::sound::canvas::Canvas;
use crate::sound::character::Character;

pub(super) static RECIPES: &[Recipe] = &[
    recipe(
        "engine",
        "engine motor car truck motorcycle idle vehicle tractor bus",
        "drive garage machine boat race",
        engine,
    ),
    recipe("train", "train railway locomotive subway tram", "vehicle station rail", train),
    recipe(
        "aeroplane",
        "airplane aeroplane jet aircraft plane rocket",
        "vehicle fly flight airport takeoff",
        aeroplane,
    ),
    recipe("helicopter", "helicopter chopper rotor", "vehicle fly", helicopter),
    recipe(
        "fan",
        "fan ventilator vacuum hairdryer conditioner ventilation blower",
        "machine household air",
        fan,
    ),
    recipe(
        "hum",
        "hum transformer electricity electric voltage fridge refrigerator server",
        "machine electronic device power",
        hum,
    ),
    recipe(
        "spark",
        "spark zap taser electrocute electric+shock tesla",
        "electric electricity electronic power",
        spark,
    ),
    recipe(
        "drill",
        "drill chainsaw saw grinder power+tool mower",
        "machine tool construction workshop",
        drill,
    ),
    recipe(
        "factory",
        "factory machine machinery industrial conveyor press printer robot+arm",
        "tool work construction",
        factory,
    ),
    recipe("horn", "horn honk car+horn foghorn ship+horn", "car ship traffic truck", horn),
];

fn engine(canvas: &mut Canvas, character: &Character) {
    let firing = 26.0 * character.pitch * character.rate.sqrt();
    let mut uneven = wander(canvas, 9.0);
    let (mut pipe, mut block) = (StateVariable::default(), StateVariable::default());
    let mut phase = 0.0f64;
    canvas.bed(|_, random| {
        phase += firing * (1.0 + 0.02 * uneven.next()) / RATE_F;
        // Four cylinders, all slightly different.
        let cylinder = phase.fract() * 4.0;
        let strength = [1.0, 0.82, 0.94, 0.76].get(cylinder as usize % 4).copied().unwrap_or(1.0);
        let blow = fall(cylinder.fract(), 0.75) * strength;
        let exhaust = blow * (0.75 + 0.35 * random.signed());
        let low = pipe.step(exhaust, 130.0 * character.pitch, 1.6, RATE_F).band;
        let high = block.step(exhaust, 720.0 * character.brightness, 0.8, RATE_F).band;
        low * 1.2 + high * 0.45 * character.intensity.sqrt() + 0.01 * random.signed()
    });
}

fn train(canvas: &mut Canvas, character: &Character) {
    let mut brown = Brown::default();
    let mut filter = StateVariable::default();
    canvas.bed(|_, random| {
        let noise = brown.next(random) + 0.15 * random.signed();
        filter.step(noise, 420.0 * character.brightness, 0.6, RATE_F).low * 0.7
    });
    for at in canvas.rhythm(0.85 / character.rate, 0.01) {
        for (delay, level) in [(0.0, 1.0), (0.13, 0.8), (0.42, 0.5), (0.55, 0.4)] {
            let at = at + delay / character.rate;
            let pitch = 210.0 * character.pitch;
            canvas.strike(
                at,
                0.4 * level,
                &[(pitch, 0.14, 1.0), (pitch * 2.7, 0.1, 0.7), (pitch * 5.1, 0.05, 0.4)],
            );
            canvas.burst(at, 0.35 * level, 0.001, 0.05, 1100.0 * character.brightness, 0.8);
        }
    }
}

fn aeroplane(canvas: &mut Canvas, character: &Character) {
    let mut pink = Pink::default();
    let mut brown = Brown::default();
    let mut filter = StateVariable::default();
    let mut drift = wander(canvas, 0.35);
    let mut phase = 0.0;
    canvas.bed(|_, random| {
        let drift = drift.next();
        phase += 2150.0 * character.pitch * (1.0 + 0.012 * drift) / RATE_F;
        let cutoff = (850.0 + 260.0 * drift) * character.brightness;
        let roar = filter.step(pink.next(random), cutoff, 0.6, RATE_F).low;
        roar * 1.1 + brown.next(random) * 0.6 + (sine(phase) + 0.5 * sine(phase * 1.5)) * 0.015
    });
}

fn helicopter(canvas: &mut Canvas, character: &Character) {
    let blades = 11.0 * character.rate;
    let mut pink = Pink::default();
    let (mut low, mut turbine) =
        (StateVariable::default(), OnePole::new(2500.0 * character.brightness, RATE_F));
    canvas.bed(|t, random| {
        let part = (t * blades).fract();
        let blow = fall(part, 0.9) * (part * 30.0).min(1.0);
        let noise = pink.next(random);
        let thump = low.step(noise * blow * 2.0 + blow * 0.8, 115.0 * character.pitch, 0.9, RATE_F).low;
        thump * 1.3 + turbine.low(noise) * (0.12 + 0.25 * blow) + sine(t * 640.0 * character.pitch) * 0.012
    });
}

fn fan(canvas: &mut Canvas, character: &Character) {
    let blades = 24.0 * character.rate;
    let mut pink = Pink::default();
    let mut filter = StateVariable::default();
    canvas.bed(|t, random| {
        let air = filter.step(pink.next(random), 1300.0 * character.brightness, 0.5, RATE_F).band;
        let motor = sine(t * 118.0 * character.pitch) * 0.05 + sine(t * 236.0 * character.pitch) * 0.03;
        air * (0.7 + 0.1 * sine(t * blades)) + motor
    });
}

fn hum(canvas: &mut Canvas, character: &Character) {
    let mut swell = wander(canvas, 0.6);
    canvas.bed(|t, random| {
        let base = t * 50.0 * character.pitch;
        let tones: f64 =
            [(2.0, 0.5), (4.0, 0.28), (6.0, 0.16), (10.0, 0.08), (14.0, 0.05 * character.brightness)]
                .iter()
                .map(|(harmonic, level)| sine(base * harmonic) * level)
                .sum();
        tones * (0.9 + 0.1 * swell.next()) + 0.008 * random.signed()
    });
}

fn spark(canvas: &mut Canvas, character: &Character) {
    for at in canvas.moments(2.4 * character.rate * character.intensity.sqrt()) {
        let length = canvas.random.range(0.05, 0.4) * character.decay;
        let mut filter = StateVariable::default();
        let buzz = 100.0 * character.pitch;
        let mut crackle = wander(canvas, 400.0);
        canvas.hit(at, length, |t, random| {
            let gate = if crackle.next() > 0.1 { 1.0 } else { 0.15 };
            let arc = square(t * buzz) * 0.5 + random.signed();
            filter.step(arc, 3600.0 * character.brightness, 0.8, RATE_F).band * gate * fall(t, length * 1.8)
        });
    }
    hum(canvas, &Character { gain: 0.3, ..character.clone() });
}

fn drill(canvas: &mut Canvas, character: &Character) {
    let mut load = wander(canvas, 2.2 * character.rate);
    let mut filter = StateVariable::default();
    let mut phase = 0.0;
    canvas.bed(|_, random| {
        let load = load.next();
        phase += 175.0 * character.pitch * (1.0 + 0.12 * load) / RATE_F;
        let teeth = saw(phase) * 0.5 + saw(phase * 6.02) * 0.3 + 0.35 * random.signed() * (1.0 + load);
        filter.step(teeth, (1900.0 + 700.0 * load) * character.brightness, 0.8, RATE_F).low
            * (0.8 + 0.2 * load)
    });
}

fn factory(canvas: &mut Canvas, character: &Character) {
    let mut brown = Brown::default();
    canvas.bed(|t, random| brown.next(random) * 0.4 + sine(t * 98.0 * character.pitch) * 0.06);
    let period = 1.2 / character.rate;
    for at in canvas.rhythm(period, 0.0) {
        canvas.burst(at, 0.8, 0.002, 0.18, 220.0 * character.pitch, 0.7);
        canvas.strike(
            at,
            0.35,
            &[
                (330.0 * character.pitch, 0.35, 1.0),
                (905.0 * character.pitch, 0.25, 0.7),
                (1740.0 * character.pitch, 0.15, 0.4),
            ],
        );
        canvas.burst(at + period * 0.5, 0.3, 0.08, 0.35, 3600.0 * character.brightness, 0.6);
        canvas.burst(at + period * 0.75, 0.4, 0.001, 0.04, 1500.0 * character.brightness, 1.0);
    }
}

fn horn(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(2.2 / character.rate) {
        for index in 0..character.count.unwrap_or(1) {
            let at = at + index as f64 * 0.7 / character.rate;
            for pitch in [392.0, 493.9] {
                canvas.tone(
                    at,
                    0.55 * character.decay / character.rate.sqrt(),
                    0.4,
                    pitch * character.pitch,
                    saw,
                );
            }
        }
    }
}
