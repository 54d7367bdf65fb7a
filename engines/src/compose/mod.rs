//! Composes pictures from the words of a prompt.
//!
//! Every picture has the same composition: wavy bands of colour under a disc of light. The words select the
//! colours, and the prompt can be written on the picture. It shows no object that the prompt names.

mod caption;
mod scene;
mod words;

use serde::{Deserialize, Serialize};

use crate::picture::{Colour, JPEG_QUALITY, Picture, PngRows, jpeg};
use crate::prompt::{PromptPurpose, expanded};
use crate::{Engine, Failure, Job, Output, Refusal};

use caption::Caption;
pub(crate) use scene::Scene;

/// The longest side of a picture, in pixels.
pub const MAX_SIDE: u32 = 4096;

/// The parameters of a composition.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Composition {
    /// The subject. Without one, the colours are random.
    pub prompt: String,
    /// The words of the prompt that must have no effect.
    pub negative_prompt: String,
    /// Whether to add missing details to the prompt first.
    pub expand: bool,
    /// The width in pixels, at most [`MAX_SIDE`].
    pub width: u32,
    /// The height in pixels, at most [`MAX_SIDE`].
    pub height: u32,
    /// The colours to use, with weights.
    pub colours: Vec<Share>,
    /// Whether the request has a LoRA style, and whether it has a LoRA character. The engine refuses both.
    pub trained: (bool, bool),
    /// The file format.
    pub format: Format,
    /// Whether the prompt is written on the picture.
    pub caption: bool,
}

/// A colour with its weight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The colour as `#RRGGBB`.
    pub colour: String,
    /// The weight: above 0, at most 1.
    pub weight: f64,
}

/// The format of a picture's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// PNG, with a compression effort of 0 to 100.
    Png(Option<u8>),
    /// JPEG, with a compression of 0 to 100. `None` compresses so little that artefacts are invisible.
    Jpeg(Option<u8>),
}

impl Default for Format {
    fn default() -> Self {
        Self::Png(None)
    }
}

impl Composition {
    /// Creates parameters with defaults.
    pub fn new(prompt: impl Into<String>, width: u32, height: u32) -> Self {
        Self { prompt: prompt.into(), width, height, ..Self::default() }
    }
}

/// Returns a size with the same aspect ratio and this longer side.
#[must_use]
pub fn fitting((across, down): (u32, u32), longest: u32) -> (u32, u32) {
    let other = |part: u32, whole: u32| (longest * part + whole / 2) / whole.max(1);
    if across >= down { (longest, other(down, across)) } else { (other(across, down), longest) }
}

/// Composes a picture from the prompt's words.
///
/// It knows words for times of day, landscapes, colours and moods.
#[derive(Debug, Clone, Copy, Default)]
pub struct Composer;

impl Engine<Composition> for Composer {
    const NAME: &'static str = "procedural-composition/1";

    /// The reference pictures. They have no effect.
    type Media = Vec<Vec<u8>>;

    fn refuse(&self, parameters: &Composition) -> Vec<Refusal> {
        let colours = parameters.colours.iter();
        let colours = colours.filter_map(|share| Refusal::of_number("colours", share.weight, 0.0..=1.0));
        let bounds = [
            Refusal::of_number("width", parameters.width, 1..=MAX_SIDE),
            Refusal::of_number("height", parameters.height, 1..=MAX_SIDE),
        ];
        let (style, character) = parameters.trained;
        let reason = "the built-in engine composes pictures without a model and has no LoRAs: leave it out";
        let loras = [
            Refusal::when(style, "styling.styles", reason),
            Refusal::when(character, "styling.characters", reason),
        ];
        bounds.into_iter().flatten().chain(colours).chain(loras.into_iter().flatten()).collect()
    }

    fn run(&self, parameters: &Composition, _: Vec<Vec<u8>>, job: &Job) -> Result<Vec<Output>, Failure> {
        let (width, height) = (parameters.width.clamp(1, MAX_SIDE), parameters.height.clamp(1, MAX_SIDE));
        let size = (width as usize, height as usize);
        let scene = scene(parameters, job.seed);
        let caption = parameters.caption.then(|| Caption::of(&parameters.prompt, size)).flatten();
        let mut y = 0;
        let mut finish = |row: &mut [[u8; 4]]| {
            if let Some(caption) = &caption {
                caption.draw(y, row);
            }
            y += 1;
        };
        let file = match parameters.format {
            Format::Png(effort) => {
                let mut rows = PngRows::opaque(size, effort, Self::NAME)?;
                scene.paint(size, 0.0, job, |row| {
                    finish(row);
                    rows.push(row)
                })?;
                rows.finish()?
            }
            Format::Jpeg(compression) => {
                let mut pixels = Vec::with_capacity(size.0 * size.1);
                scene.paint(size, 0.0, job, |row| {
                    finish(row);
                    pixels.extend_from_slice(row);
                    Ok(())
                })?;
                let quality =
                    compression.map_or(JPEG_QUALITY, |strength| 100_u8.saturating_sub(strength).max(1));
                jpeg(&Picture::new(size.0, pixels)?, quality, Self::NAME)?
            }
        };
        Ok(vec![Output::File(file)])
    }
}

/// Builds the scene of a request, in its colours or in those of the prompt.
fn scene(parameters: &Composition, seed: u64) -> Scene {
    let given = parameters.colours.iter().filter_map(|share| {
        let value = u32::from_str_radix(share.colour.strip_prefix('#')?, 16).ok()?;
        Some((Colour::hex(value), share.weight as f32))
    });
    let given: Vec<(Colour, f32)> = given.collect();
    if !given.is_empty() {
        return Scene::new(&given, seed);
    }
    let mut prompt = parameters.prompt.clone();
    if parameters.expand {
        prompt = expanded(&prompt, PromptPurpose::Image, "en", seed);
    }
    Scene::of_prompt(&prompt, &parameters.negative_prompt, seed)
}
