//! The recipes with their words and sounds, one file per kind of sound.

mod animals;
mod fantasy;
mod household;
mod impacts;
mod interface;
mod machines;
mod music;
mod people;
mod transitions;
mod weather;

use std::f64::consts::{PI, TAU};

use crate::audio::filter::StateVariable;
use crate::audio::noise::{Pink, Wander};

use super::canvas::{Canvas, RATE};
use super::character::Character;

const RATE_F: f64 = RATE as f64;

/// A recipe for a sound.
pub(in crate::sound) struct Recipe {
    pub(in crate::sound) name: &'static str,
    /// The words that request it. `a+b` are two words that stand together.
    pub(in crate::sound) words: &'static str,
    /// The words that may request it.
    pub(in crate::sound) lesser: &'static str,
    pub(in crate::sound) render: fn(&mut Canvas, &Character),
}

const fn recipe(
    name: &'static str,
    words: &'static str,
    lesser: &'static str,
    render: fn(&mut Canvas, &Character),
) -> Recipe {
    Recipe { name, words, lesser, render }
}

/// Returns all recipes except the neutral one. Among equals, the first wins.
pub(in crate::sound) fn all() -> impl Iterator<Item = &'static Recipe> {
    [
        weather::RECIPES,
        animals::RECIPES,
        people::RECIPES,
        impacts::RECIPES,
        household::RECIPES,
        transitions::RECIPES,
        interface::RECIPES,
        machines::RECIPES,
        fantasy::RECIPES,
        music::RECIPES,
    ]
    .into_iter()
    .flatten()
}

/// The texture for texts without known words: slow noise and three soft tones.
pub(in crate::sound) static NEUTRAL: Recipe = recipe("neutral", "", "", neutral);

fn neutral(canvas: &mut Canvas, character: &Character) {
    let root = 110.0 * character.pitch * 2f64.powf((canvas.random.unit() * 12.0).floor() / 12.0);
    let mut swells: Vec<Wander> = (0..4).map(|_| wander(canvas, 0.35 * character.rate)).collect();
    let mut filter = StateVariable::default();
    let mut pink = Pink::default();
    canvas.bed(move |t, random| {
        let mut swell = swells.iter_mut().map(|swell| 0.55 + 0.45 * swell.next());
        let cutoff = (300.0 + 1800.0 * swell.next().unwrap_or(0.5)) * character.brightness;
        let air = filter.step(pink.next(random), cutoff, 0.8, RATE_F).band;
        let tones: f64 = [1.0, 1.5, 2.0]
            .iter()
            .zip(swell)
            .map(|(ratio, level)| sine(t * root * ratio) * level * 0.08 / ratio)
            .sum();
        air * 0.5 + tones
    });
}

fn wander(canvas: &mut Canvas, frequency: f64) -> Wander {
    Wander::new(&mut canvas.random, frequency, RATE_F)
}

fn sine(phase: f64) -> f64 {
    (TAU * phase).sin()
}

/// Returns a sine with some third harmonic.
///
/// It is soft, but audible on small loudspeakers.
fn soft(phase: f64) -> f64 {
    sine(phase) + 0.15 * sine(3.0 * phase)
}

/// Returns a square wave with softened edges.
fn square(phase: f64) -> f64 {
    (sine(phase) * 5.0).tanh() * 0.7
}

/// Returns a saw-tooth wave with a softened edge.
fn saw(phase: f64) -> f64 {
    let phase = phase.fract();
    if phase < 0.94 { phase / 0.47 - 1.0 } else { (PI * (phase - 0.94) / 0.06).cos() }
}

fn triangle(phase: f64) -> f64 {
    1.0 - 4.0 * (phase.fract() - 0.5).abs()
}

/// Falls from 1 to a thousandth in `time` seconds.
fn fall(t: f64, time: f64) -> f64 {
    (-6.9 * t / time).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_recipe_has_a_name_of_its_own() {
        let mut names = HashSet::new();
        assert!(all().all(|recipe| names.insert(recipe.name)));
        assert!(names.len() >= 50, "{}", names.len());
    }
}
