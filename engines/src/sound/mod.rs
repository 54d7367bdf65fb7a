//! Sound effects from text.
//!
//! The words of the text choose some of a dozen procedural recipes, and its adjectives change them.

mod canvas;
mod character;
mod recipes;

use rust_stemmers::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};

use crate::audio::level::{normalise, rms};
use crate::audio::wav::WavWriter;
use crate::random::{Random, hash};
use crate::words::words;
use crate::{Engine, Failure, File, Job, Output, Refusal};

use canvas::{Canvas, RATE};
use character::Character;
use recipes::{RECIPES, Recipe};

/// The longest text, in characters.
pub const MAX_CHARACTERS: usize = 2500;

/// The parameters of a sound effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SoundParameters {
    /// The sound, in English words. A text without the word of a recipe is refused.
    pub text: String,
    /// The length in seconds, 0.5 to 22, exact to a sample.
    pub duration_seconds: f64,
    /// Whether the end continues into the beginning without a step.
    #[serde(default, rename = "loop")]
    pub looped: bool,
    /// The influence of adjectives and of all but the first sound, from 0 to 1. The default is 0.3.
    #[serde(default = "default_influence")]
    pub prompt_influence: f64,
}

fn default_influence() -> f64 {
    0.3
}

impl SoundParameters {
    /// Creates parameters with defaults.
    pub fn new(text: impl Into<String>, duration_seconds: f64) -> Self {
        Self { text: text.into(), duration_seconds, looped: false, prompt_influence: default_influence() }
    }
}

/// Makes sound effects from filtered noise, struck bodies and envelopes.
///
/// The result is a mono WAV file, 44.1 kHz, 16 bits. The engine knows a dozen sounds by English words. The first one
/// in the text is the loudest, and at most two others are mixed in. It refuses a text without one.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProceduralSound;

/// The largest number of recipes that sound at once.
const MAX_RECIPES: usize = 3;

impl Engine<SoundParameters> for ProceduralSound {
    const NAME: &'static str = "procedural-sound/1";

    type Media = ();

    fn refuse(&self, parameters: &SoundParameters) -> Vec<Refusal> {
        let known: Vec<&str> = RECIPES.iter().map(Recipe::name).collect();
        let unknown = format!(
            "must name a sound that the built-in engine knows, in English: {}; an attached engine takes other texts",
            known.join(", ")
        );
        let bounds = [
            Refusal::of_text("text", &parameters.text, MAX_CHARACTERS),
            Refusal::of_number("duration_seconds", parameters.duration_seconds, 0.5..=22.0),
            Refusal::of_number("prompt_influence", parameters.prompt_influence, 0.0..=1.0),
            Refusal::when(recipes(&affirmed_words(&parameters.text)).is_empty(), "text", unknown),
        ];
        bounds.into_iter().flatten().collect()
    }

    fn run(&self, parameters: &SoundParameters, _: (), job: &Job) -> Result<Vec<Output>, Failure> {
        let length = (parameters.duration_seconds.clamp(0.5, 22.0) * f64::from(RATE)).round() as usize;
        // With the square root, an influence of 0.5 is already clearly audible.
        let influence = parameters.prompt_influence.clamp(0.0, 1.0).sqrt();
        let words = affirmed_words(&parameters.text);
        let character = Character::of(&words, influence);
        let mut whole = vec![0.0f32; length];
        for (index, recipe) in recipes(&words).into_iter().enumerate() {
            job.check()?;
            let level = if index == 0 { 1.0 } else { influence as f32 };
            let random = Random::for_part(job.seed ^ hash(recipe.name().as_bytes()), "");
            let mut canvas = Canvas::new(length, random);
            (recipe.render)(&mut canvas, &character);
            job.check()?;
            let mut part = canvas.finish(&character, parameters.looped);
            balance(&mut part);
            whole.iter_mut().zip(part).for_each(|(sum, sample)| *sum += sample * level);
        }
        normalise(&mut whole, 0.89 * character.gain);
        let mut wav = WavWriter::new(RATE, whole.len(), Self::NAME);
        whole.into_iter().for_each(|sample| wav.push(f64::from(sample)));
        Ok(vec![Output::File(File { media_type: "audio/wav", extension: "wav", bytes: wav.finish() })])
    }
}

/// Returns the words without negated ones ("no rain").
fn affirmed_words(text: &str) -> Vec<String> {
    let mut affirmed_words = Vec::new();
    let mut is_denied = false;
    for word in words(text) {
        match word.as_str() {
            "no" | "without" | "not" => is_denied = true,
            "a" | "an" | "the" | "any" => {}
            _ if is_denied => is_denied = false,
            _ => affirmed_words.push(word),
        }
    }
    affirmed_words
}

/// Returns the recipes that the words name, in the order of the text.
fn recipes(words: &[String]) -> Vec<&'static Recipe> {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut named: Vec<&'static Recipe> = Vec::new();
    for word in words {
        let stem = stemmer.stem(word);
        let recipe =
            RECIPES.iter().find(|recipe| recipe.words.split(' ').any(|word| stemmer.stem(word) == stem));
        named.extend(recipe.filter(|recipe| named.iter().all(|other| other.words != recipe.words)));
    }
    named.truncate(MAX_RECIPES);
    named
}

/// Makes the sounds of a mix about equally loud.
///
/// The level is between that of equal peaks and that of equal power.
fn balance(samples: &mut [f32]) {
    normalise(samples, 1.0);
    let power = rms(samples);
    normalise(samples, (0.12 / power.max(1e-4)).sqrt().clamp(0.4, 1.6));
}

#[cfg(test)]
mod tests;
