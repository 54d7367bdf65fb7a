//! Animals and their habitats.

use super::{RATE_F, Recipe, fall, recipe, saw, sine, wander};
use crate::audio::filter::{Resonator, StateVariable};
use crate::audio::noise::Pink;
use crate::sound::canvas::Canvas;
use crate::sound::character::Character;

pub(super) static RECIPES: &[Recipe] = &[
    recipe(
        "birds",
        "bird birdsong chirp tweet songbird sparrow robin seagull dawn+chorus",
        "forest morning garden park spring wildlife jungle",
        birds,
    ),
    recipe("crickets", "cricket cicada grasshopper katydid", "night summer meadow insect wildlife", crickets),
    recipe("insect", "bee fly mosquito buzz wasp hornet bumblebee", "insect swarm hive", insect),
    recipe("frogs", "frog toad croak ribbit", "swamp pond marsh", frogs),
    recipe("owl", "owl hoot", "night forest", owl),
    recipe("dog", "dog bark puppy woof hound", "pet animal", dog),
    recipe("cat", "cat meow kitten kitty", "pet animal", cat),
    recipe("cow", "cow moo cattle", "farm barn animal", cow),
    recipe("wolf", "wolf howl werewolf coyote", "moon night animal", wolf),
    recipe(
        "monster",
        "monster growl roar beast dinosaur dragon lion tiger zombie bear snarl",
        "animal ghost horror creature",
        monster,
    ),
    recipe(
        "forest",
        "forest woods jungle leaf leaves rustle rustling foliage",
        "nature outdoor countryside ambience",
        forest,
    ),
];

fn birds(canvas: &mut Canvas, character: &Character) {
    // Each bird has a song: a few glides that it repeats.
    let birds = (3.0 * character.intensity.sqrt()).round().clamp(1.0, 6.0) as usize;
    for _ in 0..birds {
        let base = canvas.random.range(2300.0, 4800.0) * character.pitch;
        let count = 2 + canvas.random.below(4);
        let song: Vec<(f64, f64, f64)> = (0..count)
            .map(|_| {
                let from = base * canvas.random.range(0.75, 1.3);
                (from, from * canvas.random.range(0.7, 1.4), canvas.random.range(0.04, 0.14) / character.rate)
            })
            .collect();
        let level = canvas.random.range(0.25, 0.8);
        let period = canvas.random.range(1.3, 3.2) / character.rate;
        let start = canvas.random.unit() * period * 0.5;
        for at in canvas.rhythm(period, 0.3) {
            let mut at = at + start;
            for &(from, to, length) in &song {
                canvas.glide(at, length, level, (from, to), sine);
                at += length * 1.35;
            }
        }
    }
}

fn crickets(canvas: &mut Canvas, character: &Character) {
    let count = (4.0 * character.intensity).round().clamp(2.0, 9.0) as usize;
    for _ in 0..count {
        let carrier = canvas.random.range(3900.0, 5200.0) * character.pitch;
        let pulse = canvas.random.range(26.0, 38.0) * character.rate.sqrt();
        let chirps = canvas.random.range(1.6, 2.8) * character.rate;
        let (duty, offset) = (canvas.random.range(0.35, 0.7), canvas.random.unit());
        let level = canvas.random.range(0.1, 0.5);
        canvas.bed(|t, _| {
            let chirp = (t * chirps + offset).fract() / duty;
            if chirp >= 1.0 {
                return 0.0;
            }
            let gate = (chirp * std::f64::consts::PI).sin().powf(0.5);
            let wing = sine(t * pulse * 0.5 + offset).powi(2);
            sine(t * carrier) * gate * wing * level
        });
    }
}

fn insect(canvas: &mut Canvas, character: &Character) {
    let mut path = wander(canvas, 1.1 * character.rate);
    let mut near = wander(canvas, 0.8 * character.rate);
    let mut phase = 0.0;
    let mut filter = StateVariable::default();
    canvas.bed(|_, random| {
        let pitch = 205.0 * character.pitch * (1.0 + 0.13 * path.next());
        phase += pitch * (1.0 + 0.02 * random.signed()) / RATE_F;
        let buzz = filter.step(saw(phase), 1700.0 * character.brightness, 0.8, RATE_F).low;
        buzz * (0.5 + 0.45 * near.next())
    });
}

/// A throat: three formants that filter a source.
#[derive(Default)]
struct Throat([Resonator; 3]);

impl Throat {
    fn step(&mut self, source: f64, formants: [f64; 3]) -> f64 {
        let bands = [90.0, 130.0, 180.0];
        self.0.iter_mut().zip(formants).zip(bands).fold(source, |value, ((resonator, formant), band)| {
            resonator.tune(formant, band, RATE_F);
            resonator.step(value)
        })
    }
}

/// A call: pitch, formants and level over time from 0 to 1, with some breath.
struct Call {
    length: f64,
    gain: f64,
    breath: f64,
    pitch: fn(f64) -> f64,
    formants: fn(f64) -> [f64; 3],
    level: fn(f64) -> f64,
}

fn call(canvas: &mut Canvas, character: &Character, at: f64, call: &Call) {
    let mut throat = Throat::default();
    let mut phase = 0.0;
    let mut rough = wander(canvas, 60.0);
    let length = call.length * character.decay.sqrt() / character.rate.sqrt();
    let size = character.pitch.sqrt();
    canvas.hit(at, length, |t, random| {
        let part = t / length;
        phase += (call.pitch)(part) * character.pitch * (1.0 + 0.05 * call.breath * rough.next()) / RATE_F;
        let source = saw(phase) + call.breath * random.signed();
        throat.step(source * 0.2, (call.formants)(part).map(|formant| formant * size))
            * call.gain
            * (call.level)(part)
    });
}

