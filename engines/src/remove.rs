//! Removes the masked part of a picture and fills the hole from its surroundings.

use image::RgbaImage;
use serde::{Deserialize, Serialize};

use crate::fill::{Canvas, Effort, fill};
use crate::picture::{Info, Picture, decode, luma, png};
use crate::{Engine, Failure, Job, Output, Refusal};

/// The parameters of a masked edit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Remove {
    /// The content of the masked part. The engine refuses any text except white space.
    pub prompt: String,
    /// The trade-off between speed and quality.
    pub rendering_speed: RenderingSpeed,
    /// Whether the prompt is rewritten.
    pub magic_prompt: MagicPrompt,
}

/// A trade-off between speed and quality.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum RenderingSpeed {
    /// Searches a small copy of the picture once.
    Turbo,
    /// Searches a medium-sized copy, with some rounds.
    #[default]
    Default,
    /// Searches a large copy, with many rounds.
    Quality,
}

/// Whether a prompt is rewritten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum MagicPrompt {
    /// The engine decides. It rewrites nothing, because it takes no prompt.
    #[default]
    Auto,
    /// The prompt is rewritten. The engine refuses this value.
    On,
    /// The prompt is not rewritten.
    Off,
}

/// A picture and the mask of the part to edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked {
    /// The encoded picture.
    pub image: Vec<u8>,
    /// The encoded mask, of the same size. Its black part is edited, and its white part stays unchanged.
    pub mask: Vec<u8>,
}

/// Fills the black part of the mask from the rest of the picture.
///
/// All other pixels stay unchanged. The result is a PNG file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Remover;

/// The brightness below which a mask pixel is black.
///
/// It is the middle of the range, so that JPEG artefacts do not change the mask.
const BLACK: f32 = 0.5;
/// The minimum width of the searched border around the hole, in pixels.
///
/// Nearby texture fits better, and searching the whole picture takes too long.
const MARGIN: usize = 96;

impl Engine<Remove> for Remover {
    const NAME: &'static str = "patch-inpainter/1";

    type Media = Masked;

    fn refuse(&self, parameters: &Remove) -> Vec<Refusal> {
        let prompt =
            "the built-in engine removes the masked area and can't paint from a prompt; leave it empty";
        let rewritten = "the built-in engine takes no prompt, so it has none to rewrite; use AUTO or OFF";
        let refusals = [
            Refusal::when(!parameters.prompt.trim().is_empty(), "prompt", prompt),
            Refusal::when(parameters.magic_prompt == MagicPrompt::On, "magic_prompt", rewritten),
        ];
        refusals.into_iter().flatten().collect()
    }

    fn refuse_media(&self, _: &Remove, pictures: &[Option<Info>]) -> Vec<Refusal> {
        let [Some(picture), Some(mask)] = pictures else { return Vec::new() };
        let reason = format!(
            "must have the same size as the image, {}x{} pixels; it has {}x{}",
            picture.width, picture.height, mask.width, mask.height
        );
        let differs = (picture.width, picture.height) != (mask.width, mask.height);
        Refusal::when(differs, "mask", reason).into_iter().collect()
    }

    fn run(&self, parameters: &Remove, media: Masked, job: &Job) -> Result<Vec<Output>, Failure> {
        let mut picture = decode(media.image)?;
        let hole = hole(&decode(media.mask)?, &picture)?;
        job.check()?;
        let effort = match parameters.rendering_speed {
            RenderingSpeed::Turbo => Effort::FAST,
            RenderingSpeed::Default => Effort::NORMAL,
            RenderingSpeed::Quality => Effort::THOROUGH,
        };
        if let Some(part) = Part::around(&hole, picture.width()) {
            let mut canvas = part.cut(&picture, &hole);
            fill(&mut canvas, effort, job)?;
            part.paste(&canvas, &mut picture.pixels);
        }
        job.check()?;
        Ok(vec![Output::File(png(&picture, Self::NAME)?)])
    }
}

/// Returns for each pixel whether it is to be edited.
fn hole(mask: &Picture, picture: &Picture) -> Result<Vec<bool>, Failure> {
    if mask.pixels.dimensions() != picture.pixels.dimensions() {
        let message = format!(
            "The mask has {}x{} pixels and the image {}x{}; the sizes must be equal.",
            mask.width(),
            mask.height(),
            picture.width(),
            picture.height()
        );
        return Err(Failure::media("mask_size_differs", message));
    }
    let hole: Vec<bool> = (0..mask.height())
        .flat_map(|y| mask.row(y))
        .map(|pixel| {
            let [r, g, b, alpha] = pixel.map(|value| f32::from(value) / 255.0);
            // A transparent mask pixel counts as white.
            luma(r, g, b) * alpha + 1.0 - alpha < BLACK
        })
        .collect();
    let message = "The mask is black everywhere; it must leave a part of the image white to fill from.";
    if hole.contains(&false) { Ok(hole) } else { Err(Failure::media("mask_covers_everything", message)) }
}

/// A rectangle of a picture.
struct Part {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

impl Part {
    /// Returns the rectangle of a hole and its margin, or `None` without a hole.
    fn around(hole: &[bool], width: usize) -> Option<Self> {
        let height = hole.len() / width;
        let indexes = || hole.iter().enumerate().filter(|(_, hole)| **hole).map(|(at, _)| at);
        let (top, bottom) = (indexes().next()? / width, indexes().next_back()? / width);
        let (left, right) = (indexes().map(|at| at % width).min()?, indexes().map(|at| at % width).max()?);
        let margin = MARGIN + (right - left).max(bottom - top);
        let (left, top) = (left.saturating_sub(margin), top.saturating_sub(margin));
        let (right, bottom) = ((right + margin + 1).min(width), (bottom + margin + 1).min(height));
        Some(Self { left, top, width: right - left, height: bottom - top })
    }

    fn cut(&self, picture: &Picture, hole: &[bool]) -> Canvas {
        let rows = self.top..self.top + self.height;
        let columns = self.left..self.left + self.width;
        let pixels = rows.clone().flat_map(|y| picture.row(y).get(columns.clone()).unwrap_or_default());
        let width = picture.width();
        let unknown = rows
            .clone()
            .flat_map(|y| hole.get(y * width + self.left..).unwrap_or_default().iter().take(self.width));
        let (pixels, unknown) = (pixels.copied().collect(), unknown.copied().collect());
        Canvas { width: self.width, pixels, unknown }
    }

    /// Copies the filled pixels back. All other pixels stay unchanged.
    fn paste(&self, canvas: &Canvas, pixels: &mut RgbaImage) {
        let width = pixels.width() as usize;
        let (target, _) = pixels.as_flat_samples_mut().samples.as_chunks_mut::<4>();
        for (at, _) in canvas.unknown.iter().enumerate().filter(|(_, unknown)| **unknown) {
            let (x, y) = (self.left + at % self.width, self.top + at / self.width);
            if let (Some(target), Some(pixel)) = (target.get_mut(y * width + x), canvas.pixels.get(at)) {
                *target = *pixel;
            }
        }
    }
}
