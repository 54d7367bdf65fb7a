//! Composes pictures from the words of a prompt.
//!
//! The engine knows words for palette, time, weather, layout and style, and paints a scene from a seed. The scene is
//! procedural: it never depicts a specific person, object or place.

mod brief;
mod caption;
mod colour;
mod finish;
mod grade;
mod lexicon;
mod maths;
mod noise;
mod palette;
mod scene;
mod studio;
mod view;

use serde::{Deserialize, Serialize};

use caption::Caption;

use crate::picture::{JPEG_QUALITY, Picture, PngRows, decode, jpeg};
use crate::{Engine, Failure, Job, Output, Parameters, Refusal};

pub(crate) use maths::smooth;
pub(crate) use studio::{Request, Studio, expanded};
pub(crate) use view::View;

/// The longest side of a picture.
pub const MAX_SIDE: u32 = 4096;

/// The parameters of a composition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Composition {
    /// The subject. Without one, it is random.
    pub prompt: String,
    /// The things that the picture must not show.
    #[serde(default)]
    pub negative_prompt: String,
    /// Whether to add missing details to the prompt first.
    #[serde(default)]
    pub expand: bool,
    /// Pixels, at most [`MAX_SIDE`].
    pub width: u32,
    /// Pixels, at most [`MAX_SIDE`].
    pub height: u32,
    /// The colours to use, with weights.
    #[serde(default)]
    pub colours: Vec<Share>,
    /// How closely the structure of the first input picture is kept, 0 to 100. `None`: not at all.
    #[serde(default)]
    pub structure: Option<u8>,
    /// How closely the prompt is followed instead of the colours of input pictures, 0 to 100.
    #[serde(default = "half")]
    pub adherence: u8,
    /// The dynamic range, 0 to 100.
    #[serde(default = "half")]
    pub dynamics: u8,
    /// The amount of added detail, 0 to 100.
    #[serde(default = "half")]
    pub detail: u8,
    /// Whether the request has a LoRA style, and whether it has a LoRA character.
    #[serde(default)]
    pub trained: (bool, bool),
    /// The file format.
    #[serde(default)]
    pub format: Format,
    /// Whether the prompt is written on the picture, with the words that the picture does not show.
    #[serde(default)]
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
    /// JPEG, with a compression of 0 to 100. `None`: artefacts are invisible.
    Jpeg(Option<u8>),
}

impl Default for Format {
    fn default() -> Self {
        Self::Png(None)
    }
}

fn half() -> u8 {
    50
}

impl Composition {
    /// Creates parameters with defaults.
    pub fn new(prompt: impl Into<String>, width: u32, height: u32) -> Self {
        Self {
            prompt: prompt.into(),
            negative_prompt: String::new(),
            expand: false,
            width,
            height,
            colours: Vec::new(),
            structure: None,
            adherence: half(),
            dynamics: half(),
            detail: half(),
            trained: (false, false),
            format: Format::default(),
            caption: false,
        }
    }
}

impl Parameters for Composition {
    /// The input pictures: the structure reference if there is one, then the style references.
    type Media = Vec<Vec<u8>>;
}

/// Returns a size of the same shape with this longer side.
#[must_use]
pub fn fitting((across, down): (u32, u32), longest: u32) -> (u32, u32) {
    let other = |part: u32, whole: u32| (longest * part + whole / 2) / whole.max(1);
    if across >= down { (longest, other(down, across)) } else { (other(across, down), longest) }
}

/// Composes a picture from the prompt's words.
///
/// Its layers are land, water, sky, buildings, trees, stars or plain shapes.
///
/// It knows about six hundred words of twelve languages. A caption on the picture names all others.
#[derive(Debug, Clone, Copy, Default)]
pub struct Composer;

const NAME: &str = "procedural-composition/1";

impl Engine<Composition> for Composer {
    fn name(&self) -> &'static str {
        NAME
    }

    fn refuse(&self, parameters: &Composition) -> Vec<Refusal> {
        let colours = parameters.colours.iter();
        let colours = colours.filter_map(|share| Refusal::of_number("colours", share.weight, 0.0..=1.0));
        let bounds = [
            Refusal::of_number("width", parameters.width, 1..=MAX_SIDE),
            Refusal::of_number("height", parameters.height, 1..=MAX_SIDE),
            Refusal::of_number("structure", parameters.structure.unwrap_or_default(), 0..=100),
            Refusal::of_number("adherence", parameters.adherence, 0..=100),
            Refusal::of_number("dynamics", parameters.dynamics, 0..=100),
            Refusal::of_number("detail", parameters.detail, 0..=100),
        ];
        let mut refusals: Vec<Refusal> = bounds.into_iter().flatten().chain(colours).collect();
        let (style, character) = parameters.trained;
        let reason = "the built-in engine composes pictures without a model and has no LoRAs: leave it out";
        if style {
            refusals.push(Refusal::new("styling.styles", reason));
        }
        if character {
            refusals.push(Refusal::new("styling.characters", reason));
        }
        refusals
    }

    fn run(&self, parameters: &Composition, media: Vec<Vec<u8>>, job: &Job) -> Result<Vec<Output>, Failure> {
        let studio = Studio::open(&Request::of(parameters, &media, job)?, job.seed);
        drop(media);
        let (width, height) = (parameters.width.clamp(1, MAX_SIDE), parameters.height.clamp(1, MAX_SIDE));
        let view = View::still(width as usize, height as usize);
        let caption = parameters.caption.then(|| Caption::of(&parameters.prompt, (view.width, view.height)));
        let caption = caption.flatten();
        let mut y = 0;
        let mut extend = |pixels: &mut Vec<[u8; 4]>, row: &[[u8; 3]]| {
            let begin = pixels.len();
            pixels.extend(row.iter().map(|&[r, g, b]| [r, g, b, u8::MAX]));
            if let (Some(caption), Some(row)) = (&caption, pixels.get_mut(begin..)) {
                caption.draw(y, row);
            }
            y += 1;
        };
        let file = match parameters.format {
            Format::Png(effort) => {
                let mut rows = PngRows::opaque((view.width, view.height), effort, NAME)?;
                let mut rgba = Vec::with_capacity(view.width);
                studio.paint(&view, job, |row| {
                    rgba.clear();
                    extend(&mut rgba, row);
                    rows.push(&rgba)
                })?;
                rows.finish()?
            }
            Format::Jpeg(compression) => {
                let mut pixels = Vec::with_capacity(view.width * view.height);
                studio.paint(&view, job, |row| {
                    extend(&mut pixels, row);
                    Ok(())
                })?;
                let pixels = image::RgbaImage::from_raw(width, height, pixels.into_flattened())
                    .ok_or_else(|| Failure::Internal("the picture has another size".into()))?;
                let quality =
                    compression.map_or(JPEG_QUALITY, |strength| 100_u8.saturating_sub(strength).max(1));
                jpeg(&Picture { pixels, opaque: true, profile: None }, quality, NAME)?
            }
        };
        Ok(vec![Output::File(file)])
    }
}

/// Decodes the input pictures one by one.
fn pictures(media: &[Vec<u8>]) -> impl Iterator<Item = Result<Picture, Failure>> + '_ {
    media.iter().map(|bytes| decode(bytes))
}
