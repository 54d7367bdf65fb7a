//! Sound effects from text.
//!
//! The words of the text choose procedural recipes, and its adjectives change them.

mod canvas;
mod character;
mod lexicon;
mod recipes;

use serde::{Deserialize, Serialize};

use crate::audio::level::{normalise, rms};
use crate::audio::wav::WavWriter;
use crate::random::{Random, hash};
use crate::{Engine, Failure, File, Job, Output, Parameters, Refusal};

use canvas::{Canvas, RATE};
use character::Character;
use lexicon::Choice;

/// The longest text, in characters.
pub const MOST_CHARACTERS: usize = 2500;

/// The parameters of a sound effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SoundParameters {
    /// The sound, in English words. A text without known words is refused.
    pub text: String,
    /// The length in seconds, 0.5 to 22, exact to a sample.
    pub duration_seconds: f64,
    /// Whether the end continues into the beginning without a step.
    #[serde(default, rename = "loop")]
    pub looped: bool,
    /// The influence of adjectives and lesser nouns, from 0 to 1. The default is 0.3.
    ///
    /// At 0 the sound is the plain recipe of the main noun, with more random variation.
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

impl Parameters for SoundParameters {
    type Media = ();
}

/// Makes sound effects from filtered noise, struck bodies, grains and envelopes.
///
/// The result is a mono WAV file, 44.1 kHz, 16 bits.
///
/// The engine knows some sixty kinds of sound by English words. The strongest kind in the text leads, and
/// others join in. It refuses a text without known words.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProceduralSound;

impl Engine<SoundParameters> for ProceduralSound {
    fn name(&self) -> &'static str {
        "procedural-sound/1"
    }

    fn refuse(&self, parameters: &SoundParameters) -> Vec<Refusal> {
        let bounds = [
            Refusal::of_text("text", &parameters.text, MOST_CHARACTERS),
            Refusal::of_number("duration_seconds", parameters.duration_seconds, 0.5..=22.0),
            Refusal::of_number("prompt_influence", parameters.prompt_influence, 0.0..=1.0),
            refuse_unknown(&parameters.text),
        ];
        bounds.into_iter().flatten().collect()
    }

    fn run(&self, parameters: &SoundParameters, _: (), job: &Job) -> Result<Vec<Output>, Failure> {
        let mut samples = render(parameters, job)?;
        let wanted = Character::of(&lexicon::words(&parameters.text)).at(effect(parameters));
        normalise(&mut samples, 0.89 * wanted.gain);
        let mut wav = WavWriter::new(RATE, samples.len(), self.name());
        for sample in samples {
            wav.push(f64::from(sample));
        }
        Ok(vec![Output::File(File { media_type: "audio/wav", extension: "wav", bytes: wav.finish() })])
    }
}

/// Scales the influence so that its middle is already clearly audible.
fn effect(parameters: &SoundParameters) -> f64 {
    parameters.prompt_influence.clamp(0.0, 1.0).sqrt()
}

fn render(parameters: &SoundParameters, job: &Job) -> Result<Vec<f32>, Failure> {
    let length = (parameters.duration_seconds.clamp(0.5, 22.0) * f64::from(RATE)).round() as usize;
    let effect = effect(parameters);
    let words = lexicon::words(&parameters.text);
    let said = Character::of(&words).at(effect);
    let mut whole = vec![0.0f32; length];
    for (index, Choice { recipe, share }) in lexicon::choose(&words).into_iter().enumerate() {
        job.check()?;
        let level = if index == 0 { 1.0 } else { share * (0.35 + 0.65 * effect) };
        if index > 0 && effect == 0.0 {
            break;
        }
        let mut random = Random::for_part(job.seed ^ hash(recipe.name.as_bytes()), "");
        let character = said.clone().varied(&mut random, 0.04 + 0.12 * (1.0 - effect));
        let mut canvas = Canvas::new(length, random);
        (recipe.render)(&mut canvas, &character);
        job.check()?;
        let mut part = canvas.finish(&character, parameters.looped);
        balance(&mut part);
        for (sum, sample) in whole.iter_mut().zip(part) {
            *sum += sample * level as f32;
        }
    }
    Ok(whole)
}

/// Returns a refusal of a text that names no sound.
fn refuse_unknown(text: &str) -> Option<Refusal> {
    let names_none = lexicon::choose(&lexicon::words(text)).is_empty();
    names_none.then(|| {
        let known: Vec<String> = recipes::all().filter_map(recipes::Recipe::called).collect();
        let known = known.join(", ");
        Refusal::new("text", format!("must name a sound that the built-in engine knows, in English: {known}"))
    })
}

/// Makes the sounds of a mix about equally loud.
///
/// The level is between equal peaks and equal power.
fn balance(samples: &mut [f32]) {
    normalise(samples, 1.0);
    let power = rms(samples);
    normalise(samples, (0.12 / power.max(1e-4)).sqrt().clamp(0.4, 1.6));
}

#[cfg(test)]
mod tests;
