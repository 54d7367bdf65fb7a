//! Renders the retouched picture, one band of rows at a time.

use super::light::Lighting;
use super::{Mode, Retouch, Target, skin};
use crate::picture::{
    GRAIN, Picture, Plane, SHARPEN, box_mean, bright, convolve, gaussian, grain, grain_weight, guided,
    local_contrast, quantise, unsharp,
};
use crate::{Failure, Job};

/// The work to do, with amounts of 0 to 1.
pub(super) struct Recipe {
    /// The share of the skin's coarse unevenness to remove.
    blemishes: f32,
    /// The share of the skin's fine structure to remove.
    pores: f32,
    /// The enhancement of structure outside the skin.
    structure: f32,
    lighting: bool,
    glow: bool,
    sharpen: f32,
    grain: f32,
}

impl Recipe {
    pub fn new(parameters: &Retouch) -> Self {
        let plain = Self {
            blemishes: 0.0,
            pores: 0.0,
            structure: 0.0,
            lighting: false,
            glow: false,
            sharpen: f32::from(parameters.sharpen) / 100.0,
            grain: f32::from(parameters.smart_grain) / 100.0,
        };
        match parameters.mode {
            Mode::Creative => Self { blemishes: 0.8, pores: 0.3, structure: 0.25, glow: true, ..plain },
            Mode::Faithful { skin_detail } => {
                let lost = 1.0 - f32::from(skin_detail.min(100)) / 100.0;
                // Blemishes are removed before pores are, so that skin does not look like plastic.
                Self { blemishes: 0.9 * lost.sqrt(), pores: 0.6 * lost, ..plain }
            }
            Mode::Flexible { optimized_for } => match optimized_for {
                Target::ImproveLighting => Self { lighting: true, ..plain },
                Target::EnhanceEverything => {
                    Self { blemishes: 0.65, pores: 0.15, structure: 0.5, lighting: true, ..plain }
                }
                // The last two are refused before a task is created.
                Target::EnhanceSkin | Target::TransformToReal | Target::NoMakeUp => {
                    Self { blemishes: 0.7, pores: 0.2, structure: 0.15, ..plain }
                }
            },
        }
    }
}

/// The approximate number of pixels in a band.
///
/// The band's planes take about a hundred bytes per pixel.
const BAND_AREA: usize = 1_500_000;

/// Retouches the picture.
pub(super) fn retouch(picture: &Picture, recipe: &Recipe, job: &Job) -> Result<Picture, Failure> {
    let (width, height) = (picture.width(), picture.height());
    let lighting = recipe.lighting.then(|| Lighting::measure(picture));
    let radii = Radii::new(width.min(height));
    let halo = radii.halo();
    let band_rows = (BAND_AREA / width).max(halo);
    let mut pixels = Vec::with_capacity(width * height);
    for first in (0..height).step_by(band_rows) {
        job.check()?;
        let end = (first + band_rows).min(height);
        let (top, bottom) = (first.saturating_sub(halo), (end + halo).min(height));
        let mut colour = [(); 3].map(|()| Plane::new(width, bottom - top));
        for y in top..bottom {
            load(picture, lighting.as_ref(), y, &mut colour, y - top);
        }
        let colour = smooth(colour, recipe, &radii, job)?;
        let brightness = bright(&colour);
        job.check()?;
        let blurred = convolve(&brightness, &gaussian(1.0));
        let grain = grain(job.seed, width, first, end - first);
        for y in first..end {
            let band_y = (y - top) as isize;
            let [red, green, blue] = colour.each_ref().map(|plane| plane.row(band_y));
            let tones =
                brightness.row(band_y).iter().zip(blurred.row(band_y)).zip(grain.row((y - first) as isize));
            let colours = red.iter().zip(green).zip(blue);
            for ((&[.., alpha], ((&r, &g), &b)), ((&here, &around), &noise)) in
                picture.row(y).iter().zip(colours).zip(tones)
            {
                let added = unsharp(here - around, recipe.sharpen * SHARPEN)
                    + noise * recipe.grain * GRAIN * grain_weight(here);
                let [r, g, b] = [r, g, b].map(|value| quantise(value + added));
                pixels.push([r, g, b, alpha]);
            }
        }
    }
    picture.with_pixels(width, pixels)
}