fn dog(canvas: &mut Canvas, character: &Character) {
    let bark = Call {
        length: 0.22,
        gain: 0.8,
        breath: 0.9,
        pitch: |part| 330.0 + 260.0 * (std::f64::consts::PI * part).sin() - 120.0 * part,
        formants: |part| [650.0 + 350.0 * (1.0 - part), 1350.0, 2600.0],
        level: |part| (part * 14.0).min(1.0) * (1.0 - part).powf(1.4),
    };
    for at in canvas.again(2.2 / character.rate) {
        for index in 0..character.count.unwrap_or(2) {
            let jitter = canvas.random.range(0.0, 0.05);
            call(canvas, character, at + index as f64 * 0.42 / character.rate + jitter, &bark);
        }
    }
}

fn cat(canvas: &mut Canvas, character: &Character) {
    let meow = Call {
        length: 0.85,
        gain: 0.5,
        breath: 0.12,
        pitch: |part| 480.0 + 330.0 * (std::f64::consts::PI * part.powf(0.6)).sin() - 90.0 * part,
        formants: |part| {
            let open = (std::f64::consts::PI * part).sin();
            [380.0 + 620.0 * open, 2300.0 - 900.0 * part, 3300.0]
        },
        level: |part| (part * 8.0).min(1.0) * (1.0 - part).powf(0.6),
    };
    for at in canvas.again(2.4 / character.rate) {
        call(canvas, character, at, &meow);
    }
}

fn cow(canvas: &mut Canvas, character: &Character) {
    let moo = Call {
        length: 1.7,
        gain: 0.55,
        breath: 0.15,
        pitch: |part| 105.0 + 45.0 * (std::f64::consts::PI * part.powf(0.7)).sin(),
        formants: |part| [280.0 + 330.0 * (part * 1.6).min(1.0), 720.0 + 500.0 * part, 2200.0],
        level: |part| (part * 7.0).min(1.0) * (1.0 - part).powf(0.5),
    };
    for at in canvas.again(3.6 / character.rate) {
        call(canvas, character, at, &moo);
    }
}

fn wolf(canvas: &mut Canvas, character: &Character) {
    let howl = Call {
        length: 3.2,
        gain: 0.5,
        breath: 0.05,
        pitch: |part| {
            300.0 + 280.0 * (part * 5.0).min(1.0) + 20.0 * sine(part * 12.0) - 220.0 * (part - 0.75).max(0.0)
        },
        formants: |part| [480.0 + 120.0 * part, 950.0, 2400.0],
        level: |part| (part * 6.0).min(1.0) * (1.0 - part).powf(0.7),
    };
    for at in canvas.again(4.6 / character.rate) {
        call(canvas, character, at, &howl);
    }
}

fn monster(canvas: &mut Canvas, character: &Character) {
    let growl = Call {
        length: 2.1,
        gain: 0.8,
        breath: 1.3,
        pitch: |part| 62.0 + 34.0 * (std::f64::consts::PI * part).sin(),
        formants: |part| [330.0 + 420.0 * (std::f64::consts::PI * part).sin(), 950.0 + 300.0 * part, 2300.0],
        level: |part| (part * 5.0).min(1.0) * (1.0 - part).powf(0.8),
    };
    for at in canvas.again(3.2 / character.rate) {
        call(canvas, character, at, &growl);
        let mut deep = character.clone();
        deep.pitch *= 0.51;
        call(canvas, &deep, at + 0.02, &growl);
    }
}

fn owl(canvas: &mut Canvas, character: &Character) {
    for at in canvas.again(3.4 / character.rate) {
        for (delay, length) in [(0.0, 0.28), (0.45, 0.16), (0.68, 0.62)] {
            let pitch = 390.0 * character.pitch;
            let at = at + delay / character.rate;
            canvas.glide(at, length, 0.6, (pitch * 1.06, pitch * 0.94), sine);
            canvas.burst(at, 0.03, 0.05, length, pitch * 2.0, 1.0);
        }
    }
}

fn frogs(canvas: &mut Canvas, character: &Character) {
    for _ in 0..(3.0 * character.intensity.sqrt()).round().clamp(1.0, 5.0) as usize {
        let pitch = canvas.random.range(420.0, 800.0) * character.pitch;
        let level = canvas.random.range(0.3, 0.8);
        let start = canvas.random.unit();
        let period = canvas.random.range(1.0, 1.9) / character.rate;
        for at in canvas.rhythm(period, 0.25) {
            for (pulse, later) in (0..9).map(|pulse| (f64::from(pulse), start * period * 0.6)) {
                let at = at + later + pulse * 0.024;
                let rise = 1.0 + pulse * 0.035;
                canvas.strike(
                    at,
                    level * (0.4 + 0.07 * pulse),
                    &[(pitch * rise, 0.05, 0.7), (pitch * 2.9 * rise, 0.03, 0.4)],
                );
            }
        }
    }
}

fn forest(canvas: &mut Canvas, character: &Character) {
    let mut gust = wander(canvas, 0.7 * character.rate);
    let mut leaf = wander(canvas, 13.0);
    let mut pink = Pink::default();
    let mut filter = StateVariable::default();
    canvas.bed(|_, random| {
        let level = (0.5 + 0.5 * gust.next()).powi(2) + 0.08;
        let rustle = 0.6 + 0.4 * leaf.next();
        let noise = pink.next(random) + 0.4 * random.signed();
        filter.step(noise, 3200.0 * character.brightness, 0.5, RATE_F).band * level * rustle * 0.5
    });
    for at in canvas.moments(5.0 * character.intensity) {
        let decay = 0.05 * fall(canvas.random.unit(), 6.0);
        canvas.burst(at, 0.12, 0.004, decay, 4500.0 * character.brightness, 1.5);
    }
}
