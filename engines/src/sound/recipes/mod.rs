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

use crate::audio::noise::Wander;

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

impl Recipe {
    /// Returns the first of the words that request it.
    pub(in crate::sound) fn called(&self) -> Option<String> {
        Some(self.words.split_whitespace().next()?.replace('+', " "))
    }
}

const fn recipe(
    name: &'static str,
    words: &'static str,
    lesser: &'static str,
    render: fn(&mut Canvas, &Character),
) -> Recipe {
    Recipe { name, words, lesser, render }
}

/// Returns all recipes. Among equals, the first wins.
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