/// The filter radii for pores, blemishes and glow. They depend on the picture's size.
struct Radii {
    /// Smaller structures are pores.
    fine: usize,
    /// Smaller structures are blemishes.
    coarse: usize,
    glow: usize,
}

impl Radii {
    fn new(short_side: usize) -> Self {
        let coarse = (short_side / 48).clamp(4, 40);
        Self { fine: (coarse / 5).max(1), coarse, glow: coarse * 2 }
    }

    fn halo(&self) -> usize {
        // A guided filter reaches twice its radius, and the mask passes one after a mean.
        (self.coarse * 3 + 4).max(self.glow * 2 + self.coarse * 2) + 4
    }
}

fn load(picture: &Picture, lighting: Option<&Lighting>, y: usize, colour: &mut [Plane; 3], band_y: usize) {
    let [red, green, blue] = colour;
    let targets = red.row_mut(band_y).iter_mut().zip(green.row_mut(band_y)).zip(blue.row_mut(band_y));
    for ((x, &pixel), ((red, green), blue)) in picture.row(y).iter().enumerate().zip(targets) {
        let [r, g, b, _] = pixel;
        [*red, *green, *blue] = match lighting {
            Some(lighting) => lighting.apply(x, y, pixel),
            None => [r, g, b].map(|value| f32::from(value) / 255.0),
        };
    }
}

/// Evens out the skin, raises structure elsewhere, and adds the glow.
fn smooth(colour: [Plane; 3], recipe: &Recipe, radii: &Radii, job: &Job) -> Result<[Plane; 3], Failure> {
    if recipe.blemishes == 0.0 && recipe.pores == 0.0 && recipe.structure == 0.0 {
        return Ok(colour);
    }
    let brightness = bright(&colour);
    let mask = skin::mask(&colour, &brightness, radii.coarse);
    let mut result = Vec::with_capacity(3);
    for plane in &colour {
        job.check()?;
        let fine = guided(&brightness, plane, radii.fine, 0.000_5);
        let coarse = guided(&brightness, plane, radii.coarse, 0.002_5);
        let blemishes = fine.zip(&coarse, |fine, coarse| fine - coarse);
        let pores = plane.zip(&fine, |value, fine| value - fine);
        let lost = blemishes.zip(&pores, |blemish, pore| recipe.blemishes * blemish + recipe.pores * pore);
        let raised = blemishes.map(|structure| local_contrast(structure, recipe.structure));
        let skin = lost.zip(&mask, |lost, mask| -lost * mask);
        let beside = raised.zip(&mask, |raised, mask| raised * (1.0 - mask));
        let changed =
            plane.zip(&skin, |value, skin| value + skin).zip(&beside, |value, beside| value + beside);
        result.push(changed);
    }
    let colour = <[Plane; 3]>::try_from(result).unwrap_or(colour);
    Ok(if recipe.glow { glow(&colour, radii) } else { colour })
}

/// Adds a glow around bright areas, slightly more contrast, and warmer colours.
fn glow(colour: &[Plane; 3], radii: &Radii) -> [Plane; 3] {
    const SPREAD: f32 = 0.22;
    const CONTRAST: f32 = 0.25;
    const RICHNESS: f32 = 1.10;
    const WARMTH: [f32; 3] = [1.02, 1.0, 0.97];
    let glowing = colour.each_ref().map(|plane| {
        let spread = box_mean(&box_mean(plane, radii.glow), radii.glow);
        plane.zip(&spread, |value, spread| {
            let value = value.clamp(0.0, 1.0);
            let lit = value + SPREAD * spread * spread * (1.0 - value);
            // A gentle S-curve: darker below the middle, brighter above it.
            lit + CONTRAST * lit * (1.0 - lit) * (lit - 0.5)
        })
    });
    let brightness = bright(&glowing);
    let mut warmth = WARMTH.into_iter();
    glowing.map(|plane| {
        let warmth = warmth.next().unwrap_or(1.0);
        plane.zip(&brightness, |value, grey| (grey + (value - grey) * RICHNESS) * warmth)
    })
}
