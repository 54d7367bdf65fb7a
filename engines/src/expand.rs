//! Extends a picture beyond its edges with its own texture. It adds no objects.

use serde::{Deserialize, Serialize};

use crate::fill::{Canvas, Effort, fill};
use crate::picture::{Picture, decode, png};
use crate::{Engine, Failure, Job, Output, Refusal};

/// The largest number of pixels that one edge may grow by.
pub const MAX_GROWTH: u32 = 2048;

/// The parameters of an expansion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expand {
    /// Pixels to add at the left edge, 0 to [`MAX_GROWTH`].
    pub left: u32,
    /// Pixels to add at the right edge.
    pub right: u32,
    /// Pixels to add at the top.
    pub top: u32,
    /// Pixels to add at the bottom.
    pub bottom: u32,
    /// The content of the new parts. The engine refuses any text except white space.
    pub prompt: String,
}

/// Extends a picture with patches of its own texture, blended at the borders.
///
/// The original pixels stay identical. The result is a PNG file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Expander;

impl Engine<Expand> for Expander {
    const NAME: &'static str = "texture-expander/1";

    type Media = Vec<u8>;

    fn refuse(&self, parameters: &Expand) -> Vec<Refusal> {
        let Expand { left, right, top, bottom, .. } = *parameters;
        let edges = [("left", left), ("right", right), ("top", top), ("bottom", bottom)];
        let bounds = edges.map(|(edge, growth)| Refusal::of_number(edge, growth, 0..=MAX_GROWTH));
        let reason =
            "the built-in engine extends the image's own texture and can't follow a prompt; leave it empty";
        let prompt = Refusal::when(!parameters.prompt.trim().is_empty(), "prompt", reason);
        bounds.into_iter().chain([prompt]).flatten().collect()
    }

    fn run(&self, parameters: &Expand, media: Vec<u8>, job: &Job) -> Result<Vec<Output>, Failure> {
        let picture = decode(media)?;
        job.check()?;
        let growth = |edge: u32| edge.min(MAX_GROWTH) as usize;
        let (left, top) = (growth(parameters.left), growth(parameters.top));
        let width = left + picture.width() + growth(parameters.right);
        let height = top + picture.height() + growth(parameters.bottom);
        let mut canvas = framed(&picture, (left, top), (width, height));
        fill(&mut canvas, Effort::NORMAL, job)?;
        job.check()?;
        Ok(vec![Output::File(png(&picture.with_pixels(width, canvas.pixels)?, Self::NAME)?)])
    }
}

/// Places the picture on a larger canvas. All other pixels are unknown.
fn framed(picture: &Picture, (left, top): (usize, usize), (width, height): (usize, usize)) -> Canvas {
    let mut pixels = vec![[0; 4]; width * height];
    let mut unknown = vec![true; width * height];
    let rows = pixels.chunks_exact_mut(width).zip(unknown.chunks_exact_mut(width)).skip(top);
    for (y, (pixels, unknown)) in rows.take(picture.height()).enumerate() {
        pixels.iter_mut().skip(left).zip(picture.row(y)).for_each(|(pixel, known)| *pixel = *known);
        unknown.iter_mut().skip(left).take(picture.width()).for_each(|unknown| *unknown = false);
    }
    Canvas { width, pixels, unknown }
}
